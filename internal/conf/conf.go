// Package conf reads the file of settings (pure).
//
// A line is NAME=value, a remark that begins with #, or empty. Spaces at both ends of a
// line and around the first = count for nothing. A value that begins with ' or " ends
// with the same, and what stands between is the value; any other is the rest of the line.
// Nothing else has a meaning: no backslash, no $.
package conf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest/internal/spelling"
)

// A Setting is a line of the file that sets something.
type Setting struct {
	Name, Value string
	Line        int // its number, from 1
}

// An Error is a line that cannot be understood. It shows no value, which may be a secret.
type Error struct {
	Line int // its number, from 1
	What string
}

// Error says which line is wrong and why.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Parse reads a file whose settings must be among the known. The error is an *Error.
func Parse(text []byte, known []string) (all []Setting, err error) {
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		s, what := parseLine(string(line), known)
		if i := slices.IndexFunc(all, func(other Setting) bool { return other.Name == s.Name }); what == "" &&
			s.Name != "" && i >= 0 {
			what = fmt.Sprintf("%s is set by line %d already; remove one of the two", s.Name, all[i].Line)
		}
		if what != "" {
			return nil, &Error{number, what}
		}
		if s.Name != "" {
			s.Line = number
			all = append(all, s)
		}
	}
	return all, nil
}

// parseLine reads one line. A line that sets nothing gives no name; what says why one
// cannot be understood.
func parseLine(line string, known []string) (s Setting, what string) {
	line = strings.TrimSpace(line)
	switch {
	case line == "" || line[0] == '#':
		return s, ""
	case !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
		return s, "is no text: it holds a character that cannot be typed"
	}
	name, value, set := strings.Cut(line, "=")
	if name = strings.TrimSpace(name); !set {
		return s, "is neither DIGEST_NAME=value nor a remark that begins with #"
	}
	if !slices.Contains(known, name) {
		return s, unknown(name, known)
	}
	if value, what = unquote(strings.TrimSpace(value)); what != "" {
		return s, name + " " + what
	}
	return Setting{Name: name, Value: value}, ""
}

// unquote gives the value of what stands behind the =; what says why it is none.
func unquote(s string) (value, what string) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		if strings.Contains(s, " #") {
			return "", "has a # in its value; put the value in quotes, or the remark in a line of its own"
		}
		return s, ""
	}
	if len(s) < 2 || strings.IndexByte(s[1:], s[0]) != len(s)-2 {
		return "", "begins with a quote that is not the first of two at both ends; put quotes of the other kind around all of the value"
	}
	return s[1 : len(s)-1], ""
}

// unknown says that there is no setting of a name, and which it may have been meant for.
func unknown(name string, known []string) string {
	const most = 40 // characters of a name that are shown; those that are compared
	if utf8.RuneCountInString(name) > most {
		name = string([]rune(name)[:most]) + "…"
	}
	what := fmt.Sprintf("%q is no setting", name)
	if near := Nearest(name, known); near != "" {
		what += "; did you mean " + near + "?"
	}
	return what
}

// Nearest gives the known name that is most like a mistyped one; "" where none is like it.
func Nearest(name string, known []string) (nearest string) {
	const prefix, most = "DIGEST_", 6 // edits
	bare := strings.TrimPrefix(strings.ToUpper(strings.TrimPrefix(name, "export ")), prefix)
	fewest := min(len(bare)/2+1, most)
	for _, k := range known {
		if n := spelling.Edits(bare, strings.TrimPrefix(k, prefix)); n < fewest {
			nearest, fewest = k, n
		}
	}
	return nearest
}
