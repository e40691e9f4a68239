package web

import (
	"net/http"
	"slices"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type feedsSeveralPage struct {
	feedMenu
	Titles  []string
	Private int // number of private feeds, which this menu does not unsubscribe

	chosen []store.SubscriptionInfo
}

func (s *site) feedsSeveralPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	p, err := s.severalOf(r, me, r.URL.Query()["feed"])
	return s.showSeveral(w, r, http.StatusOK, p, err)
}

func (s *site) showSeveral(w http.ResponseWriter, r *http.Request, status int, p feedsSeveralPage, err error) error {
	if err != nil {
		return err
	}
	return s.Show(w, r, status, "feeds_several", catalogue.Key("%d sites selected").With(len(p.chosen)), p)
}

// severalOf returns the menu for the reader's feeds that a request names.
func (s *site) severalOf(r *http.Request, me page.Reader, named []string) (feedsSeveralPage, error) {
	p := feedsSeveralPage{feedMenu: s.menuFor(me.Digest, "/feeds/several", fromOf(r))}
	v, err := s.Store.Subscriptions.SubscriptionsView(r.Context(), me.Digest.ID)
	if err != nil {
		return p, err
	}
	wanted := map[string]bool{}
	for _, id := range named[:min(len(named), mostFeeds)] {
		wanted[id] = true
	}
	for _, sub := range v.Subscriptions {
		if sub.Folder != "" {
			p.Folders = append(p.Folders, sub.Folder)
		}
		if !wanted[strconv.FormatInt(int64(sub.Feed.ID), 10)] {
			continue
		}
		p.chosen, p.Chosen = append(p.chosen, sub), append(p.Chosen, sub.Feed.ID)
		p.Titles = append(p.Titles, page.Shortened(titleOf(sub)))
		p.Paused = p.Paused || sub.Paused
		if digest.IsPrivate(sub.Feed.URL) {
			p.Private++
		}
	}
	if len(p.chosen) == 0 {
		return p, page.ErrNoneChosen
	}
	slices.SortFunc(p.Folders, digest.CompareNames)
	p.Folders = slices.Compact(p.Folders)
	slices.SortFunc(p.Titles, digest.CompareNames)
	p.Own = common(p.chosen)
	return p, nil
}

// common returns the settings that all subscriptions share. Other settings are zero.
func common(subs []store.SubscriptionInfo) (own digest.Subscription) {
	own = subs[0].Subscription
	for _, sub := range subs {
		if sub.Folder != own.Folder {
			own.Folder = ""
		}
		if sub.Display != own.Display {
			own.Display = ""
		}
		if sub.Most != own.Most {
			own.Most = 0
		}
		if sub.RollUp != own.RollUp {
			own.RollUp = 0
		}
	}
	return own
}

// onSeveral returns a handler for a form of the menu. It redirects to a confirmation, or shows the
// menu with an error if act returns an empty string.
func (s *site) onSeveral(act func(*http.Request, page.Reader, *feedsSeveralPage) (done string, err error)) func(
	http.ResponseWriter, *http.Request, page.Reader) error {
	return func(w http.ResponseWriter, r *http.Request, me page.Reader) error {
		p, err := s.severalOf(r, me, r.PostForm["feed"])
		if err != nil {
			return err
		}
		done, err := act(r, me, &p)
		if err == nil && done == "" {
			return s.showSeveral(w, r, http.StatusBadRequest, p, nil)
		}
		return page.SeeSaved(w, r, err, "/feeds", done)
	}
}

func (s *site) moveFeeds(r *http.Request, me page.Reader, p *feedsSeveralPage) (string, error) {
	if err := page.HasAll(r.PostForm, "folder"); err != nil {
		return "", err
	}
	if p.Own.Folder, p.Wrong.Folder = folderOf(r.PostForm); p.Wrong.Folder != nil {
		return "", nil
	}
	_, err := s.Store.Subscriptions.SetFolder(r.Context(), me.Digest.ID, p.Chosen, p.Own.Folder)
	return "moved", err
}

func (s *site) displayFeeds(r *http.Request, me page.Reader, p *feedsSeveralPage) (string, error) {
	if err := page.HasAll(r.PostForm, "display", "most"); err != nil {
		return "", err
	}
	own, wrong := displayOf(r.PostForm, digest.Subscription{})
	if p.Wrong.Display = wrong; wrong != nil {
		return "", nil
	}
	_, err := s.Store.Subscriptions.SetDisplay(r.Context(), me.Digest.ID, p.Chosen, own)
	return "shown", err
}

func (s *site) pauseFeeds(r *http.Request, me page.Reader, p *feedsSeveralPage) (string, error) {
	until, wrong, err := p.pauseOf(r.PostForm, me.Digest, s.Now())
	if p.Wrong.Day = wrong; wrong != nil || err != nil {
		return "", err
	}
	_, err = s.Store.Subscriptions.PauseSubscriptions(r.Context(), me.Digest.ID, p.Chosen, until)
	return "paused", err
}

// resumeFeeds ends the pauses. It skips feeds that are paused because a newsletter delivers their
// posts.
func (s *site) resumeFeeds(r *http.Request, me page.Reader, p *feedsSeveralPage) (string, error) {
	for _, sub := range p.chosen {
		if !sub.Paused || sub.PausedFor != 0 {
			continue
		}
		if err := s.Store.Subscriptions.ResumeSubscription(r.Context(), me.Digest.ID, sub.Feed.ID,
			s.Now()); err != nil &&
			digest.KindOf(err) != digest.NotFound {
			return "", err
		}
	}
	return "resumed", nil
}

// leaveSeveral unsubscribes from the feeds and offers to undo it.
func (s *site) leaveSeveral(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	p, err := s.severalOf(r, me, r.PostForm["feed"])
	if err != nil {
		return err
	}
	return s.leaveFeeds(w, r, me, p.chosen)
}
