package digest

import (
	"fmt"
	"time"
)

// An Ask is somebody on a list that proves nothing, whom a newsletter asks by one letter
// whether they want it.
type Ask struct {
	ID           int64
	NewsletterID NewsletterID
	Email        string
	TimeZone     string
	QueuedAt     time.Time // when the list was imported
	NextAt       time.Time // whoever has it has it until then
	Tries        int       // how often a server put the letter off
}

// Form is what the proof of consent says of how they came.
func (a Ask) Form() string { return "import of " + a.QueuedAt.UTC().Format(time.DateOnly) }

// An AskedAddress is by what an address is known that was asked, once it is forgotten: a hash, the same on
// every instance.
type AskedAddress [32]byte

// AskState says what became of an Ask.
type AskState string

// The states. Only of the first two is the address kept.
const (
	AskWaiting    AskState = "waiting"
	AskAsked      AskState = "asked"
	AskConfirmed  AskState = "confirmed"
	AskLapsed     AskState = "lapsed"     // said no, or did not press the button in time
	AskBounced    AskState = "bounced"    // nobody is there
	AskComplained AskState = "complained" // called the letter spam
	AskRefused    AskState = "refused"    // their server did not take the letter
	AskDropped    AskState = "dropped"    // joined, left or was suppressed before they were asked
)

// The pace of asking, and how long what belongs to it is kept.
const (
	AsksADay     = 1000 // letters of a newsletter in 24 hours
	AsksAnHour   = 1000 // letters of all newsletters
	AsksToDomain = 100  // letters of all newsletters to one mail domain in an hour
	MostAskTries = 5    // servers that put a letter off are asked so often

	AskLife     = 30 * 24 * time.Hour // the link works, and the address is kept
	AskPatience = 90 * 24 * time.Hour // who was not asked by then is not asked
)

// AskWait is for how long a letter waits that was put off so many times, from 1.
func AskWait(tries int) time.Duration { return time.Hour << min(max(tries-1, 0), 5) }

// AskCounts counts the people whom a newsletter asks.
type AskCounts struct {
	Waiting    int `json:"waiting"`
	Asked      int `json:"asked"` // and have not answered yet
	Confirmed  int `json:"confirmed"`
	Lapsed     int `json:"lapsed"`
	Bounced    int `json:"bounced"`
	Complained int `json:"complained"`
	Refused    int `json:"refused"`
	Dropped    int `json:"dropped"`
}

// Of is the count of a state, to be read and set; nil for a state that is none.
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

// Stopped says why nobody else is asked, of those who were asked lately; "" if they
// may be. Of a list whose people are not there, or do not want the letter, the rest is no better.
func (t AskCounts) Stopped() string {
	const enough, mostBounced, mostComplained = 100, 50, 3 // letters; of a thousand
	sent := t.Asked + t.Confirmed + t.Lapsed + t.Bounced + t.Complained
	switch {
	case t.Complained >= 2 && t.Complained*1000 > mostComplained*sent:
		return fmt.Sprintf("%d of the last %d people who were asked called it spam", t.Complained, sent)
	case sent >= enough && t.Bounced*1000 > mostBounced*sent:
		return fmt.Sprintf("of the last %d letters %d came back", sent, t.Bounced)
	}
	return ""
}
