package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/internal/export"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type world struct {
	*store.Store
	t    testing.TB
	now  time.Time
	user digest.User
	own  digest.Digest
}

func newWorld(t testing.TB, s *store.Store) *world {
	h := &world{Store: s, t: t, now: noon}
	var err error
	h.user, h.own, err = s.Readers.AddUser(t.Context(), "ann@example.org", "Europe/Paris", noon)
	h.must(err)
	return h
}

func (h *world) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *world) arrive(host, title string, posts ...digest.Post) {
	h.t.Helper()
	ctx := h.t.Context()
	f, _, err := h.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://" + host + "/feed", Host: host, Title: title,
		SiteURL: "https://" + host + "/"})
	h.must(err)
	_, err = h.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: h.own.ID, FeedID: f.ID, Folder: "News"},
		h.now)
	h.must(err)
	f.ParsedAt, f.LastOKAt, f.Title = h.now, h.now, title
	var listed []string
	for i := range posts {
		posts[i].SeenAt, posts[i].PublishedAt = h.now, h.now
		listed = append(listed, posts[i].Identity)
	}
	_, err = h.Feeds.Record(ctx, h.now, []store.Polled{{Feed: f, Posts: posts, Listed: listed}})
	h.must(err)
}

func (h *world) midnight() {
	h.t.Helper()
	d, err := h.Readers.DigestOf(h.t.Context(), h.user.ID)
	h.must(err)
	h.now = d.NextDueAt
	_, err = h.Feeds.Plan(h.t.Context(), h.now, func(digest.Feed, time.Time) (time.Time, bool) {
		return time.Time{},
			false
	})
	h.must(err)
	_, err = h.Editions.Release(h.t.Context(), h.now, time.Minute)
	h.must(err)
}

func (h *world) read() map[string]string {
	h.t.Helper()
	return h.readIn(catalogue.English())
}

func (h *world) readIn(l *catalogue.Language) map[string]string {
	h.t.Helper()
	d, err := h.Readers.DigestOf(h.t.Context(), h.user.ID)
	h.must(err)
	e, err := export.Read(h.t.Context(), h.Store, h.user, d, l, h.now)
	h.must(err)
	var b bytes.Buffer
	h.must(e.Write(h.t.Context(), &b))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	h.must(err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		h.must(err)
		content, err := io.ReadAll(r)
		h.must(err)
		if _, twice := files[f.Name]; twice {
			h.t.Errorf("%s is in it twice", f.Name)
		}
		files[f.Name] = string(content)
	}
	return files
}

func post(identity string) digest.Post {
	return digest.Post{Identity: identity, Title: "Title of " + identity, URL: "https://a.example/" +
		identity, Summary: "Summary", Content: "<p>Text of " + identity + "</p>",
		Comments: "https://ann:secret@news.example/" + identity,
		Enclosures: []digest.Enclosure{{URL: "https://ann:secret@a.example/" + identity + ".mp3", Type: "audio/mpeg",
			Seconds: 2580}}}
}

