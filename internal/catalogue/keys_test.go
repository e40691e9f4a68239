package catalogue

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"
)

// used holds the sentences and the date layouts of the program, each with a place in the code.
type used struct{ keys, layouts map[string]string }

func usedEverywhere(t *testing.T) used {
	t.Helper()
	u := used{map[string]string{}, map[string]string{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(path, "_test.go"):
		case filepath.Ext(path) == ".go":
			u.readGo(t, path)
		case filepath.Ext(path) == ".html" && filepath.Base(filepath.Dir(path)) == "templates":
			u.readTemplate(t, path)
		}
		return nil
	})
	must(t, err)
	if len(u.keys) < 50 || len(u.layouts) < 5 {
		t.Fatalf("only %d sentences and %d layouts were found", len(u.keys), len(u.layouts))
	}
	return u
}

// readGo finds catalogue.Key("…"), digest.Refuse(kind, "…") and digest.Words("…"), and the layouts of
// catalogue.Day and catalogue.Time.
func (u used) readGo(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	must(t, err)
	within := file.Name.Name
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name, said := called(call.Fun, within), 0
		switch name {
		case "catalogue.Key", "catalogue.Day", "catalogue.Time", "digest.Words":
		case "digest.Refuse":
			said = 1
		default:
			return true
		}
		text, ok := constant(call.Args[said])
		switch {
		case !ok && (name == "catalogue.Key" || name == "digest.Refuse") && within != "catalogue":
			t.Errorf("%s: %s is given what is no literal; write the sentence there", path, name)
		case !ok:
		case name == "catalogue.Day" || name == "catalogue.Time":
			u.layouts[text] = path
		default:
			u.keys[text] = path
		}
		return true
	})
}

// called returns the name of a called function with its package: "catalogue.Key"; "" if it has none.
func called(f ast.Expr, within string) string {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	case *ast.Ident:
		return within + "." + f.Name
	}
	return ""
}

func constant(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// readTemplate finds {{t "…"}} and the layouts of {{date "…"}}.
func (u used) readTemplate(t *testing.T, path string) {
	for _, tree := range trees(t, path) {
		walk(tree.Root, func(n parse.Node) {
			cmd, ok := n.(*parse.CommandNode)
			if !ok {
				return
			}
			id, ok := cmd.Args[0].(*parse.IdentifierNode)
			if !ok || id.Ident != "t" && id.Ident != "date" {
				return
			}
			if len(cmd.Args) < 2 {
				t.Errorf("%s: {{%s}} without a sentence", path, cmd)
				return
			}
			text, ok := cmd.Args[1].(*parse.StringNode)
			switch {
			case !ok:
				t.Errorf("%s: {{%s}} is given no literal; what comes from Go is shown by {{say}}", path, cmd)
			case id.Ident == "t":
				u.keys[text.Text] = path
			default:
				u.layouts[text.Text] = path
			}
		})
	}
}

// trees parses a template without knowing its functions.
func trees(t *testing.T, path string) map[string]*parse.Tree {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	tree := parse.New(path)
	tree.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := tree.Parse(string(text), "", "", set); err != nil {
		t.Fatal(err)
	}
	return set
}

func walk(n parse.Node, see func(parse.Node)) {
	branch := func(b parse.BranchNode) {
		walk(b.Pipe, see)
		walk(b.List, see)
		if b.ElseList != nil {
			walk(b.ElseList, see)
		}
	}
	if n == nil {
		return
	}
	see(n)
	switch n := n.(type) {
	case *parse.ListNode:
		for _, inner := range n.Nodes {
			walk(inner, see)
		}
	case *parse.ActionNode:
		walk(n.Pipe, see)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			walk(n.Pipe, see)
		}
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			walk(cmd, see)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			walk(arg, see)
		}
	}
}

// TestComplete checks that each language has exactly the messages that the program shows. With -update it deletes
// unused messages and adds missing ones as "". A changed sentence keeps its translation and is listed under "look".
func TestComplete(t *testing.T) {
	u := usedEverywhere(t)
	each(t, func(t *testing.T, code string, f *file) {
		plurals := readEnglish(t).Messages
		if *update {
			f.rename(changed(f.Messages, u.keys))
		}
		for _, key := range slices.Sorted(maps.Keys(u.keys)) {
			w, ok := f.Messages[key]
			switch {
			case code == "en" && !ok:
			case !ok || w.forms == nil && w.text == "":
				t.Errorf("%q of %s is missing", key, u.keys[key])
				if *update && plurals[key].forms != nil {
					f.Messages[key] = wording{forms: plurals[key].forms}
				} else if *update {
					f.Messages[key] = wording{}
				}
			}
		}
		for key := range f.Messages {
			if _, ok := u.keys[key]; !ok {
				t.Errorf("nobody says %q", key)
				if *update {
					delete(f.Messages, key)
				}
			}
		}
		for key, was := range f.Look {
			if _, ok := f.Messages[key]; !ok || was == "" || code == "en" {
				t.Errorf("\"look\" names %q, which has no message: delete the line", key)
			}
		}
		for layout, path := range u.layouts {
			if f.Dates.Patterns[layout] == "" {
				t.Errorf("dates have no pattern for %q of %s", layout, path)
			}
		}
	})
}

// each runs a test for the file of each language, and with -update writes the file in its standard format.
func each(t *testing.T, test func(*testing.T, string, *file)) {
	t.Helper()
	entries, err := os.ReadDir("languages")
	must(t, err)
	for _, entry := range entries {
		path := "languages/" + entry.Name()
		f, err := readFile(os.DirFS("."), path)
		must(t, err)
		t.Run(strings.TrimSuffix(entry.Name(), ".json"), func(t *testing.T) {
			test(t, strings.TrimSuffix(entry.Name(), ".json"), &f)
		})
		if *update {
			must(t, os.WriteFile(path, []byte(f.encode()), 0o644))
		}
	}
}

func readEnglish(t *testing.T) file {
	t.Helper()
	f, err := readFile(os.DirFS("."), "languages/en.json")
	if err != nil {
		t.Fatal(fmt.Errorf("en.json: %w", err))
	}
	return f
}
