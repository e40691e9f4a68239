package render

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"digest"
)

// TestContrast holds both palettes to WCAG 2.1 AA (success criterion 1.4.3).
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
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of #rrggbb.
func luminance(t *testing.T, c string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(c[1:], 16, 32)
	if err != nil || len(c) != 7 {
		t.Fatalf("colour %q", c)
	}
	linear := func(v uint64) float64 {
		s := float64(v&255) / 255
		if s <= 0.03928 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

// TestStyleSheets: mail gets no variable, and no style that would end its attribute;
// every part of a text has its style, whichever way it runs.
func TestStyleSheets(t *testing.T) {
	for name, style := range textStyles() {
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
		got := New(testProxy).Post(written("https://a.example/1", "T", "", content)).body(digest.ProxiedImages).all.html.decoded()
		if !strings.Contains(got, "</table>") || strings.Contains(got, "var(") || strings.Contains(got, `style=""`) || strings.Contains(got, `style=";`) || strings.Contains(got, `;"`) {
			t.Errorf("a style is missing in %s", got)
		}
	}
}
