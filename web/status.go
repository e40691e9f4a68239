package web

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
	"digest/store"
	"digest/web/page"
)

const (
	historyDays = 90 // polls are stored that long
	recentPolls = 10
)

// A statusPage asks for the address of a feed, or shows why there is no answer.
type statusPage struct {
	Asked   string            // the address entered; empty if it has a password
	Wrong   catalogue.Sayable // why it isn’t a web address, or nil
	Unknown bool              // no feed here has this address
}

// A statusFeedPage shows the status of a feed to everybody. It reveals nothing about the feed's readers, not even
// their number.
type statusFeedPage struct {
	URL       string // without parts that may be secret
	Pingable  string // the requested address; "" if it has a password or pings are not accepted
	Title     string
	State     string
	Reason    catalogue.Sayable
	Idle      bool // no edition waits for it
	Fenced    bool // a fence stops all polls
	Next      time.Time
	Late      bool // Next has passed: the poll is queued
	Last      time.Time
	LastOK    time.Time
	Failing   time.Time // since
	MovingTo  string
	MovedFrom string // the requested address, if it is a former one
	Rules     []catalogue.Sayable
	News      catalogue.Sayable  // how news of the feed arrives
	Recent    []store.PollRecord // the newest first
	Total     chart.Day
	Days      []chart.Day // with polls, the newest first
	Chart     template.HTML
}

// statusPage shows one feed, by its exact address. There is no list of feeds.
func (s *site) statusPage(w http.ResponseWriter, r *http.Request) error {
	asked := askedURLs(r.URL)
	if len(asked) == 0 {
		return s.Show(w, r, http.StatusOK, "status", catalogue.Key("Feed status"), statusPage{})
	}
	if !s.Limits.Lookups.AllowAll(s.ClientShares(r), s.Now()) {
		w.Header().Set("Retry-After", "60")
		return page.ErrTooMany
	}
	for _, address := range asked {
		at, err := feed.AskedURL(address)
		if err != nil {
			continue
		}
		now := s.Now()
		v, err := s.Store.Subscriptions.FeedView(r.Context(), at, now.Add(-historyDays*24*time.Hour))
		if digest.KindOf(err) == digest.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		p := s.statusFeedPageOf(v, at, now, s.Language(r))
		p.Fenced, err = s.Fenced(r.Context())
		return s.ShowPage(w, r, err, "status_feed", catalogue.Key("Feed status"), p)
	}
	return s.showUnknown(w, r, asked[0])
}

// askedURLs returns the addresses in the url parameter. People who type a feed's address behind ?url= do not escape
// its query, so the rest of the query string may belong to the address.
func askedURLs(u *url.URL) []string {
	var asked []string
	for _, c := range []string{u.Query().Get("url"), unescapedURL(u.RawQuery)} {
		if c = strings.TrimSpace(c); c != "" && !slices.Contains(asked, c) {
			asked = append(asked, c)
		}
	}
	return asked
}

func unescapedURL(query string) string {
	rest, found := strings.CutPrefix(query, "url=")
	if !found || !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
		return ""
	}
	return rest
}

// showUnknown shows that this instance has no feed at the address, or that the address is invalid.
func (s *site) showUnknown(w http.ResponseWriter, r *http.Request, asked string) error {
	var p statusPage
	if shown, err := page.ShownURL(asked, true); err == nil && shown == asked {
		p.Asked = page.Shortened(asked)
	}
	status := http.StatusNotFound
	if _, err := feed.AskedURL(asked); err != nil {
		status, p.Wrong = http.StatusBadRequest, catalogue.Refusal(err)
	} else {
		p.Unknown = true
	}
	return s.Show(w, r, status, "status", catalogue.Key("Feed status"), p)
}

// statusFeedPageOf returns the page of feed f, which was found at the address asked.
func (s *site) statusFeedPageOf(f store.FeedView, asked string, now time.Time, l *catalogue.Language) statusFeedPage {
	state, reason := poller.Status(f.Feed, now)
	next := poller.NextPoll(f.Feed, f.NextDueAt, now, s.Spread)
	address, _ := page.ShownURL(f.URL, f.URL == asked)
	p := statusFeedPage{
		URL: page.Shortened(address), Title: page.Shortened(f.Title), State: state, Reason: reason,
		Idle: state == poller.StateActive && next.IsZero(),
		Next: next, Late: !next.IsZero() && !next.After(now),
		Last: f.LastAttemptAt, LastOK: f.LastOKAt, Failing: f.FailingSince,
		News: poller.NewsWords(f.News, now), Rules: page.RulesOf(f.Feed),
		Recent: slices.Clone(f.Polls[max(0, len(f.Polls)-recentPolls):]),
	}
	slices.Reverse(p.Recent)
	if shown, err := page.ShownURL(asked, true); err == nil && shown == asked && s.Pings != nil {
		p.Pingable = asked
	}
	if f.MovedTo != "" {
		to, _ := page.ShownURL(f.MovedTo, false)
		p.MovingTo = page.Shortened(to)
	}
	if asked != f.URL {
		former, _ := page.ShownURL(asked, true)
		p.MovedFrom = page.Shortened(former)
	}
	p.plot(f.Polls, now, l)
	return p
}

func (p *statusFeedPage) plot(polls []store.PollRecord, now time.Time, l *catalogue.Language) {
	drawn := make([]chart.Poll, len(polls))
	for i, r := range polls {
		drawn[i] = chart.Poll{At: r.At, Kind: page.KindNamed(r.Kind()), Bytes: r.Bytes, Took: r.Took}
	}
	history := chart.New(drawn, now, historyDays)
	p.Total = history.Total()
	if p.Total.Polls() == 0 {
		return
	}
	for _, d := range slices.Backward(history.Days) {
		if d.Polls() > 0 {
			p.Days = append(p.Days, d)
		}
	}
	// The chart contains only numbers and dates, no text of a feed, so it is safe as HTML.
	p.Chart = template.HTML(history.SVG(l,
		l.Text(catalogue.List{catalogue.Key("Responses"), catalogue.Key("Bytes"), catalogue.Key("Response time")})))
}
