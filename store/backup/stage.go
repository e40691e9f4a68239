package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lib/pq"

	"digest/internal/ownership"
	"digest/store"
	"digest/store/db"
)

// A stage is a database in which a backup is assembled, beside the database that it replaces.
type stage struct {
	*db.DB
	install func(context.Context) error // moves it into place, in one step, and closes it
	drop    func()                      // deletes it, unless it was installed
}

func newStage(ctx context.Context, database string, how Restoration) (*stage, error) {
	if strings.Contains(database, "://") {
		return stageSchema(ctx, database, how)
	}
	return stageFile(ctx, database, how)
}

// refuse returns an error if a process works on a database, or if its content must not be deleted.
func (how Restoration) refuse(ctx context.Context, d *db.DB) error {
	version, err := db.Version(ctx, d)
	if err != nil || version == 0 {
		return err
	}
	if err := how.Look(ctx, store.New(d)); err != nil || how.Replace {
		return err
	}
	tables, err := drawBlueprint(ctx, version)
	if err != nil {
		return err
	}
	return refuseFilled(ctx, db.Read(d), tables)
}

// refuseFilled returns an error if a database contains more than a first start creates.
func refuseFilled(ctx context.Context, c db.Tx, tables blueprint) error {
	for _, t := range tables {
		if t.Name == "settings" || t.Name == "operator_links" {
			continue
		}
		rows, err := c.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+t.Name+` LIMIT 1) x`)
		if err != nil {
			return err
		}
		if rows > 0 {
			return db.Conflict("the database is not empty (%s has rows), and nothing was changed; use an empty one, or add --replace to delete its contents", t.Name)
		}
	}
	return nil
}

// staged is the suffix of the file that replaces another.
const staged = ".restoring"

func stageFile(ctx context.Context, path string, how Restoration) (*stage, error) {
	path = db.RealPath(path)
	if err := freeFile(ctx, path, how); err != nil {
		return nil, err
	}
	beside := path + staged
	f, err := ownership.Create(beside, path, os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil, db.Conflict("%s exists: another restore is running or was killed; if none is running, delete it and its -wal and -shm files", beside)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, db.Unwritable(path, err)
	}
	d, err := db.Open(ctx, beside)
	if err != nil {
		removeFile(beside)
		return nil, err
	}
	return &stage{
		DB:      d,
		install: func(ctx context.Context) error { return installFile(ctx, d, beside, path, how) },
		drop: func() {
			_ = d.Close() // again, if it was installed
			removeFile(beside)
		},
	}, nil
}

