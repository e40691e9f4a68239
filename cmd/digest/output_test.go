package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestColumns checks that the columns of a list start at the same character, also after other scripts, and that
// nothing is printed of a long list that fails.
func TestColumns(t *testing.T) {
	var out bytes.Buffer
	n, err := printTabs(&out, all([]string{"a\tb\tc", "straße\t\tlast", "東京\te\u0301\t", "\t \tx"}))
	const want = "a       b   c\nstraße      last\n東京      e\u0301  \n            x\n"
	if n != 4 || err != nil || out.String() != want {
		t.Errorf("%d lines, %v:\n%s, want\n%s", n, err, &out, want)
	}
	out.Reset()
	broken := errors.New("broken")
	if _, err := printTabs(&out, func(yield func(string, error) bool) {
		for range 10_000 {
			if !yield("a\tb", nil) {
				return
			}
		}
		yield("", broken)
	}); !errors.Is(err, broken) || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

// TestListThatFails checks that a list that cannot be read to its end prints no lines, and returns the error.
func TestListThatFails(t *testing.T) {
	broken := errors.New("the database is away")
	list := func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, broken) }
	var out bytes.Buffer
	a := &app{stdout: &out}
	if err := printPages(a, list, "none", func(int) string { return "line" }); !errors.Is(err, broken) ||
		out.Len() > 0 {
		t.Errorf("%v after %q", err, &out)
	}
	a.json = true
	if err := printPages(a, list, "none", func(int) string { return "line" }); !errors.Is(err, broken) ||
		out.String() != "[1" {
		t.Errorf("%v after %q", err, &out)
	}
}

// TestArray checks that printArray prints the same JSON as printJSON prints for the slice.
func TestArray(t *testing.T) {
	for _, list := range [][]string{{}, {"<a>"}, {"a", "b\n", "c"}} {
		var want, got bytes.Buffer
		must(t, (&app{stdout: &want}).printJSON(list))
		if err := printArray(&app{stdout: &got}, all(list)); err != nil || got.String() != want.String() {
			t.Errorf("%q, want %q, %v", &got, &want, err)
		}
	}
}

// TestJSONIsPlain checks that printed JSON is safe for a terminal and decodes to the original.
func TestJSONIsPlain(t *testing.T) {
	const title = "שלום\u202egpj.exe\u2066 \x1b[2J\u009b31m\x7f <été>\n"
	var out bytes.Buffer
	a := &app{stdout: &out}
	must(t, errors.Join(a.printJSON(map[string]string{title: title}),
		printArray(a, all([]string{title}))))
	if strings.ContainsAny(out.String(), "\u202e\u2066\x1b\u009b\x7f") ||
		!strings.Contains(out.String(), `שלום\u202egpj.exe\u2066`) || !strings.Contains(out.String(), "<été>") {
		t.Errorf("printed %q", &out)
	}
	var object map[string]string
	var list []string
	in := json.NewDecoder(&out)
	if err := errors.Join(in.Decode(&object), in.Decode(&list)); err != nil || object[title] != title ||
		list[0] != title {
		t.Errorf("read %q and %q: %v", object, list, err)
	}
}
