package main

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/db"
)

// makes is part of the commands that create a missing database. Other commands report it, because the path is probably
// wrong.
type makes struct{}

func (makes) makesDatabase() {}

// migrates is part of the commands that create a database and migrate an older schema.
type migrates struct{ makes }

func (migrates) migratesSchema() {}

// alone marks the commands of which only one may use a database file.
type alone struct{}

func (alone) worksAlone() {}

// opening says what a command may do to the database that it opens.
type opening struct{ makes, migrates, alone bool }

func openingOf(command any) (o opening) {
	_, o.makes = command.(interface{ makesDatabase() })
	_, o.migrates = command.(interface{ migratesSchema() })
	_, o.alone = command.(interface{ worksAlone() })
	return o
}

func (a *app) withStore(do func(*store.Store) error) error {
	st, err := a.openStore()
	if err != nil {
		return err
	}
	defer st.Close()
	if a.opens.alone {
		leave, err := db.Occupy(a.Database, a.worker())
		if err != nil {
			return err
		}
		defer leave()
	}
	if err := a.useSchema(st); err != nil {
		return err
	}
	st.Policy = store.Policy{
		Askable: func(f digest.Feed, from time.Time) time.Time { return poller.Askable(f, a.PollGap, from) },
		PaceDomain: func(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace {
			if a.frozen {
				return poller.PaceDomainAtOnce(d, f, now)
			}
			return poller.PaceDomain(d, f, now)
		},
		IsPlatform: poller.IsPlatform,
		Admit:      a.quota().Admit,
		Images:     newReadersImages(a.BaseURL),
	}
	if err := a.refuseOtherTime(st); err != nil {
		return err
	}
	if err := a.useKnownAddress(st); err != nil {
		return err
	}
	defer a.useCommonClock(st)()
	defer a.leave(st)
	return do(st)
}

// openStore opens the database. It creates a file only if the command may.
func (a *app) openStore() (*store.Store, error) {
	if key, _, pairs := strings.Cut(a.Database, "="); pairs &&
		slices.Contains([]string{"host", "hostaddr", "port", "dbname", "user", "password", "service", "sslmode"},
			strings.TrimSpace(key)) {
		return nil, digest.Errorf(digest.Invalid,
			"DIGEST_DATABASE cannot be a list of key=value; name a file such as digest.db, or postgres://user:password@host:5432/digest")
	}
	if !a.opens.makes && !strings.Contains(a.Database, "://") {
		// The error of store.Open is better for an unreadable file.
		if absent, _, err := lookAtFile(a.Database); err == nil && absent {
			return nil, a.noDatabase()
		}
	}
	return store.Open(a.soft, a.Database)
}

func (a *app) noDatabase() error {
	place := a.databaseName()
	if path, err := filepath.Abs(place); err == nil && !strings.Contains(place, "://") {
		place = path
	}
	return digest.Errorf(digest.NotFound,
		"there is no database at %s; correct DIGEST_DATABASE, or run digest serve or digest migrate to create one",
		place)
}

// useSchema migrates the schema if the command may. Otherwise it returns an error that says how.
func (a *app) useSchema(st *store.Store) error {
	have, want, err := st.Schema(a.soft)
	switch {
	case err != nil || have == want:
		return err
	case a.opens.migrates, a.opens.makes && have == 0:
		return st.Migrate(a.soft)
	case have == 0:
		return a.noDatabase()
	}
	return digest.Errorf(digest.Conflict,
		"the database was last used by an older version of digest (its schema is %d, this program's %d); "+
			"stop all processes of that version, then run: digest migrate", have, want)
}

// useKnownAddress sets the base URL to the address of the instance that last used the database, if no setting has one.
// Commands that poll, send mail or manage the fence use only the setting.
func (a *app) useKnownAddress(st *store.Store) error {
	if a.asItself || a.command.sets("base-url") {
		return nil
	}
	known, err := st.Operator.KnownAs(a.soft)
	if err == nil && known != "" {
		a.BaseURL = known
	}
	return err
}
