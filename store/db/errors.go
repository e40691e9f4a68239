package db

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"syscall"

	"github.com/lib/pq"

	"digest"
)

// Explain replaces errors of the database by errors that say what to do, except for errors in our own queries.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if said := explainSQLite(err); said != nil {
		return said
	}
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return explainPostgres(e, err)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return unreachable(addressed(e), err)
	}
	if isCut(err) {
		return Unavailable(err, "the connection to the database was lost; try again")
	}
	return err
}

// explain explains an error of this database. It recognises a full disk, which SQLite reports as an I/O error.
func (d *DB) explain(err error) error {
	if d.file != "" && fileFault(err) == unwritten && lacksRoom(filepath.Dir(d.file)) {
		return fullDisk(syscall.ENOSPC)
	}
	return Explain(err)
}

// A fault is the meaning of an error, on either database.
type fault int

const (
	away      fault = iota + 1 // temporary
	lost                       // against another transaction, and can be retried
	notUnique                  // a unique constraint
	unfit                      // another constraint, or a wrong type
	tooBig                     // a limit of the size of values
	full                       // the disk
	unwritten                  // a failed operation of the disk
)

func faultOf(err error) fault { return max(fileFault(err), serverFault(err)) }

// IsAway reports whether an error is temporary: a server that restarts, a broken connection or a file that another
// process has locked. It reports false for a full disk or a wrong password.
func IsAway(err error) bool {
	if f := faultOf(err); f != 0 {
		return f == away
	}
	_, ofNetwork := errors.AsType[*net.OpError](err)
	return ofNetwork || isCut(err)
}

// isCut reports whether the connection to a server broke, or the server closed it.
func isCut(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// isFull reports whether an error says that the disk or the quota is full.
func isFull(err error) bool {
	return fileFault(err) == full || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isConflict reports whether a transaction lost against another one and can be retried.
func isConflict(err error) bool { return serverFault(err) == lost }

// IsUnique reports whether the database rejects a value that another row has.
func IsUnique(err error) bool { return faultOf(err) == notUnique }

// IsConstraint reports whether the database rejects the values themselves: a constraint or a wrong type.
func IsConstraint(err error) bool {
	f := faultOf(err)
	return f == notUnique || f == unfit
}

// IsRefused reports whether the database rejects the values on every attempt: IsConstraint, or a limit of its size.
func IsRefused(err error) bool { return IsConstraint(err) || faultOf(err) == tooBig }

// IfUnique returns there if err is a violated unique constraint, otherwise err.
func IfUnique(err, there error) error {
	if IsUnique(err) {
		return there
	}
	return err
}

// Conflict returns an error of the kind digest.Conflict.
func Conflict(format string, args ...any) error {
	return &digest.Error{Kind: digest.Conflict, Message: fmt.Sprintf(format, args...)}
}

// Invalid returns an error of the kind digest.Invalid.
func Invalid(format string, args ...any) error {
	return &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf(format, args...)}
}

// NoSchema is the error of a database without tables.
func NoSchema(err error) error {
	return Unavailable(err, "the database has no schema yet; run: digest migrate")
}

// addressed returns the address that an operation on a network had, or the name that was not found.
func addressed(e *net.OpError) string {
	if e.Addr != nil {
		return e.Addr.String()
	}
	if dns, ok := errors.AsType[*net.DNSError](e); ok {
		return dns.Name
	}
	return "this address"
}

// unreachable is the error for a PostgreSQL server that does not answer at an address.
func unreachable(address string, err error) error {
	const to = "PostgreSQL at %s cannot be reached; check that it is running and that DIGEST_DATABASE is correct"
	return Unavailable(digest.Bare(err), fmt.Sprintf(to, address))
}

// Unavailable returns an error of the kind digest.Unavailable, with its cause.
func Unavailable(err error, message string) error {
	return &digest.Error{Kind: digest.Unavailable, Message: message, Err: err}
}
