package main

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
)

// tableSizes returns the bytes of each table with its indexes and partitions; for SQLite it returns none.
func tableSizes(ctx context.Context, db *sql.DB) map[string]int64 {
	sizes := map[string]int64{}
	rows, err := db.QueryContext(ctx, `SELECT COALESCE(w.relname, t.relname), SUM(pg_total_relation_size(t.oid))::BIGINT
		FROM pg_class t LEFT JOIN pg_inherits i ON i.inhrelid = t.oid LEFT JOIN pg_class w ON w.oid = i.inhparent
		WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace GROUP BY 1`)
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
	if db.QueryRowContext(ctx, `SELECT pg_database_size(current_database()) / 1048576`).Scan(&n) != nil {
		_ = db.QueryRowContext(ctx,
			`SELECT page_count * page_size / 1048576 FROM pragma_page_count, pragma_page_size`).Scan(&n)
	}
	return n
}

type statement struct {
	Text        string
	Calls, Rows int64
	Seconds     float64
}

func forgetStatements(ctx context.Context, db *sql.DB) {
	_, _ = db.ExecContext(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	_, _ = db.ExecContext(ctx, `SELECT pg_stat_statements_reset()`)
}

// dearest returns the most expensive statements; nil without pg_stat_statements.
func dearest(ctx context.Context, db *sql.DB) (all []statement) {
	const alike = `regexp_replace(regexp_replace(regexp_replace(query, '\s+', ' ', 'g'), '\$[0-9]+', '$', 'g'), '((\$|\([$, ]+\)), ?)+', '', 'g')`
	rows, err := db.QueryContext(ctx,
		`SELECT left(min(text), 2000), sum(calls)::BIGINT, sum(rows)::BIGINT, sum(total_exec_time) / 1000
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
