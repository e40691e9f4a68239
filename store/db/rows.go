package db

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"

	"digest"
)

// Rows are scanned into the structs of the rest of the program. A column belongs to the field of its name, without
// case and underscores, also in an embedded struct: last_ok_at is LastOKAt. Times, durations and dates are converted
// from their stored form.

// mapped returns a database that scans rows in this way. A tag "db" names another column.
func mapped(db *sql.DB, driver string) *sqlx.DB {
	x := sqlx.NewDb(db, driver)
	x.Mapper = newMapper()
	return x
}

func newMapper() *reflectx.Mapper { return reflectx.NewMapperTagFunc("db", fieldName, fieldName) }

// fieldName returns the common form of a column's and a field's name.
func fieldName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// scanRows appends up to most rows to a slice, and closes them.
func scanRows(rows *sqlx.Rows, to reflect.Value, most int) error {
	kind := to.Type().Elem()
	paths, err := columnPaths(rows, kind)
	cells := make([]any, len(paths))
	for n := 0; err == nil && n < most && rows.Next(); n++ {
		to.Grow(1)
		to.SetLen(to.Len() + 1)
		row := to.Index(to.Len() - 1)
		for i, path := range paths {
			cells[i] = cell(reflectx.FieldByIndexes(row, path).Addr().Interface())
		}
		err = rows.Scan(cells...)
	}
	return cmp.Or(err, rows.Err(), rows.Close())
}

// columnPaths returns the field of each column in kind. A kind that is not a struct of columns has one column.
func columnPaths(rows *sqlx.Rows, kind reflect.Type) ([][]int, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if kind.Kind() != reflect.Struct || isCell(kind) {
		return make([][]int, len(columns)), nil
	}
	paths := make([][]int, len(columns))
	names := rows.Mapper.TypeMap(kind).Names
	for i, column := range columns {
		field, ok := names[fieldName(column)]
		if !ok {
			return nil, fmt.Errorf("the column %s has no field in %s", column, kind)
		}
		paths[i] = field.Index
	}
	return paths, nil
}

// isCell reports whether a struct is scanned from one column.
func isCell(kind reflect.Type) bool {
	dest := reflect.New(kind).Interface()
	_, scans := cell(dest).(sql.Scanner)
	return scans
}

// cell returns the destination with which Scan reads a column into dest.
func cell(dest any) any {
	switch d := dest.(type) {
	case *time.Time:
		return (*storedTime)(d)
	case *time.Duration:
		return (*storedSpan)(d)
	case *digest.Date:
		return (*storedDate)(d)
	case *[]digest.Enclosure:
		return (*storedEnclosures)(d)
	}
	return dest
}

type storedTime time.Time

// Scan implements sql.Scanner. NULL is the zero time.
func (t *storedTime) Scan(value any) error {
	var i Instant
	err := i.Scan(value)
	*t = storedTime(i.Time())
	return err
}

type storedSpan time.Duration

// Scan implements sql.Scanner. NULL is 0.
func (s *storedSpan) Scan(value any) error {
	var i Instant
	err := i.Scan(value)
	*s = storedSpan(Span(int64(i)))
	return err
}

// A storedDate scans a date, which is stored as YYYY-MM-DD.
type storedDate digest.Date

// Scan implements sql.Scanner. NULL and "" are the zero date.
func (d *storedDate) Scan(value any) (err error) {
	var text sql.NullString
	var date digest.Date
	if err = text.Scan(value); err == nil && text.String != "" {
		date, err = digest.ParseDate(text.String)
	}
	*d = storedDate(date)
	return err
}

// storedEnclosures scans a column with the JSON of enclosures.
type storedEnclosures []digest.Enclosure

// Scan implements sql.Scanner. It treats invalid JSON as no enclosures.
func (e *storedEnclosures) Scan(value any) error {
	var text sql.NullString
	err := text.Scan(value)
	if text.String == "" || json.Unmarshal([]byte(text.String), e) != nil {
		*e = nil
	}
	return err
}
