package feed

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"
)

func isRSS(local string, _ *token) bool { return local == "rss" || local == "channel" }

// isRDF recognises RSS 1.0 by its root, and RSS 1.1, which has the root channel, by its namespace.
func isRDF(local string, root *token) bool {
	return local == "rdf" || local == "channel" &&
		slices.ContainsFunc(root.attrs,
			func(a attribute) bool { return strings.HasSuffix(a.value, "//purl.org/net/rss1.1#") })
}

func parseRSS(src *source) (*Document, error) {
	fr, address := repair(src), src.address
	f, err := (&rss.Parser{}).Parse(bytes.NewReader(fr.xml))
	if err == nil {
		err = fr.matches(len(f.Items))
	}
	if err != nil {
		return nil, fmt.Errorf("reading rss: %w", err)
	}
	d := &Document{Kind: fr.kind, Repairs: fr.repairs, UpdateEvery: fr.updateEvery()}
	d.Title = fr.feed.line("title", "atom:title", "dc:title", "itunes:title")
	d.Description = fr.feed.line("description", "atom:subtitle", "itunes:summary", "itunes:subtitle", "dc:description")
	d.Language = firstOf(f.Language, fr.feed.value("dc:language"), fr.language)
	d.Link = resolve(address, firstOf(append(f.Links, linkRel(f.Extensions, "alternate"))...))
	d.Self = resolve(address, linkRel(f.Extensions, "self"))
	for _, l := range f.Extensions["atom"]["link"] {
		d.addHub(l.Attrs["rel"], l.Attrs["href"])
	}
	d.TTL = minutes(f.TTL)
	d.SkipHours, d.SkipDays = hoursOf(fr.feed.list("skiphours", "hour")), daysOf(fr.feed.list("skipdays", "day"))
	bases := basesOf(d.Link, address)
	creators := extension(f.Extensions, "dc", "creator")
	author := personName(firstOf(slices.Concat(extension(f.Extensions, "itunes", "author"), []string{f.ManagingEditor},
		creators)...))
	d.Posts = make([]Post, 0, len(f.Items))
	for i, item := range f.Items {
		p := rssPost(fr.items[i], item, bases)
		p.feedAuthor = author
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func rssPost(t texts, item *rss.Item, bases []string) Post {
	x := item.Extensions
	p := Post{GUID: t.value("id"), bases: bases}
	permalink := ""
	if item.GUID != nil && item.GUID.Value != "" {
		p.GUID = item.GUID.Value
		if !strings.EqualFold(item.GUID.IsPermalink, "false") && isWeb(p.GUID) {
			permalink = p.GUID
		}
	}
	p.linkTo(firstOf(append(item.Links, linkRel(x, "alternate"), permalink)...), bases)
	p.original = absolute(t.value("feedburner:origlink", "pheedo:origlink"), bases)
	p.titles = t.all("title", "atom:title", "dc:title", "itunes:title", "media:title")
	p.bodies = t.all("content:encoded", "encoded", "xhtml:body", "fullitem", "body", "content", "atom:content",
		"description", "dc:description", "summary", "atom:summary", "itunes:summary", "media:description",
		"itunes:subtitle")
	p.Author = firstPerson(slices.Concat([]string{item.Author}, atomPersons(x),
		[]string{people(extension(x, "dc", "creator"))},
		extension(x, "dc", "author"), extension(x, "dcterms", "creator"), extension(x, "itunes", "author")))
	p.Language = t.value("dc:language")
	p.Published = t.date("pubdate", "dc:date", "created", "published", "issued", "date", "dcterms:date", "updated")
	for _, e := range item.Enclosures {
		p.enclose(e.URL, e.Type, byteCount(e.Length))
	}
	for _, l := range x["atom"]["link"] {
		if l.Attrs["rel"] == "enclosure" {
			p.enclose(l.Attrs["href"], l.Attrs["type"], byteCount(l.Attrs["length"]))
		}
	}
	p.addMedia(t, x, linkRel(x, simpleChapters))
	return p
}

func extension(x ext.Extensions, prefix, name string) []string {
	var values []string
	for _, e := range x[prefix][name] {
		values = append(values, e.Value)
	}
	return values
}

// linkRel returns the first Atom link with a relation inside RSS.
func linkRel(x ext.Extensions, rel string) string {
	for _, l := range x["atom"]["link"] {
		if l.Attrs["rel"] == rel || rel == "alternate" && l.Attrs["rel"] == "" {
			return l.Attrs["href"]
		}
	}
	return ""
}

// atomPersons returns the authors in Atom elements inside RSS.
func atomPersons(x ext.Extensions) []string {
	var out []string
	for _, a := range x["atom"]["author"] {
		for _, child := range []string{"name", "email"} {
			if c := a.Children[child]; len(c) > 0 && c[0].Value != "" {
				out = append(out, c[0].Value)
				break
			}
		}
	}
	return out
}
