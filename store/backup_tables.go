package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	"digest/internal/backup"
)

// A blueprint is the tables of a version of the schema, those first to which others refer.
// It is what the migrations make of an empty database in memory, so that no table can be
// forgotten, and none of another program's beside ours is taken for one.
type blueprint []blueprintTable

type blueprintTable struct {
	backup.Table
	gives bool // its keys are given by the database
}

// hasTable reports whether there is a table of that name.
func (b blueprint) hasTable(name string) bool {
	return slices.ContainsFunc(b, func(t blueprintTable) bool { return t.Name == name })
}

// names are those of the tables.
func (b blueprint) names() []string {
	return each(b, func(t blueprintTable) string { return t.Name })
}

// drawBlueprint gives the tables of a version of the schema, without that of the version
// itself and the index of words, which is made of the posts.
func drawBlueprint(ctx context.Context, version int64) (all blueprint, err error) {
	err = withMemory(func(s *Store, newest int64) error {
		if version > newest {
			return conflict("the backup is from a newer version of digest (its schema is %d, this program supports %d); install the newer version", version, newest)
		}
		all, err = s.draw(ctx, version)
		return err
	})
	return all, err
}

// drawNewest gives the tables of this program's schema.
func drawNewest(ctx context.Context) (all blueprint, err error) {
	err = withMemory(func(s *Store, newest int64) error {
		all, err = s.draw(ctx, newest)
		return err
	})
	return all, err
}

// withMemory hands an empty database in memory to f.
func withMemory(f func(s *Store, newest int64) error) error {
	db, err := searchable("file::memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	s := &Store{d: sqliteDialect(), w: db, r: db}
	p, err := s.provider()
	if err != nil {
		return err
	}
	return f(s, newestOf(p))
}

func (s *Store) draw(ctx context.Context, version int64) (blueprint, error) {
	if err := s.migrateTo(ctx, version); err != nil {
		return nil, err
	}
	var columns []struct {
		TableName string
		Name      string
		Kind      string
		Gives     bool
	}
	err := s.read().all(ctx, &columns,
		`SELECT t.name AS table_name, c.name, c.type AS kind, m.sql LIKE '%AUTOINCREMENT%' AS gives
		FROM pragma_table_list t JOIN sqlite_schema m ON m.name = t.name JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND m.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name <> '`+goose.DefaultTablename+`'
		ORDER BY t.name, c.cid`)
	if err != nil {
		return nil, err
	}
	var all blueprint
	for _, c := range columns {
		if last := len(all) - 1; last < 0 || all[last].Name != c.TableName {
			all = append(all, blueprintTable{backup.Table{Name: c.TableName}, c.Gives})
		}
		kind, ok := map[string]backup.Kind{"INTEGER": backup.Number, "TEXT": backup.Text,
			"BLOB": backup.Bytes}[strings.ToUpper(c.Kind)]
		if !ok {
			return nil, fmt.Errorf("%s.%s has the type %s, which backups do not support", c.TableName, c.Name, c.Kind)
		}
		t := &all[len(all)-1]
		t.Columns = append(t.Columns, backup.Column{Name: c.Name, Kind: kind})
	}
	return inOrderOfReference(ctx, s.read(), all)
}

// inOrderOfReference puts tables behind those to which their rows refer.
func inOrderOfReference(ctx context.Context, c conn, all blueprint) (blueprint, error) {
	var references []struct{ Name, Parent string }
	if err := c.all(ctx, &references,
		`SELECT t.name, f."table" AS parent FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f WHERE f."table" <> t.name`); err != nil {
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

// columnList names columns for a statement.
func columnList(t backup.Table) string {
	return strings.Join(each(t.Columns, func(c backup.Column) string { return `"` + c.Name + `"` }), ", ")
}

// eachRow hands every row of a table to f, in any order. The cells are overwritten for the
// next row.
func eachRow(ctx context.Context, c conn, t backup.Table, f func(cells []any) error) error {
	rows, err := c.db.QueryxContext(ctx, `SELECT `+columnList(t)+` FROM `+t.Name)
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	cells, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return explain(err)
		}
		for i, cell := range cells {
			cells[i] = asKind(cell, t.Columns[i].Kind)
		}
		if err := f(cells); err != nil {
			return err
		}
	}
	return explain(rows.Err())
}

// asKind gives a cell as its column has it: drivers differ in what they call a text, and in
// what they make of empty bytes. Texts are as both databases store them.
func asKind(cell any, kind backup.Kind) any {
	switch v := cell.(type) {
	case string:
		if kind == backup.Bytes {
			return []byte(v)
		}
		return clean(v)
	case []byte:
		if kind == backup.Text {
			return clean(string(v))
		}
	}
	return cell
}
