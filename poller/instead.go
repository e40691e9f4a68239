package poller

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"digest"
	"digest/feed"
)

// After a site was rebuilt, a page may be in place of a feed. The poller reads the feed that the page offers as if the
// page were a permanent redirect. It sends one more request, to the same site, and accepts only a document that is
// plainly the same feed. A site that answers every address with its front page offers another feed.
// A static host redirects with a page that has a refresh. It may redirect to any feed of its site, or to the same feed
// on another site.

// readInstead reads the feed to which the page in the place of p's feed refreshes, or the
// feed that it offers. It returns false if there is neither. page is the error about the page.
func (p *poll) readInstead(ctx context.Context, a *answer, page *pollError) bool {
	r, refreshed := refreshedTo(p.feed, a, page.page)
	if !refreshed {
		var ok bool
		if r, ok = offeredInstead(p.feed, a, page.page); !ok {
			return false
		}
	}
	p.instead, page.page = page, nil
	p.redirected = refreshed && feed.SameSite(p.feed.URL, r.address)
	if p.stop != nil {
		if err := p.stop(ctx, r.address); err != nil {
			p.failed(err)
			return true
		}
	}
	p.hold.settle(0)
	b, err := p.fetch(ctx, http.MethodGet, r)
	switch {
	case err != nil:
		p.failed(err)
	case b.status == http.StatusNotModified && b.conditional:
		p.notModified(b)
	case usable(b.status):
		p.read(ctx, b)
	case limits(b):
		p.failed(badStatus(b))
	default:
		p.failed(p.instead)
	}
	return true
}

// refreshedTo returns the route to the address to which a page in a feed's place refreshes.
func refreshedTo(f digest.Feed, a *answer, page *feed.Document) (r route, ok bool) {
	if page == nil || f.Kind == "" || !feed.SameSite(f.URL, a.address) {
		return route{}, false
	}
	to := cmp.Or(feed.Refreshed(a.address, a.header.Get("Refresh")), page.Refresh)
	if to == "" {
		return route{}, false
	}
	r, err := a.leadTo(to)
	return r, err == nil
}

// offeredInstead chooses a feed from the offers of a page in a feed's place, on the same site. It prefers
// the feed's title; otherwise it returns the first feed that is not of comments.
func offeredInstead(f digest.Feed, a *answer, page *feed.Document) (r route, ok bool) {
	if page == nil || page.Kind != feed.HTML || f.Kind == "" || !feed.SameSite(f.URL, a.address) {
		return route{}, false
	}
	for _, titled := range []bool{true, false} {
		for _, o := range page.Feeds {
			if o.IsComments() || titled && !strings.Contains(folded(o.Title), folded(f.Title)) {
				continue
			}
			address, err := feed.NormalURL(o.URL)
			if err != nil || !feed.SameSite(f.URL, address) || feed.SameAddress(f.URL, address) {
				continue
			}
			if r, err = a.leadTo(address); err == nil {
				return r, true
			}
		}
	}
	return route{}, false
}

// leadTo follows an address as if the answer were a permanent redirect to it.
func (a *answer) leadTo(address string) (route, error) {
	redirect := *a
	redirect.status, redirect.header = http.StatusMovedPermanently, http.Header{"Location": {address}}
	return redirect.follow()
}

// continues reports whether a document plainly continues a feed: it has the same title or the same page.
func continues(f digest.Feed, doc *feed.Document) bool {
	return f.Title != "" && folded(f.Title) == folded(doc.Title) ||
		f.SiteURL != "" && feed.SameAddress(f.SiteURL, feed.CleanURL(doc.Link))
}

func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// notFeed begins the error about a document that is not a feed, and webPage ends it for a web page.
const (
	notFeed = "the answer is not a feed but "
	webPage = "a web page"

	formerList = "a list of subscriptions (OPML)" // OPML in the errors of older versions
)
