package edition_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/quotedprintable"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/render"
)

// A shelf is a store in memory that counts reads.
type shelf struct {
	mu       sync.Mutex
	editions map[digest.EditionID][]digest.PostRef
	waiting  map[digest.DigestID][]digest.PostRef
	posts    map[digest.PostID]digest.Post
	sources  map[digest.FeedID]digest.FeedLabel
	choices  map[digest.DigestID]map[digest.FeedID]digest.Subscription
	notices  map[digest.EditionID][]digest.Notice
	coming   map[digest.DigestID][]digest.Notice

	pictures  map[string]digest.PictureSize
	histories map[digest.FeedID]digest.FeedHistory
	led       map[digest.EditionID][]digest.FeedID

	calls, postsRead, sourcesRead int
	broken                        error
}

func (s *shelf) called() error {
	s.calls++
	return s.broken
}

func (s *shelf) EditionPosts(_ context.Context, ds []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[digest.EditionID][]digest.PostRef{}
	for _, d := range ds {
		if refs, ok := s.editions[d.ID]; ok {
			out[d.ID] = refs
		}
	}
	return out, s.called()
}

func (s *shelf) WaitingPosts(_ context.Context, id digest.DigestID) ([]digest.PostRef, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting[id], s.called()
}

func (s *shelf) Posts(_ context.Context, ids []digest.PostID) ([]digest.Post, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []digest.Post
	for _, id := range ids {
		if p, ok := s.posts[id]; ok {
			out = append(out, p)
		}
	}
	s.postsRead += len(ids)
	return out, s.called()
}

func (s *shelf) PictureSizes(_ context.Context, addresses []string) (map[string]digest.PictureSize, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]digest.PictureSize{}
	for _, address := range addresses {
		if size, known := s.pictures[address]; known {
			out[address] = size
		}
	}
	return out, s.called()
}

func (s *shelf) FeedLabels(_ context.Context, ids []digest.FeedID) ([]digest.FeedLabel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []digest.FeedLabel
	for _, id := range ids {
		if src, ok := s.sources[id]; ok {
			out = append(out, src)
		}
	}
	s.sourcesRead += len(ids)
	return out, s.called()
}

func (s *shelf) SubscriptionSettings(_ context.Context,
	ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]digest.Subscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(s.choices)
	maps.DeleteFunc(out, func(id digest.DigestID, _ map[digest.FeedID]digest.Subscription) bool {
		return !slices.Contains(ids, id)
	})
	return out, s.called()
}

func (s *shelf) FeedHistories(_ context.Context, feeds []digest.FeedID,
	_ time.Time) (all []digest.FeedHistory, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, feed := range feeds {
		h := s.histories[feed]
		h.FeedID = feed
		all = append(all, h)
	}
	return all, s.called()
}

func (s *shelf) LeadsBefore(context.Context, []digest.Delivery, int) (map[digest.EditionID][]digest.FeedID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.led, s.called()
}

func (s *shelf) Notices(_ context.Context, ds []digest.Delivery) (map[digest.EditionID][]digest.Notice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[digest.EditionID][]digest.Notice{}
	for _, d := range ds {
		if list, ok := s.notices[d.ID]; ok {
			out[d.ID] = list
		}
	}
	return out, s.called()
}

func (s *shelf) WaitingNotices(_ context.Context, id digest.DigestID) ([]digest.Notice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coming[id], s.called()
}

func noon(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }

