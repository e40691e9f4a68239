package poller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

// A SearchError is why no feed was found at an address, or none may be looked
// for there, in words for whoever gave the address.
type SearchError struct{ Cause *digest.Error }

// Error gives the words, and what caused the error behind them.
func (e *SearchError) Error() string { return e.Cause.Error() }

// Unwrap gives the *digest.Error.
func (e *SearchError) Unwrap() error { return e.Cause }

// Candidates are the feeds found at an address that a person gave.
type Candidates struct {
	Title  string      // of the page that offers them; "" if the address is a feed's itself
	Itself bool        // the address is the only candidate's own
	Feeds  []Candidate // at least one, in the order of the page but for comments, which come last

	// Read is the one feed that was fetched to find this out, as FindNew gives
	// it; its outcome is "" if none was.
	Read Result
}

// A Candidate is one feed of several. What is not known of it is empty.
type Candidate struct {
	URL      string // normal form
	Title    string
	Kind     string      // as package feed names it, or the media type that the page states
	Comments bool        // on posts, not posts
	Known    digest.Feed // as it is stored; zero: nobody has taken it yet
	Posts    int         // in the document, if it was read just now
	Newest   string      // the title of the newest of them
}

// mostCandidates bounds the feeds of one page that are shown.
const mostCandidates = 20

// Candidates turns an address into the feeds behind it. It sends what FindNew
// sends and no more: the page is read, and the first of the feeds that it
// offers and that are not known, so that there is one that surely works. Of the
// others it is told what the page says of them.
func (p *Poller) Candidates(ctx context.Context, address string, known Known) (Candidates, error) {
	s := &search{session: p.newSession(digest.Feed{}, 1), known: known}
	found, err := s.find(ctx, address)
	if err != nil {
		return Candidates{Read: found}, err
	}
	first := candidateOf(found)
	if s.page == nil {
		return Candidates{Itself: true, Feeds: []Candidate{first}, Read: found}, nil
	}
	c := Candidates{Title: s.page.Title, Feeds: []Candidate{first}, Read: found}
	for _, o := range s.page.Feeds {
		url, err := feed.NormalURL(o.URL)
		same := func(c Candidate) bool { return c.URL == url }
		if err != nil || url == s.tried || slices.ContainsFunc(c.Feeds, same) || slices.Contains(s.failed, url) || len(c.Feeds) == mostCandidates {
			continue
		}
		c.Feeds = append(c.Feeds, s.offered(ctx, url, o))
	}
	slices.SortStableFunc(c.Feeds, func(a, b Candidate) int { return rank(a) - rank(b) })
	return c, nil
}

func rank(c Candidate) int {
	if c.Comments {
		return 1
	}
	return 0
}

// offered is what a page says of a feed, or what is stored of it.
func (s *search) offered(ctx context.Context, url string, o feed.Offer) Candidate {
	c := Candidate{URL: url, Title: o.Title, Kind: o.Type, Comments: isComments(o)}
	if f, ok := s.known(ctx, url); ok {
		c.URL, c.Known, c.Kind = f.URL, f, f.Kind
		if f.Title != "" {
			c.Title = f.Title
		}
	}
	return c
}

func candidateOf(r Result) Candidate {
	c := Candidate{URL: r.Feed.URL, Title: r.Feed.Title, Kind: r.Feed.Kind}
	c.Comments = isComments(feed.Offer{URL: c.URL, Title: c.Title})
	if r.Document == nil {
		c.Known = r.Feed
		return c
	}
	c.Posts = len(r.Document.Posts)
	c.Newest = newest(r.Document.Posts, r.Feed.ParsedAt)
	return c
}

// newest is the title of the newest entry that is not of the future, else of the first.
func newest(entries []feed.Post, now time.Time) string {
	best := -1
	for i, e := range entries {
		if !e.Published.After(now) && (best < 0 || e.Published.After(entries[best].Published)) {
			best = i
		}
	}
	if len(entries) == 0 {
		return ""
	}
	return entries[max(best, 0)].Title
}

// isComments recognises the feeds of comments that blogs offer beside their own.
func isComments(o feed.Offer) bool {
	url, title := strings.ToLower(o.URL), strings.ToLower(o.Title)
	return strings.Contains(url, "/comments/") || strings.HasSuffix(url, "/comments") || strings.Contains(url, "comments.xml") ||
		strings.Contains(url, "comments-rss") || strings.Contains(url, "feed=comments") || strings.Contains(title, "comments feed") ||
		strings.HasPrefix(title, "comments on ") || strings.HasPrefix(title, "comments for ")
}

// offeredAddresses gives the addresses that a page offers, those of comments last.
func offeredAddresses(page *feed.Document) []string {
	var posts, comments []string
	for _, o := range page.Feeds {
		if isComments(o) {
			comments = append(comments, o.URL)
		} else {
			posts = append(posts, o.URL)
		}
	}
	return append(posts, comments...)
}

// searchError makes an error for the person who searched.
func searchError(kind digest.Kind, cause error, format string, args ...any) error {
	return &SearchError{&digest.Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}}
}
