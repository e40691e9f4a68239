package web

import (
	"fmt"
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
)

const (
	historyDays = 90 // polls are stored that long
	recentPolls = 10
	maxShown    = 300 // longest address or title, in characters
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
		return s.show(w, r, http.StatusOK, "status", catalogue.Key("Feed status"), statusPage{})
	}
	if !s.limits.lookups.allowAll(s.clientShares(r), s.Now()) {
		w.Header().Set("Retry-After", "60")
		return errTooMany
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
		p := s.statusFeedPageOf(v, at, now, s.language(r))
		p.Fenced, err = s.fenced(r.Context())
		return s.showPage(w, r, err, "status_feed", catalogue.Key("Feed status"), p)
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
	if shown, err := shownURL(asked, true); err == nil && shown == asked {
		p.Asked = shortened(asked)
	}
	status := http.StatusNotFound
	if _, err := feed.AskedURL(asked); err != nil {
		status, p.Wrong = http.StatusBadRequest, catalogue.Refusal(err)
	} else {
		p.Unknown = true
	}
	return s.show(w, r, status, "status", catalogue.Key("Feed status"), p)
}

// statusFeedPageOf returns the page of feed f, which was found at the address asked.
func (s *site) statusFeedPageOf(f store.FeedView, asked string, now time.Time, l *catalogue.Language) statusFeedPage {
	state, reason := poller.Status(f.Feed, now)
	next := poller.NextPoll(f.Feed, f.NextDueAt, now, s.Spread)
	address, _ := shownURL(f.URL, f.URL == asked)
	p := statusFeedPage{
		URL: shortened(address), Title: shortened(f.Title), State: state, Reason: reason,
		Idle: state == poller.StateActive && next.IsZero(),
		Next: next, Late: !next.IsZero() && !next.After(now),
		Last: f.LastAttemptAt, LastOK: f.LastOKAt, Failing: f.FailingSince,
		News: poller.NewsWords(f.News, now), Rules: rulesOf(f.Feed),
		Recent: slices.Clone(f.Polls[max(0, len(f.Polls)-recentPolls):]),
	}
	slices.Reverse(p.Recent)
	if shown, err := shownURL(asked, true); err == nil && shown == asked && s.Pings != nil {
		p.Pingable = asked
	}
	if f.MovedTo != "" {
		to, _ := shownURL(f.MovedTo, false)
		p.MovingTo = shortened(to)
	}
	if asked != f.URL {
		former, _ := shownURL(asked, true)
		p.MovedFrom = shortened(former)
	}
	p.plot(f.Polls, now, l)
	return p
}

func (p *statusFeedPage) plot(polls []store.PollRecord, now time.Time, l *catalogue.Language) {
	drawn := make([]chart.Poll, len(polls))
	for i, r := range polls {
		drawn[i] = chart.Poll{At: r.At, Kind: kindNamed(r.Kind()), Bytes: r.Bytes, Took: r.Took}
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

// shownURL returns an address without user and password. Its query may be a key, so it stays only if the visitor
// entered the address (named).
func shownURL(address string, named bool) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if u.User == nil && (named || u.RawQuery == "") {
		return address, nil
	}
	if u.User != nil {
		u.User = url.User("...")
	}
	if !named && u.RawQuery != "" {
		u.RawQuery = "..."
	}
	return u.String(), nil
}

// shortened returns a text of strangers for display: at most maxShown characters, without characters that change the
// text direction (U+202E and similar).
func shortened(s string) string {
	return digest.Shortened(digest.WithoutTurns(s), maxShown)
}

// rulesOf describes the rules that limit how often this feed is polled, in words for the site's owner. It omits rules
// for all feeds.
func rulesOf(f digest.Feed) []catalogue.Sayable {
	var rules []catalogue.Sayable
	add := func(is bool, rule catalogue.Key, args ...any) {
		if is {
			rules = append(rules, rule.With(args...))
		}
	}
	add(f.MoveUndone, catalogue.Key(
		"We ignore permanent redirects to another site, because this feed moved before and was moved back."))
	add(f.DocInterval > 0, catalogue.Key("The feed (ttl, sy:updatePeriod) requires %s between two requests."),
		about(f.DocInterval))
	add(f.SkipHours != 0, catalogue.Key("The feed (skipHours) allows no requests in these hours (UTC): %s."),
		hoursOf(f.SkipHours))
	add(f.SkipDays != 0, catalogue.Key("The feed (skipDays) allows no requests on %s (UTC)."), daysOf(f.SkipDays))
	add(f.OwnInterval > 0, catalogue.Key("We wait at least %s between two fetches of a feed."), about(f.OwnInterval))
	add(f.HostInterval > 0, catalogue.Key(
		"The site’s owner or our operator requires at least %s between two requests to this host."),
		about(f.HostInterval))
	add(f.BusyInterval > 0, catalogue.Key(
		"We fetch it every %s for now, because it lists few posts and we missed some."), about(f.BusyInterval))
	return append(rules, askedHow(f)...)
}

// askedHow describes the cost of polling an unchanged document, if it is known.
func askedHow(f digest.Feed) []catalogue.Sayable {
	switch {
	case f.ParsedAt.IsZero():
		return nil
	case f.ETag == "" && f.LastModified == "":
		return []catalogue.Sayable{
			catalogue.Key("It sends no ETag or Last-Modified, so every request downloads the whole document.")}
	case f.Conditional == digest.Lies:
		return []catalogue.Sayable{
			catalogue.Key("It has returned 304 for a changed document, so we download the whole document until its ETag changes.")}
	case f.Conditional == digest.Works && f.ByDate:
		return []catalogue.Sayable{
			catalogue.Key("Its ETag changes in transit, so we send only If-Modified-Since. It returns 304 when nothing is new.")}
	case f.Conditional == digest.Works:
		return []catalogue.Sayable{
			catalogue.Key("We send its ETag and Last-Modified back, and it returns 304 when nothing is new.")}
	case f.Conditional == digest.Useless && f.Head == digest.Works:
		return []catalogue.Sayable{
			catalogue.Key("It doesn’t return 304, so we send HEAD, and GET only when HEAD shows a change.")}
	case f.Conditional == digest.Useless:
		return []catalogue.Sayable{
			catalogue.Key("It sends an ETag or Last-Modified but never returns 304, so every request downloads the whole feed.")}
	}
	return nil
}

// about describes a duration in whole minutes, or in whole hours from two hours on.
func about(d time.Duration) catalogue.Message {
	if d >= 2*time.Hour {
		return period(d.Round(time.Hour))
	}
	return period(max(d.Round(time.Minute), time.Minute))
}

// hoursOf formats a set of hours as ranges: "0–5, 12, 22–23".
func hoursOf(set uint32) string {
	var parts []string
	for h := 0; h < 24; h++ {
		if set&(1<<h) == 0 {
			continue
		}
		end := h
		for end < 23 && set&(1<<(end+1)) != 0 {
			end++
		}
		if end == h {
			parts = append(parts, fmt.Sprint(h))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", h, end))
		}
		h = end
	}
	return strings.Join(parts, ", ")
}

// daysOf lists a set of days, Monday first.
func daysOf(set digest.Weekdays) catalogue.Sayable {
	var names []catalogue.Sayable
	for _, d := range catalogue.Week() {
		if set.Has(d) {
			names = append(names, catalogue.Weekday(d))
		}
	}
	return catalogue.Listed(names)
}
