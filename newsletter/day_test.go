package newsletter_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
	"digest/newsletter"
)

func TestNewsletterDays(t *testing.T) {
	on := func(day int) digest.Date { return digest.Date{Year: 2026, Month: time.March, Day: day} }
	for _, c := range []struct {
		name    string
		counted []newsletter.Day
		from    digest.Date
		today   digest.Date
		members int64
		want    []newsletter.Day
	}{
		{"nothing yet", nil, on(2), on(2), 0, []newsletter.Day{{Day: on(2)}}},
		{"begun tomorrow, elsewhere", nil, on(3), on(2), 4, nil},
		{
			"members then follow from members now",
			[]newsletter.Day{{Day: on(2), Joined: 5},
				{Day: on(4), Joined: 1, Left: 2, LetterCounts: newsletter.LetterCounts{Sent: 5}}},
			on(1), on(4), 7,
			[]newsletter.Day{{Day: on(1), Members: 3}, {Day: on(2), Members: 8, Joined: 5},
				{Day: on(3), Members: 8},
				{Day: on(4), Members: 7, Joined: 1, Left: 2, LetterCounts: newsletter.LetterCounts{Sent: 5}}},
		},
		{
			"what is later than today is today's, what is too old is left out",
			[]newsletter.Day{{Day: on(1), Joined: 9, LetterCounts: newsletter.LetterCounts{Sent: 9}},
				{Day: on(2), LetterCounts: newsletter.LetterCounts{Bounced: 1}},
				{Day: on(3), LetterCounts: newsletter.LetterCounts{Bounced: 2, Complained: 1}}},
			on(2), on(2), 1,
			[]newsletter.Day{{Day: on(2), Members: 1,
				LetterCounts: newsletter.LetterCounts{Bounced: 3, Complained: 1}}},
		},
		{
			"never fewer than none",
			[]newsletter.Day{{Day: on(2), Joined: 5}},
			on(1), on(2), 2,
			[]newsletter.Day{{Day: on(1)}, {Day: on(2), Members: 2, Joined: 5}},
		},
		{
			"huge numbers",
			[]newsletter.Day{{Day: on(2), Joined: math.MaxInt64,
				LetterCounts: newsletter.LetterCounts{Sent: math.MaxInt64}}},
			on(1), on(2), math.MaxInt64,
			[]newsletter.Day{{Day: on(1)}, {Day: on(2), Members: math.MaxInt64, Joined: math.MaxInt64,
				LetterCounts: newsletter.LetterCounts{Sent: math.MaxInt64}}},
		},
	} {
		if diff := cmp.Diff(c.want, newsletter.Days(c.counted, c.from, c.today, c.members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if n := len(newsletter.Days(nil, digest.Date{Year: 2026, Month: time.March, Day: 1},
		digest.Date{Year: 2027, Month: time.March, Day: 1}, 0)); n != 366 {
		t.Errorf("a year over two changes of clocks has %d days, and its first", n)
	}
}
