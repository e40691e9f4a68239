package digest_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"digest"
)

// TestHostShown checks that names are shown in their own letters only if readers cannot confuse them with others.
func TestHostShown(t *testing.T) {
	for _, c := range []struct{ address, want string }{
		{"https://old.example/feed.xml?key=1", "old.example"},
		{"https://ann:secret@old.example/feed", "old.example"},
		{"https://Old.Example:443/", "old.example"},
		{"http://old.example:80/", "old.example"},
		{"http://old.example:8080/", "old.example:8080"},
		{"http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"},
		{"https://192.0.2.1/feed", "192.0.2.1"},
		{"https://_under.example/feed", "_under.example"},

		{"https://xn--bcher-kva.example/", "bücher.example"},
		{"https://bücher.example/", "bücher.example"},
		{"https://xn--r8jz45g.xn--zckzah/", "例え.テスト"},
		{"https://xn--r8jz45g.jp/", "例え.jp"},
		{"https://xn--9n2bp8q.xn--9t4b11yi5a/", "실례.테스트"},
		{"https://xn--e1afmkfd.xn--e1aybc/", "пример.тест"},
		{"https://www.xn--e1afmkfd.xn--p1ai:8443/", "www.пример.рф:8443"},
		{"https://xn--hxajbheg2az3al.xn--jxalpdlp/", "παράδειγμα.δοκιμή"},

		{"https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"},     // "apple" in Cyrillic
		{"https://xn--e1afmkfd.example/", "xn--e1afmkfd.example"}, // a Cyrillic name beneath a Latin one
		{"https://xn--pple-43d.com/", "xn--pple-43d.com"},         // one Cyrillic letter among Latin ones
		{"https://xn--paypa-mza.com/", "xn--paypa-mza.com"},       // a Latin letter that looks like another
		{"https://xn--hxajbheg2az3al.com/", "xn--hxajbheg2az3al.com"},
		{"https://xn--5dbqzzl.example/", "xn--5dbqzzl.example"}, // from right to left
		{"https://xn--kgbechtv.xn--mgbh0fb/", "xn--kgbechtv.xn--mgbh0fb"},
		{"https://xn--a-ecp.example/", "xn--a-ecp.example"},
		{"https://xn--zzzzzzzz/", "xn--zzzzzzzz"}, // not a valid name

		{"https://paypal.com." + strings.Repeat("a", 63) + ".evil.example/", "…" + strings.Repeat("a", 43) +
			".evil.example"},
		{"not an address", "not%20an%20address"},
		{"", ""},
	} {
		if got := digest.HostShown(c.address); got != c.want {
			t.Errorf("%s is shown as %q, want %q", c.address, got, c.want)
		}
	}
}

// TestAddressShown checks that addresses are shown in ASCII, with the whole host and without a password.
func TestHostOf(t *testing.T) {
	for in, want := range map[string]string{
		"https://User:p@A.example:8080/b?c": "a.example", "https://[::1]:8080/": "::1",
		"a.example": "", "": "", ":": "",
	} {
		if got := digest.HostOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAddressShown(t *testing.T) {
	host := strings.Repeat(strings.Repeat("a", 48)+".", 5) + "example"
	path := "/" + strings.Repeat("p", 300)
	for _, c := range []struct{ address, want string }{
		{"https://old.example/feed.xml?key=1", "https://old.example/feed.xml?key=1"},
		{"https://ann:secret@old.example/feed", "https://old.example/feed"},
		{"https://ann@old.example/feed", "https://old.example/feed"},
		{"http://old.example:8080/@ann", "http://old.example:8080/@ann"},
		{"https://bücher.example/שלום?q=é", "https://xn--bcher-kva.example/%D7%A9%D7%9C%D7%95%D7%9D?q=%C3%A9"},
		{"https://old.example/\u202egnp.exe", "https://old.example/%E2%80%AEgnp.exe"},
		{"https://" + host + path, "https://" + host + path[:100] + "…"},
		{"https://[2001:db8::1]/", "https://[2001:db8::1]/"},
		{"nothing", "nothing"},
	} {
		if got := digest.AddressShown(c.address); got != c.want {
			t.Errorf("%s is shown as %q, want %q", c.address, got, c.want)
		}
	}
}

// FuzzHostShown checks that any address is shown in a limited number of visible characters, without bidirectional
// controls.
func FuzzHostShown(f *testing.F) {
	f.Add("https://ann:pa/ss@xn--bcher-kva.example/\u202e")
	f.Add("https://\u05d0.\u05d1.example:99999/")
	f.Add("https://xn--a.xn--/?#")
	f.Add("\xff://\xff")
	f.Fuzz(func(t *testing.T, address string) {
		host, full := digest.HostShown(address), digest.AddressShown(address)
		if n := utf8.RuneCountInString(host); n > 57+6 {
			t.Errorf("%q is shown in %d characters", address, n)
		}
		if n := utf8.RuneCountInString(full); n > 400 && len(address) < 400 {
			t.Errorf("%q is shown in %d characters", address, n)
		}
		if strings.ContainsFunc(host+full, func(r rune) bool {
			return r <= ' ' || r == utf8.RuneError || r >= 0x590 && r <= 0x8ff || r >= 0x200b && r <= 0x200f ||
				r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		}) {
			t.Errorf("%q is shown as %q, and %q", address, host, full)
		}
		if strings.ContainsFunc(full, func(r rune) bool { return r >= 0x80 && r != '…' }) {
			t.Errorf("%q is shown as %q", address, full)
		}
	})
}
