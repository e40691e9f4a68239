package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
)

// TestColumns checks that lists of any length have the columns of text/tabwriter.
func TestColumns(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r := rand.New(rand.NewPCG(1, 2))
	cells := []string{"", "a", "straße", "東京", "https://example.org/feed.xml", "e\u0301", " "}
	for _, n := range []int{0, 1, 2, 100, 60_000} {
		for _, width := range []int{1, 2, 5} {
			lines := make([]string, n)
			for i := range lines {
				line := make([]string, width)
				for k := range line {
					line[k] = cells[r.IntN(len(cells))]
				}
				lines[i] = strings.Join(line, "\t")
			}
			var want, got bytes.Buffer
			w := tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
			for _, line := range lines {
				fmt.Fprintln(w, line)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if printed, err := printTabs(&got, all(lines)); err != nil || printed != n {
				t.Fatal(printed, err)
			}
			if got.String() != want.String() {
				t.Errorf("%d lines of %d cells differ", n, width)
			}
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
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
		if err := (&app{stdout: &want}).printJSON(list); err != nil {
			t.Fatal(err)
		}
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
	if err := errors.Join(a.printJSON(map[string]string{title: title}),
		printArray(a, all([]string{title}))); err != nil {
		t.Fatal(err)
	}
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
