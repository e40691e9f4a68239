package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"digest"
)

// A Key holds facts about the key file of private feeds.
type Key struct {
	File   string      // "": none is set
	Absent bool        // the file does not exist yet; the first private feed creates it
	Err    error       // why it cannot be used
	Mode   fs.FileMode // permissions; 0: unknown

	Feeds   int    // private feeds
	Lost    int    // private feeds whose credentials no key of the file decrypts
	Why     string // error of the first lost one
	InClear int    // feeds with an unencrypted password in their address, stored by older versions
}

// key checks whether private feeds can be polled, and whether only this user can read their key.
func (x *checker) key(context.Context) Finding {
	k := x.Key
	if !x.Database.Read() && !x.Database.Absent {
		return skip("needs the database")
	}
	var f Finding
	switch {
	case k.Err != nil && (k.File != "" || k.Feeds > 0):
		f = unusable(k.Err)
		if k.Feeds > 0 {
			f.note(Wrong, fmt.Sprintf("private feeds that cannot be polled: %d", k.Feeds), lostKey)
		}
	case k.Err != nil:
		f = verdict(OK, "there are no private feeds; with PostgreSQL they need a key file (DIGEST_KEY_FILE)", "")
	case k.Absent && k.Feeds > 0:
		f = verdict(Wrong, fmt.Sprintf("%s is missing; private feeds that cannot be polled: %d", k.File, k.Feeds),
			lostKey)
	case k.Absent:
		f = verdict(OK, "there are no private feeds; the first one creates "+k.File, "")
	case k.Lost > 0:
		f = verdict(Wrong, fmt.Sprintf("private feeds that cannot be polled: %d of %d; the reason for the first: %s",
			k.Lost, k.Feeds, k.Why), lostKey)
	default:
		f = verdict(OK, fmt.Sprintf("%s decrypts all stored credentials; private feeds: %d", k.File, k.Feeds), "")
	}
	const others = 0o007
	if k.Mode&others != 0 {
		f.note(Warn, fmt.Sprintf("every user of this machine can read or change it (mode %04o)", k.Mode.Perm()),
			"chmod 600 "+k.File)
	}
	if k.InClear > 0 {
		f.note(Warn, fmt.Sprintf("feeds with a password in their address: %d", k.InClear),
			"set DIGEST_KEY_FILE and run digest migrate: see docs/private.md")
	}
	return f
}

func unusable(err error) Finding {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok {
		return verdict(Wrong, digest.Bare(err).Error(), "")
	}
	found, todo, _ := strings.Cut(e.Message, "; ")
	return verdict(Wrong, found,
		cmp.Or(todo, "correct DIGEST_KEY_FILE, or make the file readable for the user that digest runs as"))
}

const lostKey = "restore the key from its backup, as a line of the key file; if it is lost, the readers have to enter the passwords again (see: digest key)"
