package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
)

type feedsCmd struct {
	reads
	URL string `arg:"" optional:"" name:"url" help:"The feed to show; without it, all feeds."`
}

func (c feedsCmd) Run(a *app, st *store.Store) error {
	if err := a.noteFence(st); err != nil {
		return err
	}
	if c.URL != "" {
		return a.showFeed(st, c.URL)
	}
	return printPages(a, reported(st.Feeds.Feeds(a.soft), a.reportFeed), "", func(r reportedFeed) string {
		return fmt.Sprintf("%s\t%s\t%s\tnext %s\t%s", r.State, plain(r.URL), digest.Counted(r.Subscribers, "reader"),
			when(r.NextPollAt), plain(r.Reason))
	})
}

type reportedFeed struct {
	URL          string         `json:"url"`
	Title        string         `json:"title"`
	SiteURL      string         `json:"site_url"`
	Kind         string         `json:"kind"`
	State        string         `json:"state"`
	Reason       string         `json:"reason"`
	LastStatus   int            `json:"last_status"`
	LastError    string         `json:"last_error"`
	LastPolledAt *time.Time     `json:"last_polled_at"`
	LastOKAt     *time.Time     `json:"last_ok_at"`
	NextPollAt   *time.Time     `json:"next_poll_at"`
	Subscribers  int            `json:"subscribers"`
	ETag         string         `json:"etag"`
	LastModified string         `json:"last_modified"`
	Errors       int            `json:"errors"`
	Head         digest.Ability `json:"head"`
	Conditional  digest.Ability `json:"conditional"`
	Domain       string         `json:"domain"`
	Since        *time.Time     `json:"since"`         // beginning of its current trouble; null: none
	NotBefore    *time.Time     `json:"not_before"`    // Retry-After or a penalty
	FreshUntil   *time.Time     `json:"fresh_until"`   // from Cache-Control or Expires
	StoredToday  int64          `json:"stored_today"`  // bytes of posts that count for its quota
	PostsWaiting int            `json:"posts_waiting"` // over the quota
	Intervals    intervals      `json:"intervals"`
	News         reportedNews   `json:"news"`

	Polls []reportedPoll `json:"polls,omitzero"` // when one feed is shown: the last 90 days, newest first
}

// intervals are the minimum times between two polls, in seconds; 0: none.
type intervals struct {
	Document int64 `json:"document"` // ttl, sy:updatePeriod
	Own      int64 `json:"own"`      // our manners: for a silent feed, one without validators, or one with a password
	Host     int64 `json:"host"`     // rule of digest hosts
	Busy     int64 `json:"busy"`     // for a document that holds too few posts
}

type reportedNews struct {
	By    digest.Way `json:"by"`    // push, ping or poll
	Since *time.Time `json:"since"` // of push: the current series without a gap; of ping: the last one
	// since when its hubs are trusted and it is polled weekly; null: not trusted
	TrustedSince *time.Time `json:"trusted_since"`
	Pushes       int        `json:"pushes"`
	Pings        int        `json:"pings"`
	LastPushAt   *time.Time `json:"last_push_at"`
	MissedAt     *time.Time `json:"missed_at"` // when a poll last found a post that no hub pushed
	SavedPolls   int        `json:"saved_polls"`
	Hubs         []string   `json:"hubs"` // in its document
	// earliest next request to hubs whose host left several unconfirmed
	HubsQuiet *time.Time `json:"hubs_not_before"`

	shown string
}

func reportNews(f store.FeedInfo, now time.Time) reportedNews {
	n := f.News
	way, since := n.Way(now)
	if !n.HubQuietUntil.After(now) {
		n.HubQuietUntil = time.Time{}
	}
	return reportedNews{
		By: way, Since: instant(since), TrustedSince: instant(n.TrustedAt), Pushes: n.AllPushes, Pings: n.Pings,
		LastPushAt: instant(n.LastPushAt),
		MissedAt:   instant(n.MissedAt), SavedPolls: n.SavedPolls, Hubs: strings.Fields(f.Hubs),
		HubsQuiet: instant(n.HubQuietUntil), shown: poller.NewsWords(n, now).In(catalogue.English()),
	}
}

