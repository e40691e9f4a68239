package page

import "testing"

// FuzzLook checks that every cookie parses to a valid look, and that String and parseLook are
// inverses.
func FuzzLook(f *testing.F) {
	f.Add("dark.larger.de")
	f.Add("device.browser.")
	f.Add("dark.huge.de")
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := parseLook(text)
		if again, _ := parseLook(l.String()); again != l || ok && l.String() != text {
			t.Errorf("%q becomes %q, and that %q", text, l, again)
		}
	})
}
