package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A realFeed is a feed from the world that brings out its newest entries one
// by one: they are cut out of its text until their time.
type realFeed struct {
	file   string
	body   []byte
	hidden [][2]int      // where the newest entries stand in body, newest first
	reveal []time.Time   // when each of them comes out
	links  []string      // of each of them; empty: it cannot be told from another
	newest time.Time     // date of the entries that are not kept back; zero: not all have one
	every  time.Duration // it asks to be read no more often
}

func (f *realFeed) document(now time.Time) []byte {
	var b bytes.Buffer
	from := 0
	for i, span := range f.hidden {
		if f.reveal[i].After(now) {
			b.Write(f.body[from:span[0]])
			from = span[1]
		}
	}
	b.Write(f.body[from:])
	return b.Bytes()
}

var entries = map[string]*regexp.Regexp{
	"rss":  regexp.MustCompile(`(?s)<item[ >].*?</item>`),
	"atom": regexp.MustCompile(`(?s)<entry[ >].*?</entry>`),
}

var ttl = regexp.MustCompile(`<ttl>\s*(\d+)`)

var origLink = regexp.MustCompile(`<feedburner:origLink>(.*?)</`)

// mostHidden is how many entries a real feed keeps back.
const mostHidden = 5

// mostListed is how many entries of a feed are read, the newest.
const mostListed = 500

// silence is how seldom a feed is to be asked at an instant by the age of its
// last entry: after a month, 12 hours for each year of it, a week at most. What
// comes out later than the first reading, read last at an instant, is new,
// whatever its date.
func (f *realFeed) silence(now, read time.Time) time.Duration {
	news := slices.ContainsFunc(f.reveal, func(at time.Time) bool {
		return !read.IsZero() && at.After(read) &&
			!at.After(now)
	})
	if news || f.newest.IsZero() {
		f.newest = now
	}
	silent := now.Sub(f.newest)
	if silent < 30*24*time.Hour {
		return 0
	}
	return min(silent/(2*365), 7*24*time.Hour).Truncate(time.Second)
}

// readReal reads a feed of the corpus and sets when its newest entries appear.
func readReal(t *testing.T, file, kind string, begin, end time.Time, random *rand.Rand) *realFeed {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &realFeed{file: file, body: body}
	if pattern := entries[kind]; pattern != nil {
		spans := pattern.FindAllIndex(body, -1)
		for _, s := range spans[:max(0, min(mostHidden, len(spans)-1))] {
			f.hidden = append(f.hidden, [2]int{s[0], s[1]})
		}
	}
	for range f.hidden {
		f.reveal = append(f.reveal,
			begin.Add(time.Duration(random.Int64N(int64(end.Sub(begin)))).Truncate(time.Minute)+time.Second))
	}
	slices.SortFunc(f.reveal, func(a, b time.Time) int { return b.Compare(a) })
	if m := ttl.FindSubmatch(body); m != nil {
		minutes, _ := strconv.Atoi(string(m[1]))
		f.every = time.Duration(minutes) * time.Minute
	}
	return f
}

// A parsed is what digest parse --json says of one file.
type parsed struct {
	Error   string
	Count   int
	Entries []struct {
		Link, ID  *string
		Published *time.Time
	}
}

// parse asks the program what stands in files.
func (h *house) parse(files ...string) (read map[string]parsed) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.try(h.t.Context(), append([]string{"--json", "parse"}, files...)...).stdout),
		&read); err != nil {
		h.t.Fatal(err)
	}
	return read
}

// learn asks the program which links the hidden entries have. Those that do not
// stand for exactly one entry are not followed.
func (h *house) learn(feeds []*realFeed) {
	h.t.Helper()
	var files []string
	for _, f := range feeds {
		files = append(files, f.file)
	}
	read := h.parse(files...)
	for _, f := range feeds {
		p := read[f.file]
		spans := max(len(entries["rss"].FindAllIndex(f.body, -1)), len(entries["atom"].FindAllIndex(f.body, -1)))
		if p.Count != spans || p.Count > mostListed {
			f.hidden, f.reveal = nil, nil // not as it looks, or its first entries may not be its newest
		}
		for i, e := range p.Entries[len(f.hidden):] {
			if e.Published == nil {
				f.newest = time.Time{}
				break
			}
			if i == 0 || e.Published.After(f.newest) {
				f.newest = *e.Published
			}
		}
		uses := map[string]int{}
		for _, e := range p.Entries {
			if e.Link != nil {
				uses[*e.Link]++
			}
		}
		for i := range f.hidden {
			link := ""
			if e := p.Entries[i].Link; e != nil && strings.HasPrefix(*e, "http") && uses[*e] == 1 {
				link = *e
			}
			// FeedBurner keeps the author's own page, to which every mail links, in a field of its own.
			if m := origLink.FindSubmatch(f.body[f.hidden[i][0]:f.hidden[i][1]]); m != nil {
				link = html.UnescapeString(string(m[1]))
			}
			if link != "" && !f.plain(i, link) {
				link = ""
			}
			f.links = append(f.links, link)
		}
	}
}

// plain reports whether a link stands in the entry as it is, not relative to
// something, and whether no other entry is about it.
func (f *realFeed) plain(i int, link string) bool {
	escaped := []byte(html.EscapeString(link))
	if !bytes.Contains(f.body[f.hidden[i][0]:f.hidden[i][1]], escaped) {
		return false
	}
	about := append([]byte("<feedburner:origLink>"), escaped...)
	return bytes.Count(f.body, append(about, '<')) <= 1
}

