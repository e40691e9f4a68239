package members

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"digest"
	"digest/mailer"
)

// FuzzList checks that any list is read to its end, and that its addresses are valid and occur once. Nobody whom the
// list suppresses is added or asked.
func FuzzList(f *testing.F) {
	for _, pattern := range []string{"testdata/*.csv", "testdata/mailchimp/*.csv", "testdata/substack/*.csv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			must(f, err)
			f.Add(content, filepath.Base(file))
		}
	}
	for _, dir := range []string{"mailchimp", "substack"} {
		f.Add(zipped(f, os.DirFS("testdata/"+dir)), dir+".zip")
	}
	f.Add([]byte("\xFF\xFEe\x00m\x00a\x00i\x00l\x00\n\x00a\x00@\x00b\x00"), "list.csv")
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		l := usualLimits()
		l.bytes = 1 << 20
		list, err := open(t.Context(), bytes.NewReader(content), int64(len(content)), name, l)
		if err != nil {
			oneLine(t, err)
			return
		}
		first := readAll(t, list)
		if again := readAll(t, list); again != first {
			t.Errorf("the second time it says\n%s\nafter\n%s", again, first)
		}
	})
}

// readAll reads a list and checks the rules for every list.
func readAll(t *testing.T, list *List) string {
	met, others := map[string]bool{}, false
	for row, err := range list.Rows() {
		if err != nil {
			oneLine(t, err)
			wrong, ok := errors.AsType[*Problem](err)
			if ok && (wrong.Line < 1 || wrong.File == "") {
				t.Errorf("the problem %+v is nowhere", wrong)
			}
			continue
		}
		if address, err := mailer.Recipient(row.Email); err != nil || digest.NormalEmail(address) != row.Email {
			t.Errorf("%q is no address: %v", row.Email, err)
		}
		if key := digest.EmailKey(row.Email); met[key] {
			t.Errorf("%q comes twice", row.Email)
		} else {
			met[key] = true
		}
		if row.State.IsSuppressed() && others {
			t.Errorf("%q is suppressed after somebody joined", row.Email)
		}
		others = others || !row.State.IsSuppressed()
		for _, field := range []string{row.Name, row.Form, row.Reason, row.Address, row.File} {
			if digest.OneLine(field) != field {
				t.Errorf("%q is not one line", field)
			}
		}
	}
	return told(list)
}

func oneLine(t *testing.T, err error) {
	if strings.ContainsAny(err.Error(), "\n\r\x00\x1b") || len(err.Error()) > 3000 {
		t.Errorf("not one line: %q", err)
	}
}

// FuzzCell checks that a cell is restored exactly, and that no spreadsheet treats it as a formula.
func FuzzCell(f *testing.F) {
	for _, cell := range []string{"=1", "'=1", "a;=1", ";;'", "\t＝x", "\xff;-"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		safe := guarded(cell)
		if got := unguarded(safe); got != cell {
			t.Errorf("%q came back as %q by %q", cell, got, safe)
		}
		for part := range strings.SplitSeq(safe, ";") {
			if strings.IndexAny(part, formulaSigns) == 0 && part[0] != '\t' { // a tab stays between two cells
				t.Errorf("%q is written as %q", cell, safe)
			}
		}
	})
}
