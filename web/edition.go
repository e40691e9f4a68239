package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// A room limits how much of an edition one page shows. Further posts are on further pages. Posts
// beyond the limits of excerpts and texts are headlines.
type room struct {
	posts, excerpts int
	text            int // bytes of HTML of full texts
	many            int // every three posts beyond this number replace one excerpt; 0: no such limit
}

// A page with everything except pictures downloads at most 60 KB, whatever it contains: see
// TestWeightOfMany.
var (
	onScreen    = room{posts: mostPosts, excerpts: 50, text: 40 << 10, many: 90}
	whenPrinted = room{posts: 1000, excerpts: 400, text: 200 << 10}
)

const (
	mostPosts = 150
	mostParts = 10_000
)

const minContents = 4

// An editionPage is the view of an edition, or of one page of a large edition.
type editionPage struct {
	render.Edition
	store.Beside
	Folders  []editionFolder
	Posts    int                  // in the whole edition
	Own      bool                 // the reader is signed in and sees their own edition
	Letter   *page.NewsletterName // newsletter of this issue, as a member sees it; nil for an edition
	Also     []receivedLetter     // issues of newsletters of the same days
	Public   *page.NewsletterName // newsletter of this issue on its public page; nil otherwise
	Mailed   *page.NewsletterName // newsletter of this issue behind the link in its email; nil otherwise
	to       digest.UserID        // recipient of the email with the link to this page; 0 if there was none
	Moves    []render.Notice      // of feeds that have moved
	Said     []saidNotice         // all other notices
	Standing *page.OwnDigest      // state of the digest, if the page mentions it; nil otherwise
	Fenced   bool                 // the operator has paused the instance with the fence

	Midnight *midnightDial     // nil if the edition is not the reader's own
	Absent   catalogue.Sayable // explains why today has no edition; nil if it has one or a notice explains it
	End      catalogue.Sayable // text below the last post; nil if the page is not the end
	Ahead    bool              // the reader can get the waiting posts now

	notes                      // link addresses, for print
	Preview     *lookPreview   // choices that are not saved; nil: no preview
	Printed     bool           // the whole edition on one page, for print
	lines       bool           // headlines only
	hasExcerpts bool           // the edition has more than headlines
	OneSite     digest.FeedID  // the page shows only this site; 0: all sites
	shown       []*editionPost // posts on this page
	playsHere   bool           // the pages of posts play audio
	readHere    bool           // headlines open stored texts
	Path        string         // of this edition
	Part, Parts int            // current page and number of pages, from 1
}

// Indexed reports whether search engines may index the page. They may index public issues only.
func (p editionPage) Indexed() bool { return p.Public != nil }

// MailedTo returns the recipient of the email that links here.
func (p editionPage) MailedTo() digest.UserID { return p.to }

func (p editionPage) NameplateLogo() *page.LogoView {
	if n := cmp.Or(p.Public, p.Mailed); n != nil {
		return n.NameplateLogo()
	}
	return nil
}

func (p *editionPage) FirstPost() digest.PostID {
	if len(p.shown) == 0 {
		return 0
	}
	return p.shown[0].ID
}

// Archive returns the path of the list that contains this edition.
func (p editionPage) Archive() string {
	if p.Letter != nil {
		return "/letters/" + p.Letter.Slug
	}
	return "/editions"
}

// An editionSection is a section with its posts on this page.
type editionSection struct {
	render.Section
	Place     int  // index on the page, from 0
	Continued bool // it begins on the previous page
	Again     bool // it begins in the previous column
	Posts     []*editionPost
	Leads     bool   // its first post is the lead of the page
	Level     int    // of its posts' headings
	More      int    // posts beyond the reader's limit for the site; 0 if the section continues on the next page
	MorePath  string // path of these posts
	MenuPath  string // path of the site's menu; "" if the reader cannot change it
	Unfolds   bool   // its posts are visible although they are folded
	FoldFrom  string // address of the section, to which the forms of a fold return
	layout    digest.Layout
}

type editionPost struct {
	*render.Post
	Label any              // text before the post; may be empty
	Day   catalogue.Moment // in an edition of several days; may be zero
	Saved bool
	Depth depth
	Text  template.HTML     // full text, if Depth is full
	Ref   template.HTMLAttr // number of the post's link in the printed notes
	Turn  string            // text direction
	More  bool              // Text is shortened

	Files []listedFile    // enclosures
	Quiet []listedFile    // links in its byline
	Shot  *render.Picture // picture above the excerpt; nil if there is none
	First bool            // the lead of the page
	Level int             // of its heading
	Own   bool            // the reader is signed in

	ReadHere bool   // the reader's choice: headlines open stored texts
	Back     string // address to which forms redirect: this page, at the post

	rest bool // one of section.Rest: always a headline
	rank.Place
}

// A listedFile is an enclosure of a post in an edition.
type listedFile struct {
	render.File
	Ref template.HTMLAttr // number of its link in the printed notes
}

// A depth is how much of a post the page shows.
type depth string

const (
	asHeadline depth = "brief"
	asExcerpt  depth = "excerpt"
	asText     depth = "full"
)

