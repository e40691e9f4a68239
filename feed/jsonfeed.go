package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	jsonfeed "github.com/mmcdole/gofeed/json"

	"digest"
)

// largeJSON is from where on a document's items are counted before they are read.
const largeJSON = 1 << 20

// parseJSON reads JSON Feed 1 and 1.1.
func parseJSON(doc, address string) (*Document, error) {
	d := &Document{Kind: JSONFeed}
	if len(doc) > largeJSON {
		doc = string(lenientJSON(doc))
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
	d.Title, d.Description, d.Language = plainLine(f.Title, false), plainLine(f.Description, false), strings.TrimSpace(f.Language)
	d.Link, d.Self = resolve(address, f.HomePageURL), resolve(address, f.FeedURL)
	d.Hubs = jsonHubs(doc)
	owner := jsonPeople(f.Authors, f.Author)
	bases := []string{d.Link, address, d.Self}
	for _, item := range f.Items {
		if item == nil {
			continue
		}
		e := jsonEntry(item, bases)
		e.owner = owner
		d.Entries = append(d.Entries, e)
	}
	return d, nil
}

func jsonEntry(item *jsonfeed.Item, bases []string) Entry {
	e := Entry{GUID: strings.TrimSpace(cleanText(item.ID)), Language: item.Language, Author: jsonPeople(item.Authors, item.Author), bases: bases}
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
				e.Enclosure = &digest.Enclosure{URL: absolute(a.URL, bases), Type: a.MimeType, Length: max(0, a.SizeInBytes)}
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
		if name := plainLine(a.Name, false); name != "" {
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

// mendJSON puts right what hand-made JSON gets wrong: raw line breaks in
// strings, commas before a bracket, a cut-off end, members of another type than
// the format says.
func mendJSON(doc string) ([]byte, bool) {
	text := lenientJSON(doc)
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, false
	}
	fixTypes(root, "title", "description", "version", "language", "home_page_url", "feed_url", "user_comment", "next_url", "icon", "favicon")
	fixPeople(root)
	items, _ := root["items"].([]any)
	kept := make([]any, 0, len(items))
	for _, item := range items {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		fixTypes(m, "url", "external_url", "title", "content_html", "content_text", "summary", "image", "banner_image",
			"date_published", "date_modified", "language")
		fixPeople(m)
		delete(m, "tags")
		fixAttachments(m)
		kept = append(kept, m)
	}
	root["items"] = kept
	out, err := json.Marshal(root)
	return out, err == nil
}

// fixTypes makes strings of numbers and drops what cannot be one.
func fixTypes(m map[string]any, names ...string) {
	for _, name := range names {
		switch v := m[name].(type) {
		case string, nil:
		case float64, bool:
			m[name] = fmt.Sprint(v)
		default:
			delete(m, name)
		}
	}
}

func fixPeople(m map[string]any) {
	person := func(v any) any {
		switch p := v.(type) {
		case map[string]any:
			fixTypes(p, "name", "url", "avatar")
			return p
		case string:
			return map[string]any{"name": p}
		}
		return nil
	}
	if list, ok := m["author"].([]any); ok && len(list) > 0 {
		m["author"] = list[0]
	}
	if m["author"] = person(m["author"]); m["author"] == nil {
		delete(m, "author")
	}
	list, ok := m["authors"].([]any)
	if !ok {
		list = []any{m["authors"]}
	}
	people := []any{}
	for _, v := range list {
		if p := person(v); p != nil {
			people = append(people, p)
		}
	}
	m["authors"] = people
}

func fixAttachments(m map[string]any) {
	list, ok := m["attachments"].([]any)
	if one, single := m["attachments"].(map[string]any); single {
		list, ok = []any{one}, true
	}
	if !ok {
		delete(m, "attachments")
		return
	}
	kept := []any{}
	for _, v := range list {
		if a, ok := v.(map[string]any); ok {
			fixTypes(a, "url", "mime_type", "title")
			kept = append(kept, a)
		}
	}
	m["attachments"] = kept
}

// lenientJSON rewrites a document as JSON proper, in one pass: raw control
// characters in strings are escaped, commas before a closing bracket dropped,
// and at a cut-off end, or after maxRead items, the last one that was whole is
// kept and everything closed.
func lenientJSON(doc string) []byte {
	out := make([]byte, 0, len(doc)+64)
	var open []byte
	inString := false
	items, whole, wholeOpen := 0, 0, 0 // where the last element of an array of objects ended
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		if inString {
			switch {
			case c == '\\' && i+1 < len(doc):
				i++
				if strings.IndexByte(`"\/bfnrtu`, doc[i]) < 0 {
					out = append(out, '\\')
				}
				out = append(out, c, doc[i])
				continue
			case c == '"':
				inString = false
			case c < 0x20:
				out = fmt.Appendf(out, `\u%04x`, c)
				continue
			}
			out = append(out, c)
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			open = append(open, c+2)
		case '}', ']':
			out = bytes.TrimRight(out, " \t\r\n")
			out = bytes.TrimSuffix(out, []byte(","))
			if len(open) > 0 {
				c = open[len(open)-1]
				open = open[:len(open)-1]
			}
			out = append(out, c)
			if len(open) == 2 && c == '}' {
				whole, wholeOpen = len(out), len(open)
				items++
			}
			if items > maxRead {
				i = len(doc)
			}
			if len(open) == 0 {
				return out
			}
			continue
		}
		out = append(out, c)
	}
	if whole > 0 {
		out, open = out[:whole], open[:wholeOpen]
	}
	for i := len(open) - 1; i >= 0; i-- {
		out = append(out, open[i])
	}
	return out
}
