package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/lib/pq"
	"github.com/ncruces/go-sqlite3"

	"digest"
)

// explain replaces errors of the database by errors that say what to do, except for errors in our own queries.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if code, ok := errors.AsType[sqlite3.ErrorCode](err); ok {
		return explainSQLite(code, err)
	}
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return explainPostgres(e, err)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return unreachable(addressed(e), err)
	}
	if isCut(err) {
		return unavailable(err, "the connection to the database was lost; try again")
	}
	return err
}

// IsAway reports whether an error is temporary: a server that restarts, a broken connection or a file that another
// process has locked. It reports false for a full disk or a wrong password.
func IsAway(err error) bool {
	if code, ok := errors.AsType[sqlite3.ErrorCode](err); ok {
		return code == sqlite3.BUSY
	}
	if e, ok := errors.AsType[*pq.Error](err); ok {
		class := e.Code.Class()
		return class == "08" || class == "53" || class == "57"
	}
	_, ofNetwork := errors.AsType[*net.OpError](err)
	return ofNetwork || isCut(err)
}

// isCut reports whether the connection to a server broke, or the server closed it.
func isCut(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func explainSQLite(code sqlite3.ErrorCode, err error) error {
	if isFull(err) {
		return fullDisk(err)
	}
	switch code {
	case sqlite3.INTERRUPT: // the driver interrupts statements whose context was canceled
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.PERM:
		return unavailable(err, "the database file cannot be written; check the permissions and the disk of the file and of its folder")
	case sqlite3.IOERR:
		return unavailable(err, "the disk of the database cannot be read or written, and nothing was changed; check its free space (df -h) and the system log")
	case sqlite3.BUSY:
		return unavailable(err, "another process has locked the database for too long; try again")
	case sqlite3.NOTADB, sqlite3.CORRUPT:
		return &digest.Error{Kind: digest.Invalid,
			Message: "the database file is damaged or not a database; name another, or restore a backup", Err: err}
	case sqlite3.ERROR:
		if strings.Contains(err.Error(), "no such table") {
			return noSchema(err)
		}
	}
	return err
}

func explainPostgres(e *pq.Error, err error) error {
	switch class := string(e.Code.Class()); {
	case e.Code == "42P01":
		return noSchema(err)
	case e.Code == "3D000":
		return unavailable(err, "there is no such database; create it, or correct DIGEST_DATABASE")
	case e.Code == "25006", e.Code == "42501":
		return unavailable(err, "the database user is not allowed to write; grant it the rights")
	case class == "28":
		return unavailable(err, "PostgreSQL rejects the user or the password in DIGEST_DATABASE")
	case class == "53":
		return unavailable(err, "PostgreSQL is out of connections, memory or disk; try again later")
	case class == "08", class == "57" && e.Code != "57014":
		return unavailable(err, "PostgreSQL closed the connection; try again when it is running")
	}
	return err
}

func noSchema(err error) error {
	return unavailable(err, "the database has no schema yet; run: digest migrate")
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
	return unavailable(digest.Bare(err), fmt.Sprintf(to, address))
}

func unavailable(err error, message string) error {
	return &digest.Error{Kind: digest.Unavailable, Message: message, Err: err}
}

// isConflict reports whether a transaction lost against another one and can be retried.
func isConflict(err error) bool {
	e, ok := errors.AsType[*pq.Error](err)
	return ok && (e.Code == "40001" || e.Code == "40P01")
}

func isUnique(err error) bool {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return e.Code == "23505"
	}
	return errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) || errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY)
}

// isConstraint reports whether the database rejects the values themselves: a constraint or a wrong type.
func isConstraint(err error) bool {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return e.Code.Class() == "22" || e.Code.Class() == "23"
	}
	return errors.Is(err, sqlite3.CONSTRAINT) || errors.Is(err, sqlite3.MISMATCH)
}

// isRefused reports whether the database rejects the values on every attempt: isConstraint, or a limit of its size.
func isRefused(err error) bool {
	if e, ok := errors.AsType[*pq.Error](err); ok && e.Code.Class() == "54" {
		return true
	}
	return isConstraint(err) || errors.Is(err, sqlite3.TOOBIG)
}

// ifUnique returns there if err is a violated unique constraint, otherwise err.
func ifUnique(err, there error) error {
	if isUnique(err) {
		return there
	}
	return err
}

func notFound(format string, args ...any) error {
	return &digest.Error{Kind: digest.NotFound, Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &digest.Error{Kind: digest.Conflict, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf(format, args...)}
}
