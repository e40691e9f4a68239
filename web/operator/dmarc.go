package operator

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/dmarc"
	"digest/web/page"
)

// An dmarcPage shows the DMARC reports about email from the domains of this instance.
type dmarcPage struct {
	ReportAddress string // receives reports; "": none
	Domains       []reportedDomain
	More          bool // the page leaves sources out
}

// A reportedDomain is a domain with the sources of its messages. The ones that failed come first.
type reportedDomain struct {
	dmarc.Total
	Sources []reportedSource
}

// A reportedSource is a server that sent messages, with their results.
type reportedSource struct{ dmarc.Source }

// dmarcPage shows which servers send email from the domains of this instance, as receivers report it.
func (s *site) dmarcPage(w http.ResponseWriter, r *http.Request, _ page.Reader) error {
	const days, most = 30, 100
	sum, err := s.Store.Editions.DMARCSummary(r.Context(), digest.DateOf(s.Now().UTC()).Plus(-days), most+1)
	p := dmarcPage{ReportAddress: s.ReportAddress, More: len(sum.Failing) > most || len(sum.Passing) > most}
	for _, total := range sum.Totals {
		d := reportedDomain{Total: total}
		for _, list := range [][]dmarc.Source{sum.Failing, sum.Passing} {
			for _, source := range list[:min(len(list), most)] {
				if source.From == total.Domain {
					d.Sources = append(d.Sources, reportedSource{source})
				}
			}
		}
		p.Domains = append(p.Domains, d)
	}
	return s.ShowPage(w, r, err, "operator/dmarc", catalogue.Key("DMARC reports"), p)
}

func (s reportedSource) Passed() catalogue.Sayable {
	if s.Failed() {
		return catalogue.Key("failed")
	}
	return catalogue.Key("passed")
}

func (s reportedSource) SPFResult() catalogue.Sayable {
	return authenticated(s.SPFAligned, s.SPF, s.SPFDomain)
}

func (s reportedSource) DKIMResult() catalogue.Sayable {
	return authenticated(s.DKIMAligned, s.DKIM, s.DKIMDomain)
}

// authenticated describes the result of SPF or DKIM; nil: the report has none.
func authenticated(aligned bool, result, domain string) catalogue.Sayable {
	switch {
	case aligned:
		return catalogue.Key("passed")
	case result == "pass" && domain != "":
		return catalogue.Key("passed only for %s").With(domain)
	case result == "" || result == "none":
		return nil
	}
	return catalogue.Key("failed")
}

// Handled describes the receiver's action; nil: unknown.
func (s reportedSource) Handled() catalogue.Sayable {
	switch dmarc.Policy(s.Disposition) {
	case dmarc.Reject:
		return catalogue.Key("rejected")
	case dmarc.Quarantine:
		return catalogue.Key("marked as spam")
	case dmarc.None, "pass":
		return catalogue.Key("no action")
	}
	return nil
}

// Others counts the receivers that report the same, without the named one.
func (s reportedSource) Others() int { return s.Reporters - 1 }
