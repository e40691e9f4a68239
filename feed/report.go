package feed

import (
	"time"

	"digest"
)

// Reported is the output of `digest parse --json` for one document. Fields that the document lacks are null. Lists
// and pages have no entries, feeds have no feeds; a page that is a feed may have both.
type Reported struct {
	Kind     Kind           `json:"kind"`
	Title    *string        `json:"title"`
	Link     *string        `json:"link"`
	Language *string        `json:"language"`
	Count    int            `json:"count"` // of entries; of feeds if there are no entries
	Posts    []ReportedPost `json:"entries,omitzero"`
	Feeds    []Offer        `json:"feeds,omitzero"`
	Repairs  []string       `json:"repairs,omitempty"`
}

// ReportedPost is one post of the document.
type ReportedPost struct {
	Title      *string           `json:"title"`
	Link       *string           `json:"link"`
	Published  *string           `json:"published"` // RFC 3339, UTC
	Author     *string           `json:"author"`
	ID         *string           `json:"id"`
	HasContent bool              `json:"has_content"`
	Enclosure  *digest.Enclosure `json:"enclosure"` // the first file
}

// Report returns the output of `digest parse --json` for a document. A page with marked posts counts as a feed,
// together with the feeds that it offers.
func Report(d *Document) Reported {
	if f := d.AsFeed(); f != nil && len(f.Posts) > 0 {
		d = f
	}
	r := Reported{Kind: d.Kind, Title: orNull(d.Title), Link: orNull(d.Link), Language: orNull(d.Language),
		Count: len(d.Posts), Repairs: d.Repairs}
	isFeed := d.IsFeed() || d.Kind == ActivityStreams // an actor has no list of feeds either
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
