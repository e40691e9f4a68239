package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"digest"
)

// postgresConns is how many connections a process opens at most.
const postgresConns = 16

// reachTimeout bounds the first attempt to reach PostgreSQL.
const reachTimeout = 10 * time.Second

// CheckAddress reports what is wrong with the address of a PostgreSQL database, without connecting to it.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	_, err = pq.NewConnector(inOneRoundTrip(u))
	return err
}

func openPostgres(ctx context.Context, address string) (*DB, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, Invalid("the database address cannot be read; write it like postgres://user:password@host:5432/digest")
	}
	connector, err := pq.NewConnector(inOneRoundTrip(u))
	if err != nil {
		return nil, &digest.Error{Kind: digest.Invalid, Message: "the database address cannot be used", Err: err}
	}
	db := mapped(sql.OpenDB(session{connector, sessionSettings(u.Query())}), "postgres")
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		if why := Explain(err); digest.KindOf(why) != "" {
			return nil, why
		}
		return nil, unreachable(u.Host, err)
	}
	return &DB{d: postgresDialect(), w: db, r: db}, nil
}

// sessionSettings returns statements for settings that an address does not have. The first ends transactions that are
// idle, because a stopped process would hold its locks. The second turns off the compilation of statements (jit). It
// took 100 ms of CPU for each claim of feeds that runs for 40 ms, once its estimated cost is large.
func sessionSettings(address url.Values) string {
	var set strings.Builder
	for _, s := range [][2]string{{"idle_in_transaction_session_timeout", "1min"}, {"jit", "off"}} {
		if !address.Has(s[0]) {
			fmt.Fprintf(&set, "SET %s = '%s';", s[0], s[1])
		}
	}
	return set.String()
}

// session connects to PostgreSQL and applies the settings of a session. A pool before the server may not accept
// settings in the address.
type session struct {
	*pq.Connector
	settings string
}

// Connect implements driver.Connector.
func (s session) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil || s.settings == "" {
		return c, err
	}
	if e, ok := c.(driver.ExecerContext); ok {
		_, err = e.ExecContext(ctx, s.settings, nil)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// inOneRoundTrip makes lib/pq send a statement together with its parameters. Otherwise it first asks the server for
// their types, and waits.
func inOneRoundTrip(u *url.URL) string {
	with, q := *u, u.Query()
	if !q.Has("binary_parameters") {
		q.Set("binary_parameters", "yes")
	}
	with.RawQuery = q.Encode()
	return with.String()
}

func explainPostgres(e *pq.Error, err error) error {
	switch class := string(e.Code.Class()); {
	case e.Code == "42P01":
		return NoSchema(err)
	case e.Code == "3D000":
		return Unavailable(err, "there is no such database; create it, or correct DIGEST_DATABASE")
	case e.Code == "25006", e.Code == "42501":
		return Unavailable(err, "the database user is not allowed to write; grant it the rights")
	case class == "28":
		return Unavailable(err, "PostgreSQL rejects the user or the password in DIGEST_DATABASE")
	case class == "53":
		return Unavailable(err, "PostgreSQL is out of connections, memory or disk; try again later")
	case class == "08", class == "57" && e.Code != "57014":
		return Unavailable(err, "PostgreSQL closed the connection; try again when it is running")
	}
	return err
}

// serverFault returns the meaning of an error of PostgreSQL, or 0.
func serverFault(err error) fault {
	e, ok := errors.AsType[*pq.Error](err)
	switch {
	case !ok:
		return 0
	case e.Code == "40001", e.Code == "40P01":
		return lost
	case e.Code == "23505":
		return notUnique
	}
	return map[pqerror.Class]fault{"08": away, "53": away, "57": away, "22": unfit, "23": unfit,
		"54": tooBig}[e.Code.Class()]
}
