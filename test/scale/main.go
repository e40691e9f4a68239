// Command scale measures whole days of an instance of any size. It fills an empty database with readers all over the
// world and their subscriptions, serves the subscribed sites, and runs every midnight of a day with several workers.
//
//	createdb scale
//	go run ./test/scale fill -database postgres://…/scale -readers 100000
//	go run ./test/scale sites &
//	go run ./test/scale day -database postgres://…/scale -workers 4 -out 100000.json
//	go run ./test/scale draw 10000.json 100000.json > docs/scale.svg
//
// PostgreSQL's role must be a superuser, because fill disables foreign key checks. If the server is on this machine,
// the report includes its processor time. If it has pg_stat_statements, the report lists the most expensive
// statements. Mail is composed and discarded. The clock is fixed at each midnight, as with "digest tick --now", and
// polls are not spread; with -running it runs, as with "digest work". For more see "go run ./test/scale day -h":
// signatures, sites with TLS (sites -ca FILE, fill -tls, day -ca FILE), and all readers in one zone (fill -zone). If
// the database is a file, it is SQLite.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	_ "digest/store" // the drivers
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "test/scale:", err)
		os.Exit(1)
	}
}

// firstDay returns the time at which fill ends.
func firstDay() time.Time { return time.Date(2026, 11, 19, 9, 50, 0, 0, time.UTC) }

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("name what to do: fill, sites, day or draw")
	}
	if args[0] == "draw" {
		return draw(args[1:])
	}
	var s size
	var d day
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	database := flags.String("database", "", "postgres://… or the path of a file")
	port := flags.Int("port", 18080, "of the sites, on every address of 127.0.0.0/8")
	now := flags.String("now", "", "the instant of a worker's clock (RFC 3339)")
	began := flags.Int64("began", 0, "when a worker's clock that runs was at now, in milliseconds since 1970")
	flags.IntVar(&s.readers, "readers", 10_000, "how many readers")
	flags.IntVar(&s.each, "each", 20, "how many subscriptions each has, at most")
	flags.IntVar(&s.feeds, "feeds", 0, "how many feeds; 0: a fifth of the readers")
	flags.IntVar(&d.workers, "workers", 2, "how many processes share the work")
	flags.IntVar(&d.midnights, "midnights", 0, "how many instants at which days begin; 0: those of 24 hours")
	flags.StringVar(&s.zone, "zone", "", "where all readers live; empty: everywhere")
	flags.BoolVar(&s.tls, "tls", false, "fill: the sites are asked by https")
	flags.BoolVar(&d.running, "running", false, "clocks run from each midnight on, and polls are spread")
	flags.DurationVar(&d.window, "window", 4*time.Minute,
		"over which polls are spread if clocks run; beside it there is jitter of 1 to 3 minutes")
	flags.BoolVar(&d.sign, "sign", false, "mail is signed with an RSA key of 2048 bits")
	flags.StringVar(&d.ca, "ca", "", "sites: speak TLS, and write whose certificates to believe; day: believe these")
	flags.StringVar(&d.out, "out", "", "where the figures are written, as JSON")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	s.port, d.port, d.database = *port, *port, *database
	if s.feeds == 0 {
		s.feeds = max(s.each, s.readers/5)
	}
	switch args[0] {
	case "fill":
		return fill(ctx, *database, s)
	case "sites":
		return serve(ctx, *port, d.ca)
	case "day":
		return d.run(ctx)
	case "work": // one worker at one midnight; day starts it
		at, err := time.Parse(time.RFC3339, *now)
		if err != nil {
			return err
		}
		w := process{database: *database, midnight: at, window: d.window}
		if d.running {
			w.began = time.UnixMilli(*began)
		}
		return w.run(ctx)
	}
	return fmt.Errorf("%q is not one of fill, sites, day, draw", args[0])
}

// open opens a database directly, without the store.
func open(database string) (*sql.DB, error) {
	if strings.HasPrefix(database, "postgres://") {
		return sql.Open("postgres", database)
	}
	return sql.Open("sqlite3", "file:"+database)
}
