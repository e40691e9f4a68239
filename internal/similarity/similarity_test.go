package similarity_test

import (
	"testing"

	"digest/internal/similarity"
)

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"paris", "paris", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"pairs", "paris", 2}, {"kitten", "sitting", 3}, {"DIGEST_BASEURL", "DIGEST_BASE_URL", 1},
	} {
		if got := similarity.Edits(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
