package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	format "digest/internal/backup"
	"digest/store"
	"digest/store/db"
)

// A Restoration holds the options of Restore.
type Restoration struct {
	Replace bool      // delete the database's former content, once the backup is verified
	Now     time.Time // time of the fence
	Reason  string    // the fence shows it until the operator releases it

	// Look examines a database that exists already, and may refuse it, for example because a process works on it.
	Look func(context.Context, *store.Store) error
}

// Restore restores a backup into a database that does not exist, is empty, or may be replaced. It loads everything
// into a new database with the backup's schema, reads it again, compares it, and migrates it to this program's
// schema. Only then does the new database replace the old one, in one step. If Restore fails or is killed before, the
// old database is unchanged. The new database is fenced until its operator releases it. Errors that the operator can
// resolve are *digest.Error.
func Restore(ctx context.Context, database string, from *format.Reader, how Restoration) (Backup, error) {
	tables, err := drawBlueprint(ctx, from.Header.Schema)
	if err != nil {
		return Backup{}, err
	}
	to, err := newStage(ctx, database, how)
	if err != nil {
		return Backup{}, err
	}
	defer to.drop()
	if err := db.MigrateTo(ctx, to.DB, from.Header.Schema); err != nil {
		return Backup{}, db.Failed("making the tables", err)
	}
	b, err := readBackup(tables, from, func(t blueprintTable) error { return to.fill(ctx, t, from) })
	if err != nil {
		return b, err
	}
	if err := to.compare(ctx, tables, b); err != nil {
		return b, db.Failed("comparing what was restored", err)
	}
	if err := to.Migrate(ctx); err != nil {
		return b, err
	}
	if err := store.New(to.DB).Operator.SettleRestored(ctx, how.Now, how.Reason); err != nil {
		return b, db.Failed("preparing what was restored", err)
	}
	return b, db.Failed("taking over what was restored", to.install(ctx))
}

// Check reads a backup to its end and changes nothing. It returns the errors that Restore would find in the
// file, except for rows that contradict each other.
func Check(ctx context.Context, from *format.Reader) (Backup, error) {
	tables, err := drawBlueprint(ctx, from.Header.Schema)
	if err != nil {
		return Backup{}, err
	}
	return readBackup(tables, from, func(blueprintTable) error {
		for {
			if _, err := from.Row(); err != nil {
				return ifOver(err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	})
}

// ifOver returns nil at the end of a table's rows.
func ifOver(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// readBackup calls f with each table of a backup, so that f reads its rows. It returns an error if a table is
// missing.
func readBackup(tables blueprint, from *format.Reader, f func(blueprintTable) error) (Backup, error) {
	b := Backup{Schema: from.Header.Schema}
	for {
		t, err := from.Table()
		if err == io.EOF {
			break
		}
		if err != nil {
			return b, err
		}
		known, err := tables.find(t, b)
		if err != nil {
			return b, err
		}
		if err := f(known); err != nil {
			return b, fmt.Errorf("the table %s: %w", t.Name, err)
		}
		b.add(t.Name, from.Count())
	}
	if len(b.Tables) < len(tables) {
		return b, notOurs("it lacks tables of its schema")
	}
	return b, nil
}

// find returns the schema's table for a table of a backup. It returns an error if the backup had that table before.
func (b blueprint) find(t format.Table, before Backup) (blueprintTable, error) {
	i := slices.IndexFunc(b, func(known blueprintTable) bool { return known.Name == t.Name })
	switch {
	case i < 0 || slices.ContainsFunc(before.Tables, func(old Table) bool { return old.Name == t.Name }):
		return blueprintTable{}, notOurs("it has a table that its schema has not, or one twice")
	case !slices.Equal(t.Columns, b[i].Columns):
		return blueprintTable{}, notOurs("the columns of " + t.Name + " are others")
	}
	return b[i], nil
}

func notOurs(what string) error {
	return &digest.Error{Kind: digest.Invalid,
		Message: "the backup is none of this program's, and nothing was restored: " + what}
}

// How much of a table one transaction restores.
const (
	fillRows  = 20_000
	fillBytes = 16 << 20
)

// fill copies the rows of the reader's present table into the empty table t.
func (s *stage) fill(ctx context.Context, t blueprintTable, from *format.Reader) error {
	for over := false; !over; {
		err := db.WriteOnce(ctx, s.DB, func(c db.Tx) (err error) {
			over, err = fillSome(ctx, c, t.Table, from)
			return err
		})
		if err != nil {
			return err
		}
	}
	return db.Write(ctx, s.DB, func(c db.Tx) error { return setLastKey(ctx, c, t, from.Count().LastID) })
}

func fillSome(ctx context.Context, c db.Tx, t format.Table, from *format.Reader) (over bool, err error) {
	names := db.Each(t.Columns, func(c format.Column) string { return c.Name })
	put, err := c.Fill(ctx, t.Name, names)
	if err != nil {
		return false, err
	}
	defer put.Close()
	for n, size := 0, 0; n < fillRows && size < fillBytes; n++ {
		cells, err := from.Row()
		if errors.Is(err, io.EOF) {
			over = true
			break
		}
		if err != nil {
			return false, err
		}
		if _, err := put.ExecContext(ctx, cells...); err != nil {
			return false, unfit(err)
		}
		size += rowBytes(cells)
	}
	if c.Dialect().FillEnds {
		if _, err := put.ExecContext(ctx); err != nil {
			return false, unfit(err)
		}
	}
	return over, nil
}

// unfit returns the error for a backup that violates a constraint; it explains other errors.
func unfit(err error) error {
	if db.IsConstraint(err) {
		return &digest.Error{Kind: digest.Invalid, Message: "the backup contradicts itself, and nothing was restored",
			Err: err}
	}
	return db.Explain(err)
}

func rowBytes(cells []any) (n int) {
	for _, cell := range cells {
		switch v := cell.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
		n += 8
	}
	return n
}

// setLastKey keeps a table from assigning a key that it assigned before.
func setLastKey(ctx context.Context, c db.Tx, t blueprintTable, last int64) error {
	if !t.gives {
		return nil
	}
	highest, err := c.Number(ctx, `SELECT COALESCE(MAX(id), 0) FROM `+t.Name)
	last = max(last, int64(highest))
	if err != nil || last == 0 {
		return err
	}
	named := strings.NewReplacer("{table}", t.Name, "{key}", strconv.FormatInt(last, 10))
	return c.ExecEach(ctx, db.Each(c.Dialect().SetKey, named.Replace))
}

// compare reads the restored tables and compares them with the backup.
func (s *stage) compare(ctx context.Context, tables blueprint, b Backup) error {
	return db.AtOneInstant(ctx, s.DB, func(d *db.DB) error {
		for _, want := range b.Tables {
			i := slices.IndexFunc(tables, func(t blueprintTable) bool { return t.Name == want.Name })
			got, err := countTable(ctx, db.Read(d), tables[i])
			if err != nil {
				return fmt.Errorf("the table %s: %w", want.Name, err)
			}
			if got.Rows != want.Rows || got.Sum != want.Sum {
				return fmt.Errorf("the table %s has %d rows with the checksum %s, the backup %d with %s", want.Name,
					got.Rows, got.Sum, want.Rows, want.Sum)
			}
		}
		return nil
	})
}

func countTable(ctx context.Context, c db.Tx, t blueprintTable) (format.Count, error) {
	counter := format.Counter{Table: t.Table}
	err := eachRow(ctx, c, t.Table, counter.Row)
	return counter.Count, err
}
