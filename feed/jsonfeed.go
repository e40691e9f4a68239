package feed

import (
	"bytes"
	"encoding/json"
	"strings"

	jsonfeed "github.com/mmcdole/gofeed/json"
)

// largeJSON is from where on a document's items and values are counted before
// they are read.
const largeJSON = 1 << 16

// parseJSON reads JSON Feed 1 and 1.1.
func parseJSON(doc, address string) (*Document, error) {
	d := &Document{Kind: JSONFeed}
	if len(doc) > largeJSON {
		text, more := lenientJSON(doc)
		if more {
			d.Repairs = append(d.Repairs, "cut off, or more than can be meant: whole items kept")
		}
		doc = string(text)
	}
	f, err := (&jsonfeed.Parser{}).Parse(strings.NewReader(doc))
	if err != nil {
		mended, ok := mendJSON(doc)
		if !ok {
			return nil, refusal("JSON that is broken beyond repair", err)
		}
		if f, err = (&jsonfeed.Parser{}).Parse(bytes.NewReader(mended)); err != nil {
			return nil, refusal("JSON that is not a JSON Feed", err)
		}
		d.Repairs = append(d.Repairs, "JSON mended")
	}
	if !strings.Contains(f.Version, "jsonfeed.org") {
		return nil, refusal(foreignJSON(doc), nil)
	}
	d.Title, d.Description = plainLine(cleanText(f.Title), false), plainLine(cleanText(f.Description), false)
	d.Language = strings.TrimSpace(cleanText(f.Language))
	d.Link, d.Self = resolve(address, f.HomePageURL), resolve(address, f.FeedURL)
	d.addJSONHubs(doc)
	owner := jsonPeople(f.Authors, f.Author)
	bases := []string{d.Link, address, d.Self}
	d.Posts = make([]Post, 0, len(f.Items))
	for _, item := range f.Items {
		if item == nil {
			continue
		}
		p := jsonPost(item, bases)
		p.owner = owner
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func jsonPost(item *jsonfeed.Item, bases []string) Post {
	p := Post{GUID: strings.TrimSpace(cleanText(item.ID)), Language: cleanText(item.Language), Author: jsonPeople(item.Authors, item.Author), bases: bases}
	link := firstOf(item.URL, item.ExternalURL)
	if link == "" && isWeb(p.GUID) {
		link = p.GUID
	}
	p.Link = absolute(link, bases)
	if p.Published = parseDate(item.DatePublished); p.Published.IsZero() {
		p.Published = parseDate(item.DateModified)
	}
	if item.Title != "" {
		p.titles = []text{literal(item.Title, plain)}
	}
	for _, t := range []text{literal(item.ContentHTML, markup), literal(item.ContentText, plain), literal(item.Summary, plain)} {
		if !t.empty() {
			p.bodies = append(p.bodies, t)
		}
	}
	if item.Attachments != nil {
		for _, a := range *item.Attachments {
			p.enclose(a.URL, cleanText(a.MimeType), a.SizeInBytes)
		}
	}
	for _, image := range []string{item.Image, item.BannerImage} {
		if image != "" {
			p.images = append(p.images, absolute(image, bases))
		}
	}
	return p
}

// literal makes a text of a string that no XML stood around.
func literal(s string, f form) text { return text{raw: string(escapeText(nil, cleanText(s))), form: f} }

func jsonPeople(many []*jsonfeed.Author, one *jsonfeed.Author) string {
	var names []string
	for _, a := range append(many, one) {
		if a == nil || len(names) > 0 && a == one {
			continue
		}
		if name := plainLine(cleanText(a.Name), false); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// addJSONHubs reads the hubs, which gofeed leaves out.
func (d *Document) addJSONHubs(doc string) {
	var f struct {
		Hubs []struct{ Type, URL string }
	}
	if json.Unmarshal([]byte(doc), &f) != nil {
		return
	}
	for _, h := range f.Hubs {
		if strings.EqualFold(h.Type, "WebSub") {
			d.addHub("hub", h.URL)
		}
	}
}

// foreignJSON says what a JSON document is that is no JSON Feed.
func foreignJSON(doc string) string {
	head := doc[:min(len(doc), 4096)]
	switch {
	case strings.Contains(head, "www.w3.org/ns/activitystreams"):
		return "an ActivityStreams document"
	case strings.Contains(head, "at://did:"):
		return "an AT Protocol document"
	}
	return "JSON without the version of JSON Feed"
}
