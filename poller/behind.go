package poller

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"digest"
	"digest/feed"
	"digest/push"
)

// A search that meets a page tries feeds in this order: the stated feeds, the linked feeds, the
// feeds of the pages above and of the blog, and the usual places. It sends at most mostRequests,
// redirects included.

const (
	mostRequests = 20
	mostStated   = 10 // feeds of one page that are tried
	mostLeads    = 5  // links of the page, and
	mostOfPart   = 3  // feeds, and again links, of another page
	mostParts    = 2
	mostPages    = 6 // web pages at the usual places
	mostOnwards  = 3 // pages that only send visitors on
)

// A trail is the search for a feed behind one page.
type trail struct {
	*search
	asked string // the address that a person gave
	home  string // the host of the page
	tried []string
	pages []otherPage // web pages at addresses of feeds
	shut  map[string]error
	empty *Result // a feed without posts: it serves where no other is

	shows    string     // a page above that shows posts itself and offers no feed; "": none
	rejected []rejected // feeds that the page offers, and why they fail
	last     rejected   // why the search leaves the host of the page alone
}

// An otherPage is another page of the site and its address.
type otherPage struct {
	*feed.Document
	address string
}

// A rejected feed cannot be read, for the reason in err, or because a web page is in its place (nil).
type rejected struct {
	url string
	err error
}

// behind looks for a feed behind the page at address; a person gave the address asked.
func (s *search) behind(ctx context.Context, asked, address string) (Result, error) {
	address, page := cmp.Or(s.at, address), s.page
	t := &trail{search: s, asked: asked, home: feed.Host(address), tried: []string{address}, shut: map[string]error{}}
	found, ok := t.offered(ctx, page.Ranked(address), mostStated)
	if !ok {
		found, ok = t.offered(ctx, page.Leads, mostLeads)
	}
	if !ok {
		found, ok = t.others(ctx, page, address)
	}
	if !ok {
		found, ok = t.elsewhere(ctx, page, address)
	}
	if !ok && t.empty == nil && t.last.err == nil {
		found, ok = t.guessed(ctx, page, address)
	}
	if ok {
		return found, nil
	}
	return t.nothing(address)
}

// nothing returns an empty feed that the search found, or the reason why it found no feed.
func (t *trail) nothing(address string) (Result, error) {
	switch {
	case t.empty != nil:
		found := *t.empty
		found.Requests, found.Bytes = t.requests, t.bytes
		if t.host == found.Feed.Host {
			found.HostFreeAt = latest(found.HostFreeAt, t.freeAt)
		}
		return found, nil
	case t.last.err != nil:
		return t.refused(t.asked, t.last.err), notFound(t.named(t.last.url), t.last.err)
	}
	if len(t.rejected) == 0 && t.shows != "" {
		return Result{}, searchError(nil, digest.Refuse(digest.Invalid,
			"no feed at %s: the page offers none, but %s has posts; try that address",
			shortLine(t.named(address)), shortLine(t.shows)))
	}
	return Result{}, noneWorks(shortLine(t.named(address)), t.rejected)
}

// offered tries the feeds that a page offers, at most the number most.
func (t *trail) offered(ctx context.Context, offers []feed.Offer, most int) (Result, bool) {
	for i, o := range offers {
		if i == most || t.empty != nil && o.IsComments() {
			break
		}
		found, ok := t.attempt(ctx, o.URL, o.Certain())
		if !ok {
			continue
		}
		if found.Document == nil || len(found.Document.Posts) > 0 ||
			!slices.ContainsFunc(offers[i+1:], func(o feed.Offer) bool { return !o.IsComments() }) {
			return found, true
		}
		if t.hold.settle(0); t.empty == nil {
			t.empty = &found
		}
	}
	return Result{}, false
}

// attempt tries an address once, if its host has not refused a request and the search may send
// another. It notes a web page in pages.
func (t *trail) attempt(ctx context.Context, address string, stated bool) (Result, bool) {
	normal, err := feed.AskedURL(address)
	host := feed.Host(normal)
	if err != nil || slices.Contains(t.tried, normal) || t.shut[host] != nil || t.last.err != nil ||
		t.requests >= mostRequests {
		return Result{}, false
	}
	t.tried = append(t.tried, normal)
	found, doc, err := t.try(ctx, normal)
	switch {
	case err == nil && doc == nil:
		return found, true
	case err == nil && doc.Kind == feed.HTML:
		t.pages = append(t.pages, otherPage{doc, normal})
	case err != nil && !worthGoingOn(err):
		t.shut[host] = err
		if _, ok := asPollError(err); !ok || host == t.home {
			t.last = rejected{normal, err}
		}
	}
	t.failed = append(t.failed, normal)
	if stated {
		t.rejected = append(t.rejected, rejected{t.named(normal), err})
	}
	return Result{}, false
}