type reportedPoll struct {
	At       time.Time `json:"at"`
	Outcome  string    `json:"outcome"`
	Status   int       `json:"status"`
	Requests int       `json:"requests"`
	Bytes    int64     `json:"bytes"`
	Millis   int64     `json:"ms"`
	Note     string    `json:"note"`
}

func (a *app) reportFeed(f store.FeedInfo) reportedFeed {
	state, words := poller.Status(f.Feed, a.now())
	next := poller.NextPoll(f.Feed, f.NextDueAt, a.now(), a.spread())
	reason := words.In(catalogue.English())
	if state == poller.StateActive && next.IsZero() {
		reason = "not polled: all its subscribers have paused without an end, left or unsubscribed"
	}
	return reportedFeed{
		URL: digest.WithoutCredentials(f.URL), Title: f.Title, SiteURL: digest.WithoutCredentials(f.SiteURL),
		Kind:  f.Kind,
		State: state, Reason: reason, LastStatus: f.LastStatus, LastError: digest.WithoutCredentials(f.LastError),
		LastPolledAt: instant(f.LastAttemptAt), LastOKAt: instant(f.LastOKAt), NextPollAt: instant(next),
		Subscribers: f.Subscribers, ETag: f.ETag, LastModified: f.LastModified, Errors: f.Errors,
		Head: f.Head, Conditional: f.Conditional, Domain: f.Domain,
		Since: instant(since(f.Feed, state)), NotBefore: instant(f.NotBefore), FreshUntil: instant(f.FreshUntil),
		StoredToday: f.UsedOn(a.now()), PostsWaiting: f.PostsWaiting,
		Intervals: intervals{seconds(f.DocInterval), seconds(f.OwnInterval), seconds(f.HostInterval),
			seconds(f.BusyInterval)},
		News: reportNews(f, a.now()),
	}
}

// since returns the beginning of a feed's current trouble; zero: none.
func since(f digest.Feed, state string) time.Time {
	switch {
	case state == poller.StateGone, f.State == digest.FeedTrial && !f.GoneAt.IsZero():
		return f.GoneAt
	case !f.FailingSince.IsZero():
		return f.FailingSince
	case !f.FirstErrorAt.IsZero():
		return f.FirstErrorAt
	case state == poller.StateWaiting:
		return f.LastAttemptAt
	}
	return time.Time{}
}

// pollHistory is how long polls are stored.
const pollHistory = 90 * 24 * time.Hour

func (a *app) showFeed(st *store.Store, address string) error {
	known, err := a.feedAt(st, address)
	if err != nil {
		return err
	}
	f, err := st.Feeds.Feed(a.soft, known.ID)
	if err != nil {
		return err
	}
	polls, err := st.Feeds.Polls(a.soft, known.ID, a.now().Add(-pollHistory))
	if err != nil {
		return err
	}
	slices.Reverse(polls)
	r := a.reportFeed(f)
	r.Polls = each(polls, func(p store.PollRecord) reportedPoll {
		return reportedPoll{p.At, p.Outcome, p.Status, p.Requests, p.Bytes, p.Took.Milliseconds(),
			digest.WithoutCredentials(p.Note)}
	})
	return a.show(r, func() error { return a.printFeed(f.Feed, r) })
}

// feedAt finds a feed by its address in any spelling. An address without name and password, as commands show it, is
// enough if only one feed has it.
func (a *app) feedAt(st *store.Store, address string) (digest.Feed, error) {
	if digest.IsPrivate(address) {
		return st.Feeds.FeedByURL(a.soft, address)
	}
	url, err := feed.AskedURL(address)
	if err != nil {
		return digest.Feed{}, err
	}
	f, notFound := st.Feeds.FeedByURL(a.soft, url)
	if digest.KindOf(notFound) != digest.NotFound {
		return f, notFound
	}
	alike, err := st.Feeds.FeedsOfHost(a.soft, feed.Host(url))
	if err != nil {
		return digest.Feed{}, err
	}
	var shown []digest.Feed
	for _, f := range alike {
		if digest.PublicAddress(f.URL) == digest.PublicAddress(url) {
			shown = append(shown, f.Feed)
		}
	}
	switch len(shown) {
	case 0:
		return digest.Feed{}, notFound
	case 1:
		return shown[0], nil
	}
	return digest.Feed{}, digest.Errorf(digest.Conflict,
		"%s has several passwords; use the address that digest feeds prints", digest.WithoutCredentials(url))
}

