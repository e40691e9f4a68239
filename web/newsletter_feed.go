package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// lettersInFeed is the number of issues in the feed of a newsletter.
const lettersInFeed = 20

// newsletterFeed serves the feed of a newsletter's issues.
func (s *site) newsletterFeed(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	body, newest, err := s.makeFeed(r.Context(), n.Newsletter)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=900")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", newest, bytes.NewReader(body))
	return nil
}

// An atomFeed is the feed of a newsletter (RFC 4287). Each entry is an issue.
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

// makeFeed returns the feed of a newsletter, and when its newest issue was published; zero: it has none.
func (s *site) makeFeed(ctx context.Context, n digest.Newsletter) (body []byte, newest time.Time, err error) {
	letters, err := s.Store.Newsletters.LettersLeft(ctx, n, s.Now(), lettersInFeed)
	if err != nil {
		return nil, newest, err
	}
	home := s.BaseURL + "/n/" + n.Slug
	doc := atomFeed{ID: home, Title: n.Name, Author: n.Sender(), Updated: n.CreatedAt.UTC().Format(time.RFC3339),
		Links: []atomLink{{"self", home + "/feed.xml"}, {"alternate", home}}}
	if n.Logo.Exists() {
		doc.Logo = home + "/look/" + n.LogoFile
	}
	for _, e := range letters {
		entry, err := s.feedEntry(ctx, n, e, home+"/"+e.LocalDate.String())
		if err != nil {
			return nil, newest, err
		}
		doc.Entries = append(doc.Entries, entry)
		if e.SendAt.After(newest) {
			newest, doc.Updated = e.SendAt, entry.Updated
		}
	}
	if body, err = xml.Marshal(doc); err != nil {
		return nil, newest, fmt.Errorf("writing the feed of a newsletter: %w", err)
	}
	return append([]byte(xml.Header), body...), newest, nil
}

// feedEntry returns the entry of an issue, with its headlines.
func (s *site) feedEntry(ctx context.Context, n digest.Newsletter, e digest.Edition, address string) (atomEntry,
	error) {
	d, err := s.Store.Newsletters.LetterDelivery(ctx, n, e)
	if err != nil {
		return atomEntry{}, err
	}
	content, err := s.Editions.Edition(ctx, d)
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
	title := d.Letter.Subject
	if title == "" {
		title = catalogue.Day("Monday 2 January 2006", e.LocalDate).In(catalogue.Of(n.Language))
	}
	return atomEntry{ID: address, Title: title, Published: at, Updated: at, Link: atomLink{"alternate", address},
		Summary: strings.Join(headlines, " · ")}, nil
}
