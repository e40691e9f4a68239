package digest

import (
	"strings"
	"testing"
	"time"
)

func TestNewsletterCheck(t *testing.T) {
	good := Newsletter{Look: Look{Layout: FullText, Images: NoImages}, Slug: "anna-writes", Name: "Anna writes",
		Cadence: Daily}
	for name, c := range map[string]struct {
		spoil func(*Newsletter)
		ok    bool
	}{
		"a plain one": {func(n *Newsletter) {}, true},
		"all of it": {func(n *Newsletter) {
			n.ReplyTo, n.SiteURL, n.FromName = "a@b.example",
				"https://b.example/", "Ann"
		}, true},
		"no name":     {func(n *Newsletter) { n.Name = " \n" }, false},
		"a long name": {func(n *Newsletter) { n.Name = strings.Repeat("x", 401) }, false},
		"texts around": {func(n *Newsletter) {
			n.HeaderText, n.FooterText = strings.Repeat("x", 500),
				strings.Repeat("x", 500)
		}, true},
		"a subject":                 {func(n *Newsletter) { n.SubjectPattern = " {name}: {title}\n" }, true},
		"a subject of other braces": {func(n *Newsletter) { n.SubjectPattern = "{author}" }, false},
		"colours": {func(n *Newsletter) { n.Paper, n.Ink, n.Accent = "#fff1e5", "#10243c", "#990F3D" },
			true},
		"a pale accent":         {func(n *Newsletter) { n.Accent = "#ffcc00" }, false},
		"much above":            {func(n *Newsletter) { n.HeaderText = strings.Repeat("x", 501) }, false},
		"much at the foot":      {func(n *Newsletter) { n.FooterText = strings.Repeat("x", 501) }, false},
		"what is not UTF-8":     {func(n *Newsletter) { n.Description = "\xff" }, false},
		"a name of turns only":  {func(n *Newsletter) { n.Name = "\u202e" }, false},
		"a site that turns":     {func(n *Newsletter) { n.SiteURL = "https://b.example/\u202egnp.exe" }, false},
		"a site with an escape": {func(n *Newsletter) { n.SiteURL = "https://b.example/\x1b[2J" }, false},
		"a site of no host":     {func(n *Newsletter) { n.SiteURL = "https:///x" }, false},
		"a slug with a slash":   {func(n *Newsletter) { n.Slug = "a/b" }, false},
		"the slug of a page":    {func(n *Newsletter) { n.Slug = "new" }, false},
		"a slug in capitals":    {func(n *Newsletter) { n.Slug = "Anna" }, false},
		"a slug of one letter":  {func(n *Newsletter) { n.Slug = "a" }, false},
		"a slug with an edge":   {func(n *Newsletter) { n.Slug = "anna-" }, false},
		"an address for a name": {func(n *Newsletter) { n.FromName = "bank@example.com" }, false},
		"the same of the list":  {func(n *Newsletter) { n.Name = "bank@example.com" }, false},
		"a name to reply to":    {func(n *Newsletter) { n.ReplyTo = "Ann <a@b.example>" }, false},
		"two to reply to":       {func(n *Newsletter) { n.ReplyTo = "a@b.example, c@d.example" }, false},
		"a header to reply to":  {func(n *Newsletter) { n.ReplyTo = "a@b.example\r\nBcc: c@d.example" }, false},
		"a site of another art": {func(n *Newsletter) { n.SiteURL = "javascript:alert(1)" }, false},
		"no layout":             {func(n *Newsletter) { n.Layout = "x" }, false},
		"no kind of pictures":   {func(n *Newsletter) { n.Images = "" }, false},
		"no day":                {func(n *Newsletter) { n.Cadence = 0 }, false},
		"the hour 24":           {func(n *Newsletter) { n.DeliverAt = 24 * time.Hour }, false},
		"a day for approval":    {func(n *Newsletter) { n.ApproveWithin = 24 * time.Hour }, false},
	} {
		n := good
		c.spoil(&n)
		if err := n.Check(); (err == nil) != c.ok || err != nil &&
			(KindOf(err) != Invalid || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTooLong checks that invalid UTF-8 is not reported as too long.
func TestTooLong(t *testing.T) {
	good := Newsletter{Look: Look{Layout: FullText, Images: NoImages}, Slug: "anna-writes", Name: "Anna writes",
		Cadence: Daily}
	for text, want := range map[string]string{"\xff": "“Description” has characters that are not UTF-8",
		strings.Repeat("x", 2001): "“Description” is too long"} {
		n := good
		n.Description = text
		if err := n.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.5q: %v", text, err)
		}
	}
	if err := (NewsletterLetter{LocalDate: DateOf(time.Unix(0, 0)), Note: "\xff"}).Check(); KindOf(err) != Invalid {
		t.Errorf("a note that is not UTF-8: %v", err)
	}
}

func TestTidyNewsletter(t *testing.T) {
	n := Newsletter{Name: "a\u202eb\x1b", AddressLine: "a\nb", FromName: "\u2066a", HeaderText: " a\tb",
		FooterText: "a\u0085b", SubjectPattern: " {title}\u202e\n", Description: "a\r\n\u202eb\x1b[2J",
		Colours: Colours{Accent: "#0B5D4A"}}
	want := Newsletter{Name: "ab", AddressLine: "a b", FromName: "a", HeaderText: "a b", FooterText: "a b",
		SubjectPattern: "{title}", Description: "a\nb [2J", Colours: Colours{Accent: "#0b5d4a"}}
	if got := n.Tidy(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	l := NewsletterLetter{Subject: "a\u202e\nb", Note: "a\n\x1bb\u202e"}
	if got := l.Tidy(); got.Subject != "a b" || got.Note != "a\n b" {
		t.Errorf("got %+v", got)
	}
}

func TestLetterWithheld(t *testing.T) {
	for _, c := range []struct {
		state    NewsletterState
		skipped  bool
		withheld bool
	}{
		{NewsletterActive, false, false}, {NewsletterActive, true, true}, {NewsletterPending, false, true},
		{NewsletterHeld, false, true}, {NewsletterEnded, false, true},
	} {
		if got := (Newsletter{State: c.state}).Withholds(NewsletterLetter{Skipped: c.skipped}); got != c.withheld {
			t.Errorf("%s, skipped %v: %v", c.state, c.skipped, got)
		}
	}
	n := Newsletter{ApproveWithin: time.Hour}
	if n.Waits(NewsletterLetter{}) != time.Hour || n.Waits(NewsletterLetter{ApprovedAt: time.Unix(1, 0)}) != 0 {
		t.Error("a letter waits until it is approved")
	}
}

func TestReturnURLs(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://anna.example/": true, "https://anna.example/thanks": true, "http://localhost:8000/": true,
		"https://anna.example": false, "//anna.example/": false, "https:///x": false, "javascript:alert(1)": false,
		"https://a@anna.example/": false,
	} {
		n := Newsletter{Slug: "anna-writes", Name: "Anna", Cadence: Daily,
			Look:       Look{Layout: FullText, Images: NoImages},
			ReturnURLs: ReturnURLs([]string{"https://b.example/", address})}
		if err := n.Check(); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestMaySend(t *testing.T) {
	due := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	approved := NewsletterLetter{ApprovedAt: due.Add(-5 * time.Hour)}
	for name, c := range map[string]struct {
		state  NewsletterState
		within time.Duration
		letter NewsletterLetter
		now    time.Time
		want   bool
	}{
		"no approval, due": {state: NewsletterActive, now: due, want: true},
		// the queue delays it
		"no approval, not due":   {state: NewsletterActive, now: due.Add(-time.Hour), want: true},
		"unapproved, not due":    {state: NewsletterActive, within: time.Hour, now: due.Add(-time.Second)},
		"unapproved, time is up": {state: NewsletterActive, within: time.Hour, now: due, want: true},
		"approved, not due": {state: NewsletterActive, within: time.Hour, letter: approved,
			now: due.Add(-time.Hour), want: true},
		"held":                   {state: NewsletterHeld, now: due.Add(time.Hour)},
		"held, approved":         {state: NewsletterHeld, within: time.Hour, letter: approved, now: due},
		"waits for the operator": {state: NewsletterPending, now: due},
		"ended":                  {state: NewsletterEnded, now: due},
		"of a state not known":   {state: "", now: due},
	} {
		if got := (Newsletter{State: c.state, ApproveWithin: c.within}).MaySend(c.letter, due, c.now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
