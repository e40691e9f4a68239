package render

import (
	"strings"
	"testing"

	"digest"
)

// TestContrast checks both palettes against WCAG 2.2 AA (success criterion 1.4.3).
func TestContrast(t *testing.T) {
	c := Variables()
	for _, scheme := range []string{"", "dark-"} {
		for _, back := range []string{"paper", "panel"} {
			for _, fore := range []string{"ink", "soft", "muted", "accent"} {
				if got := contrast(t, c[scheme+fore], c[scheme+back]); got < 4.5 {
					t.Errorf("%s%s on %s has %.2f", scheme, fore, back, got)
				}
			}
		}
		if got := contrast(t, c[scheme+"on-fill"], c[scheme+"accent"]); got < 4.5 {
			t.Errorf("%sa button has %.2f", scheme, got)
		}
		for _, name := range []string{"paper", "ink", "strong"} {
			if v := c[scheme+name]; v == "#000000" || v == "#ffffff" {
				t.Errorf("%s%s inverts badly", scheme, name)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, err := digest.ParseColour(a)
	y, err2 := digest.ParseColour(b)
	if err != nil || err2 != nil {
		t.Fatalf("colours %q and %q", a, b)
	}
	return x.Contrast(y)
}

// TestStyleSheets: styles in email contain no variable and nothing that ends the attribute. Every part of a text has a
// style, in both directions.
func TestStyleSheets(t *testing.T) {
	for name, style := range textStyles(replacer(Variables())) {
		if style == "" || strings.ContainsAny(style, `"<>&`) || strings.Contains(style, "var(") {
			t.Errorf("the style %s is %q", name, style)
		}
	}
	const all = `<h2>x</h2><h4>x</h4><p>x <a href="https://a.example/">y</a><code>c</code> <sub>1</sub><small>s</small><mark>m</mark> <em>א</em></p>
		<p>x <img src="https://a.example/s.png" width="16" height="16" alt="s"></p><figure><img src="https://a.example/i.png" alt="i"><figcaption>x</figcaption></figure><hr>
		<ul><li>x<ul><li>y</li></ul><p>z</p></li></ul><blockquote>x</blockquote><dl><dt>x</dt><dd>y</dd></dl>
		<pre>x</pre><table><tr><th>x</th><th>y</th></tr><tr><td>z</td><td>1</td></tr></table>`
	for _, x := range []string{"x", strings.Repeat("א", 90), strings.Repeat("ب", 90), strings.Repeat("水", 90)} {
		content := strings.NewReplacer(">x", ">"+x, ">y", ">"+x, ">z", ">"+x).Replace(all)
		got := New(testProxy).Post(written("https://a.example/1", "T", "", content)).body(digest.ProxiedImages,
			nil).all.html.decoded()
		if !strings.Contains(got, "</table>") || strings.Contains(got, "var(") || strings.Contains(got, `style=""`) ||
			strings.Contains(got, `style=";`) || strings.Contains(got, `;"`) {
			t.Errorf("a style is missing in %s", got)
		}
	}
}
