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
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// How much of an edition one page shows. What is beyond it is in further parts;
// what is beyond the room for excerpts and texts is shown as headlines.
type room struct {
	posts, excerpts int
	text            int // bytes of HTML of full texts
	many            int // posts; of those beyond, each three take the room of an excerpt. 0: they do not
}

// An empty cache gets at most 60 KB for a page with all that it loads but pictures, whatever stands on it: see TestWeightOfMany.
var (
	onScreen    = room{posts: mostPosts, excerpts: 50, text: 40 << 10, many: 90}
	whenPrinted = room{posts: 1000, excerpts: 400, text: 200 << 10}
)

const (
	mostPosts = 150
	mostParts = 10_000
)

// minContents is the least number of sections worth a list of them.
const minContents = 4

// An editionPage is one edition, or a part of a large one, as a front page.
type editionPage struct {
	render.Edition
	store.Beside
	Folders  []editionFolder
	Posts    int              // of the whole edition
	Own      bool             // the reader is signed in: the archive is theirs to walk
	Letter   *newsletterName  // whose letter it is, as it came to a member; nil: it is none
	Also     []receivedLetter // letters of newsletters that came beside it
	Public   *newsletterName  // whose letter it is, as anybody sees it; nil: it is a reader's
	Mailed   *newsletterName  // whose letter it is, as the link in the mail shows it; nil: it is a reader's
	to       digest.UserID    // whose mail has the link that leads here; 0: none did
	Moves    []render.Notice  // of feeds that have moved
	Said     []render.Notice  // the others
	Standing *standing        // how it goes on, where that has to be said; nil: it comes every day
	Fenced   bool             // whoever runs this has paused all of it

	Midnight *midnightDial     // of the reader; nil: it is not theirs
	Absent   catalogue.Sayable // there is no edition of today; nil: there is, or a notice says more
	End      catalogue.Sayable // below the last post; nil: it is not the end
	Ahead    bool              // what waits for the next edition can be asked for

	notes                      // of its links, for paper
	Printed     bool           // all of it is on one page, to be printed
	lines       bool           // all of it is shown as headlines, one line each
	hasExcerpts bool           // there is more to show than that
	OneSite     digest.FeedID  // the only site of it that is shown; 0: all are
	shown       []*editionPost // on this page
	playsHere   bool           // sound is played on the pages of posts
	Path        string         // of this edition
	Part, Parts int            // which part of it this is, from 1
}

// indexed lets search engines find the letters of newsletters.
func (p editionPage) indexed() bool { return p.Public != nil }

// mailedTo is the reader whose mail the link is from.
func (p editionPage) mailedTo() digest.UserID { return p.to }

// logo is that of the newsletter whose letter anybody sees, or who has its mail.
func (p editionPage) logo() *logoView {
	if n := cmp.Or(p.Public, p.Mailed); n != nil {
		return n.logo()
	}
	return nil
}

func (p *editionPage) firstPost() digest.PostID {
	if len(p.shown) == 0 {
		return 0
	}
	return p.shown[0].ID
}

// Archive is where the editions are that it is one of.
func (p editionPage) Archive() string {
	if p.Letter != nil {
		return "/letters/" + p.Letter.Slug
	}
	return "/editions"
}

// An editionSection is a section with those of its posts that are on the page.
type editionSection struct {
	render.Section
	Place     int  // in the page, from 0
	Continued bool // it begins in the part before
	Posts     []*editionPost
	Leads     bool   // the page begins with its first post
	Level     int    // of its posts' headings
	More      int    // posts of which the reader wants no more at once; 0 where the section goes on in the next part
	MorePath  string // where they are
	MenuPath  string // of the site's own menu; "": it is not the reader's to change
	layout    digest.Layout
}

// An editionPost is a post as it stands on the page.
type editionPost struct {
	*render.Post
	Label any // what stands before it; may be empty
	Saved bool
	Depth depth
	Text  template.HTML     // of the depth full
	Ref   template.HTMLAttr // of the link to it: the number of its address among the page's notes
	Turn  string            // direction of Text
	More  bool              // there is more than Text

	Files []listedFile    // what it comes with
	Shot  *render.Picture // above its excerpt; nil: none
	First bool            // the page begins with it
	Level int             // of its heading
	Own   bool            // its reader is signed in
	Back  string          // where a form leads back to: this part, at the post

	rest bool // a bound edition only lists it
}

