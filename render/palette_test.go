package render

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/test/tier"
)

// TestOwnColours: a publisher's default colours are the program's own.
func TestOwnColours(t *testing.T) {
	c, own := Variables(), digest.OwnColours()
	if got := (digest.Colours{Paper: c["paper"], Ink: c["ink"], Accent: c["accent"]}); got != own {
		t.Errorf("the style sheet has %v, and digest %v", got, own)
	}
	if !maps.Equal(VariablesIn(digest.Colours{}), c) {
		t.Error("no colours are other colours")
	}
}

// TestPalette checks both schemes against WCAG 2.2 AA, for common colours and for thousands of random ones that Check
// accepts.
func TestPalette(t *testing.T) {
	tier.Alone(t)
	for _, c := range []digest.Colours{
		digest.OwnColours(), {Accent: "#0b5d4a"}, {Accent: "#0000ff"}, {Accent: "#1f1d1a"},
		{Accent: "#767676", Paper: "#ffffff", Ink: "#767676"},
		{Paper: "#ffffff", Ink: "#000000", Accent: "#d5001c"}, {Paper: "#000000", Ink: "#ffffff", Accent: "#ffcc00"},
		{Paper: "#fff1e5", Accent: "#990f3d"},
		{Paper: "#101820", Ink: "#f2f2f2", Accent: "#f2aa4c"}, {Paper: "#767676", Ink: "#000000", Accent: "#000000"},
		{Paper: "#ffff00", Ink: "#000080", Accent: "#800080"},
		{Paper: "#777777", Ink: "#000000", Accent: "#100000"}, {Paper: "#00ff00", Ink: "#000000", Accent: "#003300"},
		{Paper: "#f0f8ff"},
	} {
		if err := c.Check(); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		checkPalette(t, c)
	}
	r, accepted := rand.New(rand.NewPCG(3, 4)), 0
	for accepted < 5000 {
		n := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
		one := func(n uint64) string { return digest.Colour{R: uint8(n), G: uint8(n >> 8), B: uint8(n >> 16)}.String() }
		c := digest.Colours{Paper: one(n[0]), Ink: one(n[1]), Accent: one(n[2])}
		if n[0]>>60 < 8 { // only an accent, as for most newsletters
			c.Paper, c.Ink = "", ""
		}
		if c.Check() == nil {
			accepted++
			checkPalette(t, c)
		}
	}
}

func checkPalette(t *testing.T, c digest.Colours) {
	t.Helper()
	v, full := VariablesIn(c), c.Full()
	if v["paper"] != full.Paper || v["ink"] != full.Ink || v["accent"] != full.Accent {
		t.Errorf("%v: what was chosen does not stand: %v", c, v)
	}
	if names := slices.Sorted(maps.Keys(Variables())); !slices.Equal(slices.Sorted(maps.Keys(v)), names) {
		t.Errorf("%v: colours are missing or too many", c)
	}
	paper, _ := digest.ParseColour(v["dark-paper"])
	if !paper.IsDark() {
		t.Errorf("%v: the dark paper is %s", c, paper)
	}
	if got := contrast(t, v["on-plate"], v["plate"]); got < 4.5 {
		t.Errorf("%v: the words of a logo have %.2f", c, got)
	}
	for _, scheme := range []string{"", "dark-"} {
		holds := func(least float64, fore, back string) {
			if got := contrast(t, v[scheme+fore], v[scheme+back]); got < least {
				t.Errorf("%v: %s%s %s on %s %s has %.2f", c, scheme, fore, v[scheme+fore], back, v[scheme+back], got)
			}
		}
		for _, back := range []string{"paper", "panel"} {
			for _, fore := range []string{"ink", "soft", "muted", "accent"} {
				holds(4.5, fore, back)
			}
		}
		holds(4.5, "on-fill", "accent")
		holds(4.5, "ink", "mark")
		holds(3, "strong", "paper")
	}
}

var hexColours = regexp.MustCompile(`#[0-9a-f]{6}\b`)

