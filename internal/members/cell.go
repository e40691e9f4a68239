package members

import (
	"strings"
	"unicode/utf8"
)

// A spreadsheet takes a cell for a formula that begins with one of these, and so does
// a person's name that a stranger typed. '＝' and the others of full width count in
// some of them.
const formulaSigns = "=+-@\t\r\n＝＋－＠"

// guarded writes an apostrophe before each sign that could begin a formula where a
// cell begins: at its own beginning, and after a semicolon or a tab, which other
// spreadsheets split at. Before an apostrophe there another one is written, so that
// unguarded gives exactly what it was.
func guarded(cell string) string {
	return atBegins(cell, func(b *strings.Builder, rest string) int {
		first, _ := utf8.DecodeRuneInString(rest)
		if first == '\'' || strings.ContainsRune(formulaSigns, first) {
			b.WriteByte('\'')
		}
		return 0
	})
}

// unguarded takes the apostrophes of guarded away.
func unguarded(cell string) string {
	return atBegins(cell, func(_ *strings.Builder, rest string) int {
		if rest[0] == '\'' {
			return 1
		}
		return 0
	})
}

// atBegins copies a cell. Wherever one could begin, and is not empty, begin may write
// something and says how many bytes are left out.
func atBegins(cell string, begin func(b *strings.Builder, rest string) int) string {
	if cell == "" || !strings.ContainsAny(cell, "'"+formulaSigns) {
		return cell
	}
	var b strings.Builder
	for i, fresh := 0, true; i < len(cell); {
		if fresh {
			i += begin(&b, cell[i:])
			if i == len(cell) {
				break
			}
		}
		b.WriteByte(cell[i])
		fresh = cell[i] == ';' || cell[i] == '\t'
		i++
	}
	return b.String()
}
