package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"digest"
	"digest/internal/dmarc"
)

// dmarc checks the policy of From's domain, whether SPF and DKIM both align with it, and what receivers report.
func (x *checker) dmarc(ctx context.Context) Finding {
	domain := domainOf(x.From)
	var f Finding
	if why := x.noDNS(); why != "" {
		f.note(Skipped, why, "")
	} else if walk, ok := x.walk(ctx, domain, &f); ok {
		policy := x.judgePolicy(ctx, walk, &f)
		x.judgeAlignment(ctx, walk, policy, &f)
	}
	x.judgeReports(ctx, domain, &f)
	return f
}

// walk looks up the DMARC records for a domain. If the DNS does not answer, it adds the error to the finding and
// returns false.
func (x *checker) walk(ctx context.Context, domain string, f *Finding) (dmarc.Walk, bool) {
	w, err := dmarc.Discover(ctx, x.names.texts, domain)
	if failed, ok := errors.AsType[*dmarc.LookupError](err); ok {
		f.noAnswer(failed.Name, failed.Err)
	}
	return w, err == nil
}

func (x *checker) judgePolicy(ctx context.Context, walk dmarc.Walk, f *Finding) dmarc.Record {
	for _, p := range walk.Found {
		switch {
		case len(p.Texts) > 1:
			f.note(Wrong, fmt.Sprintf("_dmarc.%s has %d DMARC records, and receivers ignore all of them",
				p.Domain, len(p.Texts)), "keep one of them")
		case p.Record.Faulty || p.Record.Policy == "":
			f.note(Wrong, fmt.Sprintf("the DMARC record at _dmarc.%s is not valid (%s)",
				p.Domain, cut(p.Texts[0])), "correct it; an example: "+x.exampleDMARC(p.Domain))
		}
	}
	p, ok := walk.Policy()
	ofSuffix := ok && p.Record.PublicSuffix == "y" && p.Domain != walk.Domain
	if len(walk.Found) == 0 || ofSuffix {
		at := organisation(walk.Domain)
		f.note(Wrong, at+" has no DMARC record", fmt.Sprintf("publish at _dmarc.%s the one TXT record: %s"+
			" (raise the policy from none once the reports show that your own email passes)", at, x.exampleDMARC(at)))
	}
	if !ok || ofSuffix {
		return p.Record
	}
	hosts, err := x.exchangers(ctx, walk.Domain)
	applied := p.Record.Applied(p.Domain != walk.Domain, err != nil || len(hosts) > 0)
	f.note(OK, fmt.Sprintf("the policy for email from %s that fails DMARC is %s (record at _dmarc.%s)",
		walk.Domain, applied, p.Domain), "")
	judgeTags(p, applied, f)
	if p.Domain == walk.Organization() {
		judgeSubdomains(p, f)
	}
	x.judgeAddresses(ctx, walk, p, f)
	return p.Record
}

// exampleDMARC returns a record for the beginning.
func (x *checker) exampleDMARC(domain string) string {
	to := dmarc.ReportAddress(x.ReturnPath)
	if to == "" {
		to = "postmaster@" + domain
	}
	return "v=DMARC1; p=none; rua=mailto:" + to
}

// judgeTags judges tags that weaken a record or have no effect any more.
func judgeTags(p dmarc.Published, applied dmarc.Policy, f *Finding) {
	at := "the record at _dmarc." + p.Domain
	if removed := strings.Join(p.Record.Removed, ", "); removed != "" {
		todo := fmt.Sprintf("remove %s from %s", removed, at)
		if p.Record.Percent == "0" {
			todo += "; to keep testing, replace pct=0 with t=y"
		}
		f.note(Warn, fmt.Sprintf("%s no longer has any effect (RFC 9989)", removed), todo)
	}
	switch {
	case p.Record.Testing:
		f.note(Warn, fmt.Sprintf("t=y means that the policy is being tested, so receivers apply at most %s",
			applied),
			fmt.Sprintf("remove t=y from %s once the reports show that your own email passes", at))
	case applied == dmarc.None:
		f.note(Warn, "receivers deliver email that others forge with this domain",
			fmt.Sprintf("set the policy to quarantine, and later to reject, in %s"+
				" once the reports show that your own email passes", at))
	}
}

