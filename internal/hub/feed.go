package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/catalogue"
	"digest/store"
)

// ContentType is the content type of the feeds.
const ContentType = "application/atom+xml; charset=utf-8"

// Path is the path of the hub below the base URL.
const Path = "/hub"

const lettersInFeed = 20

// Feeds creates the public feeds of this instance: a feed of issues for each newsletter.
type Feeds struct {
	Store    *store.Store
	Editions *edition.Builder
	BaseURL  string // without a final slash
	Open     bool   // the instance has a hub, and the feeds announce it
}

// A Feed is a document for a response or a delivery.
type Feed struct {
	Body     []byte
	LetterAt time.Time // when its newest issue was sent; zero: none
}

// ETag returns the validator of the document (RFC 9110 section 8.8.3).
func (f Feed) ETag() string {
	sum := sha256.Sum256(f.Body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// An atomFeed is the feed of a newsletter's issues (RFC 4287).
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

// Home returns the address of a newsletter's page.
func (f Feeds) Home(n digest.Newsletter) string { return f.BaseURL + "/n/" + n.Slug }

// Topic returns the address of a newsletter's feed, which is its topic at the hub (rel=self).
func (f Feeds) Topic(n digest.Newsletter) string { return f.Home(n) + "/feed.xml" }

// Slug returns the slug of the newsletter whose feed is at an address, or false if it is not the address of a feed.
func (f Feeds) Slug(topic string) (string, bool) {
	rest, ours := strings.CutPrefix(topic, f.BaseURL+"/n/")
	slug, ok := strings.CutSuffix(rest, "/feed.xml")
	return slug, ours && ok && slug != "" && !strings.ContainsAny(slug, "/?#%")
}

// Links returns the Link header fields of a response with a feed, and of its delivery (W3C WebSub section 4).
func (f Feeds) Links(topic string) []string {
	if !f.Open {
		return nil
	}
	return []string{"<" + f.BaseURL + Path + `>; rel="hub"`, "<" + topic + `>; rel="self"`}
}

// Newsletter returns the feed of a newsletter. An entry is an issue with its headlines.
func (f Feeds) Newsletter(ctx context.Context, n digest.Newsletter, now time.Time) (Feed, error) {
	letters, err := f.Store.LettersLeft(ctx, n, now, lettersInFeed)
	if err != nil {
		return Feed{}, err
	}
	doc := atomFeed{ID: f.Home(n), Title: n.Name, Author: n.Sender(), Logo: f.logo(n),
		Updated: n.CreatedAt.UTC().Format(time.RFC3339),
		Links:   []atomLink{{"self", f.Topic(n)}, {"alternate", f.Home(n)}}}
	if f.Open {
		doc.Links = append(doc.Links, atomLink{"hub", f.BaseURL + Path})
	}
	var made Feed
	for _, e := range letters {
		entry, err := f.entry(ctx, n, e)
		if err != nil {
			return Feed{}, err
		}
		doc.Entries = append(doc.Entries, entry)
		if e.SendAt.After(made.LetterAt) {
			made.LetterAt, doc.Updated = e.SendAt, entry.Updated
		}
	}
	body, err := xml.Marshal(doc)
	if err != nil {
		return Feed{}, fmt.Errorf("writing the feed of a newsletter: %w", err)
	}
	made.Body = append([]byte(xml.Header), body...)
	return made, nil
}

func (f Feeds) logo(n digest.Newsletter) string {
	if !n.Logo.Exists() {
		return ""
	}
	return f.Home(n) + "/look/" + n.LogoFile
}

func (f Feeds) entry(ctx context.Context, n digest.Newsletter, e digest.Edition) (atomEntry, error) {
	d, err := f.Store.LetterDelivery(ctx, n, e)
	if err != nil {
		return atomEntry{}, err
	}
	content, err := f.Editions.Edition(ctx, d)
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
	address := f.Home(n) + "/" + e.LocalDate.String()
	title := d.Letter.Subject
	if title == "" {
		title = catalogue.Day("Monday 2 January 2006", e.LocalDate).In(catalogue.Of(n.Language))
	}
	return atomEntry{ID: address, Title: title, Published: at, Updated: at, Link: atomLink{"alternate", address},
		Summary: strings.Join(headlines, " · ")}, nil
}
