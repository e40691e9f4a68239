package digest_test

import (
	"testing"
	"time"

	"digest"
)

func TestRates(t *testing.T) {
	for text, want := range map[string]digest.Rate{
		"0":     {},
		"100/m": {Messages: 100, Per: time.Minute},
		"1/s":   {Messages: 1, Per: time.Second},
		"500/h": {Messages: 500, Per: time.Hour},
		"9/d":   {Messages: 9, Per: 24 * time.Hour},
	} {
		got, err := digest.ParseRate(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseRate(%q) = %v (%q), %v; want %v", text, got, got, err, want)
		}
	}
	for _, text := range []string{"", "100", "0/m", "-1/m", "x/m", "5/w", "5/", "/m", "99999999999/m", "1.5/m"} {
		if got, err := digest.ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
}

func TestTags(t *testing.T) {
	for _, plain := range []string{"bounces@example.org", "b+x@example.org"} {
		tagged := digest.Tagged(plain, "tok")
		if got, tag := digest.CutTag(tagged); got != plain || tag != "tok" {
			t.Errorf("CutTag(%q) = %q, %q", tagged, got, tag)
		}
	}
	for _, none := range []string{"bounces@example.org", "nothing", "", "a@b+c"} {
		if got, tag := digest.CutTag(none); got != none || tag != "" {
			t.Errorf("CutTag(%q) = %q, %q", none, got, tag)
		}
	}
}

func TestWeekdaysAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"daily": "daily", "weekdays": "weekdays", "mon,tue,wed,thu,fri": "weekdays", "Sunday": "sun", "thu, mon": "mon,thu",
		"sun,mon,tue,wed,thu,fri,sat": "daily", "saturday,sat": "sat", "sun,sat": "sat,sun",
	} {
		got, err := digest.ParseWeekdays(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseWeekdays(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "mo", "monday tuesday", "mon,", "8"} {
		if got, err := digest.ParseWeekdays(text); err == nil {
			t.Errorf("ParseWeekdays(%q) = %v, want an error", text, got)
		}
	}
}

func TestTextTokens(t *testing.T) {
	s := digest.NewSigner([]byte("0123456789abcdef"))
	token := s.SignText(digest.ForImage, "https://example.org/a.png")
	for text, want := range map[string]bool{"https://example.org/a.png": true, "https://example.org/b.png": false, "": false} {
		if s.VerifyText(digest.ForImage, text, token) != want {
			t.Errorf("the token of a.png for %q: want %v", text, want)
		}
	}
	if s.VerifyText(digest.ForEdition, "https://example.org/a.png", token) {
		t.Error("a token is good for another purpose")
	}
}

func TestLaneIsPaused(t *testing.T) {
	said := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	l := digest.Lane{Until: said.Add(time.Hour), ChangedAt: said}
	for after, want := range map[time.Duration]bool{
		0: true, time.Hour - 1: true, time.Hour: false, -5 * time.Minute: true, -5*time.Minute - 1: false, -24 * time.Hour: false,
	} {
		if got := l.IsPaused(said.Add(after)); got != want {
			t.Errorf("%v after it was said: %v", after, got)
		}
	}
	if l = (digest.Lane{}); l.IsPaused(said) {
		t.Error("a lane that is well is paused")
	}
}
