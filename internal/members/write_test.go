package members

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
	"digest/newsletter"
)

func mapFS(namesAndContents ...string) fs.FS {
	files := fstest.MapFS{}
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		files[namesAndContents[i]] = &fstest.MapFile{Data: []byte(namesAndContents[i+1])}
	}
	return files
}

// every yields values, and then an error if there is one.
func every[T any](last error, values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if last != nil {
			yield(*new(T), last)
		}
	}
}

func written(t testing.TB, e Export) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, e.Write(&b))
	return b.Bytes()
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestRoundTrip checks that an export with any texts is read back completely.
func TestRoundTrip(t *testing.T) {
	days, err := digest.ParseCadence("mon,thu")
	must(t, err)
	all := []digest.Member{
		{Email: "ann@example.org", TimeZone: "Europe/Paris", State: digest.DigestActive, JoinedAt: noon,
			Proof: digest.Proof{Form: "https://ann.example/join?a=1,2", Address: "203.0.113.7",
				AskedAt: noon.Add(-time.Hour), At: noon.Add(-time.Minute)}},
		{Email: "bob@example.org", TimeZone: "Asia/Kathmandu", State: digest.DigestPaused, JoinedAt: noon,
			Cadence: days, OwnDays: true},
		{Email: "=cmd@example.org", TimeZone: "UTC", State: digest.DigestActive, Proof: digest.Proof{Form: "=1+1"}},
		{Email: "'quoted@example.org", TimeZone: "UTC", State: digest.DigestActive,
			Proof: digest.Proof{Form: `'; =x;=y;'z"; -1`}},
		{Email: "+plus@example.org", TimeZone: "UTC", State: digest.DigestActive,
			Proof: digest.Proof{Form: "＝SUM(A1)"}},
	}
	suppressed := []digest.NewsletterSuppression{
		{Email: "-left@example.org", Reason: "left", At: noon},
		{Email: "bounced@example.org", Reason: "bounced", At: noon},
		{Email: "blocked@example.org", Reason: "blocked: @all"},
		{Email: "odd@example.org", Reason: "=they said so"},
	}
	// the newsletter's days
	others := digest.Member{Email: "theirs@example.org", TimeZone: "UTC", State: digest.DigestActive, Cadence: days}
	all, given := append(all, digest.Member{Email: others.Email, TimeZone: others.TimeZone, State: others.State}),
		append(all, others)
	asked := []newsletter.AskedAddress{{1, 2, 3}, {31: 0xff}}
	gone := digest.Member{Email: "gone@example.org", State: digest.DigestLeft}
	list := opened(t, "export.zip",
		written(t, Export{"Ann & friends", noon, every(nil, append(given, gone)...), every(nil, suppressed...),
			every(nil, asked...)}))
	var gotMembers []digest.Member
	var gotSuppressed []digest.NewsletterSuppression
	for row, err := range list.Rows() {
		must(t, err)
		if row.Action() == Suppress {
			gotSuppressed = append(gotSuppressed, row.Suppression())
			continue
		}
		m := digest.Member{Email: row.Email, TimeZone: row.TimeZone, State: digest.DigestActive, JoinedAt: row.JoinedAt,
			Cadence: row.Cadence, OwnDays: row.Cadence != 0, Proof: row.Proof}
		if row.Paused {
			m.State = digest.DigestPaused
		}
		gotMembers = append(gotMembers, m)
	}
	if d := cmp.Diff(all, gotMembers) + cmp.Diff(suppressed, gotSuppressed) + cmp.Diff(asked, list.Asked); d != "" {
		t.Error(d)
	}
}

// TestNoFormula checks that no cell of an export begins like a formula, even if a spreadsheet splits the line, and that
// unguarded restores the cell.
func TestNoFormula(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "a;=1", "a\t=1", "＝1",
		"＋1", "－1", "＠x", "'=1", "''", "'", "x'", ";;=", ";'", "", "plain"} {
		safe := guarded(cell)
		for part := range strings.FieldsFuncSeq(safe, func(r rune) bool { return r == ';' || r == '\t' }) {
			if strings.IndexAny(part, formulaSigns) == 0 {
				t.Errorf("%q is written as %q", cell, safe)
			}
		}
		if got := unguarded(safe); got != cell {
			t.Errorf("%q came back as %q", cell, got)
		}
	}
	if got := guarded("ann@example.org"); got != "ann@example.org" {
		t.Errorf("an address is written as %q", got)
	}
}

// TestExport checks that other programs can read the files, and that the README explains every column.
func TestExport(t *testing.T) {
	content := written(t, Export{"Ann\nwrites", noon,
		every(nil, digest.Member{Email: "ann@example.org", State: digest.DigestActive}),
		every(nil, digest.NewsletterSuppression{Email: "bob@example.org", Reason: "left"}),
		every(nil, newsletter.AskedAddress{})})
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		b, err := io.ReadAll(r)
		must(t, err)
		files[f.Name] = string(b)
	}
	if !strings.HasPrefix(files["README.txt"], "The members of Ann writes, as of 2026-11-20T12:00:00Z.\n") {
		t.Error(files["README.txt"])
	}
	for _, name := range []string{"members.csv", "suppressed.csv"} {
		rows, err := csv.NewReader(strings.NewReader(files[name])).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%s: %v, %v", name, rows, err)
		}
		for _, column := range rows[0] {
			if !strings.Contains(files["README.txt"], "\n  "+column+" ") {
				t.Errorf("the README does not explain %s of %s", column, name)
			}
		}
	}
}

// TestExportFails checks that an error of the store is returned.
func TestExportFails(t *testing.T) {
	broken := errors.New("the database is gone")
	for _, e := range []Export{
		{"x", noon, every[digest.Member](broken), every[digest.NewsletterSuppression](nil), nil},
		{"x", noon, every[digest.Member](nil), every[digest.NewsletterSuppression](broken), nil},
		{"x", noon, every[digest.Member](nil), every[digest.NewsletterSuppression](nil),
			every[newsletter.AskedAddress](broken)},
	} {
		if err := e.Write(io.Discard); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
}

// TestAskedElsewhere checks that invalid hashes are skipped, and that a foreign file of the same name is not read.
func TestAskedElsewhere(t *testing.T) {
	members := "email,state\nann@example.org,joined\n"
	for content, want := range map[string]int{
		"asked\n" + strings.Repeat("ab", 32) + "\nzz\n" + strings.Repeat("ab", 31) + "\n": 1, "asked\n": 0,
		"email,asked\nx,y\n": 0, "": 0, "\x00\x01": 0,
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range map[string]string{"members.csv": members, "asked.csv": content} {
			f, err := z.Create(name)
			if err == nil {
				_, err = f.Write([]byte(text))
			}
			must(t, err)
		}
		must(t, z.Close())
		if list := opened(t, "x.zip", b.Bytes()); len(list.Asked) != want || len(list.Files) != 1 {
			t.Errorf("%q: %d were asked, files %v", content, len(list.Asked), list.Files)
		}
	}
}
