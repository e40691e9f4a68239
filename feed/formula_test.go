package feed

import (
	"strings"
	"testing"
)

func TestFormulas(t *testing.T) {
	const katex = `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi><mo>=</mo>` +
		`<mi>m</mi>` +
		`<msup><mi>c</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">E=mc^2</annotation>` +
		`</semantics></math></span><span class="katex-html" aria-hidden="true"><span>E=mc2</span></span></span>`
	for _, c := range []struct{ in, content, excerpt string }{
		{`So <math alttext="no"><semantics><mi>x</mi><annotation encoding="application/x-tex">\alpha</annotation>` +
			`</semantics></math>.`,
			`So <code>\alpha</code>.`, `So \alpha.`},
		{`<math alttext="x_i"><mi>y</mi></math>`, `<var dir="ltr">x_i</var>`, `x_i`},
		{`<p>a<math display="block"><mi>x</mi></math></p>`, `<p>a</p><div><var dir="ltr">x</var></div><p></p>`, `a x`},
		{`<math><mi>x</mi><mo>=</mo><mfrac><mrow><mo>-</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi>` +
			`<mn>2</mn></msup>` +
			`<mo>-</mo><mn>4</mn></msqrt></mrow><mn>2</mn></mfrac></math>`,
			`<var dir="ltr">x=(-b±√(b^2-4))/2</var>`, `x=(-b±√(b^2-4))/2`},
		{`<mml:math><mml:msubsup><mml:mi>a</mml:mi><mml:mi>i</mml:mi><mml:mn>2</mml:mn></mml:msubsup></mml:math>`,
			`<var dir="ltr">a_i^2</var>`, `a_i^2`},
		{`<math><mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable></math>`,
			`<var dir="ltr">(1, 0; 0, 1)</var>`, `(1, 0; 0, 1)`},
		{`a <math></math>b`, `a b`, `a b`},
		{`a<script type="math/tex">x < y</script>b<script type="text/javascript">x</script>`,
			`a<var dir="ltr">x &lt; y</var>b`, `ax < yb`},
		{`<script type="math/tex; mode=display">\int x</script>`, `<div><code>\int x</code></div>`, `\int x`},
		{`<p>So ` + katex + `!</p>`, `<p>So <span><span><var dir="ltr">E=mc^2</var></span></span>!</p>`, `So E=mc^2!`},
		{`<span class="MathJax_Preview">x2</span><span class="MathJax">x2</span><script type="math/tex">x^2</script>`,
			`<var dir="ltr">x^2</var>`, `x^2`},
		{`<span class="katex-html">E=mc2</span>`, `<span>E=mc2</span>`, `E=mc2`},
	} {
		got, _ := sanitise(c.in, "https://example.org/p")
		if got != c.content || excerpt(got, 300) != c.excerpt || excerpt(c.in, 300) != c.excerpt {
			t.Errorf("%s:\n got %s\nwant %s\n%q, %q", c.in, got, c.content, excerpt(got, 300), excerpt(c.in, 300))
		}
	}
	if got := plainLine(`On <math><msup><mi>x</mi><mn>2</mn></msup></math>`, markup); got != "On x^2" {
		t.Errorf("a title: %q", got)
	}
	deep := strings.Repeat("<msqrt>", 400) + strings.Repeat("x", maxContent/2)
	if got, _ := sanitise("<math>"+deep, ""); len(got) > 4*maxFormula {
		t.Errorf("a deep formula has %d bytes", len(got))
	}
}

func TestPicturesInSentences(t *testing.T) {
	for _, c := range []struct{ reason, in, class, excerpt string }{
		{"a formula of WordPress", `<p>Let <img class="latex" src="/a.png" alt="$\alpha$"> be</p>`, inLine,
			`Let \alpha be`},
		{"at the beginning", `<p><img src="https://s0.wp.com/latex.php?latex=x" alt="x"> is</p>`, inLine, `x is`},
		{"a smiley", `<p>Hi!<img class="wp-smiley" src="/a.png" alt=":)"></p>`, inLine, `Hi!:)`},
		{"within a sentence", `<p>A <b>small</b> <a href="/x"><img src="/a.png" alt="boat" height="60"></a> sails</p>`,
			inLine, `A small boat sails`},
		{"after a sentence", `<p>It rains. <img src="/a.png" alt="A boat"> It sails.</p>`, ``, `It rains. It sails.`},
		{"at the end", `<p>Look at <img src="/a.png" alt="a boat"></p>`, ``, `Look at`},
		{"at the beginning of a text", `<img src="/a.png" alt="A boat"> News of the day`, ``, `News of the day`},
		{"a photograph", `<p>We <img src="/a.png" alt="A boat" width="600" height="400"> sailed</p>`, ``, `We sailed`},
		{"after a line break", `<p>We saw<br><img src="/a.png" alt="A boat"> and</p>`, ``, `We saw and`},
		{"the author's own class", `<img class="inline" src="/a.png" alt="A boat">`, ``, ``},
	} {
		got, _ := sanitise(c.in, "https://example.org/p")
		marked := strings.Contains(got, ` class="inline"`)
		if marked != (c.class != "") || excerpt(got, 300) != c.excerpt {
			t.Errorf("%s: %s\n%q, want %q", c.reason, got, excerpt(got, 300), c.excerpt)
		}
	}
	if _, c := sanitise(`<img class="latex" src="/x.png" alt="x"><img src="/real.png">`,
		"https://example.org/p"); c.picture !=
		"https://example.org/real.png" {
		t.Errorf("the picture is %s", c.picture)
	}
}
