package edition_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"digest"
	"digest/edition"
	"digest/render"
)

// TestLook: an edition and its preview have the reader's display settings and the sender's postal address.
func TestLook(t *testing.T) {
	look := digest.Look{Layout: digest.FullText, Images: digest.LinkedImages, Threaded: true}
	b := edition.New(edition.Options{Store: stocked(), Signer: signer(), BaseURL: "https://digest.example",
		PostalAddress: "1 Example Street"})
	d := deliveries()[0]
	d.Look = look
	page, err := b.Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	preview, err := b.Preview(t.Context(), digest.Digest{ID: 1, TimeZone: "UTC", NextDueAt: noon(21), Look: look},
		digest.User{})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]render.Edition{"edition": page, "preview": preview} {
		if p.Look != look || p.PostalAddress != "1 Example Street" {
			t.Errorf("%s: %+v, %q", name, p.Look, p.PostalAddress)
		}
	}
}

// TestLearnedPictures: emails with pictures, and pages, contain the stored sizes of pictures without a stated size.
func TestLearnedPictures(t *testing.T) {
	const picture = "https://zebra.example/a.png"
	for _, c := range []struct {
		images digest.Images
		want   int
	}{{digest.ProxiedImages, 1}, {digest.LinkedImages, 0}} {
		s := stocked()
		p := s.posts[30]
		p.Content, p.ImageURL = `<p>Look:</p><img src="https://zebra.example/a.png" alt="A stone">`, picture
		s.posts[30] = p
		s.pictures = map[string]digest.PictureSize{picture: {Width: 1200, Height: 900},
			"https://zebra.example/other.png": {Width: 1, Height: 1}}
		d := deliveries()[1]
		d.Look = digest.Look{Layout: digest.Excerpts, Images: c.images}
		letters, err := builder(s).Render(t.Context(), []digest.Delivery{d})
		if err != nil {
			t.Fatal(err)
		}
		html := strings.ReplaceAll(strings.Join(letters[0].Encoded.HTML, ""), "=\r\n", "")
		if n := strings.Count(html, `width=3D"600" height=3D"450"`); n != c.want {
			t.Errorf("%s: %d pictures in the size that was learned, want %d\n%s", c.images, n, c.want, html)
		}
		page, err := builder(s).Edition(t.Context(), d)
		if err != nil || len(page.PictureSizes) != 1 {
			t.Errorf("on pages: %v, %v", page.PictureSizes, err)
		}
		s.waiting[d.DigestID] = []digest.PostRef{{PostID: 30, FeedID: p.FeedID}}
		next, err := builder(s).Preview(t.Context(), digest.Digest{ID: d.DigestID, TimeZone: "UTC", NextDueAt: noon(21),
			Look: d.Look}, digest.User{})
		if err != nil || len(next.PictureSizes) != 1 { // they decide the ranks
			t.Errorf("in a preview: %v, %v", next.PictureSizes, err)
		}
	}
}

// TestDeadPictures: a picture that is known to load can make its post the lead. One that does not load cannot, and
// neither the page nor the email shows it.
func TestDeadPictures(t *testing.T) {
	const picture = "https://zebra.example/a.png"
	for _, c := range []struct {
		known map[string]digest.PictureSize
		leads bool
	}{{map[string]digest.PictureSize{picture: {Width: 1200, Height: 900}}, true},
		{map[string]digest.PictureSize{picture: {Dead: true}}, false}} {
		s := stocked()
		s.pictures = c.known
		p := s.posts[30]
		p.Title, p.Summary, p.Content, p.ImageURL = "A stone with a name", "Look.", `<img src="`+picture+
			`" alt="A stone">`,
			picture
		s.posts[30] = p
		d := deliveries()[1]
		d.Look = digest.Look{Layout: digest.Excerpts, Images: digest.ProxiedImages}
		page, err := builder(s).Edition(t.Context(), d)
		if err != nil || (page.Lead == 30) != c.leads {
			t.Errorf("%v: the lead is %d, %v", c.known, page.Lead, err)
		}
		letters, err := builder(s).Render(t.Context(), []digest.Delivery{d})
		if err != nil || strings.Contains(strings.Join(letters[0].Encoded.HTML, ""), "<img") != c.leads {
			t.Errorf("%v: the email shows it wrongly, %v", c.known, err)
		}
	}
}

