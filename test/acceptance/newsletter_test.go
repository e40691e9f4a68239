package acceptance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// newsletterZones returns forty zones of members: all offsets in the winter of 2008, and some with clock changes.
func newsletterZones() []string {
	return []string{"Pacific/Kiritimati", "Pacific/Tongatapu", "Pacific/Chatham", "Pacific/Auckland", "Pacific/Norfolk",
		"Australia/Sydney", "Australia/Adelaide",
		"Australia/Brisbane", "Australia/Darwin", "Asia/Tokyo", "Australia/Eucla", "Asia/Shanghai", "Asia/Bangkok",
		"Asia/Yangon", "Asia/Dhaka", "Asia/Kathmandu",
		"Asia/Kolkata", "Asia/Karachi", "Asia/Kabul", "Asia/Dubai", "Asia/Tehran", "Europe/Moscow", "Europe/Athens",
		"Europe/Paris", "Europe/London",
		"Atlantic/Azores", "Atlantic/Cape_Verde", "Atlantic/South_Georgia", "America/Sao_Paulo", "America/Buenos_Aires",
		"America/St_Johns", "America/Halifax", "America/Caracas",
		"America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
		"Pacific/Marquesas", "Pacific/Honolulu"}
}

// A blog is a real blog whose posts appear at their original times.
type blog struct {
	*realFeed
	mu  sync.Mutex
	now time.Time
}

func (b *blog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/feed" {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	body := b.document(b.now)
	b.mu.Unlock()
	sum := sha256.Sum256(body)
	w.Header().Set("Content-Type", "application/rss+xml")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(body)))
}

// readBlog returns a blog of the corpus. Its posts appear at their dates, except the two oldest, which are there from
// the beginning.
func (h *house) readBlog(file string) *blog {
	h.t.Helper()
	file, body := corpusFile(h.t, file)
	f := &realFeed{file: file, body: body}
	for _, span := range entries["rss"].FindAllIndex(body, -1) {
		f.hidden = append(f.hidden, [2]int{span[0], span[1]})
	}
	f.hidden = f.hidden[:len(f.hidden)-2]
	p := h.parse(file)[file]
	for i, e := range p.Entries[:len(f.hidden)] {
		if f.reveal = append(f.reveal, e.Published.Add(time.Second)); !f.alone(i, *e.Link) {
			e.Link = new(string) // another post contains the link, so that it does not identify this one
		}
		f.links = append(f.links, *e.Link)
	}
	return &blog{realFeed: f}
}

// alone reports whether only one hidden entry contains a link.
func (f *realFeed) alone(i int, link string) bool {
	return !slices.ContainsFunc(slices.Delete(slices.Clone(f.hidden), i, i+1), func(span [2]int) bool {
		return bytes.Contains(f.body[span[0]:span[1]], []byte(link))
	})
}

// TestNewsletterOfARealBlog publishes forty posts of a blog of 2008 and 2009 over thirty simulated days to imported
// members in forty zones. Each member gets each post exactly once, in the letter of the first of their days that
// began after it. A post of the last hour before a midnight may be a day later, because the site gets at most one
// request per hour.
func TestNewsletterOfARealBlog(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		h := newHouse(t, database)
		b := h.readBlog("feedjira-signalvsnoise.xml")
		server := httptest.NewServer(b)
		defer server.Close()
		begin := time.Date(2008, 12, 30, 12, 0, 0, 0, time.UTC) // two posts are public
		b.now = begin
		h.publish(begin, server.URL+"/feed", 1)
		in := newLetterbox(h)
		for _, now := range midnights(t, begin, 30) {
			b.mu.Lock()
			b.now = now
			b.mu.Unlock()
			h.tick(now)
		}
		in.arrived(t)
		h.checkBlog(b, in.letters, 1)
	})
}

// publish creates a newsletter with a feed, and imports members in each zone.
func (h *house) publish(now time.Time, feed string, inZone int) {
	h.t.Helper()
	list := "email,state,time_zone,joined_at,form,address,confirmed_at\n"
	for i, zone := range newsletterZones() {
		for k := range inZone {
			list += fmt.Sprintf("m%d.%d@example.org,joined,%s,2008-05-01,the page,192.0.2.7,2008-05-01T10:00:00Z\n", i,
				k, zone)
		}
	}
	file := h.Write("list.csv", list)
	h.at(now, "user", "add", "owner@example.org", "--time-zone", "America/Chicago")
	h.at(now, "newsletter", "create", "noise", "--owner", "owner@example.org", "--feed", feed, "--name", "Noise",
		"--address-line", "Noise, 1 Quay, Whitby")
	h.at(now, "newsletter", "import", "noise", file)
}

// midnights returns all times within some days at which a day begins in a zone, in order.
func midnights(t *testing.T, begin time.Time, days int) []time.Time {
	t.Helper()
	all := map[time.Time]bool{}
	for _, zone := range newsletterZones() {
		for at := midnight(t, begin, zone); at.Before(begin.AddDate(0, 0, days)); at = midnight(t, at.Add(20*time.Hour),
			zone) {
			all[at.UTC()] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), time.Time.Compare)
}

func (h *house) checkBlog(b *blog, letters []letter, inZone int) {
	h.t.Helper()
	got := map[string]map[string][]time.Time{} // by member and link: the times of letters with it
	for _, l := range letters {
		words := strings.Fields(l.Text)
		for _, link := range b.links {
			if link != "" && slices.Contains(words, link) {
				if got[l.To] == nil {
					got[l.To] = map[string][]time.Time{}
				}
				got[l.To][link] = append(got[l.To][link], l.Date)
			}
		}
	}
	late := 0
	for i, zone := range newsletterZones() {
		for k := range inZone {
			to := fmt.Sprintf("m%d.%d@example.org", i, k)
			for n, link := range b.links {
				at, due := b.reveal[n], midnight(h.t, b.reveal[n], zone)
				came := got[to][link]
				switch {
				case link == "":
				case len(came) != 1:
					h.t.Errorf("%s (%s) got %s of %s %d times: %v", to, zone, link, instant(at), len(came), came)
				case onTime(came[0], due):
				case due.Sub(at) <= time.Hour && onTime(came[0], midnight(h.t, due, zone)):
					late++
				default:
					h.t.Errorf("%s (%s) got %s of %s at %s, not at %s", to, zone, link, instant(at), instant(came[0]),
						instant(due))
				}
			}
		}
	}
	h.t.Logf("%d letters to %d members, %d posts each; %d of the last hour before a midnight came a day later",
		len(letters), len(got), len(b.links), late)
}

// onTime reports whether a letter arrived at a midnight, or within the release deadline.
func onTime(came, due time.Time) bool {
	return !came.Before(due) && came.Sub(due) <= releaseDeadline
}