// stocked returns a store with three feeds, of which reader 1 has renamed one, and two editions.
func stocked() *shelf {
	return &shelf{
		sources: map[digest.FeedID]digest.FeedLabel{
			1: {FeedID: 1, Title: "Zebra", SiteURL: "https://zebra.example/", Language: "en"},
			2: {FeedID: 2, Title: "apple", SiteURL: "https://apple.example/", Language: "he"},
			3: {FeedID: 3, Title: "Mango", SiteURL: "https://mango.example/"},
		},
		posts: map[digest.PostID]digest.Post{
			10: {ID: 10, FeedID: 1, URL: "https://zebra.example/10", Title: "Older", PublishedAt: noon(18),
				SeenAt: noon(19)},
			11: {ID: 11, FeedID: 1, URL: "https://zebra.example/11", Title: "Newer", PublishedAt: noon(19),
				SeenAt: noon(19)},
			12: {ID: 12, FeedID: 1, URL: "https://zebra.example/12", Title: "Undated", SeenAt: noon(19)},
			20: {ID: 20, FeedID: 2, URL: "https://apple.example/20", Title: "לחם", SeenAt: noon(19)},
			30: {ID: 30, FeedID: 3, URL: "https://mango.example/30", Title: "Stone", Language: "fr", SeenAt: noon(19)},
		},
		editions: map[digest.EditionID][]digest.PostRef{
			100: {{PostID: 10, FeedID: 1}, {PostID: 20, FeedID: 2}, {PostID: 12, FeedID: 1}, {PostID: 30, FeedID: 3},
				{PostID: 11, FeedID: 1}},
			101: {{PostID: 11, FeedID: 1}, {PostID: 30, FeedID: 3}, {PostID: 99, FeedID: 4}}, // 99 was pruned
		},
		waiting: map[digest.DigestID][]digest.PostRef{1: {{PostID: 30, FeedID: 3}}},
		choices: map[digest.DigestID]map[digest.FeedID]digest.Subscription{
			1: {3: {Title: "A fruit of my own", Display: digest.Headlines}}},
	}
}

func deliveries() []digest.Delivery {
	date := digest.Date{Year: 2026, Month: time.November, Day: 20}
	return []digest.Delivery{
		{Edition: digest.Edition{ID: 100, DigestID: 1, LocalDate: date, DueAt: noon(20), Number: 7},
			Email: "one@example.org", DigestName: "One’s Paper"},
		{Edition: digest.Edition{ID: 101, DigestID: 2, LocalDate: date, DueAt: noon(20), Number: 1},
			Email: "two@example.org"},
	}
}

func signer() *digest.Signer { return digest.NewSigner([]byte("a secret of these tests only")) }

func builder(s *shelf) *edition.Builder {
	return edition.New(edition.Options{Store: s, Signer: signer(), BaseURL: "https://digest.example/"})
}

// contents lists a page's sites and posts in order.
func contents(p render.Edition) string {
	var parts []string
	for _, s := range p.Sections {
		var titles []string
		for _, b := range s.Posts {
			titles = append(titles, b.Title)
		}
		parts = append(parts, s.Title+": "+strings.Join(titles, ", "))
	}
	return strings.Join(parts, " | ")
}

func TestPages(t *testing.T) {
	pages, err := builder(stocked()).Editions(t.Context(), deliveries())
	if err != nil {
		t.Fatal(err)
	}
	// Sites are sorted by title, and posts newest first. Posts of the same instant keep the order of storage.
	if got, want := contents(pages[0]),
		"A fruit of my own: Stone | apple: לחם | Zebra: Newer, Undated, Older"; got != want {
		t.Errorf("the first reader has %s\nwant %s", got, want)
	}
	if got, want := contents(pages[1]), "Mango: Stone | Zebra: Newer"; got != want {
		t.Errorf("the second reader has %s\nwant %s", got, want)
	}
	if p := pages[0]; p.Name != "One’s Paper" || p.Number != 7 || p.Recipient != "one@example.org" ||
		p.Date.String() != "2026-11-20" {
		t.Errorf("page %+v", p)
	}
	for i, want := range []string{"he", "en"} {
		if got := pages[0].Sections[1+i].Posts[0].Language; got != want {
			t.Errorf("a post without a language has %q, want its feed's, %q", got, want)
		}
	}
	if got := pages[1].Sections[0].Posts[0].Language; got != "fr" {
		t.Errorf("a post's own language became %q", got)
	}
}

