package web

import (
	"html/template"
	"slices"
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	n := &notes{}
	if got := n.Ref("https://a.example/1"); got != ` data-ref="1"` {
		t.Errorf("the first is %q", got)
	}
	const text = `<p>x <a href="https://b.example/?a&amp;b" rel="noopener noreferrer">b</a> and <a ` +
		`href="https://a.example/1" rel="x">a <em>again</em></a>, ` +
		`<a href="https://c.example/c" rel="x">https://c.example/c</a> or <a href="mailto:d@d.example" rel="x">d</a></p>`
	want := strings.NewReplacer(`a&amp;b"`, `a&amp;b" data-ref="2"`, `a.example/1"`,
		`a.example/1" data-ref="1"`).Replace(text)
	if got := n.WithRefs(template.HTML(text)); string(got) != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for _, same := range []template.HTML{"", "<p>x</p>", `<p><a href="`, `<a href="https://x`,
		`<a href="https://f.example/" class="film"><img src="/image/x" alt=""></a>`} {
		if got := n.WithRefs(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	if n.Ref("") != "" || n.Ref("mailto:a@b.example") != "" {
		t.Error("what is no address has a number")
	}
	n.Ref("https://e.example/" + strings.Repeat("e", 500))
	if got := n.Noted(); len(got) != 3 || !slices.Equal(got[:2], []string{"a.example/1", "b.example/?a&b"}) ||
		len(got[2]) > maxNote+3 {
		t.Errorf("the notes are %q", got)
	}
	if n.Unnoted() != 0 {
		t.Error("a link has no number")
	}
	many := strings.Repeat(`<a href="https://g.example/" rel="x">g</a>`, 500)
	if got := strings.Count(string(n.WithRefs(template.HTML(many))), "data-ref"); got != maxRefs {
		t.Errorf("%d numbers in one text", got)
	}
	if n.Unnoted() != maxRefs {
		t.Error("it is not said that links have no number")
	}
}
