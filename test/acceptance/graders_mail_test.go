package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
		p := newPostOffice(t, start, midnightAt(now))
		p.open(publish(12, start.Add(-48*time.Hour), now, 4))
		p.takeAll(1)
		p.deliver(now.Add(-24 * time.Hour))
		gradeMail(t, p.dkimName, p.dkimValue, p.deliver(now)...)
	})
	t.Run("newsletters", func(t *testing.T) {
		start := now.Add(-2 * time.Hour)
		p := newPostOffice(t, start, midnightAt(now))
		p.open(publish(5, start.Add(-48*time.Hour), now, 4))
		p.publishAll()
		gradeMail(t, p.dkimName, p.dkimValue, p.deliver(now)...)
	})
	t.Run("corpus", func(t *testing.T) {
		start := now.Add(-2 * time.Hour)
		p := newPostOffice(t, start, midnightAt(now))
		step, of := 3, 6
		if full() {
			step, of = 1, 12
		}
		p.open(corpus(t, step, start.Add(-time.Hour), start))
		p.takeAll(of)
		b := newBatch(t, p.dkimName, p.dkimValue, p.deliver(now))
		b.uncounted = ofFeeds()
		grade(t, b)
	})
}

// A postOffice is a scene that sends signed mail to a sink, at the real time, because graders compare dates with the
// clock.
type postOffice struct {
	*scene
	sink                *sink
	zone                string // of the readers
	dkimName, dkimValue string
}

func newPostOffice(t *testing.T, start time.Time, zone string) *postOffice {
	t.Helper()
	s := &scene{house: newHouse(t, storetest.SQLite(t)), oracle: newOracle(), now: start, web: newWeb(t, start)}
	s.inbox = newInbox(s.maildir())
	s.set(start)
	p := &postOffice{scene: s, sink: newSink(t), zone: zone}
	s.mailTo(p.sink)
	s.house.set("DIGEST_FROM=Daily Digest <digest@news.example.org>", "DIGEST_BASE_URL=https://news.example.org",
		"DIGEST_RETURN_PATH=bounces@news.example.org", "DIGEST_REPLY_TO=help@example.org",
		"DIGEST_POSTAL_ADDRESS=1 Example Street, Springfield")
	var key struct{ Name, Value string }
	if err := json.Unmarshal([]byte(s.at(start, "--json", "dkim", "new", "example.org")), &key); err != nil {
		t.Fatal(err)
	}
	p.dkimName, p.dkimValue = key.Name, key.Value
	return p
}

func (p *postOffice) open(sites []*site) {
	p.sites = sites
	p.web.open(p.t, sites)
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
		list := filepath.Join(p.dir, slug+".csv")
		row := fmt.Sprintf("email,state,time_zone,joined_at,form,address,confirmed_at\nmember%d@example.net,joined,%s,2026-05-01,the page,192.0.2.7,2026-05-01T10:00:00Z\n", i, p.zone)
		if err := os.WriteFile(list, []byte(row), 0o600); err != nil {
			p.t.Fatal(err)
		}
		p.at(p.now, "newsletter", "import", slug, list)
	}
}

// deliver runs the hourly job at a time and returns the messages that the sink received.
func (p *postOffice) deliver(now time.Time) (messages [][]byte) {
	p.t.Helper()
	p.scene.set(now)
	sum := p.tick(now)
	for _, l := range p.sink.take() {
		messages = append(messages, l.raw)
	}
	if len(messages) == 0 || sum.Sent != len(messages) {
		p.t.Fatalf("%+v, and the server got %d", sum, len(messages))
	}
	return messages
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
