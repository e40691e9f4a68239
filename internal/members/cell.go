package members

import (
	"strings"
	"unicode/utf8"
)

// The characters that begin a formula in a spreadsheet. A name that a stranger typed can begin with them. Some
// spreadsheets accept '＝' and the other full-width characters.
const formulaSigns = "=+-@\t\r\n＝＋－＠"

// guarded writes an apostrophe before each character that could begin a formula at the beginning of a cell. It also
// does so after a semicolon or a tab, where other spreadsheets split. It doubles an apostrophe there, so that unguarded
// restores the original text.
func guarded(cell string) string {
	return atBegins(cell, func(b *strings.Builder, rest string) int {
		first, _ := utf8.DecodeRuneInString(rest)
		if first == '\'' || strings.ContainsRune(formulaSigns, first) {
			b.WriteByte('\'')
		}
		return 0
	})
}

// unguarded removes the apostrophes that guarded added.
func unguarded(cell string) string {
	return atBegins(cell, func(_ *strings.Builder, rest string) int {
		if rest[0] == '\'' {
			return 1
		}
		return 0
	})
}

// atBegins copies a cell. It calls begin wherever a non-empty cell could begin. begin can write something, and returns
// the number of bytes to skip.
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
