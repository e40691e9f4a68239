package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/poller"
	"digest/store"
	"digest/web/page"
)

// mostFeeds is how many subscriptions one reader may have, including paused ones.
const mostFeeds = 2000

// mostListed is how many characters of a title the list shows.
const mostListed = 120

// toFeeds redirects a GET of a form's address to the list, for readers who reload the response.
func toFeeds(w http.ResponseWriter, r *http.Request) error {
	return page.SeeOther(w, r, "/feeds")
}

// A feedsPage lists the reader's feeds, or the ones that match a search.
type feedsPage struct {
	feedsQuery
	Groups  []feedGroup // on this page
	Count   int         // all feeds of the reader
	Found   int         // feeds that match
	Parts   int         // pages
	Folders []string    // all folders of the reader
	Saved   string      // the change that the page confirms
	Stopped bool

	Folds bool // there are several groups, at least one of them a folder
}

type feedLine struct {
	condition
	ID     digest.FeedID
	Title  string
	Site   string            // host
	Folder string            // in the reader's digest
	Newest time.Time         // time of the newest post up to the reader's last midnight; zero if unknown
	When   catalogue.Sayable // Newest in the reader's time zone; nil if the list does not show it
	Until  catalogue.Sayable // end of the pause; nil if there is none
	Moved  string            // previous host, while the reader can undo the move; "" otherwise

	sub store.SubscriptionInfo
}

func (s *site) feedsPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	v, err := s.Store.Subscriptions.SubscriptionsView(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	p := feedsPage{
		feedsQuery: feedsQueryOf(r.URL.Query()), Count: len(v.Subscriptions),
		Stopped: me.Digest.State != digest.DigestActive,
		Saved:   page.SavedOf(r, "added", "moved", "shown", "paused", "resumed", "again"),
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
		return page.ErrNotFound
	}
	return s.ShowPage(w, r, err, "feeds", catalogue.Key("Feeds"), p)
}

func (s *site) linesOf(d digest.Digest, v store.SubscriptionsView) []feedLine {
	moves, lines := s.openMoves(d, v.Moves), make([]feedLine, len(v.Subscriptions))
	for i, sub := range v.Subscriptions {
		lines[i] = s.lineOf(d, sub)
		lines[i].Title = digest.Shortened(lines[i].Title, mostListed)
		lines[i].Moved = moves[sub.Feed.ID].FromHost
	}
	return lines
}

func (s *site) lineOf(d digest.Digest, sub store.SubscriptionInfo) feedLine {
	zone := page.ZoneOr(d.TimeZone)
	line := feedLine{
		ID: sub.Feed.ID, Title: page.Shortened(titleOf(sub)), Site: siteName(sub.Feed), Folder: sub.Folder, sub: sub,
		Until: backOn(sub.PausedUntil, d.TimeZone),
	}
	if !sub.Paused {
		line.condition = conditionOf(sub.Feed, poller.NextPoll(sub.Feed, d.NextDueAt, s.Now(), s.Spread), s.Now(), zone)
	}
	return line
}

// setNewest sets the time of each feed's newest post. It ignores posts that arrived after the
// reader's last midnight, because they are hidden (I2).
func (s *site) setNewest(r *http.Request, d digest.Digest, lines []feedLine) error {
	var since []digest.FeedID
	for i := range lines {
		if lines[i].Newest = lines[i].sub.Feed.NewestAt; !lines[i].Newest.Before(d.LastDueAt) {
			since = append(since, lines[i].ID)
		}
	}
	delivered, err := s.Store.Posts.NewestDelivered(r.Context(), d.ID, since, d.LastDueAt)
	zone, now := page.ZoneOr(d.TimeZone), s.Now()
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
	return cmp.Or(digest.CompareNames(textsearch.Fold(a.Title), textsearch.Fold(b.Title)), cmp.Compare(a.ID, b.ID))
}

// titleOf returns the reader's title of a subscription, or the title of the feed.
func titleOf(sub store.SubscriptionInfo) string {
	return cmp.Or(sub.Title, feedTitle(sub.Feed))
}

// feedTitle returns the feed's own title, or its host.
func feedTitle(f digest.Feed) string { return cmp.Or(f.Title, siteName(f)) }

func siteName(f digest.Feed) string {
	return cmp.Or(strings.TrimPrefix(f.Host, "www."), digest.PublicAddress(f.URL))
}