// TestSeriesDoesNotLead: a post leads unless its title begins like an earlier one of its site.
func TestSeriesDoesNotLead(t *testing.T) {
	for titles, leads := range map[string]bool{"Stones 11: Basalt": false, "A new stone": true} {
		s := stocked()
		p := s.posts[30]
		p.Title, p.Content = "Stones 12: Granite", strings.Repeat("Many words about stones. ", 20)
		s.posts[30] = p
		s.histories = map[digest.FeedID]digest.FeedHistory{p.FeedID: {Titles: titles}}
		page, err := builder(s).Edition(t.Context(), deliveries()[1])
		if err != nil || (page.Lead == 30) != leads {
			t.Errorf("after %q: the lead is %d, %v", titles, page.Lead, err)
		}
	}
}

// TestLearnedPicturesOfTexts: with full texts, the builder requests the sizes of all pictures, also for a post that was
// rendered before they were known. With excerpts it requests only the size of the picture above.
func TestLearnedPicturesOfTexts(t *testing.T) {
	const first, second = "https://zebra.example/a.png", "https://zebra.example/b.png"
	s := stocked()
	p := s.posts[30]
	p.Content, p.ImageURL = `<p>Look at these two stones, of which one is larger than the other.</p><img src="`+
		first+`"><p>And:</p><img src="`+second+`">`, first
	s.posts[30] = p
	b, d := builder(s), deliveries()[1]
	for _, c := range []struct {
		layout digest.Layout
		known  bool
		want   int
	}{{digest.FullText, false, 0}, {digest.FullText, true, 2}, {digest.Excerpts, true, 1}} {
		if c.known {
			s.pictures = map[string]digest.PictureSize{first: {Width: 1200, Height: 900},
				second: {Width: 400, Height: 300}}
		}
		d.Look = digest.Look{Layout: c.layout, Images: digest.ProxiedImages}
		letters, err := b.Render(t.Context(), []digest.Delivery{d})
		if err != nil {
			t.Fatal(err)
		}
		html := strings.ReplaceAll(strings.Join(letters[0].Encoded.HTML, ""), "=\r\n", "")
		if n := strings.Count(html, `width=3D"600" height=3D"450"`) + strings.Count(html,
			`width=3D"400" height=3D"300"`); n != c.want {
			t.Errorf("%+v: %d pictures in the size that was learned\n%s", c, n, html)
		}
	}
}

// TestProxiedPictures: a picture's address in an email points to this instance and contains the signature.
func TestProxiedPictures(t *testing.T) {
	const picture = "https://zebra.example/a.png?x=1&y=2"
	s := stocked()
	p := s.posts[30]
	p.Content = `<p>Look:</p><img src="https://zebra.example/a.png?x=1&amp;y=2" alt="A stone">`
	s.posts[30] = p
	d := deliveries()[1]
	d.Look = digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}
	page, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	m, err := render.New(nil).Mail(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(m.HTML, `src="`)
	src, _, _ := strings.Cut(rest, `"`)
	mac, address, _ := strings.Cut(strings.TrimPrefix(src, "https://digest.example/image/"), "/")
	got, err := base64.RawURLEncoding.DecodeString(address)
	if err != nil || string(got) != picture || !signer().VerifyText(digest.ForImage, picture, mac) {
		t.Errorf("the picture is loaded from %q: %q, %v", src, got, err)
	}
}

