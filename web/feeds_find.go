package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/web/page"
)

// mostAdded is how many feeds one form may add. It is also the maximum on one page.
const mostAdded = 20

// A feedsFindPage is the result of a search for feeds.
type feedsFindPage struct {
	Asked      string
	Private    bool              // the form asked for a private feed
	Password   bool              // the address requires a password
	Wrong      catalogue.Sayable // why no feed was found
	Title      string            // title of the page at the address
	First      bool              // the search was started on the page before the first edition
	Unticked   bool              // the form had no selection
	Instead    string            // ID of the feed that the result replaces; "" if there is none
	Candidates []foundFeed
	Fresh      int // candidates without a subscription

	// The result of a form that added several feeds.
	Taken []added
	Left  []notAdded
}

type foundFeed struct {
	URL    string
	Value  string // value of its form field
	Title  string
	Facts  []any // kind and number of posts, as catalogue.Sayable or literal text
	Newest string
	Mine   digest.FeedID // the existing subscription; 0 if there is none
	Chosen bool
	Alone  bool // only one candidate can be selected
}

type added struct {
	ID    digest.FeedID
	Title string
}

type notAdded struct {
	URL string
	Why catalogue.Sayable
}

// findFeeds searches for feeds at an address. If the address is a feed, it subscribes without a
// further step.
func (s *site) findFeeds(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.findAt(w, r, me, feedsFindPage{Asked: strings.TrimSpace(r.PostForm.Get("address")), Instead: insteadOf(r),
		First: isFirst(r, me)})
}

func (s *site) findAt(w http.ResponseWriter, r *http.Request, me page.Reader, p feedsFindPage) error {
	if err := s.mayFind(r, me, 1); err != nil {
		return s.orWrong(w, r, p, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), page.FindTime)
	defer cancel()
	if private, err := s.findPrivate(ctx, w, r, me, p); private {
		return err
	}
	found, err := s.Subscriber.Candidates(ctx, me.Digest.ID, p.Asked)
	if err != nil {
		return s.orWrong(w, r, p, page.AsSlow(ctx, err))
	}
	if found.Itself {
		return s.subscribeTo(w, r, me, p, found.Feeds[0].URL)
	}
	status := http.StatusOK
	if p.Unticked {
		status = http.StatusUnprocessableEntity
	}
	if err := s.fill(&p, r, me, found); err != nil {
		return err
	}
	return s.Show(w, r, status, "feeds_find", catalogue.Key("Feeds found"), p)
}

// mayFind returns an error if the reader has searched too often or has reached the maximum of
// subscriptions.
func (s *site) mayFind(r *http.Request, me page.Reader, n int) error {
	for range n {
		if !s.Limits.Finds.Allow(me.Key(), s.Now()) {
			return page.ErrTooManyFinds
		}
	}
	all, err := s.Store.Subscriptions.AllSubscriptions(r.Context(), me.Digest.ID)
	if err == nil && len(all) >= mostFeeds {
		err = errFull
	}
	return err
}

var errFull = &page.Problem{Status: http.StatusConflict, Title: catalogue.Key("You’ve reached the limit"),
	Text: catalogue.Key("You follow %d sites, which is the maximum. Unfollow one before you add another.").With(
		mostFeeds)}

// orWrong shows the search form with the reason why no feed was found. It returns all other errors
// unchanged.
func (s *site) orWrong(w http.ResponseWriter, r *http.Request, p feedsFindPage, err error) error {
	status, wrong := page.SearchSaid(err)
	if wrong == nil {
		return err
	}
	if e, ok := errors.AsType[*poller.SearchError](err); ok {
		p.Password = e.NeedsPassword
	}
	p.Wrong, p.Asked = wrong, page.FirstRunes(p.Asked, page.MaxName)
	return s.Show(w, r, status, "feeds_find", catalogue.Key("No feed found"), p)
}

