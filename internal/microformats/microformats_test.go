package microformats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// differs lists the documents of the suite with a result that we intend to differ from, with the reason.
var differs = map[string]string{
	"microformats-v2-unit/nested/nested-microformat-mistyped.json": "an address stays resolved, whatever the " +
		"properties of the item that it is",
	"microformats-v2-unit/nested/tentative-nested-microformat.json": "tentative: the value of an item is a text, " +
		"with no description in it",
	"microformats-v2-unit/value/value-dt.json": "a zone is written without a colon, as v1/hcalendar/time says",
}

// TestSuite runs the public test suite of microformats.org.
func TestSuite(t *testing.T) {
	shared := os.Getenv("DIGEST_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	root := filepath.Join(shared, "corpus", "suites", "microformats-tests", "tests")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the shared corpus is not beside this checkout (or in DIGEST_SHARED)")
	}
	read := 0
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		name, _ := filepath.Rel(root, path)
		got, want := both(t, path)
		read++
		if same := reflect.DeepEqual(got, want); same != (differs[filepath.ToSlash(name)] == "") {
			g, _ := json.MarshalIndent(got, "", " ")
			w, _ := json.MarshalIndent(want, "", " ")
			t.Errorf("%s: same: %t; got\n%s\nwant\n%s", name, same, g, w)
		}
		return nil
	})
	if err != nil || read < 140 {
		t.Errorf("%d documents, %v", read, err)
	}
}

// both returns our result for a document of the suite, and the expected one.
func both(t *testing.T, path string) (got, want any) {
	t.Helper()
	page, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".html")
	if err != nil {
		t.Fatal(err)
	}
	expected, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(expected, &want); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	base := "http://example.com/"
	if strings.Contains(path, "v2-unit") {
		base = "http://example.test"
	}
	withAlt := !strings.Contains(path, "microformats-v1") // the expectations of v1 are older than alt
	got = pageForm(Parse(doc, base, 1<<20), withAlt)
	delete(want.(map[string]any), "debug")
	return got, normalHTML(want)
}

// pageForm converts a page to the canonical form of the suite.
func pageForm(p *Page, withAlt bool) map[string]any {
	rels, links := map[string]any{}, map[string]any{}
	for rel, to := range p.Rels {
		rels[rel] = list(to, func(s string) any { return s })
	}
	for to, l := range p.Links {
		m := map[string]any{"rels": list(l.Rels, func(s string) any { return s })}
		for name, s := range map[string]string{"text": l.Text, "media": l.Media, "hreflang": l.Hreflang,
			"title": l.Title, "type": l.Type} {
			if s != "" {
				m[name] = s
			}
		}
		links[to] = m
	}
	items := list(p.Items, func(i *Item) any { return itemForm(i, withAlt) })
	return map[string]any{"items": items, "rels": rels, "rel-urls": links}
}

func itemForm(i *Item, withAlt bool) map[string]any {
	props := map[string]any{}
	for name, values := range i.Properties {
		props[name] = list(values, func(v Value) any { return valueForm(v, withAlt) })
	}
	out := map[string]any{"type": list(i.Types, func(s string) any { return s }), "properties": props}
	if i.ID != "" {
		out["id"] = i.ID
	}
	if len(i.Children) > 0 {
		out["children"] = list(i.Children, func(c *Item) any { return itemForm(c, withAlt) })
	}
	return out
}

func valueForm(v Value, withAlt bool) any {
	out := map[string]any{}
	if v.Item != nil {
		out = itemForm(v.Item, withAlt)
	}
	if v.prefix == "e" {
		out["html"] = rewritten(v.HTML)
	}
	if v.Item == nil && v.Alt != nil && withAlt {
		out["alt"] = *v.Alt
	}
	if len(out) == 0 {
		return v.Text
	}
	out["value"] = v.Text
	return out
}

func list[T any](values []T, form func(T) any) []any {
	out := []any{}
	for _, v := range values {
		out = append(out, form(v))
	}
	return out
}

// normalHTML formats the HTML in a value as we do.
func normalHTML(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = normalHTML(v[i])
		}
	case map[string]any:
		for name := range v {
			if s, ok := v[name].(string); ok && name == "html" {
				v[name] = rewritten(s)
			} else {
				v[name] = normalHTML(v[name])
			}
		}
	}
	return v
}

func rewritten(s string) string {
	doc, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return s
	}
	var b strings.Builder
	if err := html.Render(&b, doc); err != nil {
		return s
	}
	return b.String()
}

// TestRoom checks that nested items, each of which has the text of all in it, do not multiply a page.
func TestRoom(t *testing.T) {
	deep := strings.Repeat(`<div class="h-entry e-content p-name">`, 400) + strings.Repeat("word ", 2000)
	doc, err := html.Parse(strings.NewReader(deep))
	if err != nil {
		t.Fatal(err)
	}
	room := 4 * len(deep)
	if got := textsOf(Parse(doc, "http://a.example/", room).Items, map[*Item]bool{}); got > room+2*len(deep) {
		t.Errorf("%d bytes of text of a page of %d", got, len(deep))
	}
}

// textsOf counts the bytes of the texts of items, each once.
func textsOf(items []*Item, seen map[*Item]bool) int {
	n := 0
	for _, i := range items {
		if seen[i] {
			continue
		}
		seen[i] = true
		for _, values := range i.Properties {
			for _, v := range values {
				n += len(v.HTML)
				if v.Item == nil {
					n += len(v.Text)
				} else { // its text belongs to the item
					n += textsOf([]*Item{v.Item}, seen)
				}
			}
		}
		n += textsOf(i.Children, seen)
	}
	return n
}

// TestIncludesEnd checks that mutual includes end.
func TestIncludesEnd(t *testing.T) {
	page := `<div class="vcard" id="a" itemref="b a"><span class="fn">A</span></div><div class="vcard" id="b" ` +
		`itemref="a b"><a class="include" href="#a">a</a></div>`
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if items := Parse(doc, "", 1<<16).Items; len(items) != 2 || items[0].First("name") != "A" {
		t.Errorf("%+v", items)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`<div class="h-entry"><a class="u-url p-name" href="/1">One</a><time class="dt-published">7pm</time></div>`)
	f.Add(`<table><td class="vcard" headers="h"><th id="h"><a class="include" href="#h" rel="tag bookmark">x</a>` +
		`</table>`)
	f.Add(`<div class="hreview"><p class="item"><img class="photo" alt="x"><template class="h-card">y</template>`)
	f.Fuzz(func(t *testing.T, page string) {
		doc, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		if got, most := textsOf(Parse(doc, "http://a.example/", 4*len(page)).Items, map[*Item]bool{}),
			8*len(page)*len(page)+1000; got > most {
			t.Errorf("%d bytes", got)
		}
	})
}
