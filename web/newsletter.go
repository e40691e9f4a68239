package web

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
)

// What anybody sees of a newsletter: its page at /n/SLUG, with what it is, the form by which
// people join, and its letters, which are the editions of its archive. A letter is public once it
// has left; one that waits for its publisher's approval is not.

// A newsletterPage is the page of a newsletter.
type newsletterPage struct {
	newsletterName
	newcomer
	Letters []digest.Edition // the newest first
	Older   bool             // there are more
	Asked   bool             // a letter that confirms was asked for
}

// A newsletterName is what all pages of a newsletter know of it.
type newsletterName struct {
	digest.Newsletter
	BaseURL string
}

func (n newsletterName) nameplate() string { return n.Name }

// indexed lets search engines find it.
func (newsletterName) indexed() bool { return true }

// Path is the address of its page on this instance.
func (n newsletterName) Path() string { return "/n/" + n.Slug }

// Home is the whole address of its page.
func (n newsletterName) Home() string { return n.BaseURL + n.Path() }

// Blurb is its description in one line, for whoever shows a link to it.
func (n newsletterName) Blurb() string { return digest.Shortened(digest.OneLine(n.Description), 200) }

// Paragraphs are those of its description.
func (n newsletterName) Paragraphs() (all []string) {
	for p := range strings.SplitSeq(strings.ReplaceAll(n.Description, "\r\n", "\n"), "\n\n") {
		if p = digest.OneLine(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// Open reports whether people can join.
func (n newsletterName) Open() bool {
	return n.State == digest.NewsletterActive || n.State == digest.NewsletterHeld
}

// Comes says when its letters come: "every day", "on Sundays".
func (n newsletterName) Comes() string { return daysView{n.Cadence}.Words() }

const (
	lettersShown  = 12  // on the page of a newsletter
	lettersListed = 400 // in its archive
	lettersInFeed = 20
)

// newsletterOf finds the newsletter that a request's path names. One that is not approved yet is
// nobody's to see.
func (s *site) newsletterOf(r *http.Request) (newsletterName, error) {
	n, err := s.Store.NewsletterBySlug(r.Context(), r.PathValue("slug"))
	if digest.KindOf(err) == digest.NotFound || err == nil && n.State == digest.NewsletterPending {
		return newsletterName{}, errNotFound
	}
	return newsletterName{n, s.BaseURL}, err
}

func (s *site) newsletterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	p := newsletterPage{newsletterName: n, Asked: r.URL.Query().Get("asked") == "1"}
	return s.showNewsletter(w, r, http.StatusOK, p)
}

// showNewsletter shows the page with its newest letters.
func (s *site) showNewsletter(w http.ResponseWriter, r *http.Request, status int, p newsletterPage) error {
	letters, err := s.publicLetters(r, p.Newsletter, lettersShown+1)
	if err != nil {
		return err
	}
	p.Older, p.Letters = len(letters) > lettersShown, letters[:min(len(letters), lettersShown)]
	p.Action, p.TokenField = p.Path()+"/join", "return"
	return s.show(w, r, status, "newsletter", p.Name, p)
}

// publicLetters gives the letters of a newsletter that have left, the newest first.
func (s *site) publicLetters(r *http.Request, n digest.Newsletter, limit int) ([]digest.Edition, error) {
	const waiting = 2 // letters that may wait for approval at once: of today, and of tomorrow farther east
	now := s.Now()
	all, err := s.Store.LatestEditions(r.Context(), n.ArchiveID, now, limit+waiting)
	var left []digest.Edition
	for _, e := range all {
		if !e.SendAt.After(now) && len(left) < limit {
			left = append(left, e)
		}
	}
	return left, err
}

// A newsletterArchivePage is all letters of a newsletter.
type newsletterArchivePage struct {
	newsletterName
	Months []month
}

func (s *site) newsletterArchivePage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	letters, err := s.publicLetters(r, n.Newsletter, lettersListed)
	p := newsletterArchivePage{n, byMonth(letters)}
	return s.showPage(w, r, err, "newsletter_archive", "All letters of "+n.Name, p)
}

// newsletterLetterPage shows one letter.
func (s *site) newsletterLetterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	v, err := s.Store.EditionView(r.Context(), n.ArchiveID, date, s.Now())
	if err != nil {
		return err
	}
	if v.SendAt.After(s.Now()) {
		return errNotFound
	}
	d, err := s.letterOf(r, n.Newsletter, v.Edition)
	if err != nil {
		return err
	}
	return s.showEdition(w, r, d, editionPage{Public: &n})
}

// letterOf is an edition of a newsletter's archive with what its publisher decided of it.
func (s *site) letterOf(r *http.Request, n digest.Newsletter, e digest.Edition) (digest.Delivery, error) {
	archive, err := s.Store.Digest(r.Context(), n.ArchiveID)
	if err != nil {
		return digest.Delivery{}, err
	}
	d := delivery(archive, e)
	d.Newsletter = &n
	d.Letter, err = s.Store.NewsletterLetter(r.Context(), n.ID, e.LocalDate)
	return d, err
}

// An atomFeed is the letters of a newsletter as a feed (RFC 4287).
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Logo    string      `xml:"logo,omitempty"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      atomLink `xml:"link"`
	Summary   string   `xml:"summary"`
}

// newsletterFeed is the feed of a newsletter's letters, each with its headlines.
func (s *site) newsletterFeed(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	letters, err := s.publicLetters(r, n.Newsletter, lettersInFeed)
	if err != nil {
		return err
	}
	f := atomFeed{ID: n.Home(), Title: n.Name, Author: n.Sender(), Logo: n.LogoURL(), Updated: n.CreatedAt.UTC().Format(time.RFC3339),
		Links: []atomLink{{"self", n.Home() + "/feed.xml"}, {"alternate", n.Home()}}}
	for i, e := range letters {
		entry, err := s.letterEntry(r, n, e)
		if err != nil {
			return err
		}
		if i == 0 {
			f.Updated = entry.Updated
		}
		f.Entries = append(f.Entries, entry)
	}
	body, err := xml.Marshal(f)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=900")
	w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(body)))
	_, _ = w.Write(append([]byte(xml.Header), body...)) // a visitor who has left is no error of ours
	return nil
}

func (s *site) letterEntry(r *http.Request, n newsletterName, e digest.Edition) (atomEntry, error) {
	d, err := s.letterOf(r, n.Newsletter, e)
	if err != nil {
		return atomEntry{}, err
	}
	content, err := s.Editions.Edition(r.Context(), d)
	if err != nil {
		return atomEntry{}, err
	}
	var headlines []string
	for _, section := range content.Sections {
		for _, p := range section.Posts {
			headlines = append(headlines, p.Title)
		}
	}
	at := e.SendAt.UTC().Format(time.RFC3339)
	address := n.Home() + "/" + e.LocalDate.String()
	title := d.Letter.Subject
	if title == "" {
		title = e.LocalDate.Format("Monday 2 January 2006")
	}
	return atomEntry{ID: address, Title: title, Published: at, Updated: at, Link: atomLink{"alternate", address}, Summary: strings.Join(headlines, " · ")}, nil
}
