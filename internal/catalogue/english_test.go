package catalogue

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"unicode"

	"golang.org/x/net/html"
)

// TestNoEnglish checks that templates have no text outside of {{t}}.
func TestNoEnglish(t *testing.T) {
	var paths []string
	for _, dir := range []string{"web", "web/*", "render"} {
		found, err := filepath.Glob(filepath.Join("..", "..", dir, "templates", "*.html"))
		if err != nil || len(found) == 0 {
			t.Fatal(dir, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
		if words := english(t, path); len(words) > 0 {
			t.Errorf("%s shows what only English readers understand: %q", name, words)
		}
	}
}

// english returns the text of a template outside of {{t}}.
func english(t *testing.T, path string) (words []string) {
	for _, tree := range trees(t, path) {
		var b strings.Builder
		walk(tree.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.TextNode:
				b.Write(n.Text)
			case *parse.ActionNode:
				b.WriteString("0")
			}
		})
		if tree.Name == "logo-style" { // it has only a style
			continue
		}
		// Otherwise the tokenizer reads the elements inside as text.
		z := html.NewTokenizer(strings.NewReader(strings.NewReplacer("<noscript>", "", "</noscript>",
			"").Replace(b.String())))
		silent := ""
		for z.Next() != html.ErrorToken {
			tok := z.Token()
			switch {
			case tok.Type == html.StartTagToken &&
				slices.Contains([]string{"style", "script", "kbd", "code", "svg"}, tok.Data):
				silent = tok.Data
			case tok.Type == html.EndTagToken && tok.Data == silent:
				silent = ""
			case tok.Type == html.TextToken && strings.HasPrefix(tok.Data, "<meta "): // inside <noscript> tags are text
			case tok.Type == html.TextToken && silent == "" && strings.ContainsFunc(tok.Data, unicode.IsLetter):
				words = append(words, strings.TrimSpace(tok.Data))
			}
			for _, a := range tok.Attr {
				if slices.Contains([]string{"aria-label", "title", "alt", "placeholder"}, a.Key) &&
					strings.ContainsFunc(a.Val, unicode.IsLetter) {
					words = append(words, a.Val)
				}
			}
		}
	}
	return words
}
