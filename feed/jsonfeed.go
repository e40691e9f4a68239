package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	jsonfeed "github.com/mmcdole/gofeed/json"

	"digest"
)

// largeJSON is the size, in bytes, from which parsers count items and values first.
const largeJSON = 1 << 16

// isJSONFeed recognises a JSON Feed by its version. If that is different, it requires items, and either an address
// field of JSON Feed or a version number.
func isJSONFeed(fields map[string]string) bool {
	version := fields["version"]
	return strings.Contains(version, "jsonfeed.org") || strings.HasPrefix(fields["items"], "[") &&
		(fields["home_page_url"] != "" || fields["feed_url"] != "" || strings.HasPrefix(version, `"1`))
}

func parseJSON(src *source) (*Document, error) {
	doc, address := src.text, src.address
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
	if !isJSONFeed(fieldsOf(doc)) {
		return nil, refusal(foreignJSON(doc), nil)
	}
	d.Title, d.Description = plainLine(cleanText(f.Title), unsaid), plainLine(cleanText(f.Description), unsaid)
	d.Language = strings.TrimSpace(cleanText(f.Language))
	d.Link, d.Self = resolve(address, f.HomePageURL), resolve(address, f.FeedURL)
	d.addJSONHubs(doc)
	author := jsonPeople(f.Authors, f.Author)
	bases := basesOf(d.Link, address, d.Self)
	d.Posts = make([]Post, 0, len(f.Items))
	for _, item := range f.Items {
		if item == nil {
			continue
		}
		p := jsonPost(item, bases)
		p.feedAuthor = author
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func jsonPost(item *jsonfeed.Item, bases []string) Post {
	p := Post{GUID: strings.TrimSpace(cleanText(item.ID)), Language: cleanText(item.Language), bases: bases}
	p.Author = jsonPeople(item.Authors, item.Author)
	link := firstOf(item.URL, item.ExternalURL)
	if link == "" && isWeb(p.GUID) {
		link = p.GUID
	}
	p.linkTo(link, bases)
	if item.URL != "" && item.ExternalURL != "" {
		p.external = absolute(item.ExternalURL, bases)
	}
	if p.Published = parseDate(item.DatePublished); p.Published.IsZero() {
		p.Published = parseDate(item.DateModified)
	}
	if item.Title != "" {
		p.titles = []text{literal(item.Title, plain)}
	}
	for _, t := range []text{literal(item.ContentHTML, markup), literal(item.ContentText, plain),
		literal(item.Summary, plain)} {
		if !t.empty() {
			p.bodies = append(p.bodies, t)
		}
	}
	if item.Attachments != nil {
		p.addAttachments(*item.Attachments)
	}
	for _, address := range []string{item.Image, item.BannerImage} {
		if address != "" {
			p.images = append(p.images, image{address: absolute(address, bases)})
		}
	}
	return p
}

// addAttachments adds the files of a post. Attachments with the same title are the same file in several formats: it
// adds the format that most programs play.
func (p *Post) addAttachments(all []jsonfeed.Attachments) {
	var files []mediaFile
	for _, a := range atMost(all) {
		e := digest.Enclosure{URL: a.URL, Type: cleanText(a.MimeType), Length: a.SizeInBytes,
			Seconds: a.DurationInSeconds}
		files = append(files, mediaFile{Enclosure: e, group: cleanText(a.Title)})
	}
	p.addFiles(files)
}

// literal returns a text for a string that is not from XML.
func literal(s string, f form) text { return text{raw: escaper.Replace(cleanText(s)), form: f} }

func jsonPeople(many []*jsonfeed.Author, one *jsonfeed.Author) string {
	var names []string
	for _, a := range append(many, one) {
		if a == nil || len(names) > 0 && a == one {
			continue
		}
		if name := plainLine(cleanText(a.Name), unsaid); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// addJSONHubs reads the hubs, which gofeed ignores.
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

// foreignJSON describes a JSON document that is not a JSON Feed.
func foreignJSON(doc string) string {
	if strings.Contains(doc[:min(len(doc), 4096)], "at://did:") {
		return "an AT Protocol document"
	}
	return "JSON without the version of JSON Feed"
}

// mendJSON repairs common mistakes of hand-written JSON: raw line breaks in strings, commas before a bracket, a
// missing end, and members of the wrong type.
func mendJSON(doc string) ([]byte, bool) {
	text, _ := lenientJSON(doc)
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, false
	}
	mendObject(root)
	out, err := json.Marshal(root)
	return out, err == nil
}

// jsonStrings are the members that are strings, in any object.
var jsonStrings = setOf(
	`title description version language home_page_url feed_url user_comment next_url icon favicon url external_url
	content_html content_text summary image banner_image date_published date_modified name avatar mime_type`)

// mendObject converts the members of an object to the types of the specification. It removes those that it cannot
// convert.
func mendObject(m map[string]any) {
	for name, value := range m {
		switch name {
		case "items", "attachments":
			m[name] = objects(value, false)
		case "authors":
			m[name] = objects(value, true)
		case "author":
			delete(m, name)
			if persons := objects(value, true); len(persons) > 0 {
				m[name] = persons[0]
			}
		case "tags":
			delete(m, name)
		case "size_in_bytes", "duration_in_seconds":
			mendNumber(m, name)
		default:
			mendString(m, name)
		}
	}
}

// mendString converts a number or a list to a string if the specification requires one.
func mendString(m map[string]any, name string) {
	if !jsonStrings[name] {
		return
	}
	switch v := m[name].(type) {
	case string, nil:
	case float64, bool:
		m[name] = fmt.Sprint(v)
	case []any: // the first that is not blank
		delete(m, name)
		for _, one := range v {
			if s, is := one.(string); is && m[name] == nil && strings.TrimSpace(s) != "" {
				m[name] = s
			}
		}
	default:
		delete(m, name)
	}
}

// mendNumber converts a fraction or a string to an integer.
func mendNumber(m map[string]any, name string) {
	n, is := m[name].(float64)
	if s, text := m[name].(string); text {
		n, is = float64(seconds(s)), true
		if name == "size_in_bytes" {
			n = float64(byteCount(s))
		}
	}
	delete(m, name)
	if is && math.Abs(n) <= maxLength {
		m[name] = int64(n)
	}
}

// objects converts a value to a list of repaired objects. If persons is true, a name counts as a person.
func objects(value any, persons bool) []any {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	out := []any{}
	for _, v := range list {
		if name, is := v.(string); is && persons {
			v = map[string]any{"name": name}
		}
		if object, is := v.(map[string]any); is {
			mendObject(object)
			out = append(out, object)
		}
	}
	return out
}

// maxValues limits the members and elements of a JSON document.
const maxValues = 300_000

// lenientJSON rewrites a document as valid JSON in one pass. It escapes raw control characters in strings and removes
// commas before a closing bracket. If the document is incomplete, or has more than maxRead items or maxValues values,
// it stops after the last whole item and closes all brackets; more: it left something out.
func lenientJSON(doc string) (out []byte, more bool) {
	m := &jsonMender{out: make([]byte, 0, len(doc)+64)}
	values := 0
	for i := 0; i < len(doc) && values <= maxValues; i++ {
		switch c := doc[i]; {
		case c == '"':
			i = m.text(doc, i)
		case c == ',':
			values++
			m.out = append(m.out, c)
		case c == '{' || c == '[':
			values++
			m.open = append(m.open, c+2) // the bracket that closes it
			m.out = append(m.out, c)
		case c == '}' || c == ']':
			m.end(c)
			if len(m.open) == 0 {
				return m.out, false
			}
		default:
			m.out = append(m.out, c)
		}
		if m.items > maxRead {
			break
		}
	}
	return m.cutOff(), true
}

type jsonMender struct {
	out   []byte
	open  []byte // missing closing brackets, innermost last
	items int
	whole int // the end of the last item in out
}

// text copies the string that begins at i and returns the index of its end.
func (m *jsonMender) text(doc string, i int) int {
	m.out = append(m.out, '"')
	for i++; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == '\\' && i+1 < len(doc):
			i++
			if strings.IndexByte(`"\/bfnrtu`, doc[i]) < 0 {
				m.out = append(m.out, '\\')
			}
			m.out = append(m.out, c, doc[i])
		case c == '"':
			m.out = append(m.out, c)
			return i
		case c == '\n':
			m.out = append(m.out, `\n`...)
		case c < 0x20:
			m.out = fmt.Appendf(m.out, `\u%04x`, c)
		default:
			m.out = append(m.out, c)
		}
	}
	return i
}

// end writes the bracket that closes the innermost open one, whatever the document has.
func (m *jsonMender) end(c byte) {
	m.out = bytes.TrimSuffix(bytes.TrimRight(m.out, " \t\r\n"), []byte(","))
	if len(m.open) > 0 {
		c = m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
	}
	m.out = append(m.out, c)
	if len(m.open) == 2 && m.open[1] == ']' && c == '}' {
		m.items++
		m.whole = len(m.out)
	}
}

// cutOff removes everything after the last whole item and closes all brackets.
func (m *jsonMender) cutOff() []byte {
	if m.whole > 0 {
		m.out, m.open = m.out[:m.whole], []byte{'}', ']'}
	}
	m.out = bytes.TrimSuffix(bytes.TrimRight(m.out, " \t\r\n"), []byte(","))
	for len(m.open) > 0 {
		m.out = append(m.out, m.open[len(m.open)-1])
		m.open = m.open[:len(m.open)-1]
	}
	return m.out
}