func (s *site) subscribeTo(w http.ResponseWriter, r *http.Request, me page.Reader, p feedsFindPage, url string) error {
	f, created, err := s.Subscriber.Subscribe(r.Context(), digest.Subscription{DigestID: me.Digest.ID}, url)
	if err != nil {
		return s.orWrong(w, r, p, err)
	}
	word := "added"
	if !created {
		word = "there"
	}
	replaced, err := s.replaceFeed(r, me, f.ID)
	if replaced {
		word = "replaced"
	}
	return showAdded(w, r, me, err, feedPath(f.ID), word)
}

func feedPath(id digest.FeedID) string { return "/feeds/" + strconv.FormatInt(int64(id), 10) }

// fill adds the candidates to p. For feeds that the reader already follows it omits the newest
// post, because that may be hidden.
func (s *site) fill(p *feedsFindPage, r *http.Request, me page.Reader, found poller.Candidates) error {
	p.Title = page.Shortened(found.Title)
	for _, c := range found.Feeds {
		one := foundFeed{URL: c.URL, Value: c.URL, Title: page.Shortened(c.Title), Facts: c.Facts(),
			Alone: p.Instead != ""}
		if c.Known.ID != 0 {
			_, err := s.Store.Subscriptions.Subscription(r.Context(), me.Digest.ID, c.Known.ID)
			switch {
			case err == nil:
				one.Mine = c.Known.ID
			case digest.KindOf(err) != digest.NotFound:
				return err
			}
		}
		if one.Mine == 0 {
			p.Fresh++
			if c.Known.ID != 0 && c.Newest == "" {
				var err error
				if c.Newest, err = s.Store.Feeds.NewestTitle(r.Context(), c.Known.ID); err != nil {
					return err
				}
			}
			one.Chosen, one.Newest = p.Fresh == 1, page.Shortened(c.Newest)
		}
		p.Candidates = append(p.Candidates, one)
	}
	return nil
}

// addFeeds subscribes to the selected feeds. It treats each address as typed by the reader, because
// forms can be forged.
func (s *site) addFeeds(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	chosen := slices.Compact(r.PostForm["feed"])
	if address := r.PostForm.Get("address"); len(chosen) == 0 && address != "" {
		return s.findAt(w, r, me, feedsFindPage{Asked: address, Unticked: true, Instead: insteadOf(r),
			First: isFirst(r, me)})
	}
	if len(chosen) == 0 || len(chosen) > mostAdded {
		return page.ErrBadForm
	}
	if err := s.mayFind(r, me, len(chosen)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), page.FindTime)
	defer cancel()
	p := feedsFindPage{Instead: insteadOf(r), First: isFirst(r, me)}
	own := digest.Subscription{DigestID: me.Digest.ID}
	var ok bool
	if own.Trial, ok = own.Named(r.PostForm.Get("trial"), s.todayIn(me.Digest)); !ok {
		return page.ErrBadForm
	}
	for _, address := range chosen {
		f, _, err := s.Subscriber.Subscribe(ctx, own, address)
		if err = page.AsSlow(ctx, err); err != nil {
			e, ok := errors.AsType[*poller.SearchError](err)
			if !ok {
				return err
			}
			p.Left = append(p.Left, notAdded{page.Shortened(address), catalogue.Refusal(e)})
			continue
		}
		p.Taken = append(p.Taken, added{f.ID, page.Shortened(feedTitle(f))})
	}
	if len(p.Taken) > 0 {
		if replaced, err := s.replaceFeed(r, me, p.Taken[0].ID); replaced || err != nil {
			return page.SeeSaved(w, r, err, feedPath(p.Taken[0].ID), "replaced")
		}
	}
	if len(chosen) == 1 && len(p.Taken) == 1 {
		return showAdded(w, r, me, nil, feedPath(p.Taken[0].ID), "added")
	}
	if len(p.Left) == 0 {
		return showAdded(w, r, me, nil, "/feeds", "added")
	}
	p.Asked = p.Left[0].URL
	return s.Show(w, r, http.StatusUnprocessableEntity, "feeds_find_added",
		catalogue.Key("Some sites couldn’t be added"), p)
}