func removeFile(path string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

func installFile(ctx context.Context, d *db.DB, beside, path string, how Restoration) error {
	if err := d.Close(); err != nil { // the last connection moves the log into the file and deletes it
		return err
	}
	if err := freeFile(ctx, path, how); err != nil {
		return err
	}
	f, err := os.OpenFile(beside, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return db.Unavailable(err, "the database cannot be written; check its disk and its folder")
	}
	// The rename then survives a power failure, where the system supports that.
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// freeFile checks that a file may be replaced: it does not exist, or has no content that must stay, and no other
// process has it open. It removes the file's log.
func freeFile(ctx context.Context, path string, how Restoration) error {
	if err := db.RefuseOccupied(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		// SQLite would use it as the log of the new file.
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			return db.Conflict("%s-wal remains from a database that no longer exists; move it away", path)
		}
		return nil
	}
	if err != nil {
		return db.Unavailable(err, "the database cannot be read")
	}
	if info.Size() > 0 {
		d, err := db.Open(ctx, path)
		if err != nil {
			return err
		}
		err = how.refuse(ctx, d)
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
	}
	return db.CloseLog(ctx, path)
}

// stagedSchema is the schema of PostgreSQL in which a backup is assembled.
const stagedSchema = "digest_restoring"

func stageSchema(ctx context.Context, address string, how Restoration) (_ *stage, err error) {
	target, err := db.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	w, _ := db.Pools(target)
	lock, err := w.Connx(ctx)
	if err != nil {
		return nil, errors.Join(db.Explain(err), target.Close())
	}
	release := func() { _, _ = lock.Close(), target.Close() }
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err := how.refuse(ctx, target); err != nil {
		return nil, err
	}
	var alone bool
	if err := lock.GetContext(ctx, &alone, `SELECT pg_try_advisory_lock(110403869045624)`); err != nil || !alone {
		return nil, errors.Join(db.Explain(err),
			db.Conflict("another restore or copy into this PostgreSQL database is at work; wait for it"))
	}
	for _, statement := range []string{`DROP SCHEMA IF EXISTS ` + stagedSchema + ` CASCADE`, `CREATE SCHEMA ` +
		stagedSchema} {
		if _, err := lock.ExecContext(ctx, statement); err != nil {
			return nil, db.Unavailable(err,
				"a second schema cannot be created in the database; grant its user the right (GRANT CREATE ON DATABASE)")
		}
	}
	d, err := db.Open(ctx, withSchema(address, stagedSchema))
	if err != nil {
		return nil, err
	}
	return &stage{
		DB:      d,
		install: func(ctx context.Context) error { return installSchema(ctx, d, target, how) },
		drop: func() {
			_ = d.Close()
			_, _ = lock.ExecContext(context.WithoutCancel(ctx), `DROP SCHEMA IF EXISTS `+stagedSchema+` CASCADE`)
			release()
		},
	}, nil
}

func withSchema(address, schema string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // impossible, because it was opened before
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// installSchema replaces the target's tables by the staged ones, in one transaction.
func installSchema(ctx context.Context, from, to *db.DB, how Restoration) error {
	tables, parts, err := ownTables(ctx, from)
	if err != nil {
		return err
	}
	if err := db.Write(ctx, from, func(c db.Tx) error {
		return c.Run(ctx, `ANALYZE `+strings.Join(tables, ", "))
	}); err != nil { // statistics for the planner
		return err
	}
	have, err := db.Version(ctx, to)
	if err == nil && have > 0 {
		err = to.Migrate(ctx) // so that it has the same tables
	}
	if err != nil {
		return err
	}
	newest, err := drawNewest(ctx)
	if err != nil {
		return err
	}
	return db.Write(ctx, to, func(c db.Tx) error {
		grants, err := grantsOf(ctx, c)
		if err != nil {
			return err
		}
		if have > 0 {
			all := strings.Join(tables, ", ")
			if err := c.ExecEach(ctx, []string{`SET LOCAL lock_timeout = '20s'`, `LOCK TABLE ` +
				all + ` IN ACCESS EXCLUSIVE MODE`}); err != nil {
				return err
			}
			if err := refuseFilled(ctx, c, newest); err != nil && !how.Replace {
				return err
			}
			if err := c.Run(ctx, `DROP TABLE `+all); err != nil {
				if e, ok := errors.AsType[*pq.Error](err); ok && e.Code == "2BP01" {
					err = db.Conflict("something that is not this program's, such as a view, depends on tables that would be replaced; drop it first")
				}
				return err
			}
		}
		var schema string
		if err := c.Get(ctx, &schema, `SELECT quote_ident(current_schema())`); err != nil {
			return err
		}
		err = c.ExecEach(ctx, db.Each(append(tables, parts...), func(table string) string {
			return fmt.Sprintf(`ALTER TABLE %s.%s SET SCHEMA %s`, stagedSchema, table, schema)
		}))
		if err != nil {
			return err
		}
		grants = slices.DeleteFunc(grants, func(g grant) bool { return !slices.Contains(tables, g.Name) })
		return c.ExecEach(ctx, db.Each(grants, grant.statement))
	})
}

// A grant is a right of another role on a table.
type grant struct {
	Name, Grantee, Privilege string
	Passes                   bool // the role may grant it to others
}

func (g grant) statement() string {
	return "GRANT " + g.Privilege + " ON TABLE " + g.Name + " TO " +
		g.Grantee + map[bool]string{true: " WITH GRANT OPTION"}[g.Passes]
}

// grantsOf reads the rights of other roles on the tables of the schema. A table that replaces another must grant the
// same rights, for example to a monitoring program. It omits rights on single columns.
func grantsOf(ctx context.Context, c db.Tx) (all []grant, err error) {
	err = c.All(ctx, &all, `SELECT c.relname AS name, a.privilege_type AS privilege,
		CAST(a.is_grantable AS INT) AS passes,
			CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END AS grantee
		FROM pg_catalog.pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
		LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
		WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
		AND a.grantee <> c.relowner
		AND (a.grantee = 0 OR r.rolname IS NOT NULL) ORDER BY c.relname, a.grantee, a.privilege_type`)
	return all, err
}

// ownTables returns the tables of the staged schema and their partitions.
func ownTables(ctx context.Context, d *db.DB) (tables, parts []string, err error) {
	var all []struct {
		Name string
		Part bool
	}
	err = db.Read(d).All(ctx, &all, `SELECT c.relname AS name, c.relispartition AS part FROM pg_catalog.pg_class c
		WHERE c.relnamespace = CAST('`+stagedSchema+`' AS regnamespace) AND c.relkind IN ('r', 'p') ORDER BY c.relname`)
	for _, t := range all {
		if t.Part {
			parts = append(parts, t.Name)
		} else {
			tables = append(tables, t.Name)
		}
	}
	return tables, parts, err
}