// TestArrangement: sections have the reader's order, with the leading site first. Sites without a folder get a heading
// if other folders come before them. A preview has the same order.
func TestArrangement(t *testing.T) {
	for _, c := range []struct {
		order   digest.FolderOrder
		folders [4]string // of the feeds 1 to 3
		leads   digest.FeedID
		want    string
		alone   string // without folders
	}{
		{"", [4]string{}, 0, "apple, Mango, Zebra", "apple, Mango, Zebra"},
		{"", [4]string{1: "Week 2", 2: "Week 10"}, 0, "Mango, Week 2/Zebra, Week 10/apple", "apple, Mango, Zebra"},
		{"Week 10", [4]string{1: "Week 2", 2: "Week 10"}, 0, "Mango, Week 10/apple, Week 2/Zebra",
			"apple, Mango, Zebra"},
		{"Week 10\n\nWeek 2", [4]string{1: "Week 2", 2: "Week 10"}, 0, "Week 10/apple, Other sites/Mango, Week 2/Zebra",
			"apple, Mango, Zebra"},
		{"Gone\n", [4]string{1: "Week 2"}, 0, "apple, Mango, Week 2/Zebra", "apple, Mango, Zebra"},
		{"", [4]string{1: "Week 2", 2: "Week 10"}, 2, "apple, Mango, Week 2/Zebra", "apple, Mango, Zebra"},
		{"Week 2\n", [4]string{1: "Week 2"}, 3, "Mango, Week 2/Zebra, Other sites/apple", "Mango, apple, Zebra"},
	} {
		s := stocked()
		own := map[digest.FeedID]digest.Subscription{}
		for feed := digest.FeedID(1); feed <= 3; feed++ {
			own[feed] = digest.Subscription{Folder: c.folders[feed], Leads: feed == c.leads}
		}
		s.choices[1] = own
		s.waiting[1] = s.editions[100]
		d := deliveries()[0]
		d.Folders = c.order
		page, err := builder(s).Edition(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		preview, err := builder(s).Preview(t.Context(),
			digest.Digest{ID: 1, TimeZone: "UTC", NextDueAt: noon(21), Folders: c.order}, digest.User{})
		if err != nil {
			t.Fatal(err)
		}
		d.Grouping = digest.BySites
		alone, err := builder(s).Edition(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range map[string]render.Edition{"edition": page, "preview": preview, "by sites alone": alone} {
			var got []string
			for _, section := range e.Sections {
				got = append(got, strings.TrimPrefix(section.Folder+"/"+section.Title, "/"))
			}
			want := c.want
			if name == "by sites alone" {
				want = c.alone
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s, in the order %q: %q, want %q", name, c.order, got, want)
			}
		}
	}
}

// TestCarriedPostsAreLate: posts of an undelivered edition come after the day's own posts of their site.
func TestCarriedPostsAreLate(t *testing.T) {
	s := stocked()
	refs := s.editions[100]
	for i := range refs {
		refs[i].Carried = refs[i].PostID == 11 // the newest
	}
	page, err := builder(s).Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	zebra := page.Sections[2]
	if last := zebra.Posts[len(zebra.Posts)-1]; zebra.Late != 1 || last.Title != "Newer" {
		t.Errorf("%d are late, and %q is the last", zebra.Late, last.Title)
	}
}

// TestCacheCountsWhatGrows: a post that grows for a reader of full texts is counted with its new size at the next
// access, so that the cache stays within its limit.
func TestCacheCountsWhatGrows(t *testing.T) {
	s := stocked()
	for id, p := range s.posts {
		p.Content = strings.Repeat("<p>A paragraph of the post.</p>", 200)
		s.posts[id] = p
	}
	b := edition.New(edition.Options{Store: s, Signer: signer(), BaseURL: "https://digest.example",
		CacheBytes: 200_000})
	d := deliveries()[0]
	d.Layout = digest.FullText
	for range 3 {
		s.postsRead = 0
		page, err := b.Edition(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := render.New(nil).EncodedMail(page); err != nil {
			t.Fatal(err)
		}
	}
	if s.postsRead == 0 {
		t.Error("five full texts are kept where two have room")
	}
}

// inMail renders one edition, and returns its text and the number of posts that were read for it.
func inMail(t *testing.T, b *edition.Builder, s *shelf, d digest.Delivery) (text string, read int) {
	t.Helper()
	s.postsRead = 0
	letters, err := b.Render(t.Context(), []digest.Delivery{d})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(letters[0].Encoded.Text, ""), s.postsRead
}

// TestTextsForWhoWantsThem: the cache contains the full text of a post only after a reader has received it by email.
func TestTextsForWhoWantsThem(t *testing.T) {
	s := stocked()
	for id, p := range s.posts {
		p.Content = strings.Repeat("<p>A paragraph of the post.</p>", 3000) + "<p>Its end.</p>"
		s.posts[id] = p
	}
	zebra := s.posts[10]
	zebra.Content = "<p>A short one.</p><p>Its end.</p>"
	s.posts[10] = zebra
	b := edition.New(edition.Options{Store: s, Signer: signer(), BaseURL: "https://digest.example",
		CacheBytes: 200_000})
	d := deliveries()[0]
	if _, read := inMail(t, b, s, d); read == 0 {
		t.Fatal("nothing was read")
	}
	if text, read := inMail(t, b, s, d); read != 0 || strings.Contains(text, "Its end.") {
		t.Errorf("%d excerpts were read again: texts that nobody wants take their room", read)
	}
	s.choices = map[digest.DigestID]map[digest.FeedID]digest.Subscription{
		d.DigestID: {zebra.FeedID: {Display: digest.FullText}}}
	if text, read := inMail(t, b, s, d); read == 0 || !strings.Contains(text, "Its end.") {
		t.Errorf("%d posts were read for the reader of full texts:\n%s", read, text)
	}
	s.choices = nil
	d.Layout = digest.FullText
	if text, _ := inMail(t, b, s, d); !strings.Contains(text, "Its end.") {
		t.Errorf("an edition of full texts has none:\n%s", text)
	}
	page, err := b.Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range page.Sections {
		for _, p := range section.Posts {
			if _, readable := p.WebText(2, true, nil); !readable {
				t.Errorf("the web edition has no text of %q", p.Title)
			}
		}
	}
}
