// Package dmarc parses the DMARC records of domains (RFC 9989) and the aggregate reports that receivers send about them
// (RFC 9990). It sends no requests; callers pass a LookupFunc.
package dmarc

import (
	"slices"
	"strings"

	"digest"
)

// ReportAddress returns the address for aggregate reports of an instance with a return path: for
// bounces@example.org it is bounces+dmarc@example.org. It returns "" without a return path.
func ReportAddress(returnPath string) string {
	if returnPath == "" {
		return ""
	}
	return digest.Tagged(returnPath, "dmarc")
}

// A Policy says what receivers should do with messages that fail DMARC.
type Policy string

// The policies, from the weakest to the strongest.
const (
	None       Policy = "none"
	Quarantine Policy = "quarantine"
	Reject     Policy = "reject"
)

func policies() []Policy { return []Policy{None, Quarantine, Reject} }

// Weaker reports whether p protects a domain less than another policy does.
func (p Policy) Weaker(than Policy) bool {
	return slices.Index(policies(), p) < slices.Index(policies(), than)
}

func (p Policy) lowered() Policy { return policies()[max(slices.Index(policies(), p)-1, 0)] }

// A Record is a DMARC record as receivers read it.
type Record struct {
	Policy       Policy // p; empty: receivers apply no policy, because p is invalid and there is no rua
	Subdomains   Policy // sp; empty: Policy applies
	Nonexistent  Policy // np; empty: Subdomains applies
	PublicSuffix string // psd: "y", "n", or "u" for unknown
	Testing      bool   // t=y
	StrictSPF    bool
	StrictDKIM   bool
	Reports      []string // addresses in rua
	Percent      string   // pct, which RFC 9989 removed; receivers ignore it
	Removed      []string // the names of removed tags in the record
	Faulty       bool     // it has an invalid tag, or a tag twice
}

// ParseRecord parses a TXT record. It returns false if the record is not a DMARC record.
func ParseRecord(text string) (Record, bool) {
	if !HasVersion(text, "DMARC1") {
		return Record{}, false
	}
	tags, ok := ParseTags(text)
	r := Record{
		PublicSuffix: oneOf(tags["psd"], "u", "y", "n"),
		Testing:      strings.EqualFold(tags["t"], "y"),
		StrictSPF:    strings.EqualFold(tags["aspf"], "s"),
		StrictDKIM:   strings.EqualFold(tags["adkim"], "s"),
		Reports:      mailAddresses(tags["rua"]),
		Percent:      tags["pct"],
		Faulty:       !ok,
	}
	for _, name := range []string{"pct", "rf", "ri"} {
		if _, found := tags[name]; found {
			r.Removed = append(r.Removed, name)
		}
	}
	var valid bool
	if r.Policy, r.Subdomains, r.Nonexistent, valid = policiesIn(tags); !valid && len(r.Reports) > 0 {
		r.Policy = None
	}
	return r, true
}

// policiesIn returns p, sp and np. An invalid one makes all of them invalid (RFC 9989 §4.10.1).
func policiesIn(tags map[string]string) (p, sp, np Policy, valid bool) {
	p, sp, np = oneOf(tags["p"], "", policies()...), oneOf(tags["sp"], "", policies()...),
		oneOf(tags["np"], "", policies()...)
	if p == "" || (sp == "") != (tags["sp"] == "") || (np == "") != (tags["np"] == "") {
		return "", "", "", false
	}
	return p, sp, np, true
}

// oneOf returns value in lower case if it is in valid, and otherwise if not.
func oneOf[T ~string](value string, otherwise T, valid ...T) T {
	if value := T(strings.ToLower(value)); slices.Contains(valid, value) {
		return value
	}
	return otherwise
}

// mailAddresses returns the addresses of the mailto URIs in rua, without the size limits that RFC 9989 removed.
func mailAddresses(rua string) (list []string) {
	for uri := range strings.SplitSeq(rua, ",") {
		uri = strings.TrimSpace(uri)
		const scheme = "mailto:"
		if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
			continue
		}
		address, _, _ := strings.Cut(uri[len(scheme):], "!")
		address = strings.NewReplacer("%2B", "+", "%2b", "+").Replace(address)
		if at := strings.LastIndexByte(address, '@'); at > 0 && at < len(address)-1 {
			list = append(list, address)
		}
	}
	return list
}

// Applied returns the policy for messages from a record's domain or a subdomain of it. For subdomains that do not exist
// it is np. t=y lowers the policy by one level.
func (r Record) Applied(isSubdomain, exists bool) Policy {
	p := r.Policy
	if isSubdomain && r.Subdomains != "" {
		p = r.Subdomains
	}
	if isSubdomain && !exists && r.Nonexistent != "" {
		p = r.Nonexistent
	}
	if r.Testing {
		p = p.lowered()
	}
	return p
}

// ParseTags parses a list of tags such as "v=DKIM1; k=rsa; p=…", the syntax of DKIM, DMARC and BIMI records (RFC 6376
// §3.2). It returns false if a part is not a tag or repeats one, with the other tags.
func ParseTags(record string) (tags map[string]string, ok bool) {
	tags, ok = map[string]string{}, true
	pairs := strings.Split(record, ";")
	for i, pair := range pairs {
		if strings.TrimSpace(pair) == "" && i == len(pairs)-1 {
			break
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if _, twice := tags[name]; !found || name == "" || twice {
			ok = false
			continue
		}
		tags[name] = strings.TrimSpace(value)
	}
	return tags, ok
}

// HasVersion reports whether a record begins with a version tag such as "v=DMARC1".
func HasVersion(record, version string) bool {
	name, value, found := strings.Cut(record, "=")
	value, _, _ = strings.Cut(value, ";")
	return found && strings.TrimSpace(name) == "v" && strings.TrimSpace(value) == version
}
