package newsletter

import (
	"fmt"
	"time"

	"digest"
)

// An Ask is a confirmation request to an address of an imported list without proof of consent. It is one email that
// asks whether the person wants the newsletter.
type Ask struct {
	ID           int64
	NewsletterID digest.NewsletterID
	Email        string
	TimeZone     string
	QueuedAt     time.Time // time of the import
	NextAt       time.Time // end of the current claim, or next attempt
	Tries        int       // temporary rejections so far
}

// Form returns the Form of the proof of consent.
func (a Ask) Form() string { return "import of " + a.QueuedAt.UTC().Format(time.DateOnly) }

// An AskedAddress identifies an address after it is deleted: a hash that is the same on every instance.
type AskedAddress [32]byte

// AskState is the state of an Ask.
type AskState string

// The states. Only the first two keep the address.
const (
	AskWaiting    AskState = "waiting"
	AskAsked      AskState = "asked"
	AskConfirmed  AskState = "confirmed"
	AskLapsed     AskState = "lapsed"     // declined, or did not confirm in time
	AskBounced    AskState = "bounced"    // the mailbox does not exist
	AskComplained AskState = "complained" // reported the email as spam
	AskRefused    AskState = "refused"    // the mail server rejected the email
	AskDropped    AskState = "dropped"    // joined, left or was suppressed before the email was sent
)

// The rates of confirmation requests and the times for which their data is stored.
const (
	AsksADay     = 1000 // of one newsletter in 24 hours
	AsksAnHour   = 1000 // of all newsletters
	AsksToDomain = 100  // of all newsletters to one mail domain in an hour
	MostAskTries = 5    // attempts while the server rejects temporarily

	AskLife     = 30 * 24 * time.Hour // the link works, and the address is stored
	AskPatience = 90 * 24 * time.Hour // requests that have not been sent by then are dropped
)

// AskWait returns the wait after a number of temporary rejections, from 1.
func AskWait(tries int) time.Duration { return time.Hour << min(max(tries-1, 0), 5) }

// AskCounts counts the confirmation requests of a newsletter by state.
type AskCounts struct {
	Waiting    int `json:"waiting"`
	Asked      int `json:"asked"` // sent, without an answer yet
	Confirmed  int `json:"confirmed"`
	Lapsed     int `json:"lapsed"`
	Bounced    int `json:"bounced"`
	Complained int `json:"complained"`
	Refused    int `json:"refused"`
	Dropped    int `json:"dropped"`
}

// Of returns a pointer to the count of a state, or nil for an unknown state.
func (t *AskCounts) Of(s AskState) *int {
	switch s {
	case AskWaiting:
		return &t.Waiting
	case AskAsked:
		return &t.Asked
	case AskConfirmed:
		return &t.Confirmed
	case AskLapsed:
		return &t.Lapsed
	case AskBounced:
		return &t.Bounced
	case AskComplained:
		return &t.Complained
	case AskRefused:
		return &t.Refused
	case AskDropped:
		return &t.Dropped
	}
	return nil
}

// Stopped returns why the counts of recent requests stop further ones, or "" if they do not. If many addresses of a
// list bounce or complain, the rest is no better.
func (t AskCounts) Stopped() string {
	const enough, mostBounced, mostComplained = 100, 50, 3 // emails; per thousand
	sent := t.Asked + t.Confirmed + t.Lapsed + t.Bounced + t.Complained
	switch {
	case t.Complained >= 2 && t.Complained*1000 > mostComplained*sent:
		return fmt.Sprintf("%d of the last %d people asked to confirm marked the email as spam", t.Complained, sent)
	case sent >= enough && t.Bounced*1000 > mostBounced*sent:
		return fmt.Sprintf("of the last %d emails, %d bounced", sent, t.Bounced)
	}
	return ""
}
