package catalogue

import (
	"testing"

	"digest"
	"digest/newsletter"
)

// TestHoldReasons checks that all stored reasons for holding a newsletter are translated, and that an operator's own
// text stays unchanged.
func TestHoldReasons(t *testing.T) {
	german := Of("de")
	for stored, want := range map[string]string{
		newsletter.LetterCounts{Sent: 1000,
			Complained: 4}.HoldReason(): "4 von 1000 E-Mails wurden als Spam markiert, das sind mehr als 0,3 %",
		newsletter.LetterCounts{Sent: 100,
			Bounced: 6}.HoldReason(): "6 von 100 E-Mails waren unzustellbar, das sind mehr als 5 %",
		digest.HeldByPublisher: "vom Herausgeber",
		"by the operator":      "vom Betreiber",
		"asked 100 % wrongly":  "asked 100 % wrongly",
	} {
		if got := HoldReason(stored).In(german); got != want {
			t.Errorf("%q is %q, want %q", stored, got, want)
		}
		if got := HoldReason(stored).In(English()); got != stored {
			t.Errorf("%q is %q in English", stored, got)
		}
	}
}
