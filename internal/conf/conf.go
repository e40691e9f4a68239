// Package conf parses the settings file (pure).
//
// A line is NAME=value, a comment that begins with #, or empty. Spaces at both ends of a line and around the first =
// are ignored. A value in single or double quotes is the text between them; any other value is the rest of the line. No
// other character has a special meaning, such as a backslash or $.
package conf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/internal/similarity"
)

// A Setting is a line of the file with a value.
type Setting struct {
	Name, Value string
	Line        int // line number from 1
}

// An Error is an invalid line. It does not contain the value, which may be secret.
type Error struct {
	Line int // line number from 1
	What string
}

// Error returns the line number and the problem.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Parse parses a file and rejects settings that are not in known. The error is an *Error.
func Parse(text []byte, known []string) (all []Setting, err error) {
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		s, what := parseLine(string(line), known)
		if i := slices.IndexFunc(all, func(other Setting) bool { return other.Name == s.Name }); what == "" &&
			s.Name != "" && i >= 0 {
			what = fmt.Sprintf("%s is already set on line %d; remove one of the two", s.Name, all[i].Line)
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

// parseLine parses one line. It returns no name for a comment or an empty line. what describes an invalid line.
func parseLine(line string, known []string) (s Setting, what string) {
	line = strings.TrimSpace(line)
	switch {
	case line == "" || line[0] == '#':
		return s, ""
	case !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
		return s, "is not valid text: it contains a control character or invalid UTF-8"
	}
	name, value, set := strings.Cut(line, "=")
	if name = strings.TrimSpace(name); !set {
		return s, "is neither DIGEST_NAME=value nor a comment that begins with #"
	}
	if !slices.Contains(known, name) {
		return s, unknown(name, known)
	}
	if value, what = unquote(strings.TrimSpace(value)); what != "" {
		return s, name + " " + what
	}
	return Setting{Name: name, Value: value}, ""
}

// unquote returns a value without its quotes. what describes an invalid value.
func unquote(s string) (value, what string) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		if strings.Contains(s, " #") {
			return "", "has a # in its value; put the value in quotes, or the comment on its own line"
		}
		return s, ""
	}
	if len(s) < 2 || strings.IndexByte(s[1:], s[0]) != len(s)-2 {
		return "", "begins with a quote that doesn't match one at its end; put quotes of the other kind around the whole value"
	}
	return s[1 : len(s)-1], ""
}

func unknown(name string, known []string) string {
	// The maximum number of characters that are shown and compared.
	const most = 40
	name = digest.Shortened(name, most)
	what := fmt.Sprintf("%q is not a setting", name)
	if near := Nearest(name, known); near != "" {
		what += "; did you mean " + near + "?"
	}
	return what
}

// Nearest returns the known name most similar to a mistyped one, or "" if none is similar.
func Nearest(name string, known []string) (nearest string) {
	const prefix, most = "DIGEST_", 6 // in edits
	bare := strings.TrimPrefix(strings.ToUpper(strings.TrimPrefix(name, "export ")), prefix)
	fewest := min(len(bare)/2+1, most)
	for _, k := range known {
		if n := similarity.Edits(bare, strings.TrimPrefix(k, prefix)); n < fewest {
			nearest, fewest = k, n
		}
	}
	return nearest
}
