package edition_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
	"digest/render"
)

// told returns the notices of an edition of Friday 20 November 2026 in a zone.
func told(t *testing.T, zone string, notices ...digest.Notice) []string {
	t.Helper()
	return toldOn(t, digest.Date{Year: 2026, Month: time.November, Day: 20}, zone, notices...)
}

func toldOn(t *testing.T, date digest.Date, zone string, notices ...digest.Notice) []string {
	t.Helper()
	s := stocked()
	s.notices = map[digest.EditionID][]digest.Notice{100: notices}
	d := deliveries()[0]
	d.LocalDate, d.TimeZone = date, zone
	p, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return texts(p.Notices)
}

func texts(notices []render.Notice) (all []string) {
	for _, n := range notices {
		all = append(all, n.Text)
	}
	return all
}

func at(value string) time.Time {
	if value == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.DateTime, value)
	if err != nil {
		panic(err)
	}
	return t
}

func missing(from, to string) digest.Notice {
	return digest.Notice{Kind: digest.NoticeGap, Title: "X", Gap: digest.Gap{From: at(from), To: at(to)}}
}

// TestWhenPostsAreMissing: times are in the reader's zone, with their dates.
func TestWhenPostsAreMissing(t *testing.T) {
	for _, c := range []struct{ zone, from, to, want string }{
		{"UTC", "2026-11-19 09:10:59", "2026-11-19 23:50:00", "on Thursday 19 November, 09:10–23:50"},
		{"Europe/Paris", "2026-11-19 08:10:00", "2026-11-19 22:50:00", "on Thursday 19 November, 09:10–23:50"},
		// the whole day, at +05:45
		{"Asia/Kathmandu", "2026-11-18 18:15:00", "2026-11-19 18:14:59", "on Thursday 19 November, 00:00–23:59"},
		{"America/New_York", "2026-11-19 09:10:00", "2026-11-20 04:10:00", "on Thursday 19 November, 04:10–23:10"},
		{"UTC", "2026-11-18 09:10:00", "2026-11-18 23:50:00", "on Wednesday 18 November, 09:10–23:50"},
		// after midnight
		{"UTC", "2026-11-20 00:01:00", "2026-11-20 00:20:00", "on Friday 20 November, 00:01–00:20"},
		{"UTC", "2026-11-17 22:40:00", "2026-11-19 23:50:00",
			"between Tuesday 17 November, 22:40 and Thursday 19 November, 23:50"},
		{"UTC", "2026-11-19 22:40:00", "2026-11-20 00:10:00",
			"between Thursday 19 November, 22:40 and Friday 20 November, 00:10"},
		{"Asia/Tokyo", "2026-11-19 09:10:00", "2026-11-19 23:50:00",
			"between Thursday 19 November, 18:10 and Friday 20 November, 08:50"},
		{"UTC", "2025-12-31 22:00:00", "2026-01-02 01:00:00",
			"between Wednesday 31 December 2025, 22:00 and Friday 2 January, 01:00"},
		{"UTC", "", "2026-11-19 23:50:00", "before Thursday 19 November, 23:50"},
		{"UTC", "2026-11-18 09:10:00", "", "since Wednesday 18 November, 09:10"},
		{"UTC", "2026-11-19 09:10:05", "2026-11-19 09:10:40", "around Thursday 19 November, 09:10"},
		// invalid; the notice hides the error
		{"UTC", "2026-11-19 09:10:00", "2026-11-19 08:00:00", "around Thursday 19 November, 08:00"},
		{"UTC", "", "", ""},
		{"", "2026-11-19 09:10:00", "2026-11-19 23:50:00", ""}, // no times, because the zone is unknown
		{"Mars/Olympus", "2026-11-19 09:10:00", "2026-11-19 23:50:00", ""},
	} {
		want := []string{strings.TrimSpace("You may have missed posts from X "+c.want) +
			". Look for them on its website."}
		if diff := cmp.Diff(want, told(t, c.zone, missing(c.from, c.to))); diff != "" {
			t.Errorf("%s to %s in %q (-want +got):\n%s", c.from, c.to, c.zone, diff)
		}
	}
}

