package digest_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/test/tier"
)

func TestNormalEmail(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{" Ann@Example.ORG ", "Ann@example.org", "only the domain is case-insensitive"},
		{`"a@b"@Example.org`, `"a@b"@example.org`, "the last @ counts"},
		{"nobody", "nobody", "no domain: nothing to change"},
	}
	for _, tt := range tests {
		if got := digest.NormalEmail(tt.in); got != tt.want {
			t.Errorf("NormalEmail(%q) = %q, want %q (%s)", tt.in, got, tt.want, tt.why)
		}
	}
}

func TestWithoutCredentials(t *testing.T) {
	tests := []struct{ in, want string }{
		{"https://ann:secret@example.org/feed?key=1", "https://example.org/feed?key=1"},
		{"http://secret@example.org", "http://example.org"},
		{"https://ann:s@cret@example.org:8443/", "https://example.org:8443/"},
		{"https://ann:pa/secret@example.org/feed", "https://example.org/feed"},
		{"https://ann:pa#secret?@example.org/feed", "https://example.org/feed"},
		{"could not read https://ann:secret@example.org/feed: it moved to \"http://ben:secret@b.example/\"",
			"could not read https://example.org/feed: it moved to \"http://b.example/\""},
		{"https://medium.example/@ann/feed", "https://medium.example/@ann/feed"},
		{"https://example.org:8080/@ann", "https://example.org:8080/@ann"},
		{"http://[2001:db8::1]/@ann", "http://[2001:db8::1]/@ann"},
		{"http://[2001:db8::1]:80/?to=ann@example.org", "http://[2001:db8::1]:80/?to=ann@example.org"},
		{"mail ann@example.org, see https://example.org", "mail ann@example.org, see https://example.org"},
		{"", ""},
		{"://@", "://"},
		{"http://ann:sec ret@127.0.0.1/x", "http://127.0.0.1/x"},
		{`parse "http://ann:sec ret@127.0.0.1/x": net/url: invalid userinfo`,
			`parse "http://127.0.0.1/x": net/url: invalid userinfo`},
		{`http://ann:sec"ret@127.0.0.1/x`, "http://127.0.0.1/x"},
		{`http://ann:"secret"@127.0.0.1/x`, "http://127.0.0.1/x"},
		{"http://ann:sec<ret@127.0.0.1/x and http://b.example/", "http://127.0.0.1/x and http://b.example/"},
		{"http://ann:#secret@h/x", "http://h/x"},
		{"http://ann:?secret@h/x", "http://h/x"},
		{"http:////ann:secret@127.0.0.1:9955/nope", "http://127.0.0.1:9955/nope"},
		{"at http://example.org: ann@example.org", "at http://example.org: ann@example.org"},
		{"at http://example.org:80, or ann@example.org", "at http://example.org:80, or ann@example.org"},
		{`<a href="http://example.org:80">ann@example.org</a>`, `<a href="http://example.org:80">ann@example.org</a>`},
		{`<a href="http://example.org">ann@example.org</a>`, `<a href="http://example.org">ann@example.org</a>`},
		{"file:///home/ann@work", "file:///home/ann@work"},
	}
	for _, tt := range tests {
		if got := digest.WithoutCredentials(tt.in); got != tt.want {
			t.Errorf("WithoutCredentials(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestAddressWithoutCredentials checks that no possible password remains in a single address.
func TestAddressWithoutCredentials(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"//ann:secret@127.0.0.1:9955/nope", "127.0.0.1:9955/nope"},
		{"@ann:secret@127.0.0.1", "127.0.0.1"},
		{"ann:secret@127.0.0.1:9911/a.xml", "127.0.0.1:9911/a.xml"},
		{"http://ann:12 3\"@<4@127.0.0.1/x", "http://127.0.0.1/x"},
		{"http://ann:/secret@127.0.0.1/x", "http://127.0.0.1/x"},
		{"ann:secret://x@127.0.0.1", "127.0.0.1"},
		{"http://secret@example.org", "http://example.org"},
		{"https://medium.example/@ann/feed", "https://medium.example/@ann/feed"},
		{"https://example.org:8080/@ann", "https://example.org:8080/@ann"},
		{"ann@example.org", "ann@example.org"},
		{"mailto:ann@example.org", "mailto:ann@example.org"},
		{"example.org", "example.org"},
	} {
		if got := digest.AddressWithoutCredentials(tt.in); got != tt.want {
			t.Errorf("AddressWithoutCredentials(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestDate(t *testing.T) {
	d, err := digest.ParseDate("2026-11-20")
	if err != nil {
		t.Fatal(err)
	}
	if d.String() != "2026-11-20" || d.Weekday() != time.Friday ||
		d.Format("Monday 2 January") != "Friday 20 November" {
		t.Errorf("got %v, %v, %q", d, d.Weekday(), d.Format("Monday 2 January"))
	}
	tokyo := time.FixedZone("", 9*60*60)
	if got := digest.DateOf(time.Date(2026, 11, 19, 20, 0, 0, 0, time.UTC).In(tokyo)); got != d {
		t.Errorf("DateOf = %v, want the local date %v", got, d)
	}
	for _, bad := range []string{"", "2026-11-31", "20 November", "2026-11-20T00:00:00Z"} {
		if got, err := digest.ParseDate(bad); err == nil {
			t.Errorf("ParseDate(%q) = %v, want an error", bad, got)
		}
	}
}

func TestDateIsOver(t *testing.T) {
	d := digest.Date{Year: 2026, Month: time.November, Day: 20}
	for now, want := range map[string]bool{
		"2026-11-20T00:00:00Z": false, "2026-11-21T11:59:59Z": false, "2026-11-21T12:00:00Z": true,
		"2026-11-21T13:59:00+02:00": false, "2026-11-21T14:00:00+02:00": true, "2027-01-01T00:00:00Z": true,
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.IsOver(at); got != want {
			t.Errorf("at %s the day is over: %t", now, got)
		}
	}
}

func TestWeekdays(t *testing.T) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if !digest.EveryDay.Has(day) {
			t.Errorf("EveryDay lacks %v", day)
		}
		if one := digest.Weekdays(1 << day); !one.Has(day) || one.Has((day+1)%7) {
			t.Errorf("the set of %v alone is wrong", day)
		}
	}
}

func TestSigner(t *testing.T) {
	s := digest.NewSigner([]byte("0123456789abcdef"))
	token := s.Sign(digest.ForUnsubscribe, 42)
	if id, ok := s.Verify(digest.ForUnsubscribe, token); !ok || id != 42 {
		t.Errorf("Verify = %d, %v", id, ok)
	}
	if len(token) > 40 {
		t.Errorf("the token has %d characters; a List-Unsubscribe line cannot be folded", len(token))
	}
	if _, ok := s.Verify(digest.ForEdition, token); ok {
		t.Error("a token made for one purpose serves another")
	}
	if _, ok := digest.NewSigner([]byte("another secret..")).Verify(digest.ForUnsubscribe, token); ok {
		t.Error("a token of one instance serves another")
	}
	for i := range token { // change any one character
		other := byte('a')
		if token[i] == other {
			other = 'b'
		}
		if _, ok := s.Verify(digest.ForUnsubscribe, token[:i]+string(other)+token[i+1:]); ok {
			t.Errorf("a token changed at %d is taken", i)
		}
	}
	for _, bad := range []string{"", token[:31], token + "a", "\x00", token + "===="} {
		if _, ok := s.Verify(digest.ForUnsubscribe, bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestSignPair checks that a token is valid only for its two rows in their order.
func TestSignPair(t *testing.T) {
	s := digest.NewSigner([]byte("0123456789abcdef"))
	token := s.SignPair(digest.ForGoingBack, 42, 7)
	if a, b, ok := s.VerifyPair(digest.ForGoingBack, token); !ok || a != 42 || b != 7 {
		t.Errorf("VerifyPair = %d, %d, %v", a, b, ok)
	}
	if len(token) > 45 || lower(token) != token {
		t.Errorf("the token is %q", token)
	}
	bad := []string{"", token[1:], token + "a", token + "==", "\x00", s.SignPair(digest.ForUnsubscribe, 42, 7),
		s.Sign(digest.ForGoingBack, 42),
		digest.NewSigner([]byte("another secret..")).SignPair(digest.ForGoingBack, 42, 7)}
	for i := range token {
		for _, other := range "abq47" {
			if changed := token[:i] + string(other) + token[i+1:]; changed != token {
				bad = append(bad, changed)
			}
		}
	}
	for _, other := range bad {
		if a, b, ok := s.VerifyPair(digest.ForGoingBack, other); ok {
			t.Errorf("%q is taken for %d and %d", other, a, b)
		}
	}
	if _, ok := s.Verify(digest.ForGoingBack, token); ok {
		t.Error("a token of two rows is taken for one of a row")
	}
}

func FuzzVerify(f *testing.F) {
	s := digest.NewSigner([]byte("0123456789abcdef"))
	f.Add(s.Sign(digest.ForEdition, -1))
	f.Fuzz(func(t *testing.T, token string) {
		if id, ok := s.Verify(digest.ForEdition, token); ok && s.Sign(digest.ForEdition, id) != lower(token) {
			t.Errorf("%q is taken for %d, whose token it is not", token, id)
		}
	})
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// FuzzWithoutCredentials checks that a second call changes nothing.
func FuzzWithoutCredentials(f *testing.F) {
	for _, s := range []string{"https://ann:secret@example.org/feed", "a://b:c/@d://e@f", "://", "http://[::1]:x/@",
		"x://y@\"z://@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := digest.WithoutCredentials(text)
		if again := digest.WithoutCredentials(once); again != once {
			t.Errorf("%q is shown as %q, and that as %q", text, once, again)
		}
	})
}

// TestWithoutCredentialsOfLongText checks that the cost of a single word of half a megabyte, as in a hostile feed, is
// not quadratic. Otherwise the test would not end.
func TestWithoutCredentialsOfLongText(t *testing.T) {
	tier.Alone(t)
	for _, part := range []string{"://a", "://a:", "://a:b@", "://@", ":////"} {
		text := strings.Repeat(part, 1<<19/len(part))
		if got := digest.WithoutCredentials(text); len(got) > len(text) || strings.Contains(got, "b@") {
			t.Errorf("%q, many times: %d bytes of %d, or with a password", part, len(got), len(text))
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\r\n\tb\u2028c ":      "a b c",
		"bell\a, escape\x1b[31m": "bell , escape [31m",
		"not UTF-8: \xff\x85":    "not UTF-8: \uFFFD",
		"":                       "",
	} {
		if got := digest.OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestASCIIHost(t *testing.T) {
	for in, want := range map[string]string{
		"Mail.Example.ORG": "mail.example.org",
		"Bücher.example":   "xn--bcher-kva.example",
		"_under.example":   "_under.example", // idna rejects it
		"b\u00a0c.example": "",               // not a valid name

		strings.Repeat("ü", digest.MostHost+1): "", // its conversion takes quadratic time
	} {
		if got, err := digest.ASCIIHost(in); got != want && (want != "" || err == nil) {
			t.Errorf("ASCIIHost(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

// TestRounds checks that a number contains its row and round. In the first round it is the row's key, as in emails of
// earlier versions.
func TestRounds(t *testing.T) {
	for _, id := range []int64{1, 42, 1<<48 - 1} {
		for _, round := range []int{0, 1, 2, digest.LastLinkRound} {
			number := digest.InRound(id, round)
			if gotID, gotRound := digest.OfRound(number); gotID != id || gotRound != round || round == 0 &&
				number != id {
				t.Errorf("row %d, round %d: %d is row %d, round %d", id, round, number, gotID, gotRound)
			}
		}
	}
}

// TestDaysOfEditions: an edition collects the days since the midnight before, also after a change of the time zone.
func TestDaysOfEditions(t *testing.T) {
	date := digest.Date{Year: 2026, Month: time.December, Day: 7}
	due := time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC)
	for prev, want := range map[time.Time]string{
		{}:                                     "2026-12-06 2026-12-06",
		due.AddDate(0, 0, -1):                  "2026-12-06 2026-12-06",
		due.Add(-25 * time.Hour):               "2026-12-06 2026-12-06",
		due.Add(-15 * time.Hour):               "2026-12-06 2026-12-06",
		due.Add(-5 * time.Hour):                "2026-12-06 2026-12-06",
		due.AddDate(0, 0, -7):                  "2026-11-30 2026-12-06",
		due.Add(-7*24*time.Hour + 9*time.Hour): "2026-11-30 2026-12-06",
	} {
		first, last := digest.Edition{LocalDate: date, DueAt: due, PrevDueAt: prev}.Days()
		if got := first.String() + " " + last.String(); got != want {
			t.Errorf("after %v: %s, want %s", prev, got, want)
		}
	}
}
