package operator

import (
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
	"digest/web/page"
)

func operatedFeedPath(id digest.FeedID) string {
	return "/operator/feeds/" + strconv.FormatInt(int64(id), 10)
}

type feedPage struct {
	troubledRow
	Saved    string
	Wrong    catalogue.Sayable // why the feed was not queued; nil if it was
	Fenced   bool              // the fence stops all requests
	Hidden   bool              // its address is shown without its secret part
	Never    catalogue.Sayable // why the feed is never polled; nil otherwise
	Earliest time.Time
	Now      bool // Earliest has passed
	Answer   catalogue.Sayable
	Last     time.Time
	LastOK   time.Time
	Rules    []catalogue.Sayable
	Waits    int  // posts over its quota
	Idle     bool // no edition waits for it
}

func (s *site) feedPage(w http.ResponseWriter, r *http.Request, _ page.Reader) error {
	return s.showOperatorFeed(w, r, http.StatusOK, feedPage{Saved: page.SavedOf(r, "queued")})
}

func (s *site) showOperatorFeed(w http.ResponseWriter, r *http.Request, status int, p feedPage) error {
	f, err := s.operatedFeed(r)
	if err != nil {
		return err
	}
	now := s.Now()
	p.troubledRow = s.troubledRow(f, now)
	p.Hidden = p.Shown != page.Shortened(f.URL)
	if p.State == poller.StateActive && p.Next.IsZero() {
		p.Idle = true
	}
	p.Never = neverAsked(f)
	p.Last, p.LastOK, p.Rules, p.Waits = f.LastAttemptAt, f.LastOKAt, page.RulesOf(f.Feed), f.PostsWaiting
	switch {
	case f.LastError != "":
		p.Answer = poller.Noted(digest.WithoutCredentials(f.LastError))
	case f.LastStatus != 0:
		p.Answer = catalogue.Key("status %d").With(f.LastStatus)
	}
	if p.Earliest, err = s.Store.Feeds.VouchedAt(f.Feed, now); err != nil {
		return err
	}
	p.Now = !p.Earliest.After(now)
	p.Fenced, err = s.Fenced(r.Context())
	if err != nil {
		return err
	}
	return s.Show(w, r, status, "operator/feed", catalogue.Key("Feeds"), p)
}

func (s *site) operatedFeed(r *http.Request) (store.FeedInfo, error) {
	id, err := page.PathKey(r)
	if err != nil {
		return store.FeedInfo{}, err
	}
	return s.Store.Feeds.Feed(r.Context(), digest.FeedID(id))
}

// neverAsked explains why even the operator cannot start a poll; nil if they can.
func neverAsked(f store.FeedInfo) catalogue.Sayable {
	switch {
	case f.State == digest.FeedBlocked:
		return catalogue.Key("the operator blocked its host")
	case f.State == digest.FeedDeclined:
		return catalogue.Key("the owner of its host does not allow polls")
	case f.Subscribers == 0:
		return catalogue.Key("No reader needs this feed right now, so we don’t check it.")
	}
	return nil
}

// askFeed queues a poll at the earliest allowed time (I5), as "digest poll" does.
func (s *site) askFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	f, err := s.operatedFeed(r)
	if err != nil {
		return err
	}
	if why := neverAsked(f); why != nil {
		return s.showOperatorFeed(w, r, http.StatusConflict, feedPage{Wrong: why})
	}
	if err := s.Store.Feeds.Vouch(r.Context(), f.ID, s.Now()); err != nil {
		return err
	}
	s.Log.InfoContext(r.Context(), "an operator queued a poll", "operator", int64(me.ID), "feed", int64(f.ID))
	return page.SeeSaved(w, r, nil, operatedFeedPath(f.ID), "queued")
}