// A listedFile is what a post comes with, as its edition lists it.
type listedFile struct {
	render.File
	Ref template.HTMLAttr // of the link to it
}

// depth is how much of a post is shown.
type depth string

const (
	asHeadline depth = "brief"
	asExcerpt  depth = "excerpt"
	asText     depth = "full"
)

// linkedEditionPage is the edition that a link from a mail speaks of. The link
// alone opens it, so it leads nowhere else.
func (s *site) linkedEditionPage(w http.ResponseWriter, r *http.Request) error {
	number, ok := s.Signer.Verify(digest.ForEdition, r.PathValue("token"))
	if !ok {
		return errNotFound
	}
	id, round := digest.OfRound(number)
	e, d, err := s.Store.EditionOfDigest(r.Context(), digest.EditionID(id))
	if err != nil {
		return orSpent(err, errGoneEdition)
	}
	if d.LinkRound != round {
		return s.orOwn(w, r, d, "/editions/"+e.LocalDate.String())
	}
	if s.Now().Before(e.DueAt) {
		return errNotFound // reachable by nobody before its midnight (I2)
	}
	sealed, p := d.Delivery(e), editionPage{to: d.UserID}
	if d.NewsletterID != 0 {
		n, letter, err := s.received(r.Context(), e)
		if err != nil {
			return err
		}
		sealed, p.Mailed = letter, &newsletterName{n, s.BaseURL}
	}
	return s.showEdition(w, r, sealed, p)
}

// editionPage is the reader's own edition of one date, or those of a month; nobody
// else's have an address here.
func (s *site) editionPage(w http.ResponseWriter, r *http.Request, me reader) error {
	if t, err := time.Parse("2006-01", r.PathValue("date")); err == nil {
		return s.monthPage(w, r, me, t)
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	v, err := s.Store.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return s.noEdition(w, r, me, date)
	}
	if err != nil {
		return err
	}
	return s.showOwn(w, r, me, v)
}

// printedEditionPage is the whole of the reader's own edition of one date, for paper.
func (s *site) printedEditionPage(w http.ResponseWriter, r *http.Request, me reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	v, err := s.Store.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	return s.showEdition(w, r, me.Digest.Delivery(v.Edition), editionPage{Own: true, Printed: true, Path: "/editions/" +
		date.String()})
}

// showOwn shows one of the reader's editions, with the way to its neighbours.
func (s *site) showOwn(w http.ResponseWriter, r *http.Request, me reader, v store.EditionView) error {
	p := editionPage{Own: true, Beside: v.Beside, playsHere: me.Player && s.Sounds != nil}
	st := s.standing(me.Digest)
	last, latest := v.LocalDate, v.Beside.Later.IsZero()
	p.Midnight, p.End, p.Ahead = newMidnightDial(me.Digest.TimeZone, st.now), st.end(v.LocalDate, latest), latest &&
		st.Waits()
	var err error
	if r.URL.Path == "/" {
		if p.Fenced, err = s.fenced(r.Context()); err != nil {
			return err
		}
		last = farDate()
		if p.Absent, err = s.absent(r.Context(), st, v.LocalDate); err != nil {
			return err
		}
		if savedOf(r, "first") != "" && v.Number == 1 {
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

// showEdition fills p with the edition's posts and shows it.
func (s *site) showEdition(w http.ResponseWriter, r *http.Request, d digest.Delivery, p editionPage) error {
	d.Language = s.languageOf(r, p).Code
	content, err := s.editionOrSite(r, d, &p)
	if err != nil {
		return err
	}
	p.lines = r.URL.Query().Get("view") == "headlines"
	part, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("sheet"), "1"))
	if p.Path == "" {
		p.Path = r.URL.Path
	}
	if err != nil || part < 1 || part > mostParts ||
		!p.fill(content, part, s.images != nil && d.Images != digest.NoImages) {
		return errNotFound
	}
	if p.Own {
		err = s.markSaved(r.Context(), d.UserID, &p)
	}
	if p.Part < p.Parts || p.Posts == 0 || p.OneSite != 0 {
		p.End, p.Ahead = nil, false
	}
	return s.showPage(w, r, err, "edition", catalogue.AsHeading(catalogue.Day("Monday 2 January 2006", p.Date)), &p)
}

// editionOrSite gives the content of an edition, or that of one site in it if the request asks for that: all its posts.
func (s *site) editionOrSite(r *http.Request, d digest.Delivery, p *editionPage) (render.Edition, error) {
	asked := r.URL.Query().Get("site")
	if asked == "" {
		return s.Editions.Edition(r.Context(), d)
	}
	id, err := strconv.ParseInt(asked, 10, 64)
	if err != nil {
		return render.Edition{}, errNotFound
	}
	p.OneSite = digest.FeedID(id)
	return s.Editions.Site(r.Context(), d, p.OneSite)
}

// markSaved notes which of the posts on the page a reader has saved.
func (s *site) markSaved(ctx context.Context, user digest.UserID, p *editionPage) error {
	var ids []digest.PostID
	for _, post := range p.shown {
		ids = append(ids, post.ID)
	}
	saved, err := s.Store.SavedAmong(ctx, user, ids)
	for _, post := range p.shown {
		post.Saved = saved[post.ID]
	}
	return err
}

// room is what a part may hold.
func (p editionPage) room() room {
	if p.Printed {
		return whenPrinted
	}
	return onScreen
}

// fill puts a part of an edition on the page; false if it has no such part.
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
	for i := range p.Folders {
		p.Folders[i].Bands = inBands(p.Folders[i].Sections, p.lines || !p.hasExcerpts)
		for _, section := range p.Folders[i].Sections {
			p.number(section.Posts)
		}
	}
	return part <= p.Parts
}

