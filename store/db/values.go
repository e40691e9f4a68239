package db

import (
	"context"
	"encoding/hex"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A statement with a list has the same text for every list, because parsing and planning costs more than most
// statements take to run. A list of keys or names is one argument:
//
//	c.All(ctx, &rows, `SELECT … WHERE id`+d.OneOf, ids)
//	c.All(ctx, &rows, `SELECT … WHERE domain IN (`+d.Names+`)`, domains) // at least one
//
// Rows of several columns are Values, and replace VALUES {rows}:
//
//	c.RunRows(ctx, &v, `WITH v (id, title) AS (VALUES {rows}) UPDATE … FROM v …`)
//	c.AllRows(ctx, &rows, &v, `INSERT INTO … VALUES {rows} RETURNING id`)
//
// PostgreSQL gets each column as an array. SQLite gets one parameter per cell, in the next power of two of rows; the
// rows of NULLs at the end are ignored. So there are few texts, and a connection caches their prepared statements
// (reusing).

// Values builds a list of rows with the same columns. The first column is the statement's key, and is never NULL.
type Values struct {
	cells []any // nil, int64, string and []byte; row by row
	width int
}

// Row adds a row: values that stored converts, bytes, or nil for NULL.
func (v *Values) Row(cells ...any) {
	v.width = len(cells)
	v.cells = append(v.cells, Each(cells, stored)...)
}

// Len returns the number of rows.
func (v *Values) Len() int { return len(v.cells) / max(v.width, 1) }

// StatementRows and statementCells bound the rows and the cells of one statement. SQLite accepts 32,766 parameters.
const (
	StatementRows  = 1024
	statementCells = 32766
)

// chunks calls f with the rows in parts that one statement takes, each a power of two.
func (v *Values) chunks(f func(*Values) error) error {
	if v.Len() == 0 {
		return nil
	}
	most := 1 << (bits.Len(uint(min(StatementRows, statementCells/v.width))) - 1)
	for from := 0; from < v.Len(); from += most {
		to := min(from+most, v.Len())
		part := &Values{cells: v.cells[from*v.width : to*v.width], width: v.width}
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

// EachPart calls f with a statement and its arguments for each part of a list.
func (c Tx) EachPart(v *Values, query string, args []any, f func(query string, args []any) error) error {
	return v.chunks(func(part *Values) error {
		text, cells := c.d.rows(part)
		return f(strings.Replace(query, "VALUES {rows}", text, 1), append(cells, args...))
	})
}

// ExecRows runs a statement with the rows of a list in place of VALUES {rows}. Their arguments are before all others.
// It runs the statement once for each part of the list, and returns the number of affected rows.
func (c Tx) ExecRows(ctx context.Context, v *Values, query string, args ...any) (total int, err error) {
	err = c.EachPart(v, query, args, func(query string, args []any) error {
		n, err := c.Exec(ctx, query, args...)
		total += n
		return err
	})
	return total, err
}

// RunRows is ExecRows without the number.
func (c Tx) RunRows(ctx context.Context, v *Values, query string, args ...any) error {
	_, err := c.ExecRows(ctx, v, query, args...)
	return err
}

// AllRows is ExecRows for a statement that returns rows, which it appends to a slice.
func (c Tx) AllRows(ctx context.Context, dest any, v *Values, query string, args ...any) error {
	return c.EachPart(v, query, args, func(query string, args []any) error {
		return c.All(ctx, dest, query, args...)
	})
}

// arrayRows encodes rows for PostgreSQL: each column as one argument.
func arrayRows(v *Values) (text string, args []any) {
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
func arrayColumn(v *Values, column int) (kind, array string) {
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
func paddedRows(v *Values) (text string, args []any) {
	row := "(?" + strings.Repeat(",?", v.width-1) + ")"
	if v.Len() == 1 {
		return "VALUES " + row, slices.Clip(v.cells)
	}
	rows := 1 << bits.Len(uint(v.Len()-1))
	args = append(make([]any, 0, rows*v.width), v.cells...)
	return "SELECT * FROM (VALUES " + row + strings.Repeat(","+row, rows-1) + ") WHERE column1 IS NOT NULL",
		args[:rows*v.width]
}

// List writes keys for use within IN (…). An empty list matches nothing. Each list results in another text, so prefer
// OneOf.
func List[T ~int64](ids []T) string {
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
