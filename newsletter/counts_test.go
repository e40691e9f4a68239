package newsletter

import (
	"strings"
	"testing"
)

func TestHoldReason(t *testing.T) {
	for _, c := range []struct {
		sent, bounced, complained int64
		why                       string
	}{
		{0, 0, 0, ""}, {1000, 0, 0, ""},
		{1000, 0, 3, ""}, {1000, 0, 4, "marked as spam"}, {999, 0, 3, "marked as spam"}, // 0.3 % is allowed
		{10, 0, 1, ""}, {1, 0, 1, ""}, {10, 0, 2, "marked as spam"}, // one person is tolerated
		{100, 5, 0, ""}, {100, 6, 0, "bounced"}, {99, 5, 0, "bounced"}, // 5 % is allowed
		{20, 4, 0, ""}, {20, 5, 0, "bounced"},
		{100, 50, 50, "marked as spam"},
		{0, 0, 2, "marked as spam"}, {0, 5, 0, "bounced"}, // sent before the count began
		{1 << 40, 1 << 39, 0, "bounced"},
	} {
		got := LetterCounts{c.sent, c.bounced, c.complained}.HoldReason()
		if c.why == "" && got != "" || !strings.Contains(got, c.why) || strings.Contains(got, "\n") {
			t.Errorf("%+v: %q, want %q", c, got, c.why)
		}
	}
}
