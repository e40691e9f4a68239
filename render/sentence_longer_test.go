package render

import (
	"strings"
	"testing"
)

func TestLonger(t *testing.T) {
	tide := strings.Repeat("The tide came in. ", 40)
	for _, c := range []struct{ name, content, excerpt, want string }{
		{"more sentences", "<p>The tide came in. Nobody&#39;s boat was late.</p>", "The tide came in.",
			"The tide came in. Nobody's boat was late."},
		{"after a byline", "<p>By Ann</p><p>The tide came in. It went out.</p>", "The tide came in.",
			"The tide came in. It went out."},
		{"no end", "<p>" + tide + "</p>", "The tide came in.",
			strings.TrimSpace(strings.Repeat("The tide came in. ", 26))},
		{"a list", "<p>Of boats: 1. They are late. 2.</p>", "Of boats: 1.", "Of boats: 1. They are late."},
		{"another text", "<p>The tide came in.</p>", "A summary.", ""},
		{"no more", "<p>The tide came in.</p>", "The tide came in.", ""},
		{"nothing", "", "", ""},
	} {
		if got := longer(c.content, c.excerpt); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
