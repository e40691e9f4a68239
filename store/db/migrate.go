package db

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// lockSeconds is how long Migrate waits on PostgreSQL for another process that migrates.
const lockSeconds = 300

// attempts is how often Migrate tries on SQLite, which has no lock across transactions. A table may already exist
// because another process is between two of its migrations. Each migration is one transaction, so the losing process
// has changed nothing.
const attempts = 20

// Migrate updates the schema to the version of this program. Several processes may call it at the same time. If the
// schema is up to date, Migrate takes no lock and changes nothing.
func (d *DB) Migrate(ctx context.Context) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		have, want, err := d.versions(ctx, p)
		if err != nil || have >= want {
			return err
		}
		if err = d.migrateTo(ctx, p, want); err == nil {
			return nil
		}
		if d.d.goose == goose.DialectPostgres || i == attempts || ctx.Err() != nil {
			return fmt.Errorf("migrating from schema %d to %d: %w", have, want, d.explain(err))
		}
	}
}

// MigrateTo updates the schema to a version.
func MigrateTo(ctx context.Context, d *DB, version int64) error {
	p, err := d.provider()
	if err == nil {
		err = d.migrateTo(ctx, p, version)
	}
	return Explain(err)
}

// migrateTo runs the migrations up to a version. On SQLite they take about a second, so an empty database gets the
// newest schema from one file.
func (d *DB) migrateTo(ctx context.Context, p *goose.Provider, version int64) error {
	if d.d.whole != "" && version == newestOf(p) {
		if created, err := d.createSchema(ctx); created || err != nil {
			return err
		}
	}
	_, err := p.UpTo(ctx, version)
	return err
}

// createSchema creates the newest schema. It reports false if the database is not empty.
func (d *DB) createSchema(ctx context.Context) (created bool, err error) {
	err = Write(ctx, d, func(c Tx) error {
		tables, err := c.Number(ctx, `SELECT count(*) FROM sqlite_schema`)
		if created = err == nil && tables == 0; !created {
			return err
		}
		return c.Run(ctx, d.d.whole)
	})
	return created, err
}

// Schema returns the version of the database's schema, 0 without one, and the version that this program needs.
func (d *DB) Schema(ctx context.Context) (have, want int64, err error) {
	p, err := d.provider()
	if err != nil {
		return 0, 0, err
	}
	return d.versions(ctx, p)
}

func (d *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(d.d.files, d.d.dir)
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	options := []goose.ProviderOption{
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()),
	}
	if d.d.goose == goose.DialectPostgres {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockSeconds))
		if err != nil {
			return nil, fmt.Errorf("preparing the migration lock: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(d.d.goose, d.w.DB, files, options...)
	if err != nil {
		return nil, fmt.Errorf("preparing the migrations: %w", err)
	}
	return p, nil
}

func (d *DB) versions(ctx context.Context, p *goose.Provider) (have, want int64, err error) {
	have, err = Version(ctx, d)
	return have, newestOf(p), err
}

func newestOf(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

// Version returns the schema version of the database, or 0.
func Version(ctx context.Context, d *DB) (int64, error) {
	var version int64
	c := Read(d)
	if err := c.Get(ctx, &version, d.d.Tables, goose.DefaultTablename); err != nil || version == 0 {
		return 0, err
	}
	err := c.Get(ctx, &version, `SELECT COALESCE(MAX(version_id), 0) FROM `+goose.DefaultTablename)
	return version, err
}

func (d *DB) refuseNewer(ctx context.Context) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	have, want, err := d.versions(ctx, p)
	if err == nil && have > want {
		err = Conflict("the database is from a newer version of digest (its schema is %d, this program supports %d); install the newer version, or use another database", have, want)
	}
	return err
}

// refuseForeign returns digest.Conflict if the database belongs to another program, because its tables would stop the
// migration halfway. It counts tables in one query, so it sees all or nothing of another process's migration.
func (d *DB) refuseForeign(ctx context.Context) error {
	var strangers, ours int
	c := Read(d)
	if err := c.Get(ctx, &strangers, d.d.strangers); err != nil {
		return err
	}
	have, err := Version(ctx, d)
	if err != nil {
		return err
	}
	if have > 0 { // other programs also use goose
		err := c.Get(ctx, &ours, d.d.Tables, "digest_posts")
		if err != nil {
			return err
		}
	}
	if strangers > 0 || have > 0 && ours == 0 {
		return Conflict("this %s database belongs to another program, and nothing of it was changed; name another in DIGEST_DATABASE", d.d.Name)
	}
	return nil
}
