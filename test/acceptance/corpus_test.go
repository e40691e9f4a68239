package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
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

// A realFeed is a real feed of the corpus that publishes its newest entries one by one: document removes them until
// their time.
type realFeed struct {
	file   string
	body   []byte
	hidden [][2]int      // the ranges of the newest entries in body, newest first
	reveal []time.Time   // when each of them appears
	links  []string      // of each of them; "": not distinguishable
	newest time.Time     // date of the other entries; zero: not all have one
	every  time.Duration // shortest interval that the feed states
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

const mostHidden = 5

// mostListed is the number of newest entries that the program reads.
const mostListed = 500

// silence returns the interval between polls by the age of the last entry: after a month, 12 hours for each year of
// it, at most a week. An entry that appears after the previous poll (read) counts as new, whatever its date.
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
	file, body := corpusFile(t, file)
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

type parsed struct {
	Error   string
	Count   int
	Entries []struct {
		Link, ID  *string
		Published *time.Time
	}
}

func (h *house) parse(files ...string) (read map[string]parsed) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.try(h.t.Context(), append([]string{"--json", "parse"}, files...)...).stdout),
		&read); err != nil {
		h.t.Fatal(err)
	}
	return read
}

// learn gets the links of hidden entries from the program. It drops links that do not identify exactly one entry.
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
			f.hidden, f.reveal = nil, nil // unexpected structure, or its first entries may not be the newest
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
			// FeedBurner stores the author's own page, to which every mail links, in another field.
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

// plain reports whether an entry contains its link in absolute form, and no other entry is about the link.
func (f *realFeed) plain(i int, link string) bool {
	escaped := []byte(html.EscapeString(link))
	if !bytes.Contains(f.body[f.hidden[i][0]:f.hidden[i][1]], escaped) {
		return false
	}
	about := append([]byte("<feedburner:origLink>"), escaped...)
	return bytes.Count(f.body, append(about, '<')) <= 1
}

// corpusFile reads a file of the corpus of real feeds. It skips the test without it.
func corpusFile(t *testing.T, name string) (path string, text []byte) {
	t.Helper()
	dir := os.Getenv("DIGEST_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	path, err := filepath.Abs(filepath.Join(dir, "corpus", "dev", name))
	if err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(path); err != nil {
		t.Skipf("the corpus of real feeds is not here: %v", err)
	}
	return path, text
}

// corpus returns the real feeds of polled formats.
func corpus(t *testing.T, step int, begin, end time.Time) []*site {
	t.Helper()
	_, index := corpusFile(t, "INDEX.tsv")
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
		s := newSite(len(sites), both(field[0]), begin)
		s.kind = map[string]string{"atom": "atom", "json": "json"}[kind]
		s.real = readReal(t, field[0], kind, begin, end, random)
		sites = append(sites, s)
	}
	return sites
}

// TestRealFeeds serves real feeds, most of which have been silent for years. In nine days each publishes one entry.
// For three more days each mail must contain exactly the new entries.
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
	s := newScene(t, storetest.SQLite(t), start, corpus(t, step, awake, end.Add(-30*time.Hour))...)
	var feeds []*realFeed
	for _, site := range s.sites {
		feeds = append(feeds, site.real)
		site.begin = start
		if n := len(site.real.reveal); n > 0 {
			site.real.reveal[n-1] = start.Add(time.Second)
		}
	}
	s.learn(feeds)
	for i, zone := range []string{"Asia/Kathmandu", "Europe/Paris", "America/Los_Angeles"} {
		s.join(fmt.Sprintf("reader%d@example.org", i), zone, i, 2)
	}
	came := map[*reader][]arrival{}
	for now := start.Add(time.Hour); now.Before(end); now = now.Add(time.Hour) {
		if now.Before(awake) && !slices.ContainsFunc(s.oracle.readers,
			func(r *reader) bool { return !r.next.After(now) }) {
			continue // the test would take too long
		}
		s.set(now)
		before := len(s.entries(0))
		s.tick(now)
		polls, _ := s.oracle.tick(t, now)
		s.checkPolls(polls, s.requests(before))
		letters := s.inbox.arrived(t)
		s.checkInTime(letters)
		for _, r := range s.oracle.readers {
			for _, l := range letters {
				if l.To == r.email {
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
		len(s.sites), followed, atOnce, len(s.inbox.letters), len(s.entries(0)))
	if atOnce < 100 {
		t.Errorf("only %d entries were in the next mail", atOnce)
	}
}

func (s *scene) polls() map[*site][]time.Time {
	polls := map[*site][]time.Time{}
	for _, e := range s.requests(0) {
		polls[e.site] = append(polls[e.site], e.at)
	}
	return polls
}

type arrival struct {
	letter
	at time.Time
}

// uncounted removes tracking parameters from a link, which mail does not contain.
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

// checkReal checks that an entry is only in the first mail after the first poll after its publication. It reports
// whether that was the first mail of all.
func (s *scene) checkReal(r *reader, site *site, link string, out time.Time, asked []time.Time,
	came []arrival) (atOnce bool) {
	s.t.Helper()
	var in []string
	for _, a := range came {
		if slices.Contains(strings.Fields(a.Text), uncounted(link)) {
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
