package feed

import (
	"time"

	"digest"
)

// Reported is what `digest parse --json` prints of one document. Kind is one
// of the Kind constants; what the document does not have is null. Of a list or a page,
// entries are left out; of a feed, feeds are; a page that is a feed may have both.
type Reported struct {
	Kind     Kind           `json:"kind"`
	Title    *string        `json:"title"`
	Link     *string        `json:"link"`
	Language *string        `json:"language"`
	Count    int            `json:"count"` // of entries; of feeds where there are none
	Posts    []ReportedPost `json:"entries,omitzero"`
	Feeds    []Offer        `json:"feeds,omitzero"`
	Repairs  []string       `json:"repairs,omitempty"`
}

// ReportedPost is one post as the document gives it.
type ReportedPost struct {
	Title      *string           `json:"title"`
	Link       *string           `json:"link"`
	Published  *string           `json:"published"` // RFC 3339, UTC
	Author     *string           `json:"author"`
	ID         *string           `json:"id"`
	HasContent bool              `json:"has_content"`
	Enclosure  *digest.Enclosure `json:"enclosure"` // the first of its files
}

// Report turns a document into what `digest parse --json` prints. A page whose posts are
// marked is printed as the feed that it is, with the feeds that it offers beside.
func Report(d *Document) Reported {
	if f := d.AsFeed(); f != nil && len(f.Posts) > 0 {
		d = f
	}
	r := Reported{Kind: d.Kind, Title: orNull(d.Title), Link: orNull(d.Link), Language: orNull(d.Language),
		Count: len(d.Posts), Repairs: d.Repairs}
	isFeed := d.IsFeed() || d.Kind == ActivityStreams // of an actor too there is no list of feeds to print
	if !isFeed || len(d.Feeds) > 0 {
		r.Feeds = append([]Offer{}, d.Feeds...)
	}
	for i := range r.Feeds {
		if o := &r.Feeds[i]; o.Title == "" && d.Kind == OPML {
			o.Title = o.URL
		}
	}
	if !isFeed {
		r.Count = len(r.Feeds)
		return r
	}
	r.Posts = make([]ReportedPost, 0, len(d.Posts))
	for i := range d.Posts {
		r.Posts = append(r.Posts, reportPost(&d.Posts[i]))
	}
	return r
}

func reportPost(p *Post) ReportedPost {
	r := ReportedPost{Title: orNull(p.Title), Link: orNull(mended(firstOf(p.page, p.Link))), Author: orNull(p.Author),
		ID: orNull(p.GUID), HasContent: len(p.bodies) > 0}
	if len(p.Enclosures) > 0 {
		r.Enclosure = &p.Enclosures[0]
	}
	if !p.Published.IsZero() {
		r.Published = orNull(p.Published.UTC().Format(time.RFC3339))
	}
	return r
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