// TestFolderOrder: sites without a folder come first, and then folder by folder, in email and on the web.
func TestFolderOrder(t *testing.T) {
	s := stocked()
	s.choices[1] = map[digest.FeedID]digest.Subscription{3: {Folder: "b"}, 1: {Folder: "A"}}
	pages, err := builder(s).Editions(t.Context(), deliveries()[:1])
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(pages[0]); !strings.HasPrefix(got, "apple: ") || !strings.Contains(got, " | Zebra: ") ||
		!strings.Contains(got, " | Mango: ") || pages[0].Sections[1].Folder != "A" {
		t.Errorf("%s", got)
	}
	letters, err := builder(s).Render(t.Context(), deliveries()[:1])
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(letters[0].Encoded.Text, ""); strings.Index(text, "Zebra") > strings.Index(text, "Mango") ||
		!strings.Contains(text, "\nA\r\n") {
		t.Errorf("the mail has\n%s", text)
	}
}

func TestLinks(t *testing.T) {
	pages, err := builder(stocked()).Editions(t.Context(), deliveries())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range deliveries() {
		token := strings.TrimPrefix(pages[i].UnsubscribeURL, "https://digest.example/unsubscribe/")
		token, email, _ := strings.Cut(token, "-")
		if id, ok := signer().Verify(digest.ForUnsubscribe, token); !ok || digest.DigestID(id) != want.DigestID ||
			email != fmt.Sprint(want.ID) {
			t.Errorf("unsubscribe link %s", pages[i].UnsubscribeURL)
		}
		token = strings.TrimPrefix(pages[i].WebURL, "https://digest.example/e/")
		if id, ok := signer().Verify(digest.ForEdition, token); !ok || digest.EditionID(id) != want.ID {
			t.Errorf("web link %s", pages[i].WebURL)
		}
		if pages[i].HomeURL != "https://digest.example/" {
			t.Errorf("home link %s", pages[i].HomeURL)
		}
	}
}

func TestPostsAreReadOnce(t *testing.T) {
	s := stocked()
	b := builder(s)
	for range 3 {
		if _, err := b.Editions(t.Context(), deliveries()); err != nil {
			t.Fatal(err)
		}
	}
	// Post 99 and feed 4 do not exist, so each call requests them again.
	if s.postsRead != 6+2 || s.sourcesRead != 4+2 {
		t.Errorf("%d posts and %d feeds were read", s.postsRead, s.sourcesRead)
	}
}

