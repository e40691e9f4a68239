package digest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"digest/test/tier"
)

// TestContrast checks the examples in the explanations of WCAG, and the ends of the scale.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#777777", "#ffffff", 4.48},
		{"#767676", "#ffffff", 4.54},
		{"#ff0000", "#ffffff", 4.00}, {"#0000ff", "#ffffff", 8.59}, {"#00ff00", "#ffffff", 1.37},
		{"#949494", "#ffffff", 3.03},
	} {
		a, b := colour(t, c.a), colour(t, c.b)
		if got := a.Contrast(b); math.Abs(got-c.want) > 0.01 || got != b.Contrast(a) {
			t.Errorf("%s on %s has %.3f, want %.2f", a, b, got, c.want)
		}
	}
}

func colour(t *testing.T, s string) Colour {
	t.Helper()
	c, err := ParseColour(s)
	if err != nil || c.String() != strings.ToLower(s) {
		t.Fatalf("colour %q: %v, %v", s, c, err)
	}
	return c
}

func TestParseColour(t *testing.T) {
	for _, s := range []string{"", "#", "red", "#fff", "8f2d1f", "#8f2d1", "#8f2d1f0", "#8f2d1g", "#+f2d1f", "#8f 2d1",
		"#-00001", "url(x)", "#0x1234", "#1_2_34", "#é2d1f"} {
		if c, err := ParseColour(s); KindOf(err) != Invalid {
			t.Errorf("%q is read as %v, %v", s, c, err)
		}
	}
}

func TestColoursCheck(t *testing.T) {
	for name, c := range map[string]struct {
		colours Colours
		want    string // in the error; "" none
	}{
		"none":              {Colours{}, ""},
		"the program's own": {OwnColours(), ""},
		"an accent":         {Colours{Accent: "#0b5d4a"}, ""},
		"capitals":          {Colours{Accent: "#0B5D4A"}, ""},
		"a dark paper":      {Colours{Paper: "#101820", Ink: "#f2f2f2", Accent: "#f2aa4c"}, ""},
		"a yellow accent": {Colours{Accent: "#ffcc00"},
			"the accent colour #ffcc00 on the background #fbf9f4 has a contrast of 1.4 to 1, but text needs 4.5 " +
				"to 1; use #"},
		"a grey that is close": {Colours{Paper: "#ffffff", Ink: "#777777"},
			"the text colour #777777 on the background #ffffff has a contrast of 4.4 to 1"},
		"the same twice": {Colours{Paper: "#ffffff", Ink: "#ffffff"},
			"contrast of 1.0 to 1, but text needs 4.5 to 1; use #"},
		"a dark paper alone": {Colours{Paper: "#101820"}, "the text colour #1f1d1a on the background #101820"},
		"a word":             {Colours{Paper: "white"}, `the background "white" is not a colour`},
		"an address": {Colours{Accent: "url(https://x.example/)"},
			"the accent colour \"url(https://x.exampl"},
	} {
		err := c.colours.Check()
		if c.want == "" && err != nil || c.want != "" &&
			(KindOf(err) != Invalid || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestColoursNear checks that the suggestions of the errors lead from any colours to accepted ones in at most two
// steps, and keep the hue.
func TestColoursNear(t *testing.T) {
	tier.Alone(t)
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 20_000 {
		c := Colours{randomColour(r).String(), randomColour(r).String(), randomColour(r).String()}
		for range 2 {
			err := c.Check()
			if err == nil {
				break
			}
			refused++
			before, after, _ := strings.Cut(err.Error(), "; ")
			named, _, _ := strings.Cut(strings.TrimPrefix(after, "use "), " ")
			if strings.Contains(before, "the text colour") {
				c.Ink = named
			} else {
				c.Accent = named
			}
		}
		if err := c.Check(); err != nil {
			t.Fatalf("%v is still refused: %v", c, err)
		}
	}
	if refused < 10_000 {
		t.Errorf("%d refused: the test tries little", refused)
	}
	near, _ := Colour{255, 204, 0}.Near(TextContrast, Colour{255, 255, 255})
	if near.B != 0 || near.R <= near.G {
		t.Errorf("near yellow is %s", near)
	}
}

func randomColour(r *rand.Rand) Colour {
	n := r.Uint32()
	return Colour{uint8(n), uint8(n >> 8), uint8(n >> 16)}
}

func TestTidyColours(t *testing.T) {
	own := OwnColours()
	if got := (Colours{" " + strings.ToUpper(own.Paper), own.Ink, own.Accent}).Tidy(); got != (Colours{}) {
		t.Errorf("the program's own are %v", got)
	}
	if got := (Colours{Accent: " #0B5D4A "}).Tidy(); got != (Colours{Accent: "#0b5d4a"}) {
		t.Errorf("got %v", got)
	}
	if got := (Colours{Accent: "#0b5d4a"}).Full(); got != (Colours{own.Paper, own.Ink, "#0b5d4a"}) {
		t.Errorf("got %v", got)
	}
}

func FuzzParseColour(f *testing.F) {
	f.Add("#8f2d1f")
	f.Add("#FFF")
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := ParseColour(s); err == nil && c.String() != strings.ToLower(s) {
			t.Errorf("%q is %s", s, c)
		}
	})
}