// linkedEditionPage shows the edition of a link from an email. The link works without a sign-in, so
// the page links to no other editions.
func (s *site) linkedEditionPage(w http.ResponseWriter, r *http.Request) error {
	number, ok := s.Signer.Verify(digest.ForEdition, r.PathValue("token"))
	if !ok {
		return page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	e, d, err := s.Store.Subscriptions.EditionOfDigest(r.Context(), digest.EditionID(id))
	if err != nil {
		return page.OrSpent(err, page.ErrGoneEdition)
	}
	if d.LinkRound != round {
		return s.orOwn(w, r, d, "/editions/"+e.LocalDate.String())
	}
	if s.Now().Before(e.DueAt) {
		return page.ErrNotFound // an edition is hidden from everybody before its midnight (I2)
	}
	sealed, p := d.Delivery(e), editionPage{to: d.UserID}
	if d.NewsletterID != 0 {
		n, letter, err := s.received(r.Context(), e)
		if err != nil {
			return err
		}
		sealed, p.Mailed = letter, &page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL}
	}
	return s.showEdition(w, r, sealed, p)
}

// editionPage shows the signed-in reader's own edition of a date, or the list of a month.
func (s *site) editionPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	if t, err := time.Parse("2006-01", r.PathValue("date")); err == nil {
		return s.monthPage(w, r, me, t)
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return page.ErrNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return s.noEdition(w, r, me, date)
	}
	if err != nil {
		return err
	}
	return s.showOwn(w, r, me, v)
}

// printedEditionPage shows the reader's whole edition of a date on one page, for print.
func (s *site) printedEditionPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return page.ErrNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	return s.showEdition(w, r, me.Digest.Delivery(v.Edition), editionPage{Own: true, Printed: true, Path: "/editions/" +
		date.String()})
}

// showOwn shows one of the reader's editions, with links to the previous and the next one.
func (s *site) showOwn(w http.ResponseWriter, r *http.Request, me page.Reader, v store.EditionView) error {
	p := editionPage{Own: true, Beside: v.Beside, playsHere: me.Player && s.Sounds != nil, readHere: me.Digest.ReadHere}
	st := s.OwnDigest(me.Digest)
	last, latest := v.LocalDate, v.Beside.Later.IsZero()
	p.End, p.Ahead = st.End(v.LocalDate, latest), latest && st.Waits()
	if calendar.Begins(v.LocalDate, st.Zone()).Equal(v.DueAt) { // not if it was made in another time zone
		p.Midnight = newMidnightDial(me.Digest.TimeZone, st.Now)
	}
	var err error
	if r.URL.Path == "/" {
		if p.Fenced, err = s.Fenced(r.Context()); err != nil {
			return err
		}
		last = farDate()
		if p.Absent, err = s.absent(r.Context(), st, v.LocalDate); err != nil {
			return err
		}
		if page.SavedOf(r, "first") != "" && v.Number == 1 {
			p.Absent = catalogue.Key(
				"Here’s your first edition. If you get editions by email, it’s on its way. The next one comes at midnight.").With()
		}
		if st.Left() || st.Paused() {
			p.Standing = &st
		}
	}
	if p.Also, err = s.lettersBetween(r, me, v.LocalDate, last, mostAlso); err != nil {
		return err
	}
	return s.showEdition(w, r, me.Digest.Delivery(v.Edition), p)
}

func (s *site) showEdition(w http.ResponseWriter, r *http.Request, d digest.Delivery, p editionPage) error {
	d.Language = s.LanguageOf(r, p).Code
	content, err := s.editionOrSite(r, d, &p)
	if err != nil {
		return err
	}
	if lead := content.EarnedLead(); d.Lead == 0 && lead != 0 && p.OneSite == 0 && p.Preview == nil {
		s.keepLead(r.Context(), d.ID, lead)
	}
	p.lines = r.URL.Query().Get("view") == "headlines"
	part, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("sheet"), "1"))
	if p.Path == "" {
		p.Path = r.URL.Path
	}
	if err != nil || part < 1 || part > mostParts ||
		!p.fill(content, part, s.Pictures != nil && d.Images != digest.NoImages) {
		return page.ErrNotFound
	}
	if p.Own {
		err = s.markSaved(r.Context(), d.UserID, &p)
	}
	if p.Part < p.Parts || p.Posts == 0 || p.OneSite != 0 {
		p.End, p.Ahead = nil, false
	}
	return s.ShowPage(w, r, err, "edition", p.Heading(), &p)
}

// editionOrSite returns the content of an edition. If the query names a site, it returns all posts
// of that site instead.
func (s *site) editionOrSite(r *http.Request, d digest.Delivery, p *editionPage) (render.Edition, error) {
	asked := r.URL.Query().Get("site")
	if asked == "" {
		return s.Editions.Edition(r.Context(), d)
	}
	id, err := strconv.ParseInt(asked, 10, 64)
	if err != nil {
		return render.Edition{}, page.ErrNotFound
	}
	p.OneSite = digest.FeedID(id)
	return s.Editions.Site(r.Context(), d, p.OneSite)
}

