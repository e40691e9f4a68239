package acceptance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestMailPasses checks the program's mail in every layout with every grader.
func TestMailPasses(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	t.Run("own", func(t *testing.T) {
		start := now.Add(-26 * time.Hour)
		p := newPostOffice(t, start, midnightAt(now), publish(12, start.Add(-48*time.Hour), now, 4)...)
		p.takeAll(1)
		p.deliver(now.Add(-24 * time.Hour))
		grade(t, p.batch(now))
	})
	t.Run("newsletters", func(t *testing.T) {
		start := now.Add(-2 * time.Hour)
		p := newPostOffice(t, start, midnightAt(now), publish(5, start.Add(-48*time.Hour), now, 4)...)
		p.publishAll()
		grade(t, p.batch(now))
	})
	t.Run("corpus", func(t *testing.T) {
		start := now.Add(-2 * time.Hour)
		step, of := 3, 6
		if full() {
			step, of = 1, 12
		}
		p := newPostOffice(t, start, midnightAt(now), corpus(t, step, start.Add(-time.Hour), start)...)
		p.takeAll(of)
		b := p.batch(now)
		b.uncounted = ofFeeds()
		grade(t, b)
	})
}

// A postOffice is a scene that sends signed mail to a server, at the real time, because graders compare dates with the
// clock.
type postOffice struct {
	*scene
	server *mailServer
	taken  int    // messages
	zone   string // of the readers
	key    struct{ Name, Value string }
}

func newPostOffice(t *testing.T, start time.Time, zone string, sites ...*site) *postOffice {
	t.Helper()
	p := &postOffice{scene: newScene(t, storetest.SQLite(t), start, sites...), zone: zone}
	p.server = newMailServer(t, start)
	p.Set("DIGEST_MAIL=smtp+insecure://"+p.server.door("run"), "DIGEST_FROM=Daily Digest <digest@news.example.org>",
		"DIGEST_BASE_URL=https://news.example.org", "DIGEST_RETURN_PATH=bounces@news.example.org",
		"DIGEST_REPLY_TO=help@example.org", "DIGEST_POSTAL_ADDRESS=1 Example Street, Springfield")
	p.read(start, &p.key, "dkim", "new", "example.org")
	return p
}

// looks returns the combinations of mail settings.
func looks() [][]string {
	return [][]string{
		{"--layout", "excerpts", "--subject", "lead"},
		{"--layout", "headlines", "--threaded"},
		{"--layout", "full", "--images", "off"},
		{"--layout", "full", "--images", "linked"},
		{"--layout", "full", "--images", "proxy"},
	}
}

// takeAll divides all sites into parts and adds a reader of each part for each look.
func (p *postOffice) takeAll(parts int) {
	p.t.Helper()
	for i := range parts {
		for j, look := range looks() {
			if (i+j)%len(looks()) != 0 && parts > 1 {
				continue
			}
			email := fmt.Sprintf("reader%d-%d@example.net", i, j)
			p.join(email, p.zone, i, parts)
			p.at(p.now, append([]string{"user", "set", email}, look...)...)
		}
	}
}

// publishAll creates a newsletter of all sites for each look that a publisher can choose, with an imported member.
func (p *postOffice) publishAll() {
	p.t.Helper()
	p.at(p.now, "user", "add", "owner@example.org", "--time-zone", p.zone)
	var feeds []string
	for _, s := range p.sites {
		feeds = append(feeds, "--feed", s.address())
	}
	for i, look := range [][]string{
		{"--layout", "full", "--images", "proxy", "--paper", "#102030", "--ink", "#ffffff", "--accent", "#9fd0ff",
			"--count-clicks"},
		{"--layout", "excerpts", "--header", "What I wrote, at https://www.example.org/.", "--footer",
			"Thank you for reading."},
		{"--layout", "headlines", "--count-clicks"},
	} {
		slug := fmt.Sprintf("letter-%d", i)
		p.at(p.now, slices.Concat([]string{"newsletter", "create", slug, "--owner", "owner@example.org", "--name",
			fmt.Sprintf("Anna writes, %d", i),
			"--address-line", "Anna, 1 Quay, Whitby", "--replies-to", "anna@example.org"}, feeds, look)...)
		list := p.Write(slug+".csv", fmt.Sprintf("email,state,time_zone,joined_at,form,address,confirmed_at\nmember%d@example.net,joined,%s,2026-05-01,the page,192.0.2.7,2026-05-01T10:00:00Z\n", i, p.zone))
		p.at(p.now, "newsletter", "import", slug, list)
	}
}

// deliver runs the hourly job at a time and returns the messages that the server received.
func (p *postOffice) deliver(now time.Time) (messages [][]byte) {
	p.t.Helper()
	p.set(now)
	sum, kept := p.tick(now), p.server.kept()
	for _, a := range kept[p.taken:] {
		messages = append(messages, a.raw)
	}
	p.taken = len(kept)
	if len(messages) == 0 || sum.Sent != len(messages) {
		p.t.Fatalf("%+v, and the server got %d", sum, len(messages))
	}
	return messages
}

func (p *postOffice) batch(now time.Time) batch {
	return newBatch(p.t, p.key.Name, p.key.Value, p.deliver(now))
}

// midnightAt returns a zone in which the day began less than an hour ago.
func midnightAt(now time.Time) string {
	switch h := now.UTC().Hour(); {
	case h == 0:
		return "Etc/GMT"
	case h <= 12:
		return fmt.Sprintf("Etc/GMT+%d", h) // behind UTC: POSIX signs are reversed
	default:
		return fmt.Sprintf("Etc/GMT-%d", 24-h)
	}
}
