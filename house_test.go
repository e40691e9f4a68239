package digest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImports checks that each package imports only the packages of the project in this table.
func TestImports(t *testing.T) {
	allowed := map[string]string{
		"digest":                       "",
		"digest/newsletter":            "digest",
		"digest/timezone":              "",
		"digest/internal/similarity":   "",
		"digest/internal/conf":         "digest digest/internal/similarity",
		"digest/calendar":              "digest digest/timezone",
		"digest/migrations":            "",
		"digest/internal/demo":         "",
		"digest/internal/hypertext":    "",
		"digest/internal/microformats": "",
		"digest/internal/weburl":       "digest",
		"digest/feed": "digest digest/timezone digest/internal/hypertext " +
			"digest/internal/microformats digest/internal/weburl",
		"digest/rank": "digest digest/internal/catalogue",
		"digest/render": "digest digest/rank digest/internal/catalogue digest/internal/hypertext " +
			"digest/internal/weburl",
		"digest/mailer": "digest digest/internal/ownership",
		"digest/edition": "digest digest/feed digest/internal/catalogue digest/internal/weburl " +
			"digest/internal/textsearch " +
			"digest/rank digest/render digest/mailer digest/newsletter",
		"digest/internal/seal":      "digest digest/internal/ownership",
		"digest/internal/ownership": "",
		"digest/poller": "digest digest/feed digest/internal/catalogue digest/internal/weburl " +
			"digest/push",
		"digest/internal/textsearch": "digest digest/internal/hypertext",
		"digest/internal/allowance":  "",
		"digest/internal/backup":     "digest",
		"digest/store": "digest digest/calendar digest/internal/textsearch digest/internal/allowance " +
			"digest/internal/dmarc digest/newsletter digest/store/db",
		"digest/store/db": "digest digest/internal/ownership digest/migrations",
		"digest/store/backup": "digest digest/internal/backup digest/internal/ownership digest/store " +
			"digest/store/db",
		"digest/store/storetest": "digest digest/poller digest/store",
		"digest/worker": "digest digest/feed digest/internal/catalogue digest/internal/picture digest/poller " +
			"digest/push digest/store digest/mailer",
		"digest/subscribe": "digest digest/feed digest/poller digest/store digest/worker " +
			"digest/internal/allowance digest/internal/seal digest/internal/members",
		"digest/internal/catalogue": "digest",
		"digest/internal/chart":     "digest digest/internal/catalogue digest/newsletter",
		"digest/internal/export":    "digest digest/feed digest/internal/catalogue digest/render digest/store",
		"digest/internal/logo":      "digest",
		"digest/internal/picture":   "digest",
		"digest/internal/members":   "digest digest/internal/places digest/mailer digest/timezone digest/newsletter",
		"digest/internal/places":    "digest/internal/similarity digest/internal/textsearch digest/timezone",
		"digest/internal/confirmations": "digest digest/internal/catalogue digest/mailer digest/render digest/store " +
			"digest/newsletter",
		"digest/internal/bounce":    "digest digest/internal/dmarc digest/internal/socket digest/newsletter",
		"digest/internal/dmarc":     "digest",
		"digest/internal/socket":    "",
		"digest/internal/doctor":    "digest digest/timezone digest/mailer digest/internal/dmarc digest/newsletter",
		"digest/push":               "digest",
		"digest/internal/diagnosis": "digest digest/internal/catalogue digest/poller digest/store digest/timezone",
		"digest/internal/domains": "digest digest/internal/doctor digest/internal/seal digest/mailer digest/store " +
			"digest/newsletter",
		"digest/internal/metrics": "digest digest/store",
		"digest/web/page": "digest digest/render digest/mailer digest/calendar digest/timezone digest/poller " +
			"digest/store digest/edition digest/subscribe digest/internal/catalogue digest/internal/chart " +
			"digest/internal/allowance digest/internal/domains digest/internal/logo digest/internal/places " +
			"digest/internal/weburl",
		"digest/web/programs": "digest digest/web/page digest/feed digest/poller digest/push " +
			"digest/internal/catalogue digest/internal/picture",
		"digest/web/publisher": "digest digest/calendar digest/internal/catalogue digest/internal/chart " +
			"digest/internal/logo digest/internal/members digest/mailer digest/newsletter digest/render digest/store " +
			"digest/subscribe digest/web/page",
		"digest/web/api": "digest digest/internal/logo digest/internal/places digest/newsletter digest/store " +
			"digest/web/page " +
			"digest/web/publisher",
		"digest/web/operator": "digest digest/calendar digest/feed digest/internal/allowance " +
			"digest/internal/catalogue digest/internal/chart digest/internal/diagnosis digest/internal/dmarc " +
			"digest/newsletter digest/poller digest/render digest/store digest/timezone digest/web/page " +
			"digest/web/publisher",
		"digest/web": "digest digest/rank digest/calendar digest/feed digest/internal/allowance " +
			"digest/internal/catalogue " +
			"digest/internal/chart digest/internal/export digest/internal/textsearch digest/newsletter digest/poller " +
			"digest/render digest/store digest/subscribe digest/web/api digest/web/operator digest/web/page " +
			"digest/web/programs digest/web/publisher",
		"digest/test/acceptance":    "",
		"digest/test/browser":       "digest/test/tier",
		"digest/test/certificate":   "",
		"digest/test/dnszone":       "",
		"digest/test/grammar":       "",
		"digest/test/inbox":         "",
		"digest/test/mutate":        "",
		"digest/test/mutate/mutant": "",
		"digest/test/program":       "",
		"digest/test/run":           "digest/store/storetest digest/test/program",
		"digest/test/scale": "digest digest/edition digest/worker digest/mailer digest/poller digest/store " +
			"digest/store/storetest digest/timezone digest/test/usage",
		"digest/test/tier":                  "",
		"digest/test/usage":                 "",
		"digest/test/journey":               "",
		"digest/cmd/digest":                 "*",
		"digest/cmd/digest/internal/manual": "",
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		may, known := allowed[fields[0]]
		if !known {
			t.Errorf("%s is in no row of the table: say what it may import", fields[0])
		}
		for _, imported := range fields[1:] {
			ours := imported == "digest" || strings.HasPrefix(imported, "digest/")
			if ours && may != "*" && !slices.Contains(strings.Fields(may), imported) {
				t.Errorf("%s must not import %s", fields[0], imported)
			}
		}
	}
}