// TestTitlesFollowTheirFeed: a renamed feed has its new title at the next midnight.
func TestTitlesFollowTheirFeed(t *testing.T) {
	s := stocked()
	b := builder(s)
	ds := deliveries()[1:]
	if _, err := b.Editions(t.Context(), ds); err != nil {
		t.Fatal(err)
	}
	s.sources[1] = digest.FeedLabel{FeedID: 1, Title: "Aardvark"}
	ds[0].DueAt = ds[0].DueAt.Add(time.Hour)
	pages, err := b.Editions(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := contents(pages[0]), "Aardvark: Newer | Mango: Stone"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCacheIsBounded: with a cache smaller than one post, pages are still correct.
func TestCacheIsBounded(t *testing.T) {
	s := stocked()
	b := edition.New(edition.Options{Store: s, Signer: signer(), BaseURL: "https://digest.example", CacheBytes: 10})
	for range 2 {
		pages, err := b.Editions(t.Context(), deliveries())
		if err != nil {
			t.Fatal(err)
		}
		if got := contents(pages[1]); got != "Mango: Stone | Zebra: Newer" {
			t.Error(got)
		}
	}
	if s.postsRead < 10 {
		t.Errorf("only %d posts were read: the cache holds more than it may", s.postsRead)
	}
}

func TestPreview(t *testing.T) {
	s := stocked()
	b := builder(s)
	d := digest.Digest{ID: 1, TimeZone: "Pacific/Auckland", NextDueAt: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC),
		Editions: 7}
	p, err := b.Preview(t.Context(), d, digest.User{Email: "one@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Date.String() != "2026-11-21" || p.Number != 8 || p.WebURL != "" || contents(p) != "A fruit of my own: Stone" {
		t.Errorf("%+v", p)
	}
	// A waiting post may change before its midnight, so it must not be cached.
	changed := s.posts[30]
	changed.Title = "Stone, revised"
	s.posts[30] = changed
	pages, err := b.Editions(t.Context(), deliveries()[1:])
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(pages[0]); got != "Mango: Stone, revised | Zebra: Newer" {
		t.Errorf("after a preview: %s", got)
	}
}

func TestPreviewOfNothing(t *testing.T) {
	d := digest.Digest{ID: 5, TimeZone: "UTC", NextDueAt: noon(20)}
	p, err := builder(stocked()).Preview(t.Context(), d, digest.User{Email: "x@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := render.New(nil).Mail(p)
	if err != nil || !strings.HasSuffix(m.Subject, "no new posts") || !strings.Contains(m.Text, "No new posts") {
		t.Errorf("%q, %v", m.Subject, err)
	}
}

func TestRender(t *testing.T) {
	printed, err := builder(stocked()).Render(t.Context(), deliveries())
	if err != nil {
		t.Fatal(err)
	}
	if len(printed) != 2 {
		t.Fatalf("%d printed", len(printed))
	}
	p := printed[0]
	if p.To != deliveries()[0].Email || p.Subject != "Friday 20 November: 5 posts from 3 sites" ||
		p.ListName != "One’s Paper" {
		t.Errorf("%+v", p)
	}
	if printed[1].ListName != render.DefaultName {
		t.Errorf("name %q", printed[1].ListName)
	}
	if p.HelpURL != "https://digest.example/help" {
		t.Errorf("List-Help is to name the page that helps, not %s", p.HelpURL)
	}
	if want := "https://digest.example/unsubscribe/" +
		signer().Sign(digest.ForUnsubscribe, 1); p.UnsubscribeURL != want {
		t.Errorf("List-Unsubscribe is %s, not the same in each edition: %s", p.UnsubscribeURL, want)
	}
	e, err := builder(stocked()).Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	for part, body := range map[string][]string{"HTML": p.Encoded.HTML, "text": p.Encoded.Text} {
		plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(strings.Join(body, ""))))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"https://zebra.example/11", "לחם", e.UnsubscribeURL, e.WebURL, e.HomeURL} {
			if !strings.Contains(string(plain), want) {
				t.Errorf("the %s lacks %s", part, want)
			}
		}
	}
}

func TestStoreErrorsComeThrough(t *testing.T) {
	s := stocked()
	s.broken = &digest.Error{Kind: digest.Unavailable, Message: "the database is away"}
	if _, err := builder(s).Render(t.Context(), deliveries()); digest.KindOf(err) != digest.Unavailable {
		t.Errorf("error %v", err)
	}
	if _, err := builder(s).Edition(t.Context(), deliveries()[0]); !errors.Is(err, s.broken) {
		t.Errorf("error %v", err)
	}
	if _, err := builder(s).Preview(t.Context(), digest.Digest{ID: 1, TimeZone: "UTC"}, digest.User{}); !errors.Is(err,
		s.broken) {
		t.Errorf("error %v", err)
	}
	if pages, err := builder(s).Editions(t.Context(), nil); err != nil || pages != nil {
		t.Errorf("nothing to do gave %v, %v", pages, err)
	}
}

// TestManyAtOnce renders from several goroutines, for -race.
func TestManyAtOnce(t *testing.T) {
	b := edition.New(edition.Options{Store: stocked(), Signer: signer(), BaseURL: "https://digest.example",
		CacheBytes: 20_000})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if _, err := b.Render(t.Context(), deliveries()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
