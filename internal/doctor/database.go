package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"digest"
)

// database tells what was seen of the database.
func (x *exam) database(context.Context) finding {
	d := x.Database
	switch {
	case d.Absent:
		return one(Warn, "there is no database at "+d.Name+" yet", "it is made by the first command that keeps something, such as digest user add; if there should be one, correct DIGEST_DATABASE")
	case d.Closed:
		return one(Warn, d.Name+" is a copy that nobody has worked on yet, and is not looked into, because that would change it", "run digest migrate to take it into use")
	case d.Err != nil:
		found, todo := told(d.Err)
		return one(Wrong, found, todo)
	case d.Old:
		return one(Warn, d.Name+" answers, and its schema is not this program's", "run digest migrate (serve, work and tick do so themselves)")
	case d.Fenced != "":
		return one(Wrong, "nothing is polled or mailed: "+d.Fenced, "see digest fence")
	}
	return one(OK, fmt.Sprintf("%s answers, its schema is current, readers: %d", d.Name, d.Readers), "")
}

// told takes an error for people apart: what is wrong, and, after a semicolon,
// what is to be done.
func told(err error) (found, todo string) {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok {
		return reason(err), ""
	}
	found, todo, _ = strings.Cut(e.Message, "; ")
	if e.Err != nil {
		found += " (" + reason(e.Err) + ")"
	}
	return found, todo
}