// TestOnlyOneRoom checks that only one package imports each external library.
func TestOnlyOneRoom(t *testing.T) {
	rooms := map[string]string{ // prefix of an import path: the package that may import it
		"github.com/jmoiron/sqlx":              "store",
		"github.com/lib/pq":                    "store",
		"github.com/ncruces/go-sqlite3":        "store/db",
		"github.com/mmcdole/gofeed":            "feed",
		"github.com/microcosm-cc/bluemonday":   "feed",
		"github.com/andybalholm/brotli":        "poller",
		"github.com/wneessen/go-mail":          "mailer",
		"github.com/emersion/go-msgauth":       "mailer",
		"github.com/emersion/go-message":       "internal/bounce",
		"github.com/emersion/go-smtp":          "internal/bounce",
		"github.com/go-webauthn/webauthn":      "web",
		"github.com/klauspost/compress/gzhttp": "web",
		"blitiri.com.ar/go/spf":                "internal/doctor",
		"github.com/prometheus/":               "internal/metrics",
		"filippo.io/age":                       "internal/backup",
		"golang.org/x/text/message":            "internal/catalogue",
		"golang.org/x/text/feature/plural":     "internal/catalogue",
		"github.com/alecthomas/kong":           "cmd",
		"github.com/schollz/progressbar":       "cmd",
	}
	for path, file := range parsed(t, false) {
		for _, imported := range file.Imports {
			for prefix, room := range rooms {
				if strings.HasPrefix(strings.Trim(imported.Path.Value, `"`), prefix) &&
					!strings.HasPrefix(path, room+"/") {
					t.Errorf("%s imports %s, which belongs to %s", path, imported.Path.Value, room)
				}
			}
		}
	}
}

// TestBudgets limits the sizes of functions and files.
func TestBudgets(t *testing.T) {
	const mostFunction, mostFile = 80, 450
	fset := token.NewFileSet()
	for path := range parsed(t, true) {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), "\n"); n > mostFile {
			t.Errorf("%s has %d lines; %d are the most", path, n, mostFile)
		}
		file, err := parser.ParseFile(fset, path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
			if lines > mostFunction && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s: %s has %d lines; %d are the most", path, f.Name, lines, mostFunction)
			}
			if f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s has an init", path)
			}
		}
	}
}

// TestDocumented checks that every package and every exported name has a doc comment.
func TestDocumented(t *testing.T) {
	documented := map[string]bool{}
	for path, file := range parsed(t, false) {
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || file.Doc != nil
		for _, d := range file.Decls {
			if name, missing := undocumented(d); missing {
				t.Errorf("%s: %s is exported and says nothing of itself", path, name)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

func undocumented(d ast.Decl) (name string, missing bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, d.Name.IsExported() && d.Doc == nil && receiverExported(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				return s.Name.Name, true
			}
		}
	}
	return "", false
}

func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}

func parsed(t *testing.T, tests bool) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || !tests && strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[filepath.ToSlash(path)], err = parser.ParseFile(fset, path, nil, parser.ParseComments)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMergedWhole checks that no file contains conflict markers of a merge.
func TestMergedWhole(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() ||
			!slices.Contains([]string{".md", ".go", ".html", ".css", ".sql", ".txtar", ".yaml", ".conf"},
				filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains("\n"+string(text), "\n"+strings.Repeat("<", 7)+" ") {
			t.Errorf("%s: a merge was not finished", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
