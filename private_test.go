package digest_test

import (
	"net/url"
	"strings"
	"testing"

	"digest"
)

func TestPrivateAddress(t *testing.T) {
	open := digest.Credential{Address: "https://a.example:8443/feed?x=1", User: "ann"}
	hidden := digest.Credential{Address: "https://a.example/token/feed?x=1", Hidden: true}
	for _, test := range []struct {
		c              digest.Credential
		address, shown string
		hidden         bool
	}{
		{open, "https://a.example:8443/feed?x=1#private-n", "https://a.example:8443/feed?x=1", false},
		{hidden, "https://a.example/…#private-n", "https://a.example/…", true},
	} {
		address := test.c.PrivateAddress("n")
		if address != test.address || digest.PublicAddress(address) != test.shown || !digest.IsPrivate(address) ||
			digest.IsHidden(address) != test.hidden ||
			digest.AddressWithoutCredentials(address) != test.shown {
			t.Error(address)
		}
		if digest.HostShown(address) != digest.HostShown(test.shown) ||
			strings.Contains(digest.AddressShown(address), "private") {
			t.Error(digest.HostShown(address), digest.AddressShown(address))
		}
	}
	if digest.IsPrivate(open.Address) || digest.IsHidden("https://a.example/…") ||
		digest.PublicAddress("https://ann:secret@a.example/") != "https://a.example/" {
		t.Error("of a public feed")
	}
}

func TestSplitCredential(t *testing.T) {
	for address, want := range map[string][3]string{
		"https://a.example/@ann":            {"https://a.example/@ann", "", ""},
		"https://ann:secret@a.example/feed": {"https://a.example/feed", "ann", "secret"},
		"http://ann@a.example:81/?a@b":      {"http://a.example:81/?a@b", "ann", ""},
		"https://a%40b:p%2F%3A@[::1]:8/":    {"https://[::1]:8/", "a@b", "p/:"},
		"https://:t@a.example/":             {"https://a.example/", "", "t"},
		"https://ann:secret@a.example/100%": {"https://a.example/100%", "ann", "secret"},
	} {
		bare, c := digest.SplitCredential(address)
		if bare != want[0] || c.User != want[1] || c.Password != want[2] {
			t.Errorf("%s: %s, %q %q", address, bare, c.User, c.Password)
		}
		c.Address = bare
		if again, d := digest.SplitCredential(c.WithUser()); again != bare || d.User != c.User ||
			d.Password != c.Password {
			t.Errorf("%s becomes %s", address, c.WithUser())
		}
	}
}

func FuzzSplitCredential(f *testing.F) {
	f.Add("https://ann:secret@a.example/feed?x@y#z")
	f.Fuzz(func(t *testing.T, address string) {
		bare, c := digest.SplitCredential(address)
		if !strings.HasPrefix(address, "https://") {
			return
		}
		if u, err := url.Parse(bare); err == nil && u.User != nil || bare != address && c.IsEmpty() &&
			!strings.Contains(address, "@") {
			t.Errorf("%q: %q", address, bare)
		}
	})
}
