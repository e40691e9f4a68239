package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	format "digest/internal/backup"
	"digest/store/db"
)

// A blueprint lists the tables of one version of the schema. A table follows the tables that it references. It is read
// from an empty in-memory database after the migrations. So it contains every table of digest, and no table of another
// program in the same database.
type blueprint []blueprintTable

type blueprintTable struct {
	format.Table
	gives bool // the database generates its keys
}

func (b blueprint) hasTable(name string) bool {
	return slices.ContainsFunc(b, func(t blueprintTable) bool { return t.Name == name })
}

func (b blueprint) names() []string {
	return db.Each(b, func(t blueprintTable) string { return t.Name })
}

// drawBlueprint returns the tables of a version of the schema, without goose's version table and the search index,
// which is rebuilt from the posts.
func drawBlueprint(ctx context.Context, version int64) (all blueprint, err error) {
	err = withMemory(ctx, func(d *db.DB, newest int64) error {
		if version > newest {
			return db.Conflict("the backup is from a newer version of digest (its schema is %d, this program supports %d); install the newer version", version, newest)
		}
		all, err = draw(ctx, d, version)
		return err
	})
	return all, err
}

func drawNewest(ctx context.Context) (all blueprint, err error) {
	err = withMemory(ctx, func(d *db.DB, newest int64) error {
		all, err = draw(ctx, d, newest)
		return err
	})
	return all, err
}

// withMemory calls f with an empty in-memory database.
func withMemory(ctx context.Context, f func(d *db.DB, newest int64) error) error {
	d, err := db.OpenMemory()
	if err != nil {
		return err
	}
	defer d.Close()
	_, newest, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	return f(d, newest)
}

func draw(ctx context.Context, d *db.DB, version int64) (blueprint, error) {
	if err := db.MigrateTo(ctx, d, version); err != nil {
		return nil, err
	}
	var columns []struct {
		TableName string
		Name      string
		Kind      string
		Gives     bool
	}
	err := db.Read(d).All(ctx, &columns,
		`SELECT t.name AS table_name, c.name, c.type AS kind, m.sql LIKE '%AUTOINCREMENT%' AS gives
		FROM pragma_table_list t JOIN sqlite_schema m ON m.name = t.name JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND m.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
		AND t.name <> '`+goose.DefaultTablename+`'
		ORDER BY t.name, c.cid`)
	if err != nil {
		return nil, err
	}
	var all blueprint
	for _, c := range columns {
		if last := len(all) - 1; last < 0 || all[last].Name != c.TableName {
			all = append(all, blueprintTable{format.Table{Name: c.TableName}, c.Gives})
		}
		kind, ok := map[string]format.Kind{"INTEGER": format.Number, "TEXT": format.Text,
			"BLOB": format.Bytes}[strings.ToUpper(c.Kind)]
		if !ok {
			return nil, fmt.Errorf("%s.%s has the type %s, which backups do not support", c.TableName, c.Name, c.Kind)
		}
		t := &all[len(all)-1]
		t.Columns = append(t.Columns, format.Column{Name: c.Name, Kind: kind})
	}
	return inOrderOfReference(ctx, db.Read(d), all)
}

// inOrderOfReference sorts tables behind the tables that their foreign keys reference.
func inOrderOfReference(ctx context.Context, c db.Tx, all blueprint) (blueprint, error) {
	var references []struct{ Name, Parent string }
	if err := c.All(ctx, &references,
		`SELECT t.name, f."table" AS parent FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f
			WHERE f."table" <> t.name`); err != nil {
		return nil, err
	}
	var ordered blueprint
	for len(ordered) < len(all) {
		before := len(ordered)
		for _, t := range all {
			waits := slices.ContainsFunc(references, func(r struct{ Name, Parent string }) bool {
				return r.Name == t.Name && all.hasTable(r.Parent) && !ordered.hasTable(r.Parent)
			})
			if !waits && !ordered.hasTable(t.Name) {
				ordered = append(ordered, t)
			}
		}
		if len(ordered) == before {
			return nil, fmt.Errorf("tables refer to each other in a circle: %v", all.names())
		}
	}
	return ordered, nil
}

func columnList(t format.Table) string {
	return strings.Join(db.Each(t.Columns, func(c format.Column) string { return `"` + c.Name + `"` }), ", ")
}

// eachRow calls f with every row of a table, in any order. It reuses cells for the next row.
func eachRow(ctx context.Context, c db.Tx, t format.Table, f func(cells []any) error) error {
	rows, err := c.Query(ctx, `SELECT `+columnList(t)+` FROM `+t.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	cells, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return db.Explain(err)
		}
		for i, cell := range cells {
			cells[i] = asKind(cell, t.Columns[i].Kind)
		}
		if err := f(cells); err != nil {
			return err
		}
	}
	return db.Explain(rows.Err())
}

// asKind converts a cell to the kind of its column, because drivers return texts and empty blobs differently. Texts
// become valid in both databases.
func asKind(cell any, kind format.Kind) any {
	switch v := cell.(type) {
	case string:
		if kind == format.Bytes {
			return []byte(v)
		}
		return db.Clean(v)
	case []byte:
		if kind == format.Text {
			return db.Clean(string(v))
		}
	}
	return cell
}
