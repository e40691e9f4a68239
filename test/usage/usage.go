// Package usage measures the cost of work in processor time and activity of PostgreSQL.
package usage

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Counts are statistics of PostgreSQL. For SQLite they are zero.
type Counts struct {
	Commits    float64
	Statements float64 // zero without pg_stat_statements in the database
	WAL        float64 // MB
	ServerCPU  float64 // seconds; zero if the server is on another machine
	LockWait   float64 // seconds, of all sessions together
}

// Plus returns the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Commits + d.Commits, c.Statements + d.Statements, c.WAL + d.WAL, c.ServerCPU + d.ServerCPU,
		c.LockWait + d.LockWait}
}

// During returns the activity of the database during work.
func During(ctx context.Context, db *sql.DB, work func() error) (Counts, error) {
	before := now(ctx, db)
	watching, stop := context.WithCancel(ctx)
	waited := make(chan float64)
	go func() { waited <- watchLocks(watching, db) }()
	err := work()
	stop()
	after := now(ctx, db)
	return Counts{
		after.Commits - before.Commits, after.Statements - before.Statements, after.WAL - before.WAL,
		after.ServerCPU - before.ServerCPU, <-waited,
	}, err
}

// now returns the totals since the server started.
func now(ctx context.Context, db *sql.DB) (c Counts) {
	var session string
	err := db.QueryRowContext(ctx,
		`SELECT xact_commit, (SELECT wal_bytes / 1048576.0 FROM pg_stat_wal), pg_backend_pid()
		FROM pg_stat_database WHERE datname = current_database()`).Scan(&c.Commits, &c.WAL, &session)
	if err != nil {
		return Counts{}
	}
	c.ServerCPU = serverTime(session)
	_ = db.QueryRowContext(ctx,
		`SELECT sum(calls) FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&c.Statements)
	return c
}

// watchLocks counts waiting sessions a few times a second. More samples would be a load.
func watchLocks(ctx context.Context, db *sql.DB) (waited float64) {
	const every = 250 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return waited
		case <-time.After(every):
		}
		var n float64
		const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
			AND datname = current_database()`
		if db.QueryRowContext(ctx, waiting).Scan(&n) == nil {
			waited += n * every.Seconds()
		}
	}
}

// serverTime returns the processor time of a session's server with all its processes, including ended ones.
func serverTime(session string) (seconds float64) {
	server := processOf("/proc/" + session + "/stat").parent
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if p := processOf(path); p.parent == server && server != "" {
			seconds += p.time
		} else if path == "/proc/"+server+"/stat" {
			seconds += p.time + p.ended
		}
	}
	return seconds
}

// A process is an entry of proc(5).
type process struct {
	parent      string
	time, ended float64 // seconds: its own, and its ended children's
}

func processOf(path string) process {
	const ticks = 100 // per second
	text, _ := os.ReadFile(path)
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return process{}
	}
	var times [4]float64 // utime, stime, cutime, cstime
	for i := range times {
		n, _ := strconv.ParseFloat(fields[11+i], 64)
		times[i] = n / ticks
	}
	return process{fields[1], times[0] + times[1], times[2] + times[3]}
}
