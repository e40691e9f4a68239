// Package backup writes everything that a database holds, and restores it into a new database. Package internal/backup
// has the format.
//
//   - tables.go: the tables of a version of the schema
//   - backup.go: writing a backup
//   - restore.go: filling a new database and comparing it
//   - stage.go: where the new database is assembled, and how it replaces the old one
package backup

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	format "digest/internal/backup"
	"digest/store/db"
)

// A Backup describes a backup that was written or restored.
type Backup struct {
	Schema int64
	Tables []Table
	Rows   int64
}

// A Table is one table of a backup.
type Table struct {
	Name string
	format.Count
}

func (b *Backup) add(name string, c format.Count) {
	b.Tables = append(b.Tables, Table{name, c})
	b.Rows += c.Rows
}

// Write writes everything that a database holds at one instant. Other processes may write at the same time. program is
// the version of this program. The schema may be older than this program's.
func Write(ctx context.Context, d *db.DB, to io.Writer, program string, now time.Time) (Backup, error) {
	version, err := db.Version(ctx, d)
	if err == nil && version == 0 {
		err = db.NoSchema(nil)
	}
	if err != nil {
		return Backup{}, db.Failed("backing up", err)
	}
	tables, err := drawBlueprint(ctx, version)
	if err != nil {
		return Backup{}, db.Failed("backing up", err)
	}
	b := Backup{Schema: version}
	err = db.AtOneInstant(ctx, d, func(d *db.DB) error {
		if err := holdTables(ctx, d, tables, version); err != nil {
			return err
		}
		w, err := format.NewWriter(to, format.Header{Schema: version, MadeAt: now.Unix(),
			Database: db.DialectOf(d).Name,
			Program:  program})
		if err != nil {
			return err
		}
		for _, t := range tables {
			n, err := backUp(ctx, db.Read(d), w, t)
			if err != nil {
				return fmt.Errorf("the table %s: %w", t.Name, err)
			}
			b.add(t.Name, n)
		}
		return w.Close()
	})
	return b, db.Failed("backing up", err)
}

// holdTables locks all tables against schema changes until the transaction ends, and returns digest.Conflict if the
// schema is no longer at version.
func holdTables(ctx context.Context, d *db.DB, tables blueprint, version int64) error {
	named := strings.NewReplacer("{tables}", strings.Join(tables.names(), ", "))
	// Before any read: the first query fixes the instant of the snapshot.
	if err := db.Read(d).ExecEach(ctx, db.Each(db.DialectOf(d).HoldTables, named.Replace)); err != nil {
		return err
	}
	have, err := db.Version(ctx, d)
	if err == nil && have != version {
		err = db.Conflict("the schema of the database is being changed; run this again when that is over")
	}
	return err
}

func backUp(ctx context.Context, c db.Tx, w *format.Writer, t blueprintTable) (format.Count, error) {
	if err := w.Begin(t.Table); err != nil {
		return format.Count{}, err
	}
	if err := eachRow(ctx, c, t.Table, w.Row); err != nil {
		return format.Count{}, err
	}
	last, err := lastKey(ctx, c, t)
	if err != nil {
		return format.Count{}, err
	}
	return w.End(last)
}

// lastKey returns the highest key that a table ever generated, also for a deleted row. Links in sent email name
// editions and digests by key, so a restored database must not use a key again.
func lastKey(ctx context.Context, c db.Tx, t blueprintTable) (last int64, err error) {
	if t.gives {
		err = c.Get(ctx, &last, strings.ReplaceAll(c.Dialect().LastKey, "{table}", t.Name))
	}
	return last, err
}
