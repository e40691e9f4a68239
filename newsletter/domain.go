package newsletter

import (
	"strings"
	"time"

	"digest"
)

// A Domain is the publisher's own sender address for a newsletter, with a DKIM key for its domain. Each
// newsletter has its own key, because publishing the record proves control of the domain.
type Domain struct {
	NewsletterID digest.NewsletterID
	FromAddress  string // bare, with its domain in ASCII and lower case
	Selector     string
	Sealed       string // the encrypted private key
	CreatedAt    time.Time

	Signs     bool      // the DNS has its record: emails are from FromAddress and are signed
	Finding   string    // the error in the record, one line; "": none, or not checked yet
	CheckedAt time.Time // zero: never
	SeenAt    time.Time // when the record was last correct; zero: never
}

// Domain returns the domain of FromAddress.
func (d Domain) Domain() string {
	return d.FromAddress[strings.LastIndexByte(d.FromAddress, '@')+1:]
}

// A KeySight is the result of a DNS lookup for a key's record.
type KeySight string

const (
	KeySeen     KeySight = "seen"
	KeyMissing  KeySight = "missing" // missing or wrong
	KeyUnasked  KeySight = "unasked" // the DNS did not answer
	keyPatience          = 3 * 24 * time.Hour
)

// Looked returns the domain after a lookup. While the DNS does not answer, a key continues to sign for three days after
// its record was last correct. A missing record stops it immediately, because receivers would reject its emails.
func (d Domain) Looked(sight KeySight, finding string, now time.Time) Domain {
	d.CheckedAt, d.Finding = now, digest.OneLine(finding)
	switch {
	case sight == KeySeen:
		d.Signs, d.SeenAt, d.Finding = true, now, ""
	case sight == KeyMissing, now.Sub(d.SeenAt) > keyPatience:
		d.Signs = false
	}
	return d
}

// NextLook returns the time of the next lookup: daily, or hourly for three days after the record was new or last
// correct.
func (d Domain) NextLook() time.Time {
	since := d.SeenAt
	if since.IsZero() {
		since = d.CreatedAt
	}
	switch {
	case d.CheckedAt.IsZero():
		return d.CreatedAt
	case d.Finding != "" && d.CheckedAt.Sub(since) < keyPatience:
		return d.CheckedAt.Add(time.Hour)
	}
	return d.CheckedAt.Add(24 * time.Hour)
}
