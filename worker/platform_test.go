package worker_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"digest/feed"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// nameEverything resolves every name to 127.0.0.1.
func nameEverything(t *testing.T) {
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	ok(t, err)
	go func() {
		for buf := make([]byte, 1500); ; {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
				}}
			}
			if answer, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	was := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp4", server.LocalAddr().String())
	}}
	t.Cleanup(func() { net.DefaultResolver = was; server.Close() })
}

// A crowdedHost serves many blogs, and sometimes refuses all polls.
type crowdedHost struct {
	mu            sync.Mutex
	refuses       bool
	posts         []string
	refused, read int
}

func (c *crowdedHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses {
		c.refused++
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	c.read++
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(c.posts)))
	if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title>`, r.Host)
	for _, post := range c.posts {
		fmt.Fprintf(w, `<item><title>%s of %s</title><link>http://%[2]s/%[1]s</link></item>`, post, r.Host)
	}
	fmt.Fprint(w, `</channel></rss>`)
}

// set changes the behaviour of the host, and returns its counts since the last call.
func (c *crowdedHost) set(refuses bool, posts ...string) (refused, read int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	refused, read = c.refused, c.read
	c.refuses, c.posts, c.refused, c.read = refuses, append(c.posts, posts...), 0, 0
	return refused, read
}

// TestPlatformOut has 200 blogs of one domain, or 200 sites on one IP address, that refuse all polls from
// before a midnight until the next evening. Few polls are refused, and the next midnight has all posts.
func TestPlatformOut(t *testing.T) {
	const blogs = 200
	nameEverything(t)
	for _, name := range []string{"b%d.platform.test", "site%d.test"} {
		t.Run(name, func(t *testing.T) {
			eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
				h.st.Policy.PaceDomain = poller.PaceDomainAtOnce
				c := &crowdedHost{posts: []string{"first"}}
				port := listenEverywhere(t, c)
				d := h.reader("utc@example.org", "UTC")
				var items []store.ImportItem
				for i := range blogs {
					host := fmt.Sprintf(name, i)
					items = append(items, store.ImportItem{URL: fmt.Sprintf("http://%s:%d/feed", host, port),
						Host: host, Domain: feed.Platform(host)})
				}
				_, err := h.st.Subscriptions.Import(t.Context(), d.ID, items, 1e6, h.clock)
				ok(t, err)
				h.hours("2026-11-19 11:00", 13, newSite(t)) // the first polls
				c.set(true, "second")
				h.hours("2026-11-20 00:00", 1, newSite(t))
				first, _ := c.set(true)
				h.hours("2026-11-20 01:00", 18, newSite(t))
				later, _ := c.set(false, "third")
				if first > 20 || later > 18 {
					t.Errorf("%d polls are refused at midnight, and %d by the evening", first, later)
				}
				h.hours("2026-11-20 19:00", 4, newSite(t))
				late := 0
				for _, f := range storetest.All(t, h.st.Feeds.Feeds(t.Context())) {
					if f.LastOKAt.Before(h.clock.Add(-5 * time.Hour)) {
						late++ // its penalty has not passed
					}
				}
				h.hours("2026-11-21 00:00", 1, newSite(t))
				for _, f := range storetest.All(t, h.st.Feeds.Feeds(t.Context())) {
					if f.LastOKAt.Before(h.clock.Add(-6 * time.Hour)) {
						t.Errorf("%s was not read by midnight", f.URL)
					}
				}
				if refused, read := c.set(false); refused > 0 || late > 20 || read > 3*blogs {
					t.Errorf("once it has recovered %d requests are refused and %d answered, and %d feeds are read "+
						"at midnight only", refused, read, late)
				}
				if mails, _ := h.inbox(); mails != 2 {
					t.Errorf("%d editions, want those of the first day and of this one", mails)
				}
			})
		})
	}
}
