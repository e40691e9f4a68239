package digest

import (
	"errors"
	"fmt"
)

// Kind groups errors by the way a person can solve them.
type Kind string

const (
	Invalid     Kind = "invalid"     // the input cannot be used
	NotFound    Kind = "not found"   // does not exist
	Conflict    Kind = "conflict"    // exists already, or belongs to somebody
	Unavailable Kind = "unavailable" // not now: network, disk or another process
)

// An Error can be shown to a person. Message is one line that says what failed and what to do. Err is the cause, for
// logs.
type Error struct {
	Kind    Kind
	Message string
	Err     error

	// Format and Values are the arguments of Refuse; "": the message exists only in English.
	Format string
	Values []any
}

// Words is a part of a message that is itself translated. It is a value for Refuse: Words("the name").
type Words string

// Refuse returns an error whose message is shown in the reader's language. Package catalogue finds the translation by
// format, so callers pass it as a literal.
func Refuse(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, values...), Format: format, Values: values}
}

// Error returns the message, followed by the cause if there is one.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error in err's chain, or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
