package digest

import "time"

// A Dot is the promise that is committed just before a message's final dot is
// written: from then until its Mark the edition may or may not have been
// accepted, and Date and MessageID must not change on a resend.
type Dot struct {
	ID        EditionID
	MessageID string // without angle brackets
	Date      time.Time
	Recipient string // the address it goes to
}

// A Mark is what became of a claimed edition.
type Mark struct {
	ID    EditionID
	State EditionState // sent, ready, failed, expired, in_doubt or sent_unconfirmed
	Reply string       // what the server said, or where the file lies
	Error string       // one line for people; empty when sent

	// NextAt is when it may be tried again, for ready and in_doubt.
	NextAt time.Time

	// Bounce says what the refusal tells of the reader's address; nil: nothing.
	// A hard one suppresses the address in the same transaction.
	Bounce *Bounce

	// Uncounted takes the attempt back: the trouble was the route's, not the message's.
	Uncounted bool
}
