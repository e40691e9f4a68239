package digest_test

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVocabulary checks that no file, type, field, constant, package variable, function, method or receiver has a name
// with a word that docs/glossary.md lists as retired. These words were jargon of this project.
func TestVocabulary(t *testing.T) {
	retired := map[string]string{ // the word in lower case, and its replacement
		"knock": "letter request", "knocks": "letter requests", "knockers": "letter requests",
		"tally": "counter", "tallies": "counters",
		"sieve": "filter", "sift": "filter", "sifted": "filtered",
		"rested": "paused", "resting": "paused", "rests": "paused", "asleep": "paused",
		"outlet": "feed", "grower": "builder", "courier": "mailer", "mailroom": "mailer",
		"deed": "outcome", "errand": "job, or letter", "riddle": "challenge",
		"comings": "sign-ups", "taste": "settings", "shelf": "cache",
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
					if say := retired[word]; say != "" {
						t.Errorf("%s: %s says %q; docs/glossary.md says %s", path, name, word, say)
					}
				}
			}
		}
	}
}

func words(name string) []string {
	parts := regexp.MustCompile(`[A-Z]+(?:[^a-z]|$)|[A-Z]?[a-z]+`).FindAllString(name, -1)
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return parts
}

// declared returns the names in a declaration: of a function and its receiver, of types and their fields, of constants
// and variables; without those inside functions.
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
