package microformats

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A root describes a classic root class: its name in microformats2, and the names of its properties.
type root struct {
	kind       string
	properties map[string]property
	rels       map[string]property // of links, by their rel
}

// made returns a root. words lists its properties as "old=new", such as "fn=p-name", or as the name alone if it is
// unchanged. rels lists properties of links in the same way.
func made(kind, words, rels string) root {
	r := root{kind: kind, properties: map[string]property{}, rels: map[string]property{}}
	for into, list := range map[*map[string]property]string{&r.properties: words, &r.rels: rels} {
		for _, word := range strings.Fields(list) {
			old, now, ok := strings.Cut(word, "=")
			prefix, name := split(now)
			if !ok {
				prefix, name = split(old)
				old = name
			}
			(*into)[old] = property{prefix, name}
		}
	}
	return r
}

// classics are the classic root classes (microformats.org/wiki/microformats2-parsing#classic).
var classics = map[string]root{
	"adr": made("h-adr",
		"p-post-office-box p-extended-address p-street-address p-locality p-region p-postal-code p-country-name", ""),
	"geo": made("h-geo", "p-latitude p-longitude", ""),
	"vcard": made("h-card", `fn=p-name u-url p-honorific-prefix p-given-name p-additional-name p-family-name p-honorific-suffix p-nickname
		u-email u-logo u-photo u-uid p-category p-adr p-extended-address p-street-address p-locality p-region p-postal-code p-country-name
		p-label p-geo p-latitude p-longitude p-tel p-note dt-bday p-key p-agent p-class p-mailer p-org p-organization-name p-organization-unit title=p-job-title
		p-role p-tz dt-rev p-sort-string u-sound`, ""),
	"hfeed": made("h-feed", "p-author u-url u-photo p-category", "tag=p-category"),
	"hentry": made("h-entry",
		`entry-title=p-name entry-summary=p-summary entry-content=e-content dt-published dt-updated p-author p-category
		p-geo p-latitude p-longitude`, "bookmark=u-url tag=p-category"),
	"hnews": made("h-news", "p-entry p-geo p-latitude p-longitude p-source-org p-dateline", "principles=u-principles"),
	"vevent": made("h-event",
		`summary=p-name dtstart=dt-start dtend=dt-end dt-duration p-description p-location p-category p-geo p-latitude
		p-longitude u-url p-attendee p-contact p-organizer p-status u-uid p-class`, ""),
	"hproduct": made("h-product",
		`fn=p-name u-photo p-brand p-category p-description u-identifier u-url p-review p-price`, "tag=p-category"),
	"hrecipe": made("h-recipe",
		`fn=p-name p-ingredient p-yield e-instructions dt-duration u-photo p-summary p-author dt-published p-nutrition
		p-category`, "tag=p-category"),
	"hresume": made("h-resume", "p-contact p-education p-experience p-summary p-skill p-affiliation p-publications",
		""),
	"hreview": made("h-review",
		`summary=p-name p-item reviewer=p-author dtreviewed=dt-published p-rating p-best p-worst e-description
		description=e-content u-url`, "tag=p-category bookmark=u-url self=u-url"),
	"hreview-aggregate": made("h-review-aggregate",
		"summary=p-name p-item p-rating p-average p-best p-worst p-count p-votes u-url", ""),
	"item": made("h-item", "fn=p-name u-url u-photo", ""),
}

// relations adds the properties of a link's rels to the open item, by the classic names.
func (p *parser) relations(n *html.Node, in *open) {
	if in == nil || in.classic == nil || n.DataAtom != atom.A && n.DataAtom != atom.Area {
		return
	}
	given := propertiesOf(n, in) // by its classes
	for _, rel := range strings.Fields(attr(n, "rel")) {
		for _, root := range in.classic {
			prop, ok := classics[root].rels[rel]
			if !ok || slices.Contains(given, prop) {
				continue
			}
			given = append(given, prop)
			v := Value{Text: p.resolve(attr(n, "href"))}
			if rel == "tag" {
				v.Text = tag(v.Text)
			}
			p.add(in, prop, v)
		}
	}
}

// tag returns the last part of an address, which is the tag of rel=tag.
func tag(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return path.Base(u.Path)
}
