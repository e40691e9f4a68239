package dmarc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A Report is an aggregate report: the messages that one receiver counted in a period. Anyone can send a report, so its
// content is untrusted.
type Report struct {
	Reporter string // organization that made it
	ID       string
	Domain   string // domain whose DMARC record the receiver applied
	Begin    time.Time
	End      time.Time
	Rows     []Row // sorted, each with different results
}

// A Row counts messages from one source that had the same results.
type Row struct {
	Source      string // IP address that delivered them
	From        string // domain in From: the report's, or a subdomain of it
	SPFDomain   string
	SPF         string // result: pass, fail, …; empty: none reported
	SPFAligned  bool   // SPF passed for a domain that aligns with From
	DKIMDomain  string
	DKIM        string
	DKIMAligned bool
	Disposition string // action of the receiver: none, quarantine, reject or pass
	Count       int64
}

// Failed reports whether the messages failed DMARC.
func (r Row) Failed() bool { return !r.SPFAligned && !r.DKIMAligned }

// Key identifies a report, so that a repeated one counts once (RFC 9990).
func (r Report) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d", r.Reporter, r.ID, r.Domain, r.Begin.Unix(), r.End.Unix()))
	return hex.EncodeToString(sum[:])
}

// IsAbout reports whether a report covers messages from a domain: receivers applied its own DMARC record, or one
// above it.
func (r Report) IsAbout(domain string) bool { return isWithin(domain, r.Domain) }

func isWithin(domain, parent string) bool {
	return domain == parent || strings.HasSuffix(domain, "."+parent)
}

// The limits of one report.
const (
	maxXML      = 4 << 20 // in bytes, decompressed
	maxFiles    = 10      // in a ZIP file
	maxDepth    = 12
	maxElements = 150_000
	maxEquals   = 50_000 // equals signs, and so attributes, which need many times their length in memory
	maxRecords  = 5000
	maxCount    = 1_000_000_000 // messages of one row
	maxName     = 100           // in characters of the reporter's name
	maxID       = 300
)

var (
	errTooLarge = errors.New("it is too large for a report")
	errNoReport = errors.New("it is not a DMARC aggregate report")
)

// ParseReport parses an aggregate report from an email attachment: XML, or XML in a gzip or ZIP file. It accepts the
// schema of RFC 9990 and older ones. It drops records about other domains than the report's.
func ParseReport(attachment []byte) (Report, error) {
	xml, err := unpack(attachment)
	if err != nil {
		return Report{}, err
	}
	doc, err := readXML(xml)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Reporter: cleaned(cmp.Or(doc.Metadata.Organization, doc.Metadata.Email), maxName),
		ID:       cleaned(doc.Metadata.ID, maxID),
		Domain:   domainIn(doc.Policy.Domain),
	}
	begin, err1 := strconv.ParseInt(strings.TrimSpace(doc.Metadata.Begin), 10, 48)
	end, err2 := strconv.ParseInt(strings.TrimSpace(doc.Metadata.End), 10, 48)
	r.Begin, r.End = time.Unix(begin, 0).UTC(), time.Unix(end, 0).UTC()
	if err := errors.Join(err1, err2); err != nil || r.Reporter == "" || r.Domain == "" || begin <= 0 || end < begin {
		return Report{}, errNoReport
	}
	r.Rows = summed(doc.Records, r.Domain)
	if len(r.Rows) == 0 {
		return Report{}, fmt.Errorf("%w: no record in it is about %s", errNoReport, r.Domain)
	}
	return r, nil
}

// summed returns the rows of records, each once. They are sorted, so that transactions that store the same rows do not
// deadlock.
func summed(records []xmlRecord, domain string) []Row {
	rows := map[string]Row{}
	for _, record := range records {
		row, n := record.row()
		if row.Source == "" || n <= 0 || !isWithin(row.From, domain) {
			continue
		}
		key := fmt.Sprint(row)
		row.Count = min(rows[key].Count+n, maxCount)
		rows[key] = row
	}
	list := make([]Row, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[key])
	}
	return list
}

// row parses one record. Of several DKIM signatures it uses the one that proves most.
func (x xmlRecord) row() (Row, int64) {
	r := Row{
		From:        domainIn(x.From),
		SPFAligned:  result(x.SPFAligned) == "pass",
		DKIMAligned: result(x.DKIMAligned) == "pass",
		Disposition: string(oneOf(strings.TrimSpace(x.Disposition), "", append(policies(), "pass")...)),
	}
	if a, err := netip.ParseAddr(strings.TrimSpace(x.Source)); err == nil {
		r.Source = a.Unmap().WithZone("").String()
	}
	for _, checked := range x.SPF {
		if checked.Scope != "helo" { // DMARC uses only the return path
			r.SPFDomain, r.SPF = domainIn(checked.Domain), result(checked.Result)
		}
	}
	best := -1
	for _, signature := range x.DKIM {
		domain, outcome := domainIn(signature.Domain), result(signature.Result)
		worth := 0
		if outcome == "pass" {
			worth++
		}
		if isWithin(r.From, domain) || isWithin(domain, r.From) {
			worth++
		}
		if worth > best {
			best, r.DKIMDomain, r.DKIM = worth, domain, outcome
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(x.Count), 10, 64)
	if err != nil {
		return r, 0
	}
	return r, min(n, maxCount)
}

// result returns a valid result of SPF or DKIM (RFC 8601 §2.7), or "".
func result(text string) string {
	return oneOf(strings.TrimSpace(text), "",
		"pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror")
}

// domainIn returns a domain in ASCII and lower case, or "" if the text is not a domain.
func domainIn(text string) string {
	const longest = 253
	text, err := digest.ASCIIHost(strings.TrimSuffix(strings.TrimSpace(text), "."))
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
	}
	if err != nil || len(text) > longest || strings.ContainsFunc(text, odd) ||
		slices.Contains(strings.Split(text, "."), "") {
		return ""
	}
	return text
}

// cleaned shortens untrusted text and makes it safe to store and display.
func cleaned(text string, most int) string {
	return digest.Shortened(digest.OneLine(digest.WithoutTurns(text)), most)
}

// A Summary sums up the reports of all receivers about some days.
type Summary struct {
	Totals  []Total  // by domain
	Failing []Source // most messages first
	Passing []Source // most messages first
}

// FailingSources returns the addresses from which messages of a domain failed, most messages first.
func (s Summary) FailingSources(domain string) (addresses []string) {
	for _, source := range s.Failing {
		if source.From == domain && !slices.Contains(addresses, source.Source) {
			addresses = append(addresses, source.Source)
		}
	}
	return addresses
}

// A Total counts the messages from a domain.
type Total struct {
	Domain   string
	Messages int64
	Failed   int64
}

// A Source is a row with the receivers that reported it.
type Source struct {
	Row
	Reporter  string // one of them
	Reporters int
}
