package digest_test

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVocabulary holds docs/glossary.md: no file, type, field, constant, variable of
// a package, function, method or receiver is named by a word that the glossary has
// retired.
func TestVocabulary(t *testing.T) {
	retired := map[string]string{ // the word in lower case: what is said instead
		"article": "post", "block": "post, or node", "kept": "cache, or saved",
		"outlet": "feed", "sheet": "edition", "press": "edition", "paper": "edition",
		"grower": "builder", "desk": "what it does", "courier": "letter", "ledger": "store",
		"mailroom": "letter", "shelf": "cache", "door": "sign-in, or middleware", "errand": "letter",
		"knock": "letter request", "knocks": "letter requests", "knockers": "letter requests",
		"tally": "counter", "tallies": "counters", "sieve": "filter", "sift": "filter", "sifted": "held",
		"rested": "paused", "resting": "paused", "rests": "paused, or left alone",
		"asleep": "paused", "taste": "settings", "grab": "claim",
		"deed": "outcome", "riddle": "a plain word", "ease": "settings", "machines": "robots",
		"take": "claim, acquire, read or use", "takes": "reads", "taking": "subscription",
		"keeping": "saved posts", "comings": "sign-ups", "stock": "cache",
		"choice": "subscription, or what is chosen", "choices": "subscriptions, or what is chosen from",
		"visit": "poll", "visits": "polls", "trip": "poll",
	}
	allowed := map[string]bool{
		"isBlock":        true, // HTML's block-level elements
		"Paper":          true, // a colour: what text stands on
		"paper":          true,
		"styleSheet":     true, // CSS
		"roundTrip":      true, // to a server and back, as in http.RoundTripper
		"inOneRoundTrip": true,
		"Rests":          true, // the column of this name
		"choice":         true, // one of those that a form offers
		"Choices":        true,
		"dayChoices":     true,
		"errNoChoice":    true,
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

// declared gives the names that a declaration makes: of a function and its receiver,
// of types and their fields, of constants and variables; not those within functions.
func declared(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		names = append(names, f.Name.Name)
		if f.Recv != nil {
			for _, name := range f.Recv.List[0].Names {
				names = append(names, name.Name)
			}
		}
		return names
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.Field:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		case *ast.FuncLit:
			return false
		}
		return true
	})
	return names
}