func judgeSubdomains(p dmarc.Published, f *Finding) {
	for _, tag := range []struct {
		name   string
		policy dmarc.Policy
	}{{"sp", p.Record.Subdomains}, {"np", p.Record.Nonexistent}} {
		if tag.policy != "" && tag.policy.Weaker(p.Record.Policy) {
			f.note(Warn,
				fmt.Sprintf("%s=%s protects subdomains less than p=%s protects %s, so others can forge email from them",
					tag.name, tag.policy, p.Record.Policy, p.Domain),
				fmt.Sprintf("remove %s from the record at _dmarc.%s", tag.name, p.Domain))
		}
	}
}

// judgeAddresses checks that the record asks for reports, and that receivers can send them to this instance.
func (x *checker) judgeAddresses(ctx context.Context, walk dmarc.Walk, p dmarc.Published, f *Finding) {
	ours := dmarc.ReportAddress(x.ReturnPath)
	isOurs := func(address string) bool { return strings.EqualFold(address, ours) }
	switch {
	case len(p.Record.Reports) == 0:
		_, rua, _ := strings.Cut(x.exampleDMARC(p.Domain), "rua=")
		f.note(Warn, "no address receives reports about email from this domain",
			fmt.Sprintf("add rua=%s to the record at _dmarc.%s", rua, p.Domain))
	case ours == "":
	case !slices.ContainsFunc(p.Record.Reports, isOurs):
		f.note(OK, fmt.Sprintf("reports go to %s; only reports to %s are shown at /operator/dmarc",
			cut(strings.Join(p.Record.Reports, ", ")), ours), "")
	default:
		x.judgeDestination(ctx, walk, p, domainOf(ours), f)
	}
}

// judgeDestination checks that another organization's address accepts reports about a domain (RFC 9990 §4).
func (x *checker) judgeDestination(ctx context.Context, walk dmarc.Walk, p dmarc.Published, to string, f *Finding) {
	if is, ok := x.aligned(ctx, walk, to, false, f); is || !ok {
		return
	}
	name := p.Domain + "._report._dmarc." + to
	texts, err := x.names.texts(ctx, name)
	if err != nil {
		f.noAnswer(name, err)
		return
	}
	for _, text := range texts {
		if dmarc.HasVersion(text, "DMARC1") {
			return
		}
	}
	f.note(Warn, fmt.Sprintf("receivers do not send reports about %s to %s, because its DNS does not allow them",
		p.Domain, to), fmt.Sprintf("publish at %s the TXT record: v=DMARC1", name))
}

// The consequences if SPF or DKIM does not align.
const (
	onDKIM = ": DMARC depends on DKIM alone, which fails if a message is changed on the way"
	onSPF  = ": DMARC depends on SPF alone, which fails if a message is forwarded"
)

func noSPF(domain, back string) string {
	return fmt.Sprintf("SPF does not align with %s, because the return path is at %s", domain, back)
}

// judgeAlignment checks that SPF and DKIM both align with From.
func (x *checker) judgeAlignment(ctx context.Context, walk dmarc.Walk, policy dmarc.Record, f *Finding) {
	back := domainOf(x.envelope())
	bySPF, ok := x.aligned(ctx, walk, back, policy.StrictSPF, f)
	key, signed := x.signingKey()
	byDKIM := false
	if ok && signed {
		byDKIM, ok = x.aligned(ctx, walk, key.Domain, policy.StrictDKIM, f)
	}
	if !ok {
		return
	}
	todoSPF := fmt.Sprintf("set DIGEST_RETURN_PATH to an address at %s or a subdomain", walk.Organization())
	if policy.StrictSPF {
		todoSPF = fmt.Sprintf("set DIGEST_RETURN_PATH to an address at %s, or remove aspf=s from the DMARC record",
			walk.Domain)
	}
	noDKIM, todoDKIM := "this instance has no DKIM key for "+walk.Domain, "run: digest dkim new "+walk.Domain
	if signed {
		noDKIM = fmt.Sprintf("DKIM does not align with %s, because the key is for %s", walk.Domain, key.Domain)
	}
	if signed && policy.StrictDKIM {
		todoDKIM += ", or remove adkim=s from the DMARC record"
	}
	const unknown = "; DKIM was not checked without the database"
	switch known := x.Database.Read(); {
	case bySPF && byDKIM:
		f.note(OK, "SPF and DKIM both align with "+walk.Domain, "")
	case bySPF && !known:
		f.note(OK, "SPF aligns with "+walk.Domain+unknown, "")
	case !known:
		f.note(Warn, noSPF(walk.Domain, back)+unknown, todoSPF)
	case byDKIM:
		f.note(Warn, noSPF(walk.Domain, back)+onDKIM, todoSPF)
	case bySPF:
		f.note(Warn, noDKIM+onSPF, todoDKIM)
	default:
		f.note(Wrong, noSPF(walk.Domain, back)+", and "+noDKIM+": email fails DMARC", todoSPF+"\n"+todoDKIM)
	}
}

