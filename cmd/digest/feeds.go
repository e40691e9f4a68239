package main

import (
	"cmp"
	"fmt"
	"text/tabwriter"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
)

type feedsCmd struct {
	URL string `arg:"" optional:"" name:"url" help:"One feed; all without it."`
}

// Run shows how feeds stand.
func (c feedsCmd) Run(e *env) error {
	return e.withStore(func(st *store.Store) error {
		if c.URL != "" {
			return e.showFeed(st, c.URL)
		}
		feeds, err := st.Feeds(e.soft)
		if err != nil {
			return err
		}
		return e.listFeeds(feeds)
	})
}

// reportedFeed is a feed as JSON.
type reportedFeed struct {
	URL          string     `json:"url"`
	Title        string     `json:"title"`
	SiteURL      string     `json:"site_url"`
	Kind         string     `json:"kind"`
	State        string     `json:"state"`
	Reason       string     `json:"reason"`
	LastStatus   int        `json:"last_status"`
	LastError    string     `json:"last_error"`
	LastPolledAt *time.Time `json:"last_polled_at"`
	LastOKAt     *time.Time `json:"last_ok_at"`
	NextPollAt   *time.Time `json:"next_poll_at"`
	Subscribers  int        `json:"subscribers"`
	ETag         string     `json:"etag"`
	LastModified string     `json:"last_modified"`
	Errors       int        `json:"errors"`
	Head         string     `json:"head"`
	Conditional  string     `json:"conditional"`
}

func (e *env) reportFeed(f store.FeedInfo) reportedFeed {
	state, reason := poller.Status(f.Feed, e.now())
	next := poller.NextPoll(f.Feed, f.NextDueAt, e.now(), e.spread())
	if state == poller.StateActive && next.IsZero() {
		reason = "not asked: everyone who took it has paused, left or unsubscribed"
	}
	return reportedFeed{
		URL: f.URL, Title: f.Title, SiteURL: f.SiteURL, Kind: f.Kind,
		State: state, Reason: reason, LastStatus: f.LastStatus, LastError: f.LastError,
		LastPolledAt: instant(f.LastAttemptAt), LastOKAt: instant(f.LastOKAt), NextPollAt: instant(next),
		Subscribers: f.Subscribers, ETag: f.ETag, LastModified: f.LastModified, Errors: f.Errors,
		Head: string(f.Head), Conditional: string(f.Conditional),
	}
}

func (e *env) showFeed(st *store.Store, address string) error {
	url, err := feed.NormalURL(address)
	if err != nil {
		return err
	}
	known, err := st.FeedByURL(e.soft, url)
	if err != nil {
		return err
	}
	f, err := st.Feed(e.soft, known.ID)
	if err != nil {
		return err
	}
	r := e.reportFeed(f)
	if e.json {
		return e.printJSON(r)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", "feed", plain(r.URL))
	fmt.Fprintf(w, "%s\t%s\n", "title", plain(r.Title))
	fmt.Fprintf(w, "%s\t%s: %s\n", "state", r.State, plain(r.Reason))
	fmt.Fprintf(w, "%s\t%s\n", "last answer", plain(lastAnswer(f.Feed)))
	fmt.Fprintf(w, "%s\t%s\n", "last polled", when(r.LastPolledAt))
	fmt.Fprintf(w, "%s\t%s\n", "next poll", when(r.NextPollAt))
	fmt.Fprintf(w, "%s\t%d\n", "subscribers", r.Subscribers)
	fmt.Fprintf(w, "%s\t%s\n", "validators", plain(cmp.Or(f.ETag, f.LastModified, "none")))
	return w.Flush()
}

func lastAnswer(f digest.Feed) string {
	switch {
	case f.LastError != "":
		return f.LastError
	case f.LastStatus != 0:
		return fmt.Sprintf("status %d", f.LastStatus)
	}
	return "none yet"
}

func when(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format("2006-01-02 15:04 MST")
}

func (e *env) listFeeds(feeds []store.FeedInfo) error {
	reports := make([]reportedFeed, len(feeds))
	for i, f := range feeds {
		reports[i] = e.reportFeed(f)
	}
	if e.json {
		return e.printJSON(reports)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, r := range reports {
		fmt.Fprintf(w, "%s\t%s\t%s\tnext %s\t%s\n", r.State, plain(r.URL), count(r.Subscribers, "reader"), when(r.NextPollAt), plain(r.Reason))
	}
	return w.Flush()
}
