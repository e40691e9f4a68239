package members

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
)

// State is the state of a person in a list.
type State string

const (
	Joined     State = "joined"
	Pending    State = "pending"    // the address was entered, but never confirmed
	Left       State = "left"       // unsubscribed
	Bounced    State = "bounced"    // emails bounced permanently
	Complained State = "complained" // reported as spam
	Blocked    State = "blocked"    // by the publisher or the other system
)

// IsSuppressed reports whether a person in this state must not get emails.
func (s State) IsSuppressed() bool {
	return slices.Contains([]State{Left, Bounced, Complained, Blocked}, s)
}

// A Row is a person in a list.
type Row struct {
	File string // file of the row, without folders
	Line int    // first line of the row, from 1

	State    State
	Email    string // valid for digest.NormalEmail and mailer.Recipient
	Name     string // one line; "": none
	TimeZone string // valid for timezone.Load; "": none
	JoinedAt time.Time

	// Only in our own export.
	Paused  bool
	Cadence digest.Cadence // 0: the newsletter's

	// Proof says how the person subscribed. At is set only if the list distinguishes the person's confirmation from the
	// creation of the record.
	digest.Proof

	LeftAt time.Time // of a suppressed person; zero: unknown
	Reason string    // of a suppressed person, in the words of the list; "": none
}

// Action is the consequence of a row.
type Action string

const (
	Join     Action = "join"     // consent is proven
	Ask      Action = "ask"      // consent is not proven; send a confirmation request
	Suppress Action = "suppress" // send no emails
	Ignore   Action = "ignore"   // they never confirmed; do not ask again
)

// Action implements the rule of consent. Proof is the time of the person's confirmation, or the time of a sign-up
// together with the person's IP address. The creation time of a record proves nothing, because imports create records
// too.
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

// Suppression returns the stored suppression for a suppressed row.
func (r Row) Suppression() digest.NewsletterSuppression {
	return digest.NewsletterSuppression{Email: r.Email, Reason: cmp.Or(r.Reason, string(r.State)), At: r.LeftAt}
}

// stateOf returns the state at the beginning of a suppression's reason, or Left.
func stateOf(reason string) State {
	word, _, _ := strings.Cut(reason, ":")
	if s := State(word); s.IsSuppressed() {
		return s
	}
	return Left
}

// A Problem is an invalid row. Later rows can still be valid.
type Problem struct {
	File    string
	Line    int
	Message string // says what to do, in one line
}

// Error returns one line with the file and the line number.
func (p *Problem) Error() string { return fmt.Sprintf("%s, line %d: %s", p.File, p.Line, p.Message) }

// invalid returns an error for the person who imports the list.
func invalid(format string, args ...any) error {
	return digest.Errorf(digest.Invalid, format, args...)
}
