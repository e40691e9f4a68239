package poller

import (
	"time"

	"digest"
	"digest/feed"
)

const (
	oneYear      = 365 * oneDay
	silentAfter  = 30 * oneDay
	slowPerYear  = oneDay / 2
	slowest      = 7 * oneDay
	withPassword = oneDay / 2
	inFull       = oneDay
	pageInFull   = oneDay / 4 // the page of an account is short, and few servers send validators for it
)

// OwnInterval returns the minimum time between two polls by digest's own rules, whatever the site allows.
// It is the longest of the rules that apply.
func OwnInterval(f digest.Feed, now time.Time) time.Duration {
	every := silence(f, now)
	if credentialed(f) {
		every = max(every, withPassword)
	}
	switch {
	case !alwaysInFull(f):
	case !isAccount(feed.Kind(f.Kind)):
		every = max(every, inFull)
	case f.BusyInterval == 0: // a busy account publishes more than its page in that time
		every = max(every, pageInFull)
	}
	return every
}

// silence returns the interval of a feed without a new post for a month: half a day for each year of
// silence.
func silence(f digest.Feed, now time.Time) time.Duration {
	silent := now.Sub(f.NewestAt)
	if f.NewestAt.IsZero() || silent < silentAfter {
		return 0
	}
	return min(time.Duration(float64(slowPerYear)*(float64(silent)/float64(oneYear))).Truncate(time.Second), slowest)
}

// credentialed reports whether a feed is polled with a credential, which means for one reader.
func credentialed(f digest.Feed) bool {
	_, c := digest.SplitCredential(f.URL)
	return digest.IsPrivate(f.URL) || !c.IsEmpty()
}

// alwaysInFull reports whether every poll transfers the whole document, because the server sends no
// validators or ignores them (S33). That includes a feed on trial with its date only (S37).
func alwaysInFull(f digest.Feed) bool {
	switch {
	case f.ParsedAt.IsZero():
		return false
	case f.ETag == "" && f.LastModified == "", f.Conditional == digest.Lies:
		return true
	case f.Head == digest.Works:
		return false
	}
	return f.Conditional == digest.Useless || f.ByDate && f.Conditional == digest.Unknown
}

// shortPage is the number of entries below which a page has room for more.
const shortPage = 10

// BusyPoll returns when to poll a new account that is busy; zero: the midnights of its readers are enough.
func BusyPoll(f digest.Feed, now time.Time) time.Time {
	if f.BusyInterval == 0 {
		return time.Time{}
	}
	return quiet(latest(now.Add(f.BusyInterval), f.NotBefore, f.FreshUntil), f.ID)
}

const (
	busiest = time.Hour      // the shortest interval of extra polls
	calm    = oneDay * 3 / 4 // from this interval on (Elapsed*Listed/New/2) the polls of a day overlap
)

// A Turnover describes how fast a document is replaced, by a successful poll.
type Turnover struct {
	Listed   int           // posts in the document; 0: unchanged
	New      int           // posts among them that are new
	Elapsed  time.Duration // since the previous successful poll
	Span     time.Duration // since the date of the oldest post; 0: not known
	UntilDue time.Duration // until the next midnight of any reader; 0: none

	Reach  int  // entries that a poll of an account can read; 0: not an account
	Behind bool // the poll of an account left posts for the next one
}

// Reach returns how many entries of an account a poll can read, judged by a document with some new ones. It returns 0
// for other feeds, and for an account that has published less than a page. A poll reads only some texts at their own
// addresses. If the feed is busy, further pages count only if this poll has read one.
func Reach(f digest.Feed, doc *feed.Document, news int) int {
	if !isAccount(doc.Kind) {
		return 0
	}
	n := len(doc.Marks())
	if n < shortPage {
		return 0
	}
	if doc.Next != "" && (doc.Pages > 1 || f.BusyInterval == 0) {
		n = n * accountPages / max(doc.Pages, 1)
	}
	if doc.Apart > 0 {
		n = min(n, mostUnread*max(news, doc.Apart)/doc.Apart)
	}
	return n
}

// turn returns how long an account needs to publish as many entries as a poll can read; 0: not known.
func (t Turnover) turn() time.Duration {
	if t.Reach == 0 || t.New == 0 || t.Elapsed <= 0 {
		return 0
	}
	return time.Duration(float64(t.Elapsed) * float64(t.Reach) / float64(t.New))
}

// Hurries reports whether an account needs polls between the midnights before it loses a post. It does if the last poll
// left posts, or if the account publishes about as much in a day as a poll can read.
func (t Turnover) Hurries() bool { return t.Behind || t.turn() > 0 && t.turn()/2 < calm }

// gap reports whether posts may have appeared and disappeared between two polls.
func (t Turnover) gap() bool { return t.Listed >= 2 && t.New >= t.Listed && t.Elapsed > 0 }

// BusyInterval returns the interval of extra polls for a feed whose posts are replaced faster than its
// readers' midnights come. It returns 0 for no extra polls. A gap starts them. They end when a poll
// overlaps with the previous one and shows that the midnight polls will overlap too.
func BusyInterval(f digest.Feed, t Turnover) time.Duration {
	if !t.gap() && f.BusyInterval == 0 && !t.Hurries() {
		return 0
	}
	every := 2 * f.BusyInterval // the maximum, if there was little or nothing
	switch {
	case t.Behind:
		return busiest
	case t.gap():
		every = t.afterGap(f.BusyInterval)
	case t.turn() > 0:
		every = t.turn() / 2
	case t.New > 0:
		turn := float64(t.Elapsed) * float64(t.Listed) / float64(t.New)
		every = min(every, time.Duration(turn/2))
	}
	if every >= max(calm, t.UntilDue*3/4) {
		return 0
	}
	return max(every, busiest)
}

// afterGap returns half the time in which the document is replaced, by its dates. If it has no dates, or
// they reach back beyond the gap, it was replaced at least once. Then afterGap shortens the interval at
// each gap until polls overlap.
func (t Turnover) afterGap(before time.Duration) time.Duration {
	every := t.Elapsed / 4
	if 0 < t.Span && t.Span < t.Elapsed {
		every = t.Span / 2
	}
	if before > 0 {
		every = min(every, before/2)
	}
	return every
}