func TestExport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newWorld(t, s)
		_, err := h.Subscriptions.AddFilter(t.Context(), digest.Filter{DigestID: h.own.ID, Words: "lottery"}, noon)
		h.must(err)
		_, err = h.Readers.AddStay(t.Context(), digest.Stay{UserID: h.user.ID,
			From: digest.Date{Year: 2026, Month: 12, Day: 3},
			To:   digest.Date{Year: 2026, Month: 12, Day: 17}, TimeZone: "Asia/Tokyo"}, noon)
		h.must(err)
		h.must(h.Sessions.AddSession(t.Context(), []byte("s"), h.user.ID, noon, noon.AddDate(0, 1, 0)))
		_, err = h.Subscriptions.ImportList(t.Context(), h.own.ID, nil, 10, noon,
			func(store.ImportResult) string { return `{"Feeds":2,"Added":1}` })
		h.must(err)
		h.arrive("b.example", "Beta", post("b1"), post("lottery"))
		h.arrive("a.example", "Alpha", post("apple"), post("avocado"))
		h.midnight()
		h.arrive("c.example", "Gamma", post("hidden"))
		files := h.read()
		if got, want := strings.Join(slices.Sorted(maps.Keys(files)), " "),
			"README.txt account.json editions.json editions/2026-11-21.html "+
				"feeds.json feeds.opml filters.json held.jsonl index.html posts.jsonl saved.html saved.jsonl"; got != want {
			t.Errorf("files are %s, want %s", got, want)
		}
		for name, content := range files {
			if strings.Contains(content, "hidden") {
				t.Errorf("%s tells of a post before its midnight", name)
			}
		}
		page := files["editions/2026-11-21.html"]
		at := 0
		for _, next := range []string{"Saturday 21 November 2026", "Alpha", "Title of avocado",
			`href="https://a.example/avocado.mp3"`, "Listen · 43 min</a> · MP3", "<p>Text of avocado</p>",
			"Title of apple", "Beta", "Title of b1"} {
			i := strings.Index(page[at:], next)
			if i < 0 {
				t.Fatalf("%q is not in its place:\n%s", next, page)
			}
			at += i
		}
		if !strings.Contains(files["index.html"], `href="editions/2026-11-21.html"`) {
			t.Error("the index does not lead to the edition")
		}
		if want := `"comments":"https://news.example/apple"`; !strings.Contains(files["posts.jsonl"], want) {
			t.Errorf("no %s in %s", want, files["posts.jsonl"])
		}
		if want := `"files":[{"url":"https://a.example/apple.mp3","type":"audio/mpeg","length":0,"seconds":2580}]`; !strings.Contains(files["posts.jsonl"], want) {
			t.Errorf("no %s in %s", want, files["posts.jsonl"])
		}
		var acc struct {
			Address  string
			Digest   struct{ Days string }
			Stays    []struct{ From, To string }
			Imported struct {
				At     time.Time
				Report struct{ Feeds, Added int }
			}
			Sessions []struct {
				Began time.Time `json:"began_at"`
			}
		}
		h.must(json.Unmarshal([]byte(files["account.json"]), &acc))
		if acc.Address != "ann@example.org" || acc.Digest.Days != "daily" || len(acc.Stays) != 1 ||
			acc.Stays[0].To != "2026-12-17" ||
			len(acc.Sessions) != 1 || !acc.Sessions[0].Began.Equal(noon) ||
			!acc.Imported.At.Equal(noon) || acc.Imported.Report.Feeds != 2 {
			t.Errorf("account.json is %s", files["account.json"])
		}
		if !strings.Contains(files["filters.json"], "lottery") ||
			!strings.Contains(files["held.jsonl"], "Title of lottery") || strings.Contains(page, "lottery") {
			t.Errorf("filters: %s, held back: %s", files["filters.json"], files["held.jsonl"])
		}
		list, err := feed.Parse([]byte(files["feeds.opml"]), "text/xml", "")
		h.must(err)
		if len(list.Feeds) != 3 || list.Feeds[0].Folder != "News" {
			t.Errorf("feeds.opml has %v", list.Feeds)
		}
		if got := strings.Count(files["posts.jsonl"], "\n"); got != 3 {
			t.Errorf("posts.jsonl has %d posts", got)
		}
	})
}

// TestFeedsThatWereLeft checks that the data includes the settings of former subscriptions, until the reader subscribes
// again.
func TestFeedsThatWereLeft(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h, ctx := newWorld(t, s), t.Context()
		h.arrive("a.example", "Alpha", post("a1"))
		f, err := h.Feeds.FeedByURL(ctx, "https://a.example/feed")
		h.must(err)
		_, err = h.Subscriptions.AddFilter(ctx, digest.Filter{DigestID: h.own.ID, FeedID: f.ID, Words: "lottery"}, noon)
		h.must(err)
		left := func() string {
			var acc struct {
				Left []struct {
					URL, Folder string
					Filters     []string
				} `json:"left_feeds"`
			}
			h.must(json.Unmarshal([]byte(h.read()["account.json"]), &acc))
			return fmt.Sprint(acc.Left)
		}
		for range 2 {
			if got := left(); got != "[]" {
				t.Errorf("left are %s", got)
			}
			h.must(h.Subscriptions.Unsubscribe(ctx, h.own.ID, f.ID))
			if got := left(); got != "[{https://a.example/feed News [lottery]}]" {
				t.Errorf("left are %s", got)
			}
			_, err = h.Subscriptions.Resubscribe(ctx, h.own.ID, []digest.FeedID{f.ID}, noon)
			h.must(err)
		}
	})
}

