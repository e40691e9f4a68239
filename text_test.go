package digest_test

import (
	"testing"

	"digest"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 new posts", 1: "1 new post", 2: "2 new posts", -1: "-1 new posts"} {
		if got := digest.Counted(n, "new post"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

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