// TestMailInColours: every colour of an issue, also within texts and headings, is from its newsletter. Emails in other
// colours and texts about colours do not change.
func TestMailInColours(t *testing.T) {
	r := New(testProxy)
	c := digest.Colours{Paper: "#fff1e5", Ink: "#10243c", Accent: "#990f3d"}
	letter := func(r *Renderer, c digest.Colours) Message {
		post := written("https://a.example/1", "About #8f2d1f and var(--ink)", "en",
			`<p>x <a href="https://a.example/">link</a> <mark>m</mark></p><blockquote>q</blockquote><pre>c</pre>`+
				`<p>#8f2d1f</p><img src="https://a.example/i.png" alt="i">`)
		s := r.Section("Anna", "https://a.example/", "en")
		s.Posts = []*Post{r.Post(post),
			r.Post(digest.Post{ID: 2, Title: "Two", URL: "https://a.example/2", Summary: "A sentence."})}
		s.Late = 1
		e := Edition{Date: digest.Date{Year: 2026, Month: 11, Day: 20}, Name: "Anna writes", Newsletter: true,
			Sections: []Section{s}, Header: "See https://a.example/h.", Footer: "See https://a.example/f.",
			UnsubscribeURL: "https://d.example/u", HomeURL: "https://d.example/n/anna", WebURL: "https://d.example/e/1",
			Look: digest.Look{Layout: digest.FullText, Images: digest.LinkedImages}, Colours: c}
		m, err := r.Mail(e)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := letter(r, digest.Colours{})
	for name, of := range map[string]digest.Colours{"own": c, "none": {}} {
		m, allowed := letter(r.In(of), of), map[string]bool{}
		for _, v := range VariablesIn(of) {
			allowed[v] = true
		}
		for _, seen := range hexColours.FindAllString(m.HTML, -1) {
			if !allowed[seen] && seen != "#8f2d1f" {
				t.Errorf("%s: a stray %s in the letter", name, seen)
			}
		}
		if name == "own" && strings.Contains(m.HTML, "color:#8f2d1f") {
			t.Error("the program's own accent is in the letter")
		}
		if !strings.Contains(m.HTML, "About #8f2d1f and var(--ink)") || !strings.Contains(m.HTML, "#8f2d1f</p>") ||
			strings.Count(m.HTML, "var(") != strings.Count(before.HTML, "var(") {
			t.Errorf("%s: what a post says of colours was changed", name)
		}
		if name == "none" && m != before {
			t.Error("another newsletter's colours change a letter without any")
		}
		for _, v := range []string{"paper", "accent", "muted", "soft", "panel", "mark", "dark-accent", "dark-paper",
			"dark-mark"} {
			if !strings.Contains(m.HTML, VariablesIn(of)[v]) {
				t.Errorf("%s: the %s is nowhere", name, v)
			}
		}
		if m.Text != before.Text {
			t.Errorf("%s: the text is another one", name)
		}
	}
}

// TestThemeIn: a style sheet contains every colour of both schemes, and no font. It does not change printed text.
func TestThemeIn(t *testing.T) {
	c := digest.Colours{Paper: "#101820", Ink: "#f2f2f2", Accent: "#f2aa4c"}
	light, dark, _ := strings.Cut(ThemeIn(c), "@media screen and (prefers-color-scheme:dark)")
	if printed, _, _ := strings.Cut(light, "@media screen"); strings.Contains(printed, "--ink:") ||
		!strings.Contains(printed, "--plate:#101820;") {
		t.Errorf("printed pages have %s", printed)
	}
	for name, value := range VariablesIn(c) {
		sheet, bare := light, name
		if dark := strings.TrimPrefix(name, "dark-"); dark != name {
			bare = dark
		}
		if bare != name {
			sheet = dark
		}
		if has := strings.Contains(sheet, "--"+bare+":"+value+";"); has != strings.HasPrefix(value, "#") {
			t.Errorf("%s: %s is there: %v", name, value, has)
		}
	}
}

// TestManyColours: the number of cached renderers is limited.
func TestManyColours(t *testing.T) {
	r := New(nil)
	for i := range 3 * mostRenderers {
		c := digest.Colours{Accent: digest.Colour{R: uint8(i % 100), B: uint8(i / 100)}.String()}
		if one := r.In(c); one != r.In(c) {
			t.Fatal("the same colours have two renderers")
		}
	}
	if n := len(r.all.known); n > mostRenderers {
		t.Errorf("%d are kept", n)
	}
}
