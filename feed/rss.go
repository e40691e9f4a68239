package feed

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"

	"digest"
)

// parseRSS reads RSS of any version.
func parseRSS(sk *skeleton, address string) (*Document, error) {
	f, err := (&rss.Parser{}).Parse(bytes.NewReader(sk.xml))
	if err != nil {
		return nil, fmt.Errorf("reading rss: %w", err)
	}
	d := &Document{Kind: sk.kind, Repairs: sk.repairs}
	d.Title = firstPlain(sk, f.Title, value(f.Extensions, "atom", "title"), value(f.Extensions, "dc", "title"), value(f.Extensions, "itunes", "title"))
	d.Description = firstPlain(sk, f.Description, value(f.Extensions, "atom", "subtitle"), value(f.Extensions, "itunes", "summary"),
		value(f.Extensions, "itunes", "subtitle"), value(f.Extensions, "dc", "description"))
	d.Language = firstOf(f.Language, value(f.Extensions, "dc", "language"), sk.lang)
	d.Link = resolve(address, firstOf(append(f.Links, linkRel(f.Extensions, "alternate"))...))
	d.Self = resolve(address, linkRel(f.Extensions, "self"))
	d.Hubs = hubs(f.Extensions)
	d.TTL = minutes(f.TTL)
	d.SkipHours, d.SkipDays = hoursOf(sk.hours), daysOf(sk.days)
	d.UpdateEvery = updateEvery(value(f.Extensions, "sy", "updateperiod"), value(f.Extensions, "sy", "updatefrequency"))
	bases := []string{d.Link, address}
	owner := personName(firstOf(value(f.Extensions, "itunes", "author"), f.ManagingEditor, value(f.Extensions, "dc", "creator")))
	d.Posts = make([]Post, 0, len(f.Items))
	for _, item := range f.Items {
		e := rssEntry(sk, item, bases)
		e.owner = owner
		d.Posts = append(d.Posts, e)
	}
	return d, nil
}

func rssEntry(sk *skeleton, item *rss.Item, bases []string) Post {
	x := item.Extensions
	e := Post{GUID: value(x, "dcterms", "identifier")}
	permalink := ""
	if item.GUID != nil && item.GUID.Value != "" {
		e.GUID = item.GUID.Value
		if !strings.EqualFold(item.GUID.IsPermalink, "false") && isWeb(e.GUID) {
			permalink = e.GUID
		}
	}
	e.Link = absolute(firstOf(append(item.Links, linkRel(x, "alternate"), permalink)...), bases)
	e.original = absolute(firstOf(value(x, "feedburner", "origlink"), value(x, "pheedo", "origlink")), bases)
	e.titles = sk.some(item.Title, value(x, "atom", "title"), value(x, "dc", "title"), value(x, "itunes", "title"), value(x, "media", "title"))
	e.bodies = sk.some(item.Content, item.Custom["encoded"], value(x, "xhtml", "body"), item.Custom["fullitem"], item.Custom["body"],
		item.Custom["content"], value(x, "atom", "content"), item.Description, value(x, "dc", "description"), item.Custom["summary"],
		value(x, "atom", "summary"), value(x, "itunes", "summary"), value(x, "media", "description"), value(x, "itunes", "subtitle"))
	e.Author = firstPerson(append([]string{item.Author}, append(atomPersons(x), strings.Join(values(x, "dc", "creator"), ", "),
		value(x, "dc", "author"), value(x, "dcterms", "creator"), value(x, "itunes", "author"))...))
	e.Language = firstOf(value(x, "dc", "language"))
	e.Published = firstDate(value(x, "dcterms", "available"), value(x, "dc", "date"), value(x, "dcterms", "created"),
		value(x, "dcterms", "issued"), value(x, "dcterms", "submitted"), item.Custom["date"], value(x, "dcterms", "date"), value(x, "dcterms", "modified"))
	e.Enclosure = rssEnclosure(item, bases)
	e.images = mediaImages(x)
	e.bases = bases
	return e
}

func rssEnclosure(item *rss.Item, bases []string) *digest.Enclosure {
	for _, enc := range item.Enclosures {
		if u := absolute(enc.URL, bases); u != "" {
			return enclosure(u, enc.Type, enc.Length)
		}
	}
	for _, l := range extensions(item.Extensions, "atom", "link") {
		if l.Attrs["rel"] == "enclosure" && l.Attrs["href"] != "" {
			return enclosure(absolute(l.Attrs["href"], bases), l.Attrs["type"], l.Attrs["length"])
		}
	}
	return nil
}

func enclosure(address, typ, length string) *digest.Enclosure {
	n, err := strconv.ParseInt(strings.TrimSpace(length), 10, 64)
	if err != nil || n < 0 {
		n = 0
	}
	return &digest.Enclosure{URL: address, Type: typ, Length: n}
}

// mediaImages gives the pictures that stand beside an entry's text, best first.
func mediaImages(x ext.Extensions) []string {
	var out []string
	for _, m := range extensions(x, "media", "content") {
		if m.Attrs["medium"] == "image" || strings.HasPrefix(m.Attrs["type"], "image/") {
			out = append(out, m.Attrs["url"])
		}
	}
	for _, m := range extensions(x, "media", "thumbnail") {
		out = append(out, m.Attrs["url"])
	}
	for _, m := range extensions(x, "itunes", "image") {
		out = append(out, m.Attrs["href"])
	}
	return out
}

func extensions(x ext.Extensions, prefix, name string) []ext.Extension { return x[prefix][name] }

// value is the text of the first extension element of that name, "" for none.
func value(x ext.Extensions, prefix, name string) string {
	if all := x[prefix][name]; len(all) > 0 {
		return all[0].Value
	}
	return ""
}

func values(x ext.Extensions, prefix, name string) []string {
	var out []string
	for _, e := range x[prefix][name] {
		if v := personName(e.Value); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// linkRel gives the first Atom link of that relation inside RSS.
func linkRel(x ext.Extensions, rel string) string {
	for _, l := range extensions(x, "atom", "link") {
		if l.Attrs["rel"] == rel || rel == "alternate" && l.Attrs["rel"] == "" {
			return l.Attrs["href"]
		}
	}
	return ""
}

func hubs(x ext.Extensions) []string {
	var out []string
	for _, l := range extensions(x, "atom", "link") {
		if l.Attrs["rel"] == "hub" && isWeb(l.Attrs["href"]) {
			out = append(out, l.Attrs["href"])
		}
	}
	return out
}

// atomPersons gives the authors that stand in RSS as Atom elements.
func atomPersons(x ext.Extensions) []string {
	var out []string
	for _, a := range extensions(x, "atom", "author") {
		for _, child := range []string{"name", "email"} {
			if c := a.Children[child]; len(c) > 0 && c[0].Value != "" {
				out = append(out, c[0].Value)
				break
			}
		}
	}
	return out
}
