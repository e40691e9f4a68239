package digest_test

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVocabulary holds docs/glossary.md: no file, type, field, function or method
// is named by a word that the glossary has retired.
func TestVocabulary(t *testing.T) {
	retired := map[string]string{ // the word in lower case: what is said instead
		"article": "post", "block": "post, or node", "kept": "cache, or saved",
		"outlet": "feed", "sheet": "edition", "press": "edition", "paper": "edition",
		"grower": "builder", "desk": "what it does", "courier": "letter", "ledger": "store",
		"mailroom": "letter", "shelf": "cache", "door": "sign-in, or middleware", "errand": "letter",
		"knock": "letter request", "knocks": "letter requests", "knockers": "letter requests",
		"tally": "counter", "tallies": "counters", "sieve": "filter", "sift": "filter", "sifted": "held",
		"rested": "paused", "resting": "paused", "rests": "paused, or left alone", "rest": "pause",
		"asleep": "paused", "taste": "settings", "member": "reader", "members": "readers", "grab": "claim",
		"deed": "outcome", "riddle": "a plain word", "ease": "settings", "machines": "robots",
		"take": "claim, acquire, read or use", "takes": "reads", "taking": "subscription",
		"keeping": "saved posts", "comings": "sign-ups", "stock": "cache",
		"choice": "subscription, or what is chosen", "choices": "subscriptions, or what is chosen from",
		"visit": "poll", "visits": "polls", "trip": "poll", "owner": "operator",
	}
	allowed := map[string]bool{
		"isBlock": true, // HTML's block-level elements
		"Paper":   true, // a colour: what text stands on
	}
	for path, file := range parsed(t, false) {
		name := strings.TrimSuffix(filepath.Base(path), ".go")
		for _, word := range words(name) {
			if say := retired[word]; say != "" {
				t.Errorf("%s: the file's name says %q; docs/glossary.md says %s", path, word, say)
			}
		}
		for _, d := range file.Decls {
			for _, name := range declared(d) {
				for _, word := range words(name) {
					if say := retired[word]; say != "" && !allowed[name] {
						t.Errorf("%s: %s says %q; docs/glossary.md says %s", path, name, word, say)
					}
				}
			}
		}
	}
}

// words splits a camel-case or hyphenated name into its words, in lower case.
func words(name string) []string {
	parts := regexp.MustCompile(`[A-Z]+(?:[^a-z]|$)|[A-Z]?[a-z]+`).FindAllString(name, -1)
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return parts
}

// declared gives the names that a declaration makes: of a function, of types and
// of their fields.
func declared(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		return []string{f.Name.Name}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.Field:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		case *ast.FuncLit, *ast.ValueSpec:
			return false
		}
		return true
	})
	return names
}
