package members

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
)

// State is what a list says of a person.
type State string

// The states.
const (
	Joined     State = "joined"
	Pending    State = "pending"    // somebody gave the address, and whoever reads its mail never confirmed
	Left       State = "left"       // unsubscribed
	Bounced    State = "bounced"    // mail came back for good
	Complained State = "complained" // called it spam
	Blocked    State = "blocked"    // by the publisher, or by the other system
)

// IsSuppressed reports whether nothing may be mailed to somebody in this state.
func (s State) IsSuppressed() bool {
	return slices.Contains([]State{Left, Bounced, Complained, Blocked}, s)
}

// A Row is what a list says of one person.
type Row struct {
	File string // in which the row stands, without folders
	Line int    // at which it begins, from 1

	State    State
	Email    string // as digest.NormalEmail and mailer.Recipient want it
	Name     string // one line; "" for none
	TimeZone string // that timezone.Load knows; "" for none
	JoinedAt time.Time

	// What only our own export says.
	Paused  bool
	Cadence digest.Cadence // 0: the newsletter's

	// Proof says how they came. At is set only where the list tells a confirmation
	// by the person from the making of a record.
	digest.Proof

	LeftAt time.Time // of somebody suppressed; zero: not known
	Reason string    // of somebody suppressed, in the list's words; "" for none
}

// Action is what follows from a row.
type Action string

// The actions.
const (
	Join     Action = "join"     // their consent is proven
	Ask      Action = "ask"      // they are on the list, and nothing proves that they wanted it: ask them
	Suppress Action = "suppress" // never mailed
	Ignore   Action = "ignore"   // they never confirmed: they are not asked a second time
)

// Action is the one rule of consent. Proof is a time at which the person confirmed,
// or a time at which they signed up together with the network address from which they
// did. When a record was made proves nothing, for an import makes records too.
func (r Row) Action() Action {
	switch {
	case r.State.IsSuppressed():
		return Suppress
	case r.State != Joined:
		return Ignore
	case !r.At.IsZero(), !r.AskedAt.IsZero() && r.Address != "":
		return Join
	default:
		return Ask
	}
}

// Suppression is what a newsletter keeps of a row that is suppressed.
func (r Row) Suppression() digest.NewsletterSuppression {
	return digest.NewsletterSuppression{Email: r.Email, Reason: cmp.Or(r.Reason, string(r.State)), At: r.LeftAt}
}

// stateOf reads the state with which the reason of a suppression begins; another
// reason is that of one who left.
func stateOf(reason string) State {
	word, _, _ := strings.Cut(reason, ":")
	if s := State(word); s.IsSuppressed() {
		return s
	}
	return Left
}

// A Problem is a row that cannot be used; the rows after it can.
type Problem struct {
	File    string
	Line    int
	Message string // says what to do, one line
}

// Error is one line with the file and the line.
func (p *Problem) Error() string { return fmt.Sprintf("%s, line %d: %s", p.File, p.Line, p.Message) }

// invalid is an error for the person who gave the list.
func invalid(format string, args ...any) error {
	return &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf(format, args...)}
}
