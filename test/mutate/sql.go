package main

import (
	"regexp"
	"strings"
)

// A variant is a statement of SQL with one fault.
type variant struct{ kind, text string }

var (
	and = regexp.MustCompile(`\bAND\b`)
	// word finds what can end a condition, and what begins one with an AND of its own.
	word = regexp.MustCompile(`[(),;]|'[^']*'|\b(?:AND|OR|WHERE|ORDER|GROUP|HAVING|LIMIT|RETURNING|UNION|JOIN|LEFT|` +
		`INNER|CROSS|WHEN|THEN|ELSE|END|FOR|WINDOW|EXCEPT|SET|BETWEEN|ON)\b`)
	between = regexp.MustCompile(`\bBETWEEN\s+(?:[^\s(]+|\([^()]*\))\s+$`)
)

// variants returns a statement with each of its AND conditions negated, and without each that has no parameter.
func variants(statement string) (all []variant) {
	for _, at := range and.FindAllStringIndex(statement, -1) {
		end, ok := conditionEnd(statement[at[1]:])
		cond := statement[at[1] : at[1]+end]
		if !ok || strings.TrimSpace(cond) == "" || between.MatchString(statement[:at[0]]) {
			continue
		}
		before, after := statement[:at[0]], statement[at[1]+end:]
		all = append(all, variant{"sql-negate", before + "AND NOT (" + cond + ") " + after})
		if !strings.ContainsAny(cond, "?{$") {
			all = append(all, variant{"sql-drop", before + after})
		}
	}
	return all
}

// conditionEnd returns where the condition at the beginning of a text ends. It fails if the text ends inside
// parentheses.
func conditionEnd(text string) (end int, ok bool) {
	depth, ranges := 0, 0
	for _, at := range word.FindAllStringIndex(text, -1) {
		switch found := text[at[0]:at[1]]; {
		case found == "(":
			depth++
		case found == ")":
			depth--
		case depth > 0 || strings.HasPrefix(found, "'"):
		case found == "BETWEEN":
			ranges++
		case found == "AND" && ranges > 0:
			ranges--
		default:
			return at[0], true
		}
		if depth < 0 {
			return at[0], true
		}
	}
	return len(text), depth == 0
}