// TestChangesByLinks checks that the reader's data includes the changes by links in emails.
func TestChangesByLinks(t *testing.T) {
	h := newWorld(t, storetest.Open(t, storetest.SQLite(t)))
	ctx := t.Context()
	h.must(h.ByLink(ctx, store.LinkUse{DigestID: h.own.ID, EmailDate: digest.Date{Year: 2026, Month: 11, Day: 20}},
		noon, func(st *store.Store) error {
			return st.Readers.SetCadence(ctx, h.own.ID, digest.Workdays, noon)
		}))
	var acc struct {
		Changes []struct {
			Date                     string `json:"email_date"`
			Of, Setting, Was, Became string
		} `json:"changes_by_links"`
	}
	h.must(json.Unmarshal([]byte(h.read()["account.json"]), &acc))
	if got := fmt.Sprint(acc.Changes); !strings.HasPrefix(got, "[{2026-11-20 ") ||
		!strings.HasSuffix(got, " days daily weekdays}]") {
		t.Errorf("changes are %s", got)
	}
}

// TestExportInALanguage checks that pages and the README are in the reader's language and direction.
func TestExportInALanguage(t *testing.T) {
	h := newWorld(t, storetest.Open(t, storetest.SQLite(t)))
	h.arrive("a.example", "Alpha", post("apple"))
	h.midnight()
	files := h.readIn(catalogue.Of("ar"))
	for name, words := range map[string][]string{
		"index.html": {`<html lang="ar" dir="rtl">`, "<h1>الأعداد</h1>",
			"<h2>نوفمبر 2026</h2>", "السبت، 21 نوفمبر 2026", "العدد 1"},
		"editions/2026-11-21.html": {`<html lang="ar" dir="rtl">`, "<title>السبت، 21 نوفمبر 2026</title>",
			"استمع · 43 د"},
		"saved.html": {"<h1>المحفوظات</h1>"},
		"README.txt": {"كل ما نخزّنه عن", "ann@example.org",
			"index.html      ابدأ من هنا"},
	} {
		for _, each := range words {
			if !strings.Contains(files[name], each) {
				t.Errorf("%s has no %q:\n%s", name, each, files[name])
			}
		}
	}
}

// TestNothingLetsAnybodyIn checks that no file contains a secret.
func TestNothingLetsAnybodyIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newWorld(t, s)
		hash := []byte("0123456789abcdef-session")
		h.must(s.Sessions.AddSession(t.Context(), hash, h.user.ID, noon, noon.AddDate(0, 1, 0)))
		h.must(s.Sessions.AddSignIn(t.Context(), []byte("0123456789abcdef-sign-in"), h.user.ID, noon,
			noon.AddDate(0, 1, 0)))
		h.arrive("a.example", "Alpha", post("a1"))
		h.midnight()
		for name, content := range h.read() {
			for _, secret := range []string{"0123456789abcdef", fmt.Sprintf("%x", hash),
				base64.StdEncoding.EncodeToString(hash), "/e/", "unsubscribe/"} {
				if strings.Contains(content, secret) {
					t.Errorf("%s has %q in it", name, secret)
				}
			}
		}
	})
}

// TestPrivateFeed checks that posts stored with a feed's password are exported without it.
func TestPrivateFeed(t *testing.T) {
	h := newWorld(t, storetest.Open(t, storetest.SQLite(t)))
	p := post("a1")
	p.URL, p.ImageURL = "http://ann:secret@a.example/a1", "http://ann:secret@a.example/p.png"
	p.Content = `<p><a href="http://ann:secret@a.example/b">text</a> of bob@a.example</p>`
	h.arrive("a.example", "Alpha", p)
	h.midnight()
	files := h.read()
	for name, content := range files {
		if strings.Contains(content, "secret") {
			t.Errorf("%s has the password in it: %s", name, content)
		}
	}
	if !strings.Contains(files["posts.jsonl"], `http://a.example/b\">text</a> of bob@a.example`) {
		t.Errorf("posts: %s", files["posts.jsonl"])
	}
}

