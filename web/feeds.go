package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/words"
	"digest/poller"
	"digest/store"
)

// mostFeeds is how many subscriptions one reader may have, paused ones too.
const mostFeeds = 2000

// mostListed is how many characters of a name the list shows.
const mostListed = 120

// toFeeds leads who reloads the answer to a form, without sending it again, to
// the list. It also leads there with a form that waits to be filled in.
func toFeeds(w http.ResponseWriter, r *http.Request) error {
	if nth := r.URL.Query().Get(unsentWord); nth != "" {
		return seeOther(w, r, "/feeds?"+unsentWord+"="+url.QueryEscape(nth))
	}
	return seeOther(w, r, "/feeds")
}

// A feedsPage is what a reader subscribes to, or what they look for among it.
type feedsPage struct {
	feedsQuery
	Groups  []feedGroup // on this sheet
	Count   int         // of all that the reader subscribes to
	Found   int         // of those that are looked for
	Parts   int         // that these fill
	Folders []string    // of all
	Saved   string      // what was changed just now
	Stopped bool

	Folds bool // some folder is named, and there are others
}

// A feedLine is one feed in a list.
type feedLine struct {
	condition
	ID     digest.FeedID
	Title  string
	Site   string            // its host
	Folder string            // the reader's own
	Newest time.Time         // of its newest post that has come to the reader, or could have; zero: not known
	When   catalogue.Sayable // the same by the reader's clock; nil: it is not told in this list
	Until  catalogue.Sayable // when it comes back; nil: its pause has no end, or it is not paused
	Moved  string            // the host that it has moved from, while the reader can go back; else empty

	sub store.SubscriptionInfo
}

// feedsPage lists what the reader subscribes to.
func (s *site) feedsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.Store.SubscriptionsView(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	p := feedsPage{
		feedsQuery: feedsQueryOf(r.URL.Query()), Count: len(v.Subscriptions),
		Stopped: me.Digest.State != digest.DigestActive,
		Saved:   savedOf(r, "added", "moved", "shown", "paused", "resumed", "again"),
	}
	lines := s.linesOf(me.Digest, v)
	p.Folders = foldersOf(lines)
	p.Folds = len(p.Folders) > 1 || len(p.Folders) == 1 &&
		slices.ContainsFunc(lines, func(l feedLine) bool { return l.Folder == "" })
	lines = slices.DeleteFunc(lines, func(l feedLine) bool { return !p.matches(l) })
	if p.Sort == byLast {
		err = s.setNewest(r, me.Digest, lines)
	}
	p.Found = len(lines)
	p.Groups, p.Parts = onPart(p.groups(lines, me.Digest.Folders), p.Part)
	if p.Part > p.Parts && err == nil {
		return errNotFound
	}
	return s.showPage(w, r, err, "feeds", catalogue.Key("Feeds"), p)
}

// linesOf makes a line of each subscription.
func (s *site) linesOf(d digest.Digest, v store.SubscriptionsView) []feedLine {
	moves, lines := s.openMoves(d, v.Moves), make([]feedLine, len(v.Subscriptions))
	for i, sub := range v.Subscriptions {
		lines[i] = s.lineOf(d, sub)
		lines[i].Title = digest.Shortened(lines[i].Title, mostListed)
		lines[i].Moved = moves[sub.Feed.ID].FromHost
	}
	return lines
}

// lineOf says how one subscription stands.
func (s *site) lineOf(d digest.Digest, sub store.SubscriptionInfo) feedLine {
	zone := zoneOr(d.TimeZone)
	line := feedLine{
		ID: sub.Feed.ID, Title: shortened(titleOf(sub)), Site: siteName(sub.Feed), Folder: sub.Folder, sub: sub,
		Until: backOn(sub.PausedUntil, d.TimeZone),
	}
	if !sub.Paused {
		line.condition = conditionOf(sub.Feed, poller.NextPoll(sub.Feed, d.NextDueAt, s.Now(), s.Spread), s.Now(), zone)
	}
	return line
}

// setNewest says when each feed had its newest post, as far as it may be told: of what came in since the last midnight
// nothing is (I2).
func (s *site) setNewest(r *http.Request, d digest.Digest, lines []feedLine) error {
	var since []digest.FeedID
	for i := range lines {
		if lines[i].Newest = lines[i].sub.Feed.NewestAt; !lines[i].Newest.Before(d.LastDueAt) {
			since = append(since, lines[i].ID)
		}
	}
	delivered, err := s.Store.NewestDelivered(r.Context(), d.ID, since, d.LastDueAt)
	zone, now := zoneOr(d.TimeZone), s.Now()
	for i := range lines {
		l := &lines[i]
		if !l.Newest.Before(d.LastDueAt) {
			l.Newest = delivered[l.ID]
		}
		switch {
		case l.Newest.IsZero():
			l.When = catalogue.Key("no posts yet")
		case now.Sub(l.Newest) < 300*24*time.Hour:
			l.When = catalogue.Time("2 January", l.Newest.In(zone))
		default:
			l.When = catalogue.Time("January 2006", l.Newest.In(zone))
		}
	}
	return err
}

// foldersOf gives the folders of feeds, by name.
func foldersOf(lines []feedLine) (folders []string) {
	for _, l := range lines {
		if l.Folder != "" {
			folders = append(folders, l.Folder)
		}
	}
	slices.SortFunc(folders, digest.CompareNames)
	return slices.Compact(folders)
}

func byTitle(a, b feedLine) int {
	return cmp.Or(digest.CompareNames(words.Fold(a.Title), words.Fold(b.Title)), cmp.Compare(a.ID, b.ID))
}

// titleOf is how the reader knows a feed.
func titleOf(sub store.SubscriptionInfo) string {
	return cmp.Or(sub.Title, feedTitle(sub.Feed))
}

// feedTitle is a feed's own title, else where it is.
func feedTitle(f digest.Feed) string { return cmp.Or(f.Title, siteName(f)) }

func siteName(f digest.Feed) string {
	return cmp.Or(strings.TrimPrefix(f.Host, "www."), digest.PublicAddress(f.URL))
}

// statusPath leads to the page that says how a feed stands. A private feed has none: that
// page is for everyone.
func statusPath(f digest.Feed) string {
	if digest.PublicAddress(f.URL) != f.URL {
		return ""
	}
	return "/status?url=" + url.QueryEscape(f.URL)
}
