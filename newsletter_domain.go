package digest

import (
	"strings"
	"time"
)

// A NewsletterDomain is the address of its publisher's own that the letters of a newsletter come
// from, and the DKIM key of its domain, which is this newsletter's alone: who can publish its record
// may speak for the domain.
type NewsletterDomain struct {
	NewsletterID NewsletterID
	FromAddress  string // bare, its domain in ASCII and lower case
	Selector     string
	Sealed       string // the private key, encrypted
	CreatedAt    time.Time

	Signs     bool      // its record is seen: letters come from FromAddress and are signed
	Finding   string    // what is wrong with the record, one line; "" while it is seen, or never looked for
	CheckedAt time.Time // zero: never
	SeenAt    time.Time // when the record was there last; zero: never
}

// Domain is that of the address.
func (d NewsletterDomain) Domain() string {
	return d.FromAddress[strings.LastIndexByte(d.FromAddress, '@')+1:]
}

// A KeySight is what a look for a key's record has found.
type KeySight string

// What it may find.
const (
	KeySeen     KeySight = "seen"
	KeyMissing  KeySight = "missing" // it is not there, or not as it has to be
	KeyUnasked  KeySight = "unasked" // the DNS did not answer
	keyPatience          = 3 * 24 * time.Hour
)

// Looked gives the domain after a look. Where the DNS does not answer, a key goes on signing for
// three days after its record was seen last; where the record is not there it stops at once, for
// receivers would refuse its letters.
func (d NewsletterDomain) Looked(sight KeySight, finding string, now time.Time) NewsletterDomain {
	d.CheckedAt, d.Finding = now, OneLine(finding)
	switch {
	case sight == KeySeen:
		d.Signs, d.SeenAt, d.Finding = true, now, ""
	case sight == KeyMissing, now.Sub(d.SeenAt) > keyPatience:
		d.Signs = false
	}
	return d
}

// NextLook is when its record is looked for again: once a day, and each hour while it is new or the
// last look did not find it.
func (d NewsletterDomain) NextLook() time.Time {
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