// TestTheDayBefore checks the ends of months and years, and changes of the clocks. The zone distinguishes an hour that
// occurs twice. A skipped hour needs no addition.
func TestTheDayBefore(t *testing.T) {
	for _, c := range []struct{ date, zone, from, to, want string }{
		{"2027-01-01", "UTC", "2026-12-31 09:10:00", "2026-12-31 23:50:00",
			"on Thursday 31 December 2026, 09:10–23:50"},
		{"2027-01-01", "UTC", "2026-12-30 09:10:00", "2026-12-30 23:50:00",
			"on Wednesday 30 December 2026, 09:10–23:50"},
		{"2028-03-01", "UTC", "2028-02-29 09:10:00", "2028-02-29 23:50:00", "on Tuesday 29 February, 09:10–23:50"},
		{"2026-10-26", "Europe/Paris", "2026-10-25 00:40:00", "2026-10-25 01:10:00",
			"on Sunday 25 October, 02:40 CEST–02:10 CET"},
		{"2026-10-26", "Europe/Paris", "2026-10-25 00:10:00", "2026-10-25 01:10:00",
			"on Sunday 25 October, 02:10 CEST–02:10 CET"},
		{"2026-10-26", "Europe/Paris", "2026-10-25 00:10:00", "2026-10-25 02:10:00",
			"on Sunday 25 October, 02:10–03:10"},
		{"2026-03-30", "Europe/Paris", "2026-03-29 00:59:00", "2026-03-29 01:00:00",
			"on Sunday 29 March, 01:59–03:00"},
	} {
		date, err := digest.ParseDate(c.date)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"You may have missed posts from X " + c.want + ". Look for them on its website."}
		if diff := cmp.Diff(want, toldOn(t, date, c.zone, missing(c.from, c.to))); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", c.date, c.zone, diff)
		}
	}
}

