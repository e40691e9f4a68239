package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/store"
)

// maxName bounds the names that readers give, in characters; as much as is read
// of a title. Of a longer one the form shows maxNameShown.
const (
	maxName      = 500
	maxNameShown = maxName
)

// deliveredShown is how many posts of a feed its page lists.
const deliveredShown = 10

// A minePage is one feed of the reader's.
type minePage struct {
	feedLine
	URL       string
	Rests     bool
	Own       digest.Subscription // as it is, or as it was typed
	FeedTitle string
	Folders   []string
	Displays  []displayOption
	Wrong     feedWrongs
	Delivered []store.DeliveredPost
	Filters   []digest.Filter
	Saved     string // what was changed just now
	Filter    filterForm
}

// feedWrongs says of each field what is wrong with it.
type feedWrongs struct{ Title, Folder, Display string }

type displayOption struct {
	Value, Name string
	Chosen      bool
}

// mine gives the feed that an address of the reader's speaks of.
func (s *site) mine(r *http.Request, me reader) (store.SubscriptionInfo, bool, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return store.SubscriptionInfo{}, false, errNotFound
	}
	return s.Store.Subscription(r.Context(), me.Digest.ID, digest.FeedID(id))
}

// feedPage shows one feed.
func (s *site) feedPage(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, rests, err := s.mine(r, me)
	if err != nil {
		return err
	}
	saved := ""
	switch word := r.URL.Query().Get(savedWord); word {
	case "added", "there", "rests", "woken", "changed", "filter", "unfiltered":
		saved = word
	}
	return s.showMine(w, r, me, http.StatusOK, minePage{Own: sub.Subscription, Saved: saved}, sub, rests)
}

// showMine fills p with what is kept of the feed and shows it.
func (s *site) showMine(w http.ResponseWriter, r *http.Request, me reader, status int, p minePage, sub store.SubscriptionInfo, rests bool) error {
	p.feedLine, p.URL, p.Rests, p.FeedTitle = lineOf(sub, s.Now()), sub.Feed.URL, rests, shortened(feedTitle(sub.Feed))
	for _, d := range []displayOption{
		{Value: "", Name: "As my edition"}, {Value: string(digest.Headlines), Name: "Headlines only"},
		{Value: string(digest.Excerpts), Name: "Headlines and excerpts"}, {Value: string(digest.FullText), Name: "Full text"},
	} {
		d.Chosen = d.Value == string(p.Own.Display)
		p.Displays = append(p.Displays, d)
	}
	var err error
	if p.Folders, err = s.Store.Folders(r.Context(), me.Digest.ID); err != nil {
		return err
	}
	if p.Delivered, err = s.Store.DeliveredPosts(r.Context(), me.Digest.ID, sub.Feed.ID, s.Now(), deliveredShown); err != nil {
		return err
	}
	filters, err := s.Store.Filters(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	for _, f := range filters {
		if f.FeedID == sub.Feed.ID {
			p.Filters = append(p.Filters, f)
		}
	}
	return s.show(w, r, status, "feed", p.Title, p)
}

// setFeed takes a new name, folder and display for a feed.
func (s *site) setFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, rests, err := s.mine(r, me)
	if err != nil {
		return err
	}
	form, err := posted(r)
	if err != nil {
		return err
	}
	own, wrong := choicesOf(form)
	if wrong != (feedWrongs{}) {
		return s.showMine(w, r, me, http.StatusBadRequest, minePage{Own: own, Wrong: wrong}, sub, rests)
	}
	own.DigestID, own.FeedID = me.Digest.ID, sub.Feed.ID
	if own.Title == sub.Feed.Title {
		own.Title = "" // so that it follows the feed's
	}
	if err := s.Store.SetSubscription(r.Context(), own); err != nil {
		return err
	}
	return showSaved(w, r, feedPath(sub.Feed.ID), "changed")
}

// choicesOf reads what a form says of a feed.
func choicesOf(form url.Values) (sub digest.Subscription, wrong feedWrongs) {
	sub.Title, wrong.Title = nameOfForm("A name", form.Get("title"))
	sub.Folder, wrong.Folder = nameOfForm("A folder’s name", form.Get("folder"))
	sub.Folder = strings.Trim(sub.Folder, "/ ")
	switch d := digest.Layout(form.Get("display")); d {
	case "", digest.Headlines, digest.Excerpts, digest.FullText:
		sub.Display = d
	default:
		wrong.Display = "That is none of the choices. Nothing was changed."
	}
	return sub, wrong
}

// nameOfForm makes one line of what was typed, and says what is wrong with it.
func nameOfForm(what, typed string) (name, wrong string) {
	typed = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(typed, "\uFFFD"))
	name = strings.Join(strings.Fields(typed), " ")
	if n := utf8.RuneCountInString(name); n > maxName {
		return firstRunes(name, maxNameShown), fmt.Sprintf("%s may have %d characters; this one has %d. Its beginning is kept here; nothing was changed yet.", what, maxName, n)
	}
	return name, ""
}

// firstRunes is the beginning of a text, n characters at most.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// pauseFeed lets a feed rest.
func (s *site) pauseFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, _, err := s.mine(r, me)
	if err == nil {
		err = s.Store.PauseSubscription(r.Context(), me.Digest.ID, sub.Feed.ID)
	}
	if err != nil {
		return err
	}
	return showSaved(w, r, feedPath(sub.Feed.ID), "rests")
}

// resumeFeed takes a feed up again.
func (s *site) resumeFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, _, err := s.mine(r, me)
	if err == nil {
		err = s.Store.ResumeSubscription(r.Context(), me.Digest.ID, sub.Feed.ID, s.Now())
	}
	if err != nil {
		return err
	}
	return showSaved(w, r, feedPath(sub.Feed.ID), "woken")
}

// A leftPage says that a feed was left, and carries the way back.
type leftPage struct {
	Title string
	URL   string
	Own   digest.Subscription
}

// unsubscribeFeed ends a subscription. The answer is the only page that still knows
// what the reader had made of the feed.
func (s *site) unsubscribeFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, _, err := s.mine(r, me)
	if err == nil {
		err = s.Store.Unsubscribe(r.Context(), me.Digest.ID, sub.Feed.ID)
	}
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "feed_left", "Unsubscribed", leftPage{shortened(titleOf(sub)), sub.Feed.URL, sub.Subscription})
}