func (s *site) markSaved(ctx context.Context, user digest.UserID, p *editionPage) error {
	var ids []digest.PostID
	for _, post := range p.shown {
		ids = append(ids, post.ID)
	}
	saved, err := s.Store.Posts.SavedAmong(ctx, user, ids)
	for _, post := range p.shown {
		post.Saved = saved[post.ID]
	}
	return err
}

func (p editionPage) room() room {
	if p.Printed {
		return whenPrinted
	}
	return onScreen
}

// fill sets p to one page of an edition. It reports whether the edition has that page.
func (p *editionPage) fill(e render.Edition, part int, pictures bool) bool {
	p.Edition, p.Part = e, part
	most := p.room()
	from, at := (part-1)*most.posts, 0
	var sections []*editionSection
	for _, section := range e.Sections {
		posts := postsOf(section)
		n := len(posts)
		posts = posts[min(n, max(0, from-at)):max(0, min(n, from+most.posts-at))]
		if len(posts) > 0 {
			s := &editionSection{Section: section, Place: len(sections), Continued: at < from, Posts: posts,
				layout: p.LayoutOf(section), Level: 3}
			if at+n <= from+mostPosts {
				s.More, s.MorePath = section.Beyond, p.siteAt(section.Feed)
			}
			s.MenuPath = p.menuOf(s)
			s.Unfolds, s.FoldFrom = p.Printed || p.OneSite != 0, p.addressOf(s)
			sections = append(sections, s)
		}
		p.shown = append(p.shown, posts...)
		at += n
	}
	p.Posts, p.Parts = at, max(1, (at+most.posts-1)/most.posts)
	p.sortNotices()
	p.inFolders(sections)
	p.hasExcerpts = slices.ContainsFunc(sections, func(s *editionSection) bool { return s.layout != digest.Headlines })
	if most.many > 0 {
		most.excerpts -= max(0, len(p.shown)-most.many) / 3
	}
	if !p.lines {
		p.spread(sections, pictures, most)
	}
	if pictures {
		p.illustrate(sections)
	}
	p.lead(sections)
	p.arrange()
	for _, section := range sections {
		p.number(section.Posts)
	}
	return part <= p.Parts
}

// number assigns numbers to the links of posts, in page order.
func (p *editionPage) number(posts []*editionPost) {
	for _, post := range posts {
		post.Ref = p.Ref(post.URL)
		for _, f := range filesOf(post.Post, p.playsHere) {
			if listed := (listedFile{f, p.Ref(f.URL)}); f.Quiet {
				post.Quiet = append(post.Quiet, listed)
			} else {
				post.Files = append(post.Files, listed)
			}
		}
		post.Text = p.WithRefs(post.Text)
	}
}

// inFolders groups consecutive sections of one folder. Headings in a folder are one level lower.
func (p *editionPage) inFolders(sections []*editionSection) {
	for _, section := range sections {
		if n := len(p.Folders); n == 0 || p.Folders[n-1].Name != section.Folder {
			p.Folders = append(p.Folders, editionFolder{Name: section.Folder, Place: n})
		}
		if section.Folder != "" {
			section.Level++
		}
		for _, post := range section.Posts {
			post.Level, post.Own, post.Back, post.ReadHere = section.Level, p.Own, p.Back(post.ID), p.readHere
			post.Day = p.Days[post.ID]
		}
		last := &p.Folders[len(p.Folders)-1]
		last.Sections = append(last.Sections, section)
	}
}

// spread sets how much of each post the page shows. Each round takes one post of each section,
// newest first, until the room for excerpts or full texts is used up.
func (p *editionPage) spread(sections []*editionSection, pictures bool, most room) {
	excerpts, text := most.excerpts, most.text
	for round, more := 0, true; more; round++ {
		more = false
		for _, section := range sections {
			if round >= len(section.Posts) {
				continue
			}
			more = true
			post := section.Posts[round]
			if section.layout == digest.Headlines || post.rest || post.Rank == rank.Brief || excerpts == 0 {
				continue
			}
			excerpts--
			post.Depth = asExcerpt
			if section.layout == digest.FullText {
				text -= post.showText(section.Level+1, text, pictures, p.PictureSizes)
			}
		}
	}
}

// showText shows the full text if it fits into room bytes, and returns its size in bytes.
func (p *editionPost) showText(level, room int, pictures bool, sizes map[string]digest.PictureSize) int {
	if !p.Readable || room <= 0 {
		return 0
	}
	t, ok := p.WebText(level, pictures, sizes)
	if !ok || len(t.HTML) > room {
		return 0
	}
	p.Depth, p.Text, p.Turn, p.More = asText, template.HTML(t.HTML), t.Dir, t.Shortened
	return len(t.HTML)
}

// Heading returns the edition's date, or the days that it collects.
func (p editionPage) Heading() catalogue.Sayable { return catalogue.AsHeading(p.Dateline()) }

func (p editionPage) Nameplate() string { return cmp.Or(p.Name, render.DefaultName) }
