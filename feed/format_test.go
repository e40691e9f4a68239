package feed

import (
	"maps"
	"testing"
)

func TestFieldsOfJSON(t *testing.T) {
	for doc, want := range map[string]map[string]string{
		`{"version": "https://jsonfeed.org/version/1", "items":[{"version":"2"}]}`: {
			"version": `"https://jsonfeed.org/version/1", "items":[{"version":"2"}]}`, "items": `[{"version":"2"}]}`},
		`{"a\"b":1,"c":"x:y","d":{"e":2},"c":3}`: {`a\"b`: `1,"c":"x:y","d":{"e":2},"c":3}`,
			"c": `"x:y","d":{"e":2},"c":3}`, "d": `{"e":2},"c":3}`},
		`{"cut":`:     {"cut": ""},
		`{"cut`:       {},
		`{:1,"a":[2}`: {"": `1,"a":[2}`, "a": "[2}"},
	} {
		if got := fieldsOf(doc); !maps.Equal(got, want) {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for doc, want := range map[string]Kind{
		`<rss><channel/></rss>`: RSS, `<channel><item/></channel>`: RSS,
		`<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>`: RDF,
		`<feed/>`: Atom, `<atom:entry><title>a</title></atom:entry>`: Atom, `<OPML/>`: OPML, `<p>a<feed/>`: Atom,
		`<html><feed/>`: HTML, `<center>`: HTML,
		`{"version":"https://jsonfeed.org/version/1","items":[]}`: JSONFeed,
	} {
		if d, err := Parse([]byte(doc), "", ""); err != nil || d.Kind != want {
			t.Errorf("%s: %+v, %v, want %s", doc, d, err, want)
		}
	}
	all := formats()
	for i := range all {
		if f := &all[i]; f.kind == "" || f.read == nil || (f.root == nil) == (f.object == nil) {
			t.Errorf("format %d, %q, is not whole", i, f.kind)
		}
	}
}
