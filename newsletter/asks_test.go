package newsletter

import (
	"testing"
	"time"
)

func TestAskCountsStopped(t *testing.T) {
	for _, test := range []struct {
		counts  AskCounts
		stopped string
	}{
		{AskCounts{}, ""},
		{AskCounts{Waiting: 500}, ""},
		{AskCounts{Asked: 89, Bounced: 10}, ""}, // too few to judge
		{AskCounts{Asked: 95, Bounced: 5}, ""},
		{AskCounts{Asked: 94, Bounced: 6}, "of the last 100 emails, 6 bounced"},
		{AskCounts{Asked: 40, Confirmed: 34, Lapsed: 20, Bounced: 6}, "of the last 100 emails, 6 bounced"},
		{AskCounts{Asked: 9, Complained: 1}, ""}, // a single one proves nothing
		{AskCounts{Asked: 98, Complained: 2}, "2 of the last 100 people asked to confirm marked the email as spam"},
		{AskCounts{Asked: 998, Complained: 2}, ""},
		{AskCounts{Asked: 996, Complained: 4}, "4 of the last 1000 people asked to confirm marked the email as spam"},
	} {
		if got := test.counts.Stopped(); got != test.stopped {
			t.Errorf("%+v: %q, want %q", test.counts, got, test.stopped)
		}
	}
}

func TestAskCountsOf(t *testing.T) {
	var counts AskCounts
	for i, s := range []AskState{AskWaiting, AskAsked, AskConfirmed, AskLapsed, AskBounced, AskComplained, AskRefused,
		AskDropped} {
		*counts.Of(s) = i + 1
	}
	if want := (AskCounts{1, 2, 3, 4, 5, 6, 7, 8}); counts != want {
		t.Errorf("%+v, want %+v", counts, want)
	}
	if counts.Of("else") != nil {
		t.Error("a state that is none is counted")
	}
}

func TestAskWait(t *testing.T) {
	for tries, want := range map[int]time.Duration{0: time.Hour, 1: time.Hour, 2: 2 * time.Hour, 4: 8 * time.Hour,
		60: 32 * time.Hour} {
		if got := AskWait(tries); got != want {
			t.Errorf("after %d tries %v, want %v", tries, got, want)
		}
	}
}