// TestOrderOfNotices: ended feeds come before missing posts, and each group is sorted by title, in any order of the
// store.
func TestOrderOfNotices(t *testing.T) {
	gone := func(title string) digest.Notice { return digest.Notice{Kind: digest.NoticeGone, Title: title} }
	in := []digest.Notice{
		missing("2026-11-19 09:10:00", "2026-11-19 23:50:00"),
		gone("zebra"), gone("Apple"),
		{Kind: digest.NoticeDead, URL: "https://user:secret@mango.example/feed?key=1"},
		{Kind: digest.NoticeGone, Title: "מפה", URL: "https://mapa.example/"},
		{Kind: "next year's", Title: "Unknown"},
		{Kind: digest.NoticeSick, Title: "Pear", URL: "https://pear.example/feed", Illness: digest.PageInItsPlace,
			Gap: digest.Gap{From: at("2026-11-12 22:00:00")}},
		{Kind: digest.NoticeSick, Title: "Plum", URL: "https://plum.example/feed", Illness: "next year's"},
		{Kind: digest.NoticeTrial, Title: "Zucchini", FeedID: 7}, {Kind: digest.NoticeEnded, Title: "Zest"},
		{Kind: digest.NoticeMoved, Title: "Zoo", URL: "https://old.example/feed", MovedTo: "https://new.example/"},
	}
	want := []string{
		"You have tried Zucchini for two weeks.",
		"Zoo has moved from old.example to new.example.",
		"Apple has removed its feed, so you no longer follow it.",
		"zebra has removed its feed, so you no longer follow it.",
		"Your trial of Zest has ended, so you no longer follow it.",
		"\u2068מפה\u2069 has removed its feed, so you no longer follow it.",
		"mango.example hasn’t worked for 90 days, so we no longer check it. It stays in your list of sites.",
		"We haven’t been able to get posts from Pear since Thursday 12 November. Its address is a web page, " +
			"not a feed.",
		"We can’t get posts from Plum.",
		"You may have missed posts from X on Thursday 19 November, 09:10–23:50. Look for them on its website.",
	}
	for range 2 {
		if diff := cmp.Diff(want, told(t, "UTC", in...)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		in[0], in[5] = in[5], in[0]
		in[1], in[2] = in[2], in[1]
	}
}

// TestNoSentenceIsCut: the longest possible notice is within the limit of a page.
func TestNoSentenceIsCut(t *testing.T) {
	long := strings.Repeat("מ", 500)
	host := func(name string) string { return "https://" + strings.Repeat(name+".", 40) + "example:12345/feed" }
	gap := missing("2025-12-31 22:00:00", "2026-11-18 23:50:00")
	gap.Title = long
	s := stocked()
	s.notices = map[digest.EditionID][]digest.Notice{7: {
		gap, {Kind: digest.NoticeGone, Title: long}, {Kind: digest.NoticeDead, Title: long},
		{Kind: digest.NoticeSick, Title: long, Illness: digest.Refused, Gap: gap.Gap},
		{Kind: digest.NoticeMoved, Title: long, URL: host("old"), MovedTo: host("new")},
	}}
	d := deliveries()[0]
	d.ID, d.TimeZone = 7, "UTC"
	p, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	m, err := render.New(nil).Mail(p)
	if err != nil {
		t.Fatal(err)
	}
	if m.Subject != "Friday 20 November: 5 notices" || len(p.Sections) != 0 {
		t.Errorf("subject %q", m.Subject)
	}
	text := strings.Join(strings.Fields(m.Text), " ")
	for _, n := range p.Notices {
		if !strings.Contains(text, n.Text) {
			t.Errorf("%q is not whole in %s", n.Text, text)
		}
	}
}

// TestEachReaderTheirOwn: a batch of editions keeps notices and zones apart.
func TestEachReaderTheirOwn(t *testing.T) {
	s := stocked()
	gap := missing("2026-11-19 02:10:00", "2026-11-19 10:50:00")
	s.notices = map[digest.EditionID][]digest.Notice{100: {gap}, 101: {gap}}
	ds := deliveries()
	ds = append(ds, ds[0])
	ds[2].ID = 102
	ds[0].TimeZone, ds[1].TimeZone, ds[2].TimeZone = "Asia/Kolkata", "America/Sao_Paulo", "UTC"
	pages, err := builder(s).Editions(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"You may have missed posts from X on Thursday 19 November, 07:40–16:20. Look for them on its website."},
		{"You may have missed posts from X between Wednesday 18 November, 23:10 and Thursday 19 November, 07:50. " +
			"Look for them on its website."},
		nil,
	} {
		if diff := cmp.Diff(want, texts(pages[i].Notices)); diff != "" {
			t.Errorf("edition %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestPreviewTellsWhatWaits(t *testing.T) {
	s := stocked()
	s.coming = map[digest.DigestID][]digest.Notice{1: {missing("2026-11-19 20:10:00", "2026-11-20 10:50:00")}}
	// The edition is for the 21st in Auckland, 13 hours ahead of UTC.
	d := digest.Digest{ID: 1, TimeZone: "Pacific/Auckland", NextDueAt: at("2026-11-20 11:00:00")}
	p, err := builder(s).Preview(t.Context(), d, digest.User{Email: "one@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"You may have missed posts from X on Friday 20 November, 09:10–23:50. Look for them on its website.",
	}
	if diff := cmp.Diff(want, texts(p.Notices)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestAMoveHasAWayBack: the link to undo a move is for this reader and feed, and contains no password.
func TestAMoveHasAWayBack(t *testing.T) {
	s := stocked()
	s.notices = map[digest.EditionID][]digest.Notice{100: {
		{DigestID: 1, FeedID: 7, Kind: digest.NoticeMoved, URL: "https://ann:secret@old.example/feed",
			MovedTo: "https://new.example/a b"},
		{DigestID: 1, FeedID: 8, Kind: digest.NoticeGone, Title: "Gone", URL: "https://gone.example/"},
	}}
	b := builder(s)
	e, err := b.Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	want := []render.Notice{
		{Text: "old.example has moved from old.example to new.example.", Moved: render.Moved{
			FeedID: 7, From: "https://old.example/feed", To: "https://new.example/a%20b",
			BackURL: b.BaseURL + "/moved/" + b.Signer.SignPair(digest.ForGoingBack, 1, 7),
		}},
		{Text: "Gone has removed its feed, so you no longer follow it."},
	}
	if diff := cmp.Diff(want, e.Notices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLinkChanges: a notice describes the change that a link made, and names the email.
func TestLinkChanges(t *testing.T) {
	november := digest.Date{Year: 2026, Month: time.November, Day: 21}
	end := strconv.FormatInt(at("2026-12-03 23:00:00").Unix(), 10) // the 4th in Paris
	site := digest.LinkChange{FeedID: 3, Setting: digest.LinkSubscription, Title: "Boats", Host: "boats.example"}
	own := digest.LinkChange{Setting: digest.LinkState, Title: "Daily Digest"}
	for _, test := range []struct {
		change   digest.LinkChange
		set      digest.LinkSetting
		was, now string
		want     string
	}{
		{own, "", "active", "paused " + end,
			"Daily Digest was paused until 4 December 2026. Someone used a link in your email of 21 November 2026."},
		{own, "", "active", "paused", "Daily Digest is paused. Someone used a link in your email of 21 November 2026."},
		{own, "", "paused", "active",
			"Daily Digest was resumed. Someone used a link in your email of 21 November 2026."},
		{own, "", "active", "left",
			"You were unsubscribed from Daily Digest. Someone used a link in your email of 21 November 2026."},
		{own, "", "left", "active",
			"You were subscribed to Daily Digest again. Someone used a link in your email of 21 November 2026."},
		{own, digest.LinkDays, "daily", "monthly",
			"You now get Daily Digest on the 1st of each month. Someone used a link in your email of 21 " +
				"November 2026."},
		{own, digest.LinkDays, "daily", "never",
			"You now get Daily Digest never. Someone used a link in your email of 21 November 2026."},
		{site, "", "active", "paused " +
			end, "Boats was paused until 4 December 2026. Someone used a link in your email of 21 November 2026."},
		{site, "", "active", "left",
			"You no longer follow Boats. Someone used a link in your email of 21 November 2026."},
		{site, "", "left", "active", "You follow Boats again. Someone used a link in your email of 21 November 2026."},
		{site, "", "paused", "active", "Boats was resumed. Someone used a link in your email of 21 November 2026."},
		{site, digest.LinkDisplay, "", "headlines",
			"Boats: Headlines only. Someone used a link in your email of 21 November 2026."},
		{site, digest.LinkDisplay, "headlines", "",
			"Boats: Same as the rest of the edition. Someone used a link in your email of 21 November 2026."},
		{site, digest.LinkDisplay, "headlines", "excerpts",
			"Boats: Excerpts. Someone used a link in your email of 21 November 2026."},
		{site, digest.LinkDisplay, "headlines", "full",
			"Boats: Full text. Someone used a link in your email of 21 November 2026."},
		{site, digest.LinkFeed, "3", "5",
			"Boats now comes from another address at boats.example. Someone used a link in your email of 21 " +
				"November 2026."},
		{site, digest.LinkFeed, "3", "4",
			"Boats now comes from ships.example instead of boats.example. Someone used a link in your email of 21 " +
				"November 2026."},
	} {
		x := test.change
		x.OldValue, x.NewValue, x.EmailDate, x.NewHost = test.was, test.now, november, "ships.example"
		if test.now == "5" {
			x.NewHost = x.Host
		}
		if test.set != "" {
			x.Setting = test.set
		}
		if got := told(t, "Europe/Paris", digest.Notice{Kind: digest.NoticeChanged, Change: &x}); len(got) != 1 ||
			got[0] != test.want {
			t.Errorf("%q\nwant %q", got, test.want)
		}
	}
	own.OldValue, own.NewValue = "active", "left"
	if got := told(t, "", digest.Notice{Kind: digest.NoticeChanged, Change: &own}); len(got) != 1 ||
		got[0] != "You were unsubscribed from Daily Digest. Someone used a link in one of your emails." {
		t.Errorf("by an unknown email: %q", got)
	}
	if got := told(t, "UTC", digest.Notice{Kind: digest.NoticeChanged}); len(got) != 0 {
		t.Errorf("of a change that is not stored any more: %q", got)
	}
}

// linkOf returns the addresses of a notice's links.
func linkOf(n render.Notice) string {
	var all []string
	for _, l := range n.Links {
		all = append(all, l.URL)
	}
	return strings.Join(all, " ")
}
