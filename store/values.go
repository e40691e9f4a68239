package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A statement with a list has the same text for every list, because parsing and planning costs more than most
// statements take to run. A list of keys or names is one argument:
//
//	c.all(ctx, &rows, `SELECT … WHERE id`+c.d.oneOf, keys(c.d, ids))
//	c.all(ctx, &rows, `SELECT … WHERE domain IN (`+c.d.names+`)`, array(domains))
//
// Rows of several columns are values, and replace VALUES {rows}:
//
//	c.runRows(ctx, &v, `WITH v (id, title) AS (VALUES {rows}) UPDATE … FROM v …`)
//	c.allRows(ctx, &rows, &v, `INSERT INTO … VALUES {rows} RETURNING id`)
//
// PostgreSQL gets each column as an array. SQLite gets one parameter per cell, in the next power of two of rows; the
// rows of NULLs at the end are ignored. So there are few texts, and a connection caches their prepared statements
// (reusing).

// values builds a list of rows with the same columns. The first column is the statement's key, and is never NULL.
type values struct {
	cells []any // nil, int64, string and []byte; row by row
	width int
}

// row adds a row: values that stored converts, bytes, or nil for NULL.
func (v *values) row(cells ...any) {
	v.width = len(cells)
	v.cells = append(v.cells, each(cells, stored)...)
}

func (v *values) len() int { return len(v.cells) / max(v.width, 1) }

// statementRows and statementCells bound the rows and the cells of one statement. SQLite accepts 32,766 parameters.
const (
	statementRows  = 1024
	statementCells = 32766
)

// chunks calls f with the rows in parts that one statement takes, each a power of two.
func (v *values) chunks(f func(*values) error) error {
	if v.len() == 0 {
		return nil
	}
	most := 1 << (bits.Len(uint(min(statementRows, statementCells/v.width))) - 1)
	for from := 0; from < v.len(); from += most {
		to := min(from+most, v.len())
		part := &values{cells: v.cells[from*v.width : to*v.width], width: v.width}
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

// eachPart calls f with a statement and its arguments for each part of a list.
func (c conn) eachPart(v *values, query string, args []any, f func(query string, args []any) error) error {
	return v.chunks(func(part *values) error {
		text, cells := c.d.rows(part)
		return f(strings.Replace(query, "VALUES {rows}", text, 1), append(cells, args...))
	})
}

// execRows runs a statement with the rows of a list in place of VALUES {rows}. Their arguments are before all others.
// It runs the statement once for each part of the list, and returns the number of affected rows.
func (c conn) execRows(ctx context.Context, v *values, query string, args ...any) (total int, err error) {
	err = c.eachPart(v, query, args, func(query string, args []any) error {
		n, err := c.exec(ctx, query, args...)
		total += n
		return err
	})
	return total, err
}

// runRows is execRows without the number.
func (c conn) runRows(ctx context.Context, v *values, query string, args ...any) error {
	_, err := c.execRows(ctx, v, query, args...)
	return err
}

// allRows is execRows for a statement that returns rows, which it appends to a slice.
func (c conn) allRows(ctx context.Context, dest any, v *values, query string, args ...any) error {
	return c.eachPart(v, query, args, func(query string, args []any) error {
		return c.all(ctx, dest, query, args...)
	})
}

// arrayRows encodes rows for PostgreSQL: each column as one argument.
func arrayRows(v *values) (text string, args []any) {
	columns := make([]string, v.width)
	for i := range columns {
		kind, array := arrayColumn(v, i)
		columns[i] = "CAST(? AS " + kind + "[])"
		args = append(args, array)
	}
	return "SELECT * FROM unnest(" + strings.Join(columns, ", ") + ")", args
}

// inArray escapes text within the quotes of an array (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO).
var inArray = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// arrayColumn returns the type of a column, and its cells as the text of an array. A column with only NULLs has the
// type BIGINT.
func arrayColumn(v *values, column int) (kind, array string) {
	var b strings.Builder
	kind = "BIGINT"
	for i := column; i < len(v.cells); i += v.width {
		b.WriteByte("{,"[min(i/v.width, 1)])
		switch c := v.cells[i].(type) {
		case nil:
			b.WriteString("NULL")
		case int64:
			b.WriteString(strconv.FormatInt(c, 10))
		case string:
			kind = "TEXT"
			b.WriteByte('"')
			_, _ = inArray.WriteString(&b, c) // a Builder never fails
			b.WriteByte('"')
		case []byte:
			kind = "BYTEA"
			b.WriteString(`"\\x` + hex.EncodeToString(c) + `"`)
		}
	}
	b.WriteByte('}')
	return kind, b.String()
}

// paddedRows encodes rows for SQLite: each cell as one argument, with rows of NULLs up to the next power of two.
func paddedRows(v *values) (text string, args []any) {
	row := "(?" + strings.Repeat(",?", v.width-1) + ")"
	if v.len() == 1 {
		return "VALUES " + row, slices.Clip(v.cells)
	}
	rows := 1 << bits.Len(uint(v.len()-1))
	args = append(make([]any, 0, rows*v.width), v.cells...)
	return "SELECT * FROM (VALUES " + row + strings.Repeat(","+row, rows-1) + ") WHERE column1 IS NOT NULL",
		args[:rows*v.width]
}

// array encodes texts, at least one, as one argument of a statement.
func array(list []string) string {
	b, _ := json.Marshal(list) // strings always encode
	return string(b)
}

// keys encodes any number of keys as one argument of a statement: see oneOf.
func keys[T ~int64](d *dialect, ids []T) string {
	if len(ids) == 0 {
		return d.keys("")
	}
	return d.keys(list(ids))
}

// list writes keys for use within IN (…). An empty list matches nothing. Each list results in another text, so prefer
// oneOf.
func list[T ~int64](ids []T) string {
	if len(ids) == 0 {
		return "NULL"
	}
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	return b.String()
}
