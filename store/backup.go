package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"digest/internal/backup"
)

// A Backup is what was written or brought in.
type Backup struct {
	Schema int64
	Tables []BackupTable
	Rows   int64
}

// A BackupTable is a table of it.
type BackupTable struct {
	Name string
	backup.Count
}

func (b *Backup) add(name string, c backup.Count) {
	b.Tables = append(b.Tables, BackupTable{name, c})
	b.Rows += c.Rows
}

// Backup writes all that the database holds at one instant, whatever is written
// meanwhile, in the format of package backup; program is the version of this one. Nobody
// has to stop. The schema may be older than this program's.
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

// holdTables keeps all tables from being altered until the transaction ends, and sees that
// none was since they were looked at.
func (s *Store) holdTables(ctx context.Context, tables blueprint, version int64) error {
	named := strings.NewReplacer("{tables}", strings.Join(tables.names(), ", "))
	// before anything is read: the instant is that of the first query
	if err := s.read().execEach(ctx, each(s.d.holdTables, named.Replace)); err != nil {
		return err
	}
	have, err := s.version(ctx)
	if err == nil && have != version {
		err = conflict("the schema of the database is being changed; run this again when that is over")
	}
	return err
}

// backUp writes a table.
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

// lastKey is the highest key that a table has ever given, also to a row that is gone: what
// was mailed names editions and digests by their keys.
func lastKey(ctx context.Context, c conn, t blueprintTable) (last int64, err error) {
	if t.gives {
		err = c.get(ctx, &last, strings.ReplaceAll(c.d.lastKey, "{table}", t.Name))
	}
	return last, err
}