// TestHostileTitles checks that text from feeds cannot name files or inject HTML.
func TestHostileTitles(t *testing.T) {
	const bad = `../../../etc/passwd"></a><script>alert(1)</script>{{.}}` + "\n"
	s := storetest.Open(t, storetest.SQLite(t))
	h := newWorld(t, s)
	p := digest.Post{Identity: bad, Title: bad, URL: "javascript:alert(1)", Author: bad, Summary: bad,
		Language: `en" onclick="alert(1)`}
	h.arrive("a.example", bad, p)
	h.midnight()
	h.now = h.now.Add(time.Hour)
	d, err := s.Readers.DigestOf(t.Context(), h.user.ID)
	h.must(err)
	list, err := s.Editions.Editions(t.Context(), d.ID, 1)
	h.must(err)
	refs, err := s.Editions.EditionPosts(t.Context(), []digest.Delivery{{Edition: list[0]}})
	h.must(err)
	h.must(s.Posts.SavePost(t.Context(), h.user.ID, refs[list[0].ID][0].PostID, h.now))
	files := h.read()
	for name, content := range files {
		if strings.Contains(name, "..") || strings.Contains(name, "passwd") || strings.HasPrefix(name, "/") ||
			strings.Contains(name, `\`) {
			t.Errorf("a file is called %q", name)
		}
		if strings.HasSuffix(name, ".html") && (strings.Contains(content, "<script") ||
			strings.Contains(content, `"javascript:`) || strings.Contains(content, `" onclick`)) {
			t.Errorf("%s is not safe:\n%s", name, content)
		}
	}
	for line := range strings.Lines(files["posts.jsonl"] + files["saved.jsonl"]) {
		var x struct{ Title string }
		if err := json.Unmarshal([]byte(line), &x); err != nil || x.Title != bad {
			t.Errorf("a line reads as %q, %v", x.Title, err)
		}
	}
	if !strings.Contains(files["saved.html"], "passwd") {
		t.Error("what is kept is not on its page")
	}
}

// A gauge counts the written bytes and measures the memory in use from time to time.
type gauge struct {
	written, next int
	most          uint64
}

func (g *gauge) Write(b []byte) (int, error) {
	if g.written += len(b); g.written >= g.next {
		g.next = g.written + 1<<20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		g.most = max(g.most, m.HeapAlloc)
	}
	return len(b), nil
}

// TestMemoryIsFlat checks that 1,000 long posts need as little memory as a few.
func TestMemoryIsFlat(t *testing.T) {
	tier.Alone(t)
	s := storetest.Open(t, storetest.SQLite(t))
	h := newWorld(t, s)
	random := rand.NewChaCha8([32]byte{1})
	for day := range 5 {
		posts := make([]digest.Post, 200)
		for i := range posts {
			posts[i] = post(fmt.Sprintf("%d-%d", day, i))
			text := make([]byte, 6000)
			random.Read(text)
			posts[i].Content = "<p>" + base64.RawURLEncoding.EncodeToString(text) + "</p>"
		}
		h.arrive("a.example", "Alpha", posts...)
		h.midnight()
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := s.Readers.DigestOf(t.Context(), h.user.ID)
	h.must(err)
	e, err := export.Read(t.Context(), s, h.user, d, catalogue.English(), h.now)
	h.must(err)
	var g gauge
	h.must(e.Write(t.Context(), &g))
	const most = 8 << 20
	if g.written < 15<<20 || g.next == 0 {
		t.Errorf("only %d bytes were written", g.written)
	}
	if g.most > before.HeapAlloc+most {
		t.Errorf("%d MB of memory for %d MB written; %d at most", (g.most-before.HeapAlloc)>>20, g.written>>20,
			most>>20)
	}
	t.Logf("%d MB written with %d KB of memory", g.written>>20, (int64(g.most)-int64(before.HeapAlloc))>>10)
}
