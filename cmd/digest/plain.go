package main

import (
	"strings"
	"unicode"

	"digest"
)

// plain makes text from elsewhere safe for a line on a terminal: nothing that
// moves the cursor, starts a new line or turns the direction of what follows,
// and no password of a feed's address.
func plain(s string) string {
	return digest.WithoutCredentials(strings.Join(strings.Fields(strings.Map(spaceForUnseen, s)), " "))
}

// plainText is plain for text of several lines, which keeps them.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return spaceForUnseen(r)
	}, s)
}

func spaceForUnseen(r rune) rune {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi embeddings, overrides, isolates
		return -1
	case unicode.IsControl(r), r == 0x2028, r == 0x2029:
		return ' '
	}
	return r
}
