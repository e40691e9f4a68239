package db

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Columns lists the columns in which the fields of a T are stored, for SELECT, INSERT and UPDATE. A column belongs to
// the field of its name, as in scanRows.
type Columns[T any] struct {
	names []string
	paths [][]int // of the fields
}

// ColumnsOf parses a list of columns. It panics if T has no field for one of them.
func ColumnsOf[T any](list string) (c Columns[T]) {
	fields := newMapper().TypeMap(reflect.TypeFor[T]()).Names
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		field := fields[fieldName(name)]
		if field == nil {
			panic(fmt.Sprintf("the column %s has no field in %T", name, *new(T)))
		}
		c.names, c.paths = append(c.names, name), append(c.paths, field.Index)
	}
	return c
}

// Each writes a text for each column and replaces $ by its name: "$ = ?" returns "slug = ?, name = ?".
func (c Columns[T]) Each(text string) string {
	return strings.Join(Each(c.names, func(name string) string { return strings.ReplaceAll(text, "$", name) }), ", ")
}

// Cells returns the values of a row's columns as they are stored.
func (c Columns[T]) Cells(row *T) []any {
	v := reflect.ValueOf(row).Elem()
	return Each(c.paths, func(path []int) any { return stored(v.FieldByIndex(path).Interface()) })
}

// Same reports whether two rows are stored with the same values. It is fast if the fields are equal.
func (c Columns[T]) Same(a, b *T) bool {
	v, w := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	return !slices.ContainsFunc(c.paths, func(path []int) bool {
		x, y := v.FieldByIndex(path), w.FieldByIndex(path)
		return !x.Equal(y) && stored(x.Interface()) != stored(y.Interface())
	})
}
