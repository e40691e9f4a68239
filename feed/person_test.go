package feed

import "testing"

// TestPersonName checks that an email address with a name becomes the name, and that empty brackets disappear.
func TestPersonName(t *testing.T) {
	for s, want := range map[string]string{
		"a@b.c (Ann)": "Ann", "Ann <a@b.c>": "Ann", "a@b.c": "a@b.c", "Ann": "Ann",
		"Ann (of the boats)": "Ann (of the boats)",
		"a@b.c ( )":          "a@b.c", "a@b.c ()": "a@b.c", `a@b.c (<img src="https://x.example/t.gif">)`: "a@b.c",
		"a@b.c ( ": "a@b.c",
		"Ann ( )":  "Ann", "( )": "", "()": "", "<>": "", "Ann [ ]": "Ann",
	} {
		if got := personName(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestNamePart(t *testing.T) {
	for author, want := range map[string]string{
		"<name>Anna Bee</name><title>Editor</title><company></company>": "Anna Bee",
		"<email>a@b.c</email><name>Ann":                                 "Ann", "Ann": "Ann", "": "",
		"<name></name>": "",
	} {
		if got := namePart(author); got != want {
			t.Errorf("%q: %q, want %q", author, got, want)
		}
	}
}
