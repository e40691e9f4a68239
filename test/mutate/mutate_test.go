package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"testing"
)

func TestRewrite(t *testing.T) {
	const before = `package p

const limit = 3

var lengths = [limit]int{2: 7}

func f(a, b int) (n int, err error) {
	if a < b && b > limit {
		n++
	}
	defer func() { _ = a }()
	return a, nil
}

func is(s string) bool { return s == "x" }
`
	const after = `package p; import mutant "digest/test/mutate/mutant"

const limit = 3

var lengths = [limit]int{2: mutant.Pick[int](0, 7, 8)}

func f(a, b int) (n int, err error) {
	if mutant.Not(2, mutant.Not(3, mutant.Less(5, a , b)) && ` +
		`mutant.Not(4, mutant.More(6, b , mutant.Pick[int](7, limit, 4)))) {
		if mutant.Off(8) { n++ }
	}
	if mutant.Off(1) { defer func() { _ = a }() }
	if mutant.On(9) { return *new(int), *new(error) }; return a, nil
}

func is(s string) bool { return mutant.Not(10, s == "x") }
`
	p := &program{set: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Implicits: map[ast.Node]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	file, err := parser.ParseFile(p.set, "p.go", before, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.types, err = new(types.Config).Check("p", p.set, []*ast.File{file}, p.info); err != nil {
		t.Fatal(err)
	}
	r := newRewriter(p, file, []byte(before), "p.go", 0)
	if got := string(r.text(func(int) bool { return true })); got != after {
		t.Errorf("got:\n%s", got)
	}
	if got := string(r.text(func(int) bool { return false })); got != before {
		t.Errorf("without mutants:\n%s", got)
	}
}

func TestVariants(t *testing.T) {
	for statement, want := range map[string][]string{
		"SELECT 1":                nil,
		"a = 1 AND b = 2":         {"a = 1 AND NOT ( b = 2) ", "a = 1 "},
		"a = 1 AND b = ?":         {"a = 1 AND NOT ( b = ?) "},
		"(a AND b) OR c":          {"(a AND NOT ( b) ) OR c", "(a ) OR c"},
		"a BETWEEN 1 AND 2":       nil,
		"a AND b IN (":            nil,
		"x AND y LIMIT 1":         {"x AND NOT ( y ) LIMIT 1", "x LIMIT 1"},
		"x AND f(1 AND 3)":        {"x AND NOT ( f(1 AND 3)) ", "x ", "x AND f(1 AND NOT ( 3) )", "x AND f(1 )"},
		"x AND y BETWEEN ? AND ?": {"x AND NOT ( y BETWEEN ? AND ?) "},
	} {
		var got []string
		for _, v := range variants(statement) {
			got = append(got, v.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", statement, got, want)
		}
	}
}

func TestCover(t *testing.T) {
	tests := []*test{{name: "A", cost: 10}, {name: "B", cost: 100}, {name: "C", cost: 10},
		{name: "D", cost: 500, stays: true}}
	results := []result{{By: []string{"A", "B"}}, {By: []string{"B"}}, {By: []string{"A", "B", "C"}},
		{By: []string{"C", "D"}}, {}}
	want := map[string]int{"A": 2, "B": 1, "D": 1}
	if got := cover(tests, results); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
