package digest_test

import (
	"go/ast"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestEveryLogLineHasAMeaning checks that docs/log.md has exactly the messages that the program logs at info or above.
func TestEveryLogLineHasAMeaning(t *testing.T) {
	doc, err := os.ReadFile("docs/log.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			known[strings.Trim(strings.TrimSpace(cells[1]), "`")] = false
		}
	}
	for path, file := range parsed(t, false) {
		if strings.HasPrefix(path, "test/") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			message, ok := logged(n)
			if !ok {
				return true
			}
			if _, ok := known[message]; !ok {
				t.Errorf("%s logs %q, of which docs/log.md does not say what it means", path, message)
			}
			known[message] = true
			return true
		})
	}
	for message, said := range known {
		if !said {
			t.Errorf("docs/log.md has %q, which nothing logs", message)
		}
	}
}

func logged(n ast.Node) (message string, ok bool) {
	call, _ := n.(*ast.CallExpr)
	if call == nil {
		return "", false
	}
	s, _ := call.Fun.(*ast.SelectorExpr)
	if s == nil {
		return "", false
	}
	level, withContext := strings.CutSuffix(s.Sel.Name, "Context")
	if level != "Info" && level != "Warn" && level != "Error" || len(call.Args) == 0 {
		return "", false
	}
	first := call.Args[0]
	if withContext && len(call.Args) > 1 {
		first = call.Args[1]
	}
	text, _ := first.(*ast.BasicLit)
	if text == nil || text.Kind != token.STRING {
		return "", false
	}
	message, err := strconv.Unquote(text.Value)
	return message, err == nil
}
