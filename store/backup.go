package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"digest/internal/backup"
)

// A Backup describes a backup that was written or restored.
type Backup struct {
	Schema int64
	Tables []BackupTable
	Rows   int64
}

// A BackupTable is one table of a backup.
type BackupTable struct {
	Name string
	backup.Count
}

func (b *Backup) add(name string, c backup.Count) {
	b.Tables = append(b.Tables, BackupTable{name, c})
	b.Rows += c.Rows
}

// Backup writes everything that the database holds at one instant, in the format of package backup. Other processes
// may write at the same time. program is the version of this program. The schema may be older than this program's.
func (s *Store) Backup(ctx context.Context, to io.Writer, program string, now time.Time) (Backup, error) {
	version, err := s.version(ctx)
	if err == nil && version == 0 {
		err = noSchema(nil)
	}
	if err != nil {
		return Backup{}, failed("backing up", err)
	}
	tables, err := drawBlueprint(ctx, version)
	if err != nil {
		return Backup{}, failed("backing up", err)
	}
	b := Backup{Schema: version}
	err = s.atOneInstant(ctx, "backing up", func(s *Store) error {
		if err := s.holdTables(ctx, tables, version); err != nil {
			return err
		}
		w, err := backup.NewWriter(to, backup.Header{Schema: version, MadeAt: now.Unix(), Database: s.d.name,
			Program: program})
		if err != nil {
			return err
		}
		for _, t := range tables {
			n, err := backUp(ctx, s.read(), w, t)
			if err != nil {
				return fmt.Errorf("the table %s: %w", t.Name, err)
			}
			b.add(t.Name, n)
		}
		return w.Close()
	})
	return b, err
}

// holdTables locks all tables against schema changes until the transaction ends, and returns digest.Conflict if the
// schema is no longer at version.
func (s *database) holdTables(ctx context.Context, tables blueprint, version int64) error {
	named := strings.NewReplacer("{tables}", strings.Join(tables.names(), ", "))
	// Before any read: the first query fixes the instant of the snapshot.
	if err := s.read().execEach(ctx, each(s.d.holdTables, named.Replace)); err != nil {
		return err
	}
	have, err := s.version(ctx)
	if err == nil && have != version {
		err = conflict("the schema of the database is being changed; run this again when that is over")
	}
	return err
}

func backUp(ctx context.Context, c conn, w *backup.Writer, t blueprintTable) (backup.Count, error) {
	if err := w.Begin(t.Table); err != nil {
		return backup.Count{}, err
	}
	if err := eachRow(ctx, c, t.Table, w.Row); err != nil {
		return backup.Count{}, err
	}
	last, err := lastKey(ctx, c, t)
	if err != nil {
		return backup.Count{}, err
	}
	return w.End(last)
}

// lastKey returns the highest key that a table ever generated, also for a deleted row. Links in sent email name
// editions and digests by key, so a restored database must not use a key again.
func lastKey(ctx context.Context, c conn, t blueprintTable) (last int64, err error) {
	if t.gives {
		err = c.get(ctx, &last, strings.ReplaceAll(c.d.lastKey, "{table}", t.Name))
	}
	return last, err
}