// others looks behind the web pages in pages, such as a newspaper's list of its feeds.
func (t *trail) others(ctx context.Context, page *feed.Document, address string) (Result, bool) {
	pages := t.pages
	t.pages = nil
	for _, other := range pages {
		if found, ok := t.within(ctx, other); ok {
			return found, true
		}
	}
	t.page, t.at = page, address
	return Result{}, false
}

// within tries the feeds that another page of the site offers.
func (t *trail) within(ctx context.Context, other otherPage) (Result, bool) {
	t.page, t.at = other.Document, other.address
	if found, ok := t.offered(ctx, other.Ranked(other.address), mostOfPart); ok {
		return found, true
	}
	return t.offered(ctx, other.Leads, mostOfPart)
}

// elsewhere looks at the pages above one, and at the parts of its site. The posts that a page
// above shows may be any: the person decides on it.
func (t *trail) elsewhere(ctx context.Context, page *feed.Document, address string) (Result, bool) {
	if t.empty != nil {
		return Result{}, false
	}
	above := feed.Above(address)
	for i, other := range slices.Concat(above, page.Parts[:min(len(page.Parts), mostParts)]) {
		found, ok := t.attempt(ctx, other, false)
		if ok && i < len(above) && found.Feed.Kind == string(feed.HFeed) {
			t.shows = cmp.Or(t.shows, found.Feed.URL)
			t.hold.settle(0)
		} else if ok {
			return found, true
		}
		if found, ok := t.others(ctx, page, address); ok {
			return found, true
		}
	}
	return Result{}, false
}

// guessed tries the usual places until it has met mostPages: such a site answers every address with a page. It
// stops when the host forbids one of them, and does not report that, because the person did not type the address.
func (t *trail) guessed(ctx context.Context, page *feed.Document, address string) (Result, bool) {
	pages := 0
	for _, guess := range feed.GuessPaths(address, page.Generator) {
		if found, ok := t.attempt(ctx, guess, false); ok {
			return found, true
		}
		if pages += len(t.pages); pages > mostPages {
			break
		}
		if found, ok := t.others(ctx, page, address); ok {
			return found, true
		}
		if e, ok := asPollError(t.last.err); ok && (e.status == http.StatusUnauthorized ||
			e.status == http.StatusForbidden) {
			t.last = rejected{}
			break
		}
	}
	return Result{}, false
}

// offerLinked adds the feeds in the Link fields of an answer to its page, and the target of its Refresh
// field.
func offerLinked(a *answer, doc *feed.Document) {
	if doc.Kind != feed.HTML {
		return
	}
	var offers []feed.Offer
	var rels []string
	for _, l := range push.Links(a.header.Values("Link"), a.address) {
		offers = append(offers, feed.Offer{URL: l.Address, Title: l.Title, Type: l.Type, Language: l.Language})
		rels = append(rels, l.Rel)
	}
	doc.OfferFirst(offers, rels)
	doc.Refresh = cmp.Or(feed.Refreshed(a.address, a.header.Get("Refresh")), doc.Refresh)
}

// onward follows a page that only redirects its visitors, such as from / to /en/.
func (s *search) onward(ctx context.Context, found Result, page *feed.Document, err error) (Result, *feed.Document,
	error) {
	for range mostOnwards {
		if err != nil || page == nil || page.Kind != feed.HTML || page.Refresh == "" || len(page.Feeds) > 0 {
			break
		}
		s.led = true
		next, doc, failed := s.try(ctx, page.Refresh)
		if failed != nil {
			break
		}
		found, page = next, doc
	}
	return found, page, err
}

// podcast finds the feed of a podcast by Apple's directory, or by a service that uses Apple's numbers.
func (s *search) podcast(ctx context.Context, asked, lookup, abroad string) (Result, error) {
	address := ""
	for _, at := range []string{lookup, abroad} {
		if at == "" || address != "" {
			continue
		}
		a, err := s.look(ctx, at)
		if err != nil {
			return s.refused(at, err), notFound(asked, err)
		}
		var named string // not address: a read that took too long still writes here after the return
		err = s.inPlace(ctx, a, func() error { named = feed.ReadPodcastLookup(a.body); return nil })
		s.hold.settle(0)
		if err != nil {
			return Result{}, notFound(asked, err)
		}
		s.led, address = true, named
	}
	if address == "" {
		return Result{}, searchError(nil, digest.Refuse(digest.Invalid,
			"no feed at %s: Apple offers none for this podcast; try the podcast’s own site", shortLine(asked)))
	}
	found, doc, err := s.try(ctx, address)
	switch {
	case err != nil:
		return s.refused(asked, err), notFound(address, err)
	case doc != nil:
		return Result{}, noneWorks(shortLine(asked), []rejected{{url: address}})
	}
	return found, nil
}
