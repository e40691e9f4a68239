package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A pack is a package whose mutants are compiled into one test binary.
type pack struct {
	folder, binary string // absolute
	hash           string // of the code and its tests
	mutants        []mutant
	tests          []*test
}

// build copies the module into dir, rewrites a package there and compiles its tests.
func build(dir, folder string) (*pack, error) {
	module := filepath.Join(dir, "module")
	if err := copyModule(module); err != nil {
		return nil, err
	}
	p := &pack{folder: filepath.Join(module, folder), binary: filepath.Join(dir, "test.bin")}
	checked, err := check(p.folder)
	if err != nil {
		return nil, err
	}
	if err := p.readTests(module); err != nil {
		return nil, err
	}
	var files []*rewriter
	for _, f := range checked.files {
		path := checked.set.Position(f.Pos()).Filename
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := newRewriter(checked, f, source, filepath.Base(path), len(p.mutants))
		p.mutants = append(p.mutants, r.mutants...)
		files = append(files, r)
	}
	return p, p.compile(files)
}

// A program is a package with the types of its expressions.
type program struct {
	set   *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// check reads the types of a package.
func check(folder string) (*program, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{if not .DepOnly}}{{join .GoFiles \" \"}}{{end}}", ".")
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", folder, err)
	}
	p := &program{set: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Implicits: map[ast.Node]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	exports, path := map[string]string{}, ""
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[fields[0]] = fields[1]
		if fields[2] == "" {
			continue
		}
		path = fields[0]
		for name := range strings.FieldsSeq(fields[2]) {
			file, err := parser.ParseFile(p.set, filepath.Join(folder, name), nil, 0)
			if err != nil {
				return nil, err
			}
			p.files = append(p.files, file)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := &types.Config{Importer: importer.ForCompiler(p.set, "gc", open)}
	p.types, err = config.Check(path, p.set, p.files, p.info)
	return p, err
}

// copyModule copies the module without its history, and links to the corpora beside it.
func copyModule(to string) error {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), text, info.Mode())
	})
	if shared, abs := filepath.Abs("../shared"); abs == nil && err == nil {
		err = os.Symlink(shared, filepath.Join(filepath.Dir(to), "shared"))
	}
	return err
}

// compile writes the rewritten files and compiles the tests. It gives up the mutants on lines that do not compile.
func (p *pack) compile(files []*rewriter) error {
	line := regexp.MustCompile(`(?m)^(?:\./)?(?:vet: )?([^/\s:]+\.go):(\d+)(?::\d+)?: `)
	for range 20 {
		for _, r := range files {
			text := r.text(func(id int) bool { return !p.mutants[id].unusable })
			if err := os.WriteFile(filepath.Join(p.folder, r.name), text, 0o600); err != nil {
				return err
			}
		}
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-e", "-o", p.binary, ".")
		cmd.Dir = p.folder
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		lost := 0
		for _, at := range line.FindAllStringSubmatch(string(out), -1) {
			number, _ := strconv.Atoi(at[2])
			for id, m := range p.mutants {
				if m.File == at[1] && m.Line <= number && number <= m.last && !m.unusable {
					p.mutants[id].unusable = true
					lost++
				}
			}
		}
		if lost == 0 {
			return fmt.Errorf("compile: %w\n%s", err, out)
		}
		fmt.Fprintf(os.Stderr, "%d mutants do not compile\n", lost)
	}
	return errors.New("the rewritten package does not compile")
}

// A test is a test function, a fuzz test with its seeds, or an example.
type test struct {
	name    string
	stays   bool // for a reason that no mutant shows
	drops   bool // -drop names it
	cost    int  // Go tokens
	seconds float64
	reaches []byte // one byte per mutant; nil if the test does not run
	failed  string // why it does not run
}

func (t *test) reached(mutant int) bool { return t.reaches != nil && t.reaches[mutant] == 1 }

// drop marks the tests that -drop names.
func (p *pack) drop(names string) error {
	if names == "" {
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(p.tests, func(t *test) bool { return t.name == name })
		if i < 0 {
			return fmt.Errorf("there is no test %s", name)
		}
		p.tests[i].drops = true
	}
	return nil
}

// readTests finds the tests of the package, and hashes its files.
func (p *pack) readTests(module string) error {
	named, err := namedTests(module)
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(p.folder, "*.go"))
	if err != nil {
		return err
	}
	hash := sha256.New()
	set := token.NewFileSet()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		hash.Write(text)
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Example)([^a-z]|$)`).MatchString(f.Name.Name) &&
				f.Name.Name != "TestMain" {
				body := text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset]
				p.tests = append(p.tests, &test{name: f.Name.Name, cost: tokens(body),
					stays: named[f.Name.Name] || strings.HasPrefix(f.Name.Name, "Fuzz")})
			}
		}
	}
	p.hash = fmt.Sprintf("%x", hash.Sum(nil))
	return nil
}

// namedTests returns the tests that the documents name.
func namedTests(module string) (map[string]bool, error) {
	named := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(module, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(paths, filepath.Join(module, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`).FindAll(text, -1) {
			named[string(name)] = true
		}
	}
	return named, nil
}

func tokens(text []byte) (n int) {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), bytes.TrimSpace(text), nil, 0)
	for {
		_, t, literal := s.Scan()
		if t == token.EOF {
			return n
		}
		if t != token.SEMICOLON || literal != "\n" {
			n++
		}
	}
}
