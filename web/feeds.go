package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// mostFeeds is how many feeds one reader may take, resting ones too.
const mostFeeds = 2000

// toFeeds leads who reloads the answer to a form, without sending it again, to
// the list.
func toFeeds(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "/feeds", http.StatusSeeOther)
	return nil
}

// A feedsPage is all that a reader takes.
type feedsPage struct {
	Folders []folder
	Resting []feedLine
	Count   int
	Added   int // just now, by a form that added several
	Stopped bool
}

// A folder is the feeds in it, by title; those in none come first.
type folder struct {
	Name  string
	Feeds []feedLine
}

// A feedLine is one feed in a list.
type feedLine struct {
	ID     digest.FeedID
	Title  string
	Site   string // its host
	State  string // as poller.Status names it
	Reason string // why it stands so
	Words  string // the same; "" where nothing is to be said in a list
	Status string // path of its status page
}

// feedsPage lists what the reader takes.
func (s *site) feedsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	taken, err := s.Store.Subscriptions(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	rested, err := s.Store.PausedSubscriptions(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	now := s.Now()
	p := feedsPage{Folders: inFolders(taken, now), Count: len(taken) + len(rested), Stopped: me.Digest.State != digest.DigestActive}
	for _, f := range inFolders(rested, now) {
		p.Resting = append(p.Resting, f.Feeds...)
	}
	slices.SortStableFunc(p.Resting, byTitle)
	if r.URL.Query().Get(savedWord) == "added" {
		p.Added = 1
	}
	return s.show(w, r, http.StatusOK, "feeds", "Feeds", p)
}

// inFolders sorts feeds into their folders.
func inFolders(subs []store.SubscriptionInfo, now time.Time) []folder {
	folders := map[string][]feedLine{}
	for _, sub := range subs {
		folders[sub.Folder] = append(folders[sub.Folder], lineOf(sub, now))
	}
	list := make([]folder, 0, len(folders))
	for name, feeds := range folders {
		slices.SortFunc(feeds, byTitle)
		list = append(list, folder{name, feeds})
	}
	slices.SortFunc(list, func(a, b folder) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list
}

func byTitle(a, b feedLine) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), int(a.ID-b.ID))
}

func lineOf(sub store.SubscriptionInfo, now time.Time) feedLine {
	line := feedLine{ID: sub.Feed.ID, Title: shortened(titleOf(sub)), Site: siteName(sub.Feed), Status: statusPath(sub.Feed)}
	line.State, line.Reason = poller.Status(sub.Feed, now)
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
	return cmp.Or(strings.TrimPrefix(f.Host, "www."), f.URL)
}

// statusPath leads to the page that says how a feed stands.
func statusPath(f digest.Feed) string {
	return "/status?url=" + url.QueryEscape(f.URL)
}

// room is how many feeds the reader may still take.
func (s *site) room(r *http.Request, me reader) (int, error) {
	taken, err := s.Store.Subscriptions(r.Context(), me.Digest.ID)
	if err != nil {
		return 0, err
	}
	rested, err := s.Store.PausedSubscriptions(r.Context(), me.Digest.ID)
	return mostFeeds - len(taken) - len(rested), err
}
