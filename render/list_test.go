package render

import (
	"strings"
	"testing"
)

// TestItemNumbers: items have the numbers that the author set.
func TestItemNumbers(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"as they come", `<ol><li>a<li>b</ol>`, "1. 2."},
		{"from a start", `<ol start=0><li>a<li>b</ol>`, "0. 1."},
		{"from below none", `<ol start="-1"><li>a<li>b<li>c</ol>`, "-1. 0. 1."},
		{"from an item on", `<ol><li>a<li value=7>b<li>c</ol>`, "1. 7. 8."},
		{"reversed", `<ol reversed><li>a<li>b<li>c</ol>`, "3. 2. 1."},
		{"reversed from a start", `<ol reversed start=9><li>a<li>b<li value=2>c<li>d</ol>`, "9. 8. 2. 1."},
		{"letters", `<ol type=a start=26><li>a<li>b</ol>`, "z. aa."},
		{"Roman numerals", `<ol type=I start=3><li>a<li>b<li value=1999>c<li value=0>d</ol>`, "III. IV. MCMXCIX. 0."},
		{"what is no number", `<ol start=many type=disc><li value=1e9>a<li value=99999999>b</ol>`, "1. 2."},
		{"no list of numbers", `<ul start=4 reversed><li value=7>a</ul>`, "*"},
	} {
		list := parseTree(c.content, "", nil)[0]
		var marks []string
		for i := range list.kids {
			marks = append(marks, strings.TrimSpace(list.mark(i)))
		}
		if got := strings.Join(marks, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
