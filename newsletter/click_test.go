package newsletter_test

import (
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/newsletter"
)

// TestClick checks that a counted link has its original target, and that no part of it can be changed.
func TestClick(t *testing.T) {
	s := digest.NewSigner([]byte("a secret of these tests only"))
	made := newsletter.Click{Newsletter: 3, Post: 41, URL: "https://anna.example/boats?a=1&b=ü#top"}
	u, err := url.Parse(made.Path(s))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimPrefix(u.Path, newsletter.ClickPath), "/")
	if got, ok := newsletter.ReadClick(s, parts[0], parts[1],
		u.Query().Get("to")); !ok || got != made || len(parts) != 2 {
		t.Errorf("%s is read as %+v, %t", u, got, ok)
	}
	script := newsletter.Click{Newsletter: 3, Post: 41, URL: "javascript:alert(1)"}
	scripted, err := url.Parse(script.Path(s))
	if err != nil {
		t.Fatal(err)
	}
	for why, c := range map[string][3]string{
		"another target":      {parts[0], parts[1], "https://evil.example/"},
		"another post":        {"3.42", parts[1], made.URL},
		"another newsletter":  {"4.41", parts[1], made.URL},
		"a name written else": {"+3.041", parts[1], made.URL},
		"no token":            {parts[0], "", made.URL},
		"another purpose":     {parts[0], s.SignText(digest.ForImage, "3.41 "+made.URL), made.URL},
		"no web address":      {parts[0], strings.Split(scripted.Path, "/")[3], script.URL},
		"nothing":             {"", "", ""},
	} {
		if got, ok := newsletter.ReadClick(s, c[0], c[1], c[2]); ok {
			t.Errorf("%s: %+v", why, got)
		}
	}
}
