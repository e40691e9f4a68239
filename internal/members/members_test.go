package members

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"digest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func told(l *List) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", l.System, strings.Join(l.Files, ", "))
	for _, s := range l.Skipped {
		fmt.Fprintf(&b, "skipped %s\n", s)
	}
	for row, err := range l.Rows() {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%s %s:%d %s %s", row.Action(), row.File, row.Line, row.State, row.Email)
		for _, field := range []struct{ name, value string }{
			{"name", row.Name}, {"zone", row.TimeZone}, {"joined", stamp(row.JoinedAt)}, {"form", row.Form},
			{"address", row.Address},
			{"asked", stamp(row.AskedAt)}, {"confirmed", stamp(row.At)}, {"left", stamp(row.LeftAt)},
			{"reason", row.Reason},
		} {
			if field.value != "" {
				fmt.Fprintf(&b, " %s=%q", field.name, field.value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func opened(t testing.TB, name string, content []byte) *List {
	t.Helper()
	l, err := Open(t.Context(), bytes.NewReader(content), int64(len(content)), name)
	must(t, err)
	return l
}

func refused(t *testing.T, name string, content []byte, want string) {
	t.Helper()
	_, err := Open(t.Context(), bytes.NewReader(content), int64(len(content)), name)
	if digest.KindOf(err) != digest.Invalid || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want an error with %q", name, err, want)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// TestSystems reads a list in the format of each system.
func TestSystems(t *testing.T) {
	files, err := filepath.Glob("testdata/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		golden(t, filepath.Base(file), told(opened(t, file, content)))
	}
}

// TestArchives reads the full exports of Mailchimp and Substack, of which only some files are lists.
func TestArchives(t *testing.T) {
	for _, dir := range []string{"mailchimp", "substack"} {
		golden(t, dir+".zip", told(opened(t, dir+".zip", zipped(t, os.DirFS("testdata/"+dir)))))
	}
}

// TestEachFileByItself checks that the files of Mailchimp are recognised outside of their ZIP, and by their columns
// under any name.
func TestEachFileByItself(t *testing.T) {
	for file, want := range map[string]State{"unsubscribed": Left, "cleaned": Bounced} {
		content, err := os.ReadFile("testdata/mailchimp/" + file + "_email_audience_export_1a2b3c4d5e.csv")
		must(t, err)
		for row, err := range opened(t, "renamed.csv", content).Rows() {
			if err != nil || row.State != want {
				t.Errorf("%s: %s is %s, %v", file, row.Email, row.State, err)
			}
		}
	}
	never, err := os.ReadFile("testdata/mailchimp/nonsubscribed_email_audience_export_1a2b3c4d5e.csv")
	must(t, err)
	refused(t, "nonsubscribed_email_audience_export_1a2b3c4d5e.csv", never, "never subscribed")
}

func zipped(t testing.TB, files fs.FS) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	must(t, z.AddFS(files))
	must(t, z.Close())
	return b.Bytes()
}

func TestAction(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		row  Row
		want Action
	}{
		{Row{State: Joined, Proof: digest.Proof{At: now}}, Join},
		{Row{State: Joined, Proof: digest.Proof{AskedAt: now, Address: "203.0.113.7"}}, Join},
		{Row{State: Joined, Proof: digest.Proof{AskedAt: now}}, Ask},
		{Row{State: Joined, Proof: digest.Proof{Address: "203.0.113.7"}}, Ask},
		{Row{State: Joined, JoinedAt: now}, Ask},
		{Row{State: Pending, Proof: digest.Proof{At: now}}, Ignore},
		{Row{}, Ignore},
		{Row{State: Left, Proof: digest.Proof{At: now}}, Suppress},
		{Row{State: Bounced}, Suppress},
		{Row{State: Complained}, Suppress},
		{Row{State: Blocked}, Suppress},
	}
	for _, tt := range tests {
		if got := tt.row.Action(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.row, got, tt.want)
		}
	}
}

// TestEncodings checks one list in all encodings, separators and line ends.
func TestEncodings(t *testing.T) {
	const list = "email,name,state\r\nzoe@example.org,\"Zoë, 1\r\nof 2\",joined\r\nleft@example.org,,left\r\n"
	want := told(opened(t, "list.csv", []byte(list)))
	if !strings.Contains(want, "Zoë, 1 of 2") {
		t.Fatal(want)
	}
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy) string {
		s, err := unicode.UTF16(order, mark).NewEncoder().String(list)
		must(t, err)
		return s
	}
	windows, err := charmap.Windows1252.NewEncoder().String(list)
	must(t, err)
	for name, s := range map[string]string{
		"UTF-8 with a mark": "\xEF\xBB\xBF" + list, "Windows-1252": windows,
		"UTF-16LE with a mark": utf16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16BE with a mark": utf16(unicode.BigEndian, unicode.UseBOM),
		"UTF-16LE":             utf16(unicode.LittleEndian, unicode.IgnoreBOM),
		"UTF-16BE":             utf16(unicode.BigEndian, unicode.IgnoreBOM),
		"LF":                   strings.ReplaceAll(list, "\r\n", "\n"), "no last end": strings.TrimSuffix(list, "\r\n"),
		"semicolons": "email;name;state\nzoe@example.org;\"Zoë, 1\nof 2\";joined\nleft@example.org;;left\n",
		"tabs":       "email\tname\tstate\nzoe@example.org\tZoë, 1 of 2\tjoined\n\nleft@example.org\t\tleft\n",
	} {
		if got := told(opened(t, "list.csv", []byte(s))); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestUnusable checks that other files are rejected with a reason.
func TestUnusable(t *testing.T) {
	for _, tt := range []struct{ content, want string }{
		{"", "it is empty"},
		{"\xEF\xBB\xBF", "it is empty"},
		{"Adresse,Nom\n", `there is no column named email, only "Adresse", "Nom"; the first line must have the ` +
			`column names`},
		{"ann@example.org\nbob@example.org\n", `there is no column named email, only "ann@example.org"`},
		{"email,first_subscribed,consent\na@example.org,,\n",
			`the columns "first_subscribed", "consent" are unknown; remove them, or rename them to one of email, name`},
		{"ema\"il,x\n", "the first line cannot be read"},
		{"\x00\x01\x02\x03", "there is no column named email"},
		{"PK\x03\x04", "the ZIP is damaged"},
		{strings.Repeat("a,", 1001) + "\n", "more than a thousand columns"},
		// the readers of a post on Substack
		{"post_id,timestamp,email,active_subscription,email_disabled\n1,,a@example.org,true,false\n",
			`the columns "post_id"`},
		{"email\x1b[31m,x\n", `"email [31m"`},
	} {
		refused(t, "list.csv", []byte(tt.content), tt.want)
	}
}

// TestRowsThatAreWrong checks that an invalid row is skipped and reported with its line. An open quotation mark could
// hide people who left, so it ends the list.
func TestRowsThatAreWrong(t *testing.T) {
	for _, tt := range []struct{ rows, want string }{
		{"a@example.org,x\"y,\nb@example.org,,\n",
			"! list.csv, line 2: a quotation mark is out of place; inside a quoted field, double it\nask " +
				"list.csv:3 joined b@example.org\n"},
		{"a@example.org,\"x\nb@example.org,,left\n",
			"! list.csv: a quotation mark in line 2 is not closed; correct the line (inside a field, double the " +
				"quotation mark) and try again\n"},
		{"a\x00b@example.org,,\nb@example.org,nu\x00l,\n",
			"! list.csv, line 2: \"a b@example.org\" is not an email address\nask list.csv:3 joined b@example.org " +
				"name=\"nu l\"\n"},
		{",Ann,\n", "! list.csv, line 2: it has no email address\n"},
		{"Ann <a@example.org>,,\n",
			"! list.csv, line 2: \"Ann <a@example.org>\" has more than an email address; leave out the name and " +
				"the < >\n"},
		{strings.Repeat("a", 400) + "@example.org,,\n", "! list.csv, line 2: its email address is too long\n"},
		{"a@example.org," + strings.Repeat("n", 70000) + ",\n", "! list.csv, line 2: a field is longer than 64 KiB\n"},
		{"a@example.org," + strings.Repeat("n", 500_000) + ",\n",
			"! list.csv: the row after line 1 is longer than 262144 bytes; a quotation mark may not be closed\n"},
		{"a@EXAMPLE.org,,\nA@example.ORG,,\n",
			"ask list.csv:2 joined a@example.org\n! list.csv, line 3: A@example.org is already in line 2 of " +
				"list.csv\n"},
		{"a@example.org,,\na@Example.org,,left\n",
			"suppress list.csv:3 left a@example.org\n! list.csv, line 2: a@example.org gets no email, because of " +
				"line 3 of list.csv\n"},
		{"a@bücher.example,,\na@xn--bcher-kva.example,,\n",
			"ask list.csv:2 joined a@xn--bcher-kva.example\n! list.csv, line 3: a@xn--bcher-kva.example is " +
				"already in line 2 of list.csv\n"},
	} {
		got := told(opened(t, "/home/ann/list.csv", []byte("email,name,state\n"+tt.rows)))
		if got != "digest: list.csv\n"+tt.want {
			t.Errorf("%.60q: got\n%s\nwant\n%s", tt.rows, got, tt.want)
		}
	}
}

// TestColumns checks rows with unusual columns.
func TestColumns(t *testing.T) {
	const mailchimp, buttondown = "Email Address,Status,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME\n",
		"id,email,creation_date,subscriber_type\n"
	for _, tt := range []struct{ file, content, want string }{
		{"x.csv", "email,name\na@example.org,1;2;3;4\n", "ask x.csv:2 joined a@example.org name=\"1;2;3;4\"\n"},
		{"x.csv", "email,name,Name\na@example.org,Ann,Bob\n", "ask x.csv:2 joined a@example.org name=\"Ann\"\n"},
		{"x.csv", "email,joined_at\na@example.org,1969-12-31\n",
			"! x.csv, line 2: joined_at is \"1969-12-31\", which is no time such as 2026-05-01T10:00:00Z\n"},
		{"x.csv", "email,left_at\na@example.org,2026-05-01\n",
			"suppress x.csv:2 left a@example.org left=\"2026-05-01T00:00:00Z\"\n"},
		{"x.csv", "email,left_at\na@example.org,in May\n", "suppress x.csv:2 left a@example.org\n"},
		{"x.csv", "email,reason\na@example.org,bounced: full\n",
			"suppress x.csv:2 bounced a@example.org reason=\"bounced: full\"\n"},
		{"x.csv", mailchimp + "a@example.org,Pending,2,,\nb@example.org,Gold,2,,\nc@example.org,Archived,2,,\n",
			"suppress x.csv:4 left c@example.org form=\"Mailchimp, x.csv\"\nignore x.csv:2 pending a@example.org " +
				"form=\"Mailchimp, x.csv\"\nask x.csv:3 joined b@example.org form=\"Mailchimp, x.csv\"\n"},
		{"unsubscribers.csv", buttondown + "1,a@example.org,2021-05-01T09:30:00Z,regular\n",
			"suppress unsubscribers.csv:2 left a@example.org joined=\"2021-05-01T09:30:00Z\" form=\"Buttondown, " +
				"unsubscribers.csv\"\n"},
		{"x.csv", "E-Mail-Adresse,OPTIN_TIME,CONFIRM_TIME,LEID\na@example.org,,,1\n",
			"ask x.csv:2 joined a@example.org form=\"Mailchimp, x.csv\"\n"},
	} {
		_, got, _ := strings.Cut(told(opened(t, tt.file, []byte(tt.content))), "\n")
		if got != tt.want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.content, got, tt.want)
		}
	}
}

// TestSuppressWhole checks a list of unsubscribed people that does not say so.
func TestSuppressWhole(t *testing.T) {
	content, err := os.ReadFile("testdata/listmonk.csv")
	must(t, err)
	l := opened(t, "subscribers.csv", content)
	l.Suppress(Left)
	var got []State
	for row, err := range l.Rows() {
		must(t, err)
		got = append(got, row.State)
	}
	if !slices.Equal(got, []State{Left, Blocked, Blocked}) {
		t.Errorf("got %v", got)
	}
}

// TestBounds checks the limits of a list, packed and unpacked.
func TestBounds(t *testing.T) {
	content := []byte("email\n" + strings.Repeat("a@example.org\n", 1000))
	packed := zipped(t, mapFS("list.csv", string(content)))
	ended := func(name string, b []byte, l limits, want string) {
		t.Helper()
		list, err := open(t.Context(), bytes.NewReader(b), int64(len(b)), name, l)
		if err == nil {
			for _, err = range list.Rows() {
			}
		}
		if digest.KindOf(err) != digest.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	small := usualLimits()
	small.rows = 999
	ended("list.csv", content, small, "the list has more than 999 rows; split it")
	small = usualLimits()
	small.bytes = 5000
	ended("list.csv", content, small, "the list has 14006 bytes, and the limit is 5000")
	ended("list.zip", packed, small, "the list is too large; split it")
	small = usualLimits()
	small.index = 100
	ended("list.zip", packed, small, "the ZIP has too many files")
}

// TestRecognisingIsBounded checks that Open reads at most the size of one list from all files of a ZIP to recognise
// them. A ZIP may have a thousand files of asked addresses, which are a few bytes each until they are unpacked.
func TestRecognisingIsBounded(t *testing.T) {
	asked := "asked\n" + strings.Repeat("no address\n", 300)
	b := zipped(t, mapFS("a/"+askedFile, asked, "b/"+askedFile, asked, "list.csv", "email\na@example.org\n"))
	small := usualLimits()
	small.bytes = 5000
	if _, err := open(t.Context(), bytes.NewReader(b), int64(len(b)), "list.zip", small); err == nil ||
		!strings.Contains(err.Error(), "the list is too large; split it") {
		t.Errorf("got %v", err)
	}
}

// TestReadingEnds checks that reading and recognising a list stop when its context ends.
func TestReadingEnds(t *testing.T) {
	content := []byte("email\n" + strings.Repeat("\n", 4*ahead) + "a@example.org\n")
	for name, b := range map[string][]byte{"list.csv": content,
		"list.zip": zipped(t, mapFS(askedFile, "asked\n", "list.csv", string(content)))} {
		ctx, cancel := context.WithCancel(t.Context())
		list, err := open(ctx, bytes.NewReader(b), int64(len(b)), name, usualLimits())
		must(t, err)
		cancel()
		for _, err = range list.Rows() {
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the rows end with %v", name, err)
		}
		if _, err := open(ctx, bytes.NewReader(b), int64(len(b)), name, usualLimits()); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%s: opening it ends with %v", name, err)
		}
	}
}

// TestArchivesThatAreWrong checks that a ZIP is rejected if it is ambiguous.
func TestArchivesThatAreWrong(t *testing.T) {
	const ours, listmonk = "email\na@example.org\n", "uuid,email,name,attributes,status,created_at,updated_at\n"
	for _, tt := range []struct {
		files []string // alternating names and contents
		want  string
	}{
		{nil, "the ZIP has no CSV file"},
		{[]string{"xl/workbook.xml", ""}, "this is a spreadsheet; save it as CSV"},
		{[]string{"a.csv", ours, "b.csv", ours}, "a.csv and b.csv are two lists of the same kind"},
		{[]string{"a.csv", ours, "b.csv", listmonk}, "a.csv is of digest and b.csv of listmonk"},
		{[]string{"a.csv", "x,y\n"}, `a.csv: there is no column named email, only "x", "y"`},
		{[]string{"__MACOSX/a.csv", ours, "lists/._a.csv", ours, "posts/1.csv", ours}, "the ZIP has no CSV file"},
		{[]string{"a.csv", ours, "b.csv", "\"x\ny"}, "b.csv: a quotation mark in line 1 is not closed"},
	} {
		refused(t, "list.zip", zipped(t, mapFS(tt.files...)), tt.want)
	}
	var many []string
	for i := range mostTables + 1 {
		many = append(many, fmt.Sprintf("%d.csv", i), "x,y\n")
	}
	refused(t, "many.zip", zipped(t, mapFS(many...)), "more than 1000 CSV files")
	if got := told(opened(t, "x.zip",
		zipped(t, mapFS("a.csv", ours, "other.csv", "x,y\n", "empty.csv", "")))); !strings.HasPrefix(got,
		"digest: a.csv\nskipped empty.csv: it is empty\nskipped other.csv: it is not a list of members\nask a.csv:2") {
		t.Errorf("got %s", got)
	}
}

// TestRowsEndEarly checks that Rows stops with its caller.
func TestRowsEndEarly(t *testing.T) {
	l := opened(t, "list.csv",
		[]byte("email,state\na@example.org,left\nb@example.org,joined\nno address,\nc@example.org,\n"))
	for stop := range 4 {
		n := 0
		for range l.Rows() {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Errorf("%d rows came, not %d", n, stop+1)
		}
	}
}

// TestReadingFails checks that an error of the disk does not count as an error in the list.
func TestReadingFails(t *testing.T) {
	_, err := Open(t.Context(), failing{}, 10, "list.csv")
	if err == nil || digest.KindOf(err) != "" || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, fs.ErrClosed }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
