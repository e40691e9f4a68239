package dmarc

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	return b.Bytes()
}

func zipped(names []string, text []byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, _ := w.Create(name)
		f.Write(text)
	}
	w.Close()
	return b.Bytes()
}

func TestParseReport(t *testing.T) {
	begin, end := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 23, 59, 59, 0, time.UTC)
	for name, want := range map[string]Report{
		"rfc7489.xml": {"google.com", "10289384756102938475", "example.org", begin, end, []Row{
			{"198.51.100.7", "example.org", "bounce.example.org", "pass", true, "example.org", "pass", true, "none",
				42},
			{"203.0.113.9", "example.org", "spam.example", "pass", false, "", "", false, "reject", 3},
		}},
		"rfc9990.xml": {"Sample Reporter", "3v98abbp8ya9n3va8yr8oa3ya", "example.org", begin, end, []Row{
			{"2001:db8::7", "news.example.org", "relay.example", "softfail", false, "example.org", "pass", true,
				"pass", 123},
		}},
	} {
		text := sample(t, name)
		for form, attached := range map[string][]byte{
			"plain": text, "gzip": gzipped(text), "zip": zipped([]string{"google.com!example.org!1!2.XML"}, text),
			"only file":       zipped([]string{"report"}, text),
			"Latin-1":         bytes.Replace(text, []byte(`UTF-8`), []byte(`ISO-8859-1`), 1),
			"byte order mark": append([]byte("\ufeff"), text...),
		} {
			if got, err := ParseReport(attached); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v\n got %+v\nwant %+v", name, form, err, got, want)
			}
		}
	}
}

func TestReportKey(t *testing.T) {
	r := Report{Reporter: "a", ID: "b", Domain: "example.org", Begin: time.Unix(1, 0), End: time.Unix(2, 0)}
	keys := map[string]bool{r.Key(): true}
	for _, change := range []func(*Report){
		func(r *Report) { r.Reporter, r.ID = "a b", "" }, func(r *Report) { r.ID = "c" },
		func(r *Report) { r.Domain = "example.net" },
		func(r *Report) { r.Begin = time.Unix(0, 0) }, func(r *Report) { r.End = time.Unix(3, 0) },
	} {
		other := r
		change(&other)
		keys[other.Key()] = true
	}
	r.Rows = []Row{{Count: 1}}
	if keys[r.Key()] = true; len(keys) != 6 {
		t.Errorf("%d keys", len(keys))
	}
	for domain, is := range map[string]bool{"example.org": true, "news.example.org": true, "badexample.org": false,
		"org": false, "": false} {
		if r.IsAbout(domain) != is {
			t.Errorf("%s: %v", domain, !is)
		}
	}
}

// TestReportBounds checks that attachments beyond the limits of a report return an error quickly.
func TestReportBounds(t *testing.T) {
	text := string(sample(t, "rfc7489.xml"))
	record := text[strings.LastIndex(text, "<record>"):strings.Index(text, "</feedback>")]
	with := func(more string) []byte { return []byte(strings.Replace(text, "</feedback>", more+"</feedback>", 1)) }
	cases := map[string][]byte{
		"nothing":          nil,
		"another document": []byte("<html><body>hello</body></html>"),
		"no XML":           []byte("hello"),
		"cut off":          []byte(text[:len(text)/2]),
		"gzip cut off":     gzipped([]byte(text))[:200],
		"zip cut off":      zipped([]string{"a.xml"}, []byte(text))[:300],
		"gzip bomb":        gzipped(make([]byte, 64<<20)),
		"gzip bomb of spaces": gzipped([]byte(strings.Replace(text, "<record>",
			strings.Repeat(" ", maxXML)+"<record>", 1))),
		"zip bomb":       zipped([]string{"a.xml"}, make([]byte, 64<<20)),
		"many files":     zipped(strings.Fields(strings.Repeat("a.xml ", maxFiles+1)), []byte(text)),
		"no file of XML": zipped([]string{"a.txt", "b.txt"}, []byte(text)),
		"gzip in gzip":   gzipped(gzipped([]byte(text))),
		"document type":  []byte(strings.Replace(text, "<feedback>", `<!DOCTYPE x [<!ENTITY a "aa">]><feedback>`, 1)),
		"entity":         []byte(strings.Replace(text, "google.com</org", "&a;</org", 1)),
		"deep":           with(strings.Repeat("<a>", maxDepth) + strings.Repeat("</a>", maxDepth)),
		"deep in a record": with("<record>" + strings.Repeat("<a>", maxDepth) +
			strings.Repeat("</a>", maxDepth) + "</record>"),
		"many elements":   with("<extension>" + strings.Repeat("<a/>", maxElements) + "</extension>"),
		"many attributes": with("<a" + strings.Repeat(` b=""`, maxEquals) + "/>"),
		"many records":    with(strings.Repeat("<record/>", maxRecords)),
		"wrong end":       with("</record>"),
		"no domain":       []byte(strings.Replace(text, "Example.org<", "a b<", 1)),
		"nobody's": []byte(strings.NewReplacer("google.com<", "<", "noreply-dmarc-support@google.com<",
			"<").Replace(text)),
		"no period":             []byte(strings.Replace(text, "1795132800", "yesterday", 1)),
		"a period that is over": []byte(strings.Replace(text, "1795219199", "1795132799", 1)),
		"other domains": []byte(strings.ReplaceAll(text, "<header_from>example.org",
			"<header_from>badexample.org")),
		"negative": []byte(strings.NewReplacer(">40<", ">-40<", ">2<", ">0<", ">3<", ">x<").Replace(text)),
		"no sources": []byte(strings.NewReplacer("198.51.100.7", "mail.example.org", "203.0.113.9",
			"").Replace(text)),
	}
	for name, attached := range cases {
		if r, err := ParseReport(attached); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r, err := ParseReport(with(strings.Repeat(record, 1000))); err != nil || len(r.Rows) != 2 ||
		r.Rows[1].Count != 3003 {
		t.Errorf("many records: %d rows, %v", len(r.Rows), err)
	}
	huge := strings.Replace(text, ">40<", fmt.Sprintf(">%d<", int64(1)<<62), 1)
	if r, err := ParseReport([]byte(huge)); err != nil || r.Rows[0].Count != maxCount {
		t.Errorf("a huge count: %+v, %v", r.Rows, err)
	}
	long := strings.Replace(text, "google.com<", "a\u202eb\x7f "+strings.Repeat("ü", 500)+"<", 1)
	if r, err := ParseReport([]byte(long)); err != nil || r.Reporter != "ab "+strings.Repeat("ü", maxName-3)+"…" {
		t.Errorf("a long name: %q, %v", r.Reporter, err)
	}
}
