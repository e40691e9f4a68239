package digest_test

import (
	"testing"

	"digest"
)

func TestShortened(t *testing.T) {
	for in, want := range map[string]string{"": "", "été": "été", "étés": "été…", "ét\xffs": "ét\xff…"} {
		if got := digest.Shortened(in, 3); got != want {
			t.Errorf("Shortened(%q, 3) = %q, want %q", in, got, want)
		}
	}
}

func TestWithoutTurns(t *testing.T) {
	if got := digest.WithoutTurns("a\u202eb\u2066c\u200fd\u200d"); got != "abc\u200fd\u200d" {
		t.Errorf("%q", got)
	}
}
