package web

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// mostFeeds is how many subscriptions one reader may have, paused ones too.
const mostFeeds = 2000

// toFeeds leads who reloads the answer to a form, without sending it again, to
// the list.
func toFeeds(w http.ResponseWriter, r *http.Request) error {
	return seeOther(w, r, "/feeds")
}

// A feedsPage is all that a reader subscribes to.
type feedsPage struct {
	Folders []folder
	Paused  []feedLine
	Count   int
	Added   bool // several, just now
	Stopped bool
}

// A folder is the feeds in it, by title.
type folder struct {
	Name  string
	Feeds []feedLine
}

// A feedLine is one feed in a list.
type feedLine struct {
	ID     digest.FeedID
	Title  string
	Site   string // its host
	State  string // as poller.Status names it, or that it is failing
	Reason string // why it stands so
	Words  string // the same; "" where nothing is to be said in a list
	Status string // path of its status page; empty: there is none
	Moved  string // the host that it has moved from, while the reader can go back; else empty
}

// feedsPage lists what the reader subscribes to.
func (s *site) feedsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.Store.SubscriptionsView(r.Context(), me.Digest.ID)
	p := feedsPage{Count: len(v.Subscriptions), Added: savedOf(r, "added") != "", Stopped: me.Digest.State != digest.DigestActive}
	p.Folders, p.Paused = inFolders(v.Subscriptions, me.Digest.Folders, s.openMoves(me.Digest, v.Moves), s.Now())
	return s.showPage(w, r, err, "feeds", "Feeds", p)
}

// inFolders sorts feeds into their folders, and the paused ones apart.
func inFolders(subs []store.SubscriptionInfo, order digest.FolderOrder, moves map[digest.FeedID]move, now time.Time) (list []folder, paused []feedLine) {
	folders := map[string][]feedLine{}
	for _, sub := range subs {
		line := lineOf(sub, now)
		line.Moved = moves[sub.Feed.ID].FromHost
		if sub.Paused {
			paused = append(paused, line)
		} else {
			folders[sub.Folder] = append(folders[sub.Folder], line)
		}
	}
	names := slices.Collect(maps.Keys(folders))
	order.Arrange(names)
	for _, name := range names {
		slices.SortFunc(folders[name], byTitle)
		list = append(list, folder{name, folders[name]})
	}
	slices.SortFunc(paused, byTitle)
	return list, paused
}

func byTitle(a, b feedLine) int {
	return cmp.Or(digest.CompareNames(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
}

func lineOf(sub store.SubscriptionInfo, now time.Time) feedLine {
	line := feedLine{ID: sub.Feed.ID, Title: shortened(titleOf(sub)), Site: siteName(sub.Feed), Status: statusPath(sub.Feed)}
	line.State, line.Reason = poller.Status(sub.Feed, now)
	if f := sub.Feed; f.State == digest.FeedActive && poller.Illness(f, now) != digest.Well {
		line.State = "failing"
	}
	line.Reason = digest.WithoutCredentials(line.Reason)
	if line.State != poller.StateActive || !strings.HasPrefix(line.Reason, poller.Ordinary) {
		line.Words = line.Reason
	}
	return line
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
