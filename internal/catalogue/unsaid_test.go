package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// inEnglish lists the files whose sentences are for programs, or for the operator.
var inEnglish = []string{"needs.go", "ping.go"}

// TestNothingElseIsSaid checks that every sentence in the code of pages and emails is a key of the catalogue. Scripts
// get their texts from their page.
func TestNothingElseIsSaid(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z][a-z’']*,?( [^ \\]+){2,}$`)
	layout := regexp.MustCompile(`^Monday 2 January( 2006)?$`)
	scripts := regexp.MustCompile("['\"`][A-Z][a-z’]* [^'\"`]*['\"`]")
	seen := 0
	for _, path := range sources(t, "../../web/*.go", "../../web/*/*.go", "../../render/*.go",
		"../../web/page/static/*.js", "../../web/page/static/*/*.js") {
		seen++
		if filepath.Ext(path) == ".js" {
			text, err := os.ReadFile(path)
			must(t, err)
			for _, said := range scripts.FindAll(text, -1) {
				t.Errorf("%s says %s", path, said)
			}
			continue
		}
		for _, said := range unsaid(t, path) {
			if sentence.MatchString(said) && !layout.MatchString(said) {
				t.Errorf("%s says %q", path, said)
			}
		}
	}
	if seen < 100 {
		t.Fatalf("only %d files were read", seen)
	}
}

// sources returns the files of some patterns, without tests and files in inEnglish.
func sources(t *testing.T, patterns ...string) (paths []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		must(t, err)
		for _, path := range found {
			if test, _ := filepath.Match("*_test.go", filepath.Base(path)); !test &&
				!slices.Contains(inEnglish, filepath.Base(path)) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// unsaid returns the texts of a file that are not arguments of a function that translates, makes an error or writes a
// log.
func unsaid(t *testing.T, path string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	must(t, err)
	speaks := regexp.MustCompile(`^(catalogue\.Key|digest\.(Refuse|Words)|errors\.New|fmt\.Errorf|Log\.\w+)$`)
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if speaks.MatchString(called(call.Fun, "")) {
				return false
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if of, ok := f.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Log" {
					return false
				}
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if text, ok := constant(e); ok {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}
