package main

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// counts are PostgreSQL's own; zero of SQLite.
type counts struct {
	Commits   float64
	WAL       float64 // MB
	ServerCPU float64 // seconds; zero of a server on another machine
}

func (c counts) minus(d counts) counts {
	return counts{c.Commits - d.Commits, c.WAL - d.WAL, c.ServerCPU - d.ServerCPU}
}

func (c counts) plus(d counts) counts {
	return counts{c.Commits + d.Commits, c.WAL + d.WAL, c.ServerCPU + d.ServerCPU}
}

func countsOf(ctx context.Context, db *sql.DB) (c counts) {
	var session string
	err := db.QueryRowContext(ctx, `SELECT xact_commit, (SELECT wal_bytes / 1048576.0 FROM pg_stat_wal), pg_backend_pid()
		FROM pg_stat_database WHERE datname = current_database()`).Scan(&c.Commits, &c.WAL, &session)
	if err == nil {
		c.ServerCPU = serverTime(session)
	}
	return c
}

// serverTime is the processor time of the server that a session belongs to, with
// all its processes, those that have ended too.
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

// A process is what proc(5) says of one.
type process struct {
	parent      string
	time, ended float64 // seconds: its own, and those of its children that have ended
}

func processOf(path string) process {
	const ticks = 100 // a second
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

// tableSizes is the bytes of each table with its indexes; none of SQLite.
func tableSizes(ctx context.Context, db *sql.DB) map[string]int64 {
	sizes := map[string]int64{}
	rows, err := db.QueryContext(ctx, `SELECT relname, pg_total_relation_size(oid) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return sizes
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var bytes int64
		if rows.Scan(&table, &bytes) == nil {
			sizes[table] = bytes
		}
	}
	if rows.Err() != nil {
		return map[string]int64{}
	}
	return sizes
}

func grown(before, after map[string]int64) map[string]int64 {
	by := map[string]int64{}
	for table, bytes := range after {
		if n := bytes - before[table]; n != 0 {
			by[table] = n
		}
	}
	return by
}

func largest(growth map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(growth), func(a, b string) int { return cmp.Compare(growth[b], growth[a]) })
}

func databaseMB(ctx context.Context, db *sql.DB) (n int64) {
	_ = db.QueryRowContext(ctx, `SELECT pg_database_size(current_database()) / 1048576`).Scan(&n)
	return n
}

// A statement is what pg_stat_statements says of one.
type statement struct {
	Text        string
	Calls, Rows int64
	Seconds     float64
}

func forgetStatements(ctx context.Context, db *sql.DB) {
	_, _ = db.ExecContext(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	_, _ = db.ExecContext(ctx, `SELECT pg_stat_statements_reset()`)
}

// dearest gives the statements that cost most, none where the server does not count.
func dearest(ctx context.Context, db *sql.DB) (all []statement) {
	const alike = `regexp_replace(regexp_replace(regexp_replace(query, '\s+', ' ', 'g'), '\$[0-9]+', '$', 'g'), '((\$|\([$, ]+\)), ?)+', '', 'g')`
	rows, err := db.QueryContext(ctx, `SELECT left(min(text), 2000), sum(calls)::BIGINT, sum(rows)::BIGINT, sum(total_exec_time) / 1000
		FROM (SELECT `+alike+` AS text, calls, rows, total_exec_time FROM pg_stat_statements
			WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())) x
		GROUP BY left(text, 400) ORDER BY 4 DESC LIMIT 30`)
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var s statement
		if rows.Scan(&s.Text, &s.Calls, &s.Rows, &s.Seconds) != nil {
			return nil
		}
		all = append(all, s)
	}
	if rows.Err() != nil {
		return nil
	}
	return all
}
