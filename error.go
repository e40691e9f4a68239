package digest

import (
	"errors"
	"fmt"
)

// Kind sorts errors by what the person who meets one can do.
type Kind string

// The kinds of error.
const (
	Invalid     Kind = "invalid"     // what was given cannot be used
	NotFound    Kind = "not found"   // no such thing
	Conflict    Kind = "conflict"    // already there, or taken
	Unavailable Kind = "unavailable" // not now: a network, a disk, another process
)

// An Error can be shown to a person: Message is one line that says what went
// wrong and what to do. Err is the cause, for logs.
type Error struct {
	Kind    Kind
	Message string
	Err     error

	// Format and Values are what Refuse made the message of; "" where it is said in English only.
	Format string
	Values []any
}

// Words are a part of a line that each language has its own words for, as a value of Refuse:
// Words("the name").
type Words string

// Refuse makes an error whose line readers are told in their language: the format is what package
// catalogue knows it by, so it stands there as it is, and not as a variable.
func Refuse(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, values...), Format: format, Values: values}
}

// Error gives the message, and the cause behind it where there is one.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf finds the kind of the first *Error in err's chain, "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
