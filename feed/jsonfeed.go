package feed

import (
	"bytes"
	"encoding/json"
	"strings"

	jsonfeed "github.com/mmcdole/gofeed/json"

	"digest"
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
	d.Hubs = jsonHubs(doc)
	owner := jsonPeople(f.Authors, f.Author)
	bases := []string{d.Link, address, d.Self}
	d.Posts = make([]Post, 0, len(f.Items))
	for _, item := range f.Items {
		if item == nil {
			continue
		}
		e := jsonEntry(item, bases)
		e.owner = owner
		d.Posts = append(d.Posts, e)
	}
	return d, nil
}

func jsonEntry(item *jsonfeed.Item, bases []string) Post {
	e := Post{GUID: strings.TrimSpace(cleanText(item.ID)), Language: cleanText(item.Language), Author: jsonPeople(item.Authors, item.Author), bases: bases}
	link := firstOf(item.URL, item.ExternalURL)
	if link == "" && isWeb(e.GUID) {
		link = e.GUID
	}
	e.Link = absolute(link, bases)
	e.Published = firstDate(item.DatePublished, item.DateModified)
	if item.Title != "" {
		e.titles = []text{literal(item.Title, plain)}
	}
	for _, t := range []text{literal(item.ContentHTML, markup), literal(item.ContentText, plain), literal(item.Summary, plain)} {
		if !t.empty() {
			e.bodies = append(e.bodies, t)
		}
	}
	if item.Attachments != nil {
		for _, a := range *item.Attachments {
			if a.URL != "" {
				e.Enclosure = &digest.Enclosure{URL: absolute(a.URL, bases), Type: cleanText(a.MimeType), Length: max(0, a.SizeInBytes)}
				break
			}
		}
	}
	for _, image := range []string{item.Image, item.BannerImage} {
		if image != "" {
			e.images = append(e.images, absolute(image, bases))
		}
	}
	return e
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

// jsonHubs reads the hubs, which gofeed leaves out.
func jsonHubs(doc string) []string {
	var f struct {
		Hubs []struct{ Type, URL string }
	}
	var out []string
	if json.Unmarshal([]byte(doc), &f) != nil {
		return nil
	}
	for _, h := range f.Hubs {
		if strings.EqualFold(h.Type, "WebSub") && isWeb(h.URL) {
			out = append(out, h.URL)
		}
	}
	return out
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