// number numbers the links of posts, in their order.
func (p *editionPage) number(posts []*editionPost) {
	for _, post := range posts {
		post.Ref = p.Ref(post.URL)
		for _, f := range filesOf(post.Post, p.playsHere) {
			post.Files = append(post.Files, listedFile{f, p.Ref(f.URL)})
		}
		post.Text = p.WithRefs(post.Text)
	}
}

// sortNotices sets those of moves apart. The way back belongs to the reader, not to
// whoever has the link of an edition, and so do the addresses: they may hold a key.
func (p *editionPage) sortNotices() {
	for _, n := range p.Notices {
		if !p.Own {
			n.BackURL, n.LinkURL = "", ""
		}
		if n.To != "" {
			p.Moves = append(p.Moves, n)
		} else {
			p.Said = append(p.Said, n)
		}
	}
}

// FoldsNotes reports whether the notes on sites are folded: of several none would be read, and the first headline would
// not be on the first screen of a phone.
func (p editionPage) FoldsNotes() bool { return len(p.Moves)+len(p.Said) > 1 }

// postsOf gives all posts of a section, as headlines.
func postsOf(section render.Section) []*editionPost {
	posts := make([]*editionPost, 0, len(section.Posts)+len(section.Rest))
	for i, post := range section.Posts {
		posts = append(posts, &editionPost{Post: post, Label: section.LateLabel(i), Depth: asHeadline})
	}
	for i, post := range section.Rest {
		posts = append(posts, &editionPost{Post: post, rest: true, Depth: asHeadline})
		if i == 0 {
			posts[len(posts)-1].Label = section.RestLabel
		}
	}
	return posts
}

// inFolders puts the sections of one folder together; their headings stand one level below the folder's.
func (p *editionPage) inFolders(sections []*editionSection) {
	for _, section := range sections {
		if n := len(p.Folders); n == 0 || p.Folders[n-1].Name != section.Folder {
			p.Folders = append(p.Folders, editionFolder{Name: section.Folder, Place: n})
		}
		if section.Folder != "" {
			section.Level++
		}
		for _, post := range section.Posts {
			post.Level, post.Own, post.Back = section.Level, p.Own, p.Back(post.ID)
		}
		last := &p.Folders[len(p.Folders)-1]
		last.Sections = append(last.Sections, section)
	}
}

// spread decides how much of each post is shown: excerpts go around the
// sections, the newest post of each first, as long as there is room for them,
// and then full texts in the same way.
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
			if section.layout == digest.Headlines || post.rest || excerpts == 0 {
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

// showText shows the full text if there is room for it, and gives its size.
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

func (p editionPage) nameplate() string { return cmp.Or(p.Name, render.DefaultName) }