// aligned reports whether a domain aligns with From. If the DNS does not answer, it adds the error to the finding and
// returns false for ok.
func (x *checker) aligned(ctx context.Context, walk dmarc.Walk, domain string, strict bool, f *Finding) (is, ok bool) {
	if strict || domain == walk.Domain {
		return domain == walk.Domain, true
	}
	other, ok := x.walk(ctx, domain, f)
	return ok && walk.Aligned(other, false), ok
}

// judgeReports sums up the reports of the last week about a domain. Anyone can send reports, so it only warns.
func (x *checker) judgeReports(ctx context.Context, domain string, f *Finding) {
	at := slices.IndexFunc(x.Database.Reported.Totals, func(t dmarc.Total) bool { return t.Domain == domain })
	if at < 0 {
		return
	}
	total := x.Database.Reported.Totals[at]
	found := fmt.Sprintf("receivers report that in the last 7 days %d of %d messages from %s failed DMARC",
		total.Failed, total.Messages, domain)
	const most = 3 // sources to list
	sources := x.Database.Reported.FailingSources(domain)
	for i, source := range sources[:min(len(sources), most)] {
		found += []string{": ", ", "}[min(i, 1)] + source
	}
	var here sender
	if x.noDNS() == "" {
		here, _ = x.sender(ctx) // without it, all sources count as foreign
	}
	own := slices.ContainsFunc(here.addresses, func(a netip.Addr) bool { return slices.Contains(sources, a.String()) })
	if own || total.Failed > total.Messages/2 {
		f.note(Warn, found, "see /operator/dmarc, and correct SPF and DKIM for your own servers")
		return
	}
	f.note(OK, found, "")
}

// newsletters checks the newsletters' own domains. The publishers control their records, so the worst finding is a
// warning.
func (x *checker) newsletters(ctx context.Context) Finding {
	if why := x.mailStays(); why != "" {
		return skip(why)
	}
	if !x.Database.Read() {
		return skip("needs the database")
	}
	const most = 20
	var domains []string
	for _, d := range x.Database.Newsletters {
		if d.Signs && !slices.Contains(domains, d.Domain()) {
			domains = append(domains, d.Domain())
		}
	}
	if len(domains) == 0 {
		return verdict(OK, "no newsletter has its own domain", "")
	}
	findings := make([]Finding, min(len(domains), most))
	var wg sync.WaitGroup
	for i := range findings {
		wg.Go(func() { findings[i] = x.judgeNewsletter(ctx, domains[i]) })
	}
	wg.Wait()
	var f Finding
	for _, one := range findings {
		f.note(one.Status, one.Found, one.Todo)
	}
	if more := len(domains) - most; more > 0 {
		f.note(OK, digest.Counted(more, "more domain")+" not checked", "")
	}
	return f
}

// judgeNewsletter checks a domain whose key signs. DKIM aligns, even if the record is strict.
func (x *checker) judgeNewsletter(ctx context.Context, domain string) (f Finding) {
	if walk, ok := x.walk(ctx, domain, &f); ok {
		policy := x.judgePolicy(ctx, walk, &f)
		back := domainOf(x.envelope())
		if is, ok := x.aligned(ctx, walk, back, policy.StrictSPF, &f); ok && !is {
			f.note(Warn, noSPF(domain, back)+onDKIM,
				"to align both, use a From address at the domain of DIGEST_RETURN_PATH")
		} else if ok {
			f.note(OK, "SPF and DKIM both align with "+domain, "")
		}
	}
	x.judgeReports(ctx, domain, &f)
	if f.Status == Wrong {
		f.Status = Warn
	}
	return f
}