// corpus gives the real feeds of the kinds that are polled.
func corpus(t *testing.T, step int, begin, end time.Time) []*site {
	t.Helper()
	dir := os.Getenv("DIGEST_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "corpus", "dev"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Skipf("the corpus of real feeds is not here: %v", err)
	}
	random := rand.New(rand.NewPCG(3, 3))
	var sites []*site
	n := 0
	for line := range strings.Lines(string(index)) {
		field := strings.Split(line, "\t")
		kind, isFeed := map[string]string{"rss2": "rss", "rss1": "rss", "rss091": "rss", "atom10": "atom",
			"atom03": "atom", "jsonfeed": "json"}[field[1]]
		if n++; !isFeed || n%step != 0 {
			continue
		}
		s := &site{temper: temper{name: field[0], kind: kind, etag: strong, lm: http.TimeFormat}, n: len(sites),
			host: len(sites), begin: begin}
		s.real = readReal(t, filepath.Join(dir, field[0]), kind, begin, end, random)
		sites = append(sites, s)
	}
	return sites
}

// TestRealFeeds serves feeds from the world, most of which have been silent for
// years. In nine days one entry of each ends its silence; from then on, for
// three days, the mails of the next midnights have once what each brings out.
func TestRealFeeds(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	step := 3
	if full() {
		step = 1
	}
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	awake := start.Add(9 * 24 * time.Hour)
	end := awake.Add(3 * 24 * time.Hour)
	s := &scene{house: newHouse(t, storetest.SQLite(t)), oracle: newOracle(), now: start, web: newWeb(t, start)}
	s.inbox = newInbox(s.maildir())
	s.sites = corpus(t, step, awake, end.Add(-30*time.Hour))
	var feeds []*realFeed
	for _, site := range s.sites {
		feeds = append(feeds, site.real)
		site.begin = start
		if n := len(site.real.reveal); n > 0 {
			site.real.reveal[n-1] = start.Add(time.Second)
		}
	}
	s.learn(feeds)
	s.web.open(t, s.sites)
	for i, zone := range []string{"Asia/Kathmandu", "Europe/Paris", "America/Los_Angeles"} {
		s.join(fmt.Sprintf("reader%d@example.org", i), zone, i, 2)
	}
	came := map[*reader][]arrival{}
	for now := start.Add(time.Hour); now.Before(end); now = now.Add(time.Hour) {
		if now.Before(awake) && !slices.ContainsFunc(s.oracle.readers,
			func(r *reader) bool { return !r.next.After(now) }) {
			continue // the days are long
		}
		s.set(now)
		before := len(s.web.requests())
		s.tick(now)
		polls, _ := s.oracle.tick(t, now)
		s.checkPolls(polls, s.web.requests()[before:])
		letters := s.inbox.arrived(t)
		s.checkInTime(letters)
		for _, r := range s.oracle.readers {
			for _, l := range letters {
				if l.to == r.email {
					came[r] = append(came[r], arrival{l, now})
				}
			}
		}
	}
	followed, atOnce := 0, 0
	asked := s.polls()
	for _, r := range s.oracle.readers {
		for _, site := range r.sites {
			for i, link := range site.real.links {
				if link == "" {
					continue
				}
				followed++
				if s.checkReal(r, site, link, site.real.reveal[i], asked[site], came[r]) {
					atOnce++
				}
			}
		}
	}
	s.checkGaps()
	t.Logf("%d real feeds, %d entries followed, %d of them at once in the next mail, %d mails, %d requests",
		len(s.sites), followed, atOnce, len(s.inbox.letters), len(s.web.requests()))
	if atOnce < 100 {
		t.Errorf("only %d entries were in the next mail", atOnce)
	}
}

// polls gives the instants at which each site was asked.
func (s *scene) polls() map[*site][]time.Time {
	polls := map[*site][]time.Time{}
	for _, q := range s.web.requests() {
		polls[q.page.site] = append(polls[q.page.site], q.at)
	}
	return polls
}

// An arrival is a letter and when it came.
type arrival struct {
	letter
	at time.Time
}

// uncounted is a link without what only counts readers, which mail leaves out.
func uncounted(link string) string {
	page, query, asked := strings.Cut(link, "?")
	if !asked {
		return link
	}
	query, fragment, _ := strings.Cut(query, "#")
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		return slices.ContainsFunc([]string{"utm_", "xtor=", "wt_mc=", "ns_mchannel=", "ns_campaign=", "source=rss-"},
			func(counter string) bool { return strings.HasPrefix(pair, counter) })
	})
	if len(kept) > 0 {
		page += "?" + strings.Join(kept, "&")
	}
	if fragment != "" {
		page += "#" + fragment
	}
	return page
}

// checkReal: an entry is in the first mail after the first poll after it came
// out, and in no other. It reports whether that was the first mail of all.
func (s *scene) checkReal(r *reader, site *site, link string, out time.Time, asked []time.Time,
	came []arrival) (atOnce bool) {
	s.t.Helper()
	var in []string
	for _, a := range came {
		if slices.Contains(strings.Fields(a.text), uncounted(link)) {
			in = append(in, instant(a.at))
		}
	}
	first := func(since time.Time) string {
		for _, a := range came {
			if !a.at.Before(since) {
				return instant(a.at)
			}
		}
		return ""
	}
	read := slices.IndexFunc(asked, func(at time.Time) bool { return !at.Before(out) })
	if read < 0 {
		s.t.Errorf("%s: %s of %s came out %s and was never read", r.email, link, site.name, instant(out))
		return false
	}
	want := first(asked[read])
	if len(in) != 1 || in[0] != want {
		s.t.Errorf("%s: %s of %s came out %s and was in the mails of %v; the first after it was read %s was %s",
			r.email, link, site.name, instant(out), in, instant(asked[read]), want)
	}
	return want == first(out)
}