// subscribedAt is feedAt, but prefers the private feeds of a reader.
func (a *app) subscribedAt(st *store.Store, id digest.DigestID, address string) (digest.Feed, error) {
	subs, err := st.Subscriptions.AllSubscriptions(a.soft, id)
	if err != nil {
		return digest.Feed{}, err
	}
	url, err := feed.AskedURL(address)
	var own []digest.Feed
	for _, s := range subs {
		if digest.IsPrivate(s.Feed.URL) &&
			(s.Feed.URL == address || err == nil && digest.PublicAddress(s.Feed.URL) == digest.PublicAddress(url)) {
			own = append(own, s.Feed)
		}
	}
	if len(own) == 1 {
		return own[0], nil
	}
	return a.feedAt(st, address)
}

func (a *app) printFeed(f digest.Feed, r reportedFeed) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", what, plain(text))
		}
	}
	line("feed", r.URL)
	line("title", r.Title)
	line("state", r.State+": "+r.Reason)
	if r.Since != nil {
		line("since", when(r.Since))
	}
	line("last answer", lastAnswer(f))
	line("last polled", when(r.LastPolledAt))
	line("last well", when(r.LastOKAt))
	line("next poll", when(r.NextPollAt))
	line("polled at most", atMost(f))
	line("its news", r.News.shown)
	if f.BusyInterval > 0 {
		line("by itself", "every "+roughly(f.BusyInterval)+
			", because it publishes more in a day than its document holds")
	}
	if r.StoredToday > 0 {
		line("stored today", fmt.Sprintf("%d KB", (r.StoredToday+1023)>>10))
	}
	line("subscribers", strconv.Itoa(r.Subscribers))
	line("validators", cmp.Or(f.ETag, f.LastModified, "none"))
	line("polls", summary(r.Polls))
	if err := w.Flush(); err != nil {
		return err
	}
	return a.printPolls(r.Polls[:min(len(r.Polls), shownPolls)])
}

// atMost lists the intervals of a feed that are longer than the gap between polls.
func atMost(f digest.Feed) string {
	var parts []string
	for _, i := range []struct {
		every time.Duration
		why   string
	}{
		{f.DocInterval, "because its document asks for it"},
		{f.OwnInterval, "because it is silent, has no validators, or needs a password"},
		{f.HostInterval, "because of the rule for its host"},
	} {
		if i.every > 0 {
			parts = append(parts, "every "+roughly(i.every)+" "+i.why)
		}
	}
	return strings.Join(parts, "; ")
}

func summary(polls []reportedPoll) string {
	if len(polls) == 0 {
		return ""
	}
	kinds, bytes := map[string]int{}, int64(0)
	for _, p := range polls {
		kinds[p.Outcome]++
		bytes += p.Bytes
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	return fmt.Sprintf("%d since %s: %s; %d KB", len(polls), when(&polls[len(polls)-1].At), strings.Join(parts, ", "),
		(bytes+1023)>>10)
}

// shownPolls is the number of polls that the text output shows; the JSON has all.
const shownPolls = 10

func (a *app) printPolls(polls []reportedPoll) error {
	return printLines(a.stdout, polls, func(p reportedPoll) string {
		status := "no answer"
		if p.Status != 0 {
			status = strconv.Itoa(p.Status)
		}
		return fmt.Sprintf("  %s\t%s\t%s\t%s\t%d B\t%d ms\t%s",
			when(&p.At), plain(p.Outcome), status, digest.Counted(p.Requests, "request"), p.Bytes, p.Millis,
			plain(p.Note))
	})
}

func lastAnswer(f digest.Feed) string {
	switch {
	case f.LastError != "":
		return f.LastError
	case f.LastStatus != 0:
		return fmt.Sprintf("status %d", f.LastStatus)
	}
	return "none"
}
