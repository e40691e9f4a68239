package feed

import (
	"strings"
)

// CDF is the Channel Definition Format of 1997 (https://www.w3.org/TR/NOTE-CDFsubmit.html).
const CDF Kind = "cdf"

// isCDF distinguishes a CHANNEL of CDF from the channel of an RSS feed without its root.
func isCDF(local string, root *token) bool {
	return local == "channel" && (root.name == "CHANNEL" || root.attr("HREF") != "" || root.attr("LASTMOD") != "")
}

// A cdfReader reads a channel. It treats channels within it as headings: their items belong to the outer channel.
type cdfReader struct {
	scanner
	*Document
	item *Post // the open item; nil: none
}

func parseCDF(src *source) (*Document, error) {
	r := &cdfReader{scanner: scanner{doc: src.text, pos: src.root.at}, Document: &Document{Kind: CDF}}
	root := r.next()
	base := resolve(src.address, said(&root, "BASE"))
	r.Link = resolve(firstOf(base, src.address), said(&root, "HREF"))
	bases := basesOf(firstOf(base, r.Link), src.address)
	open := 1 // number of open channels
	if root.empty {
		open = 0
	}
	for open > 0 && len(r.Posts) < maxRead {
		tok := r.next()
		if tok.kind == tokenEOF || tok.cut {
			r.Repairs = append(r.Repairs, endsEarly)
			break
		}
		name := strings.ToUpper(tok.name)
		if name == "ITEM" || name == "CHANNEL" {
			r.item = nil
		}
		start := tok.kind == tokenStart
		switch {
		case start && name == "ITEM":
			r.begin(&tok, bases)
		case start && name == "CHANNEL" && !tok.empty:
			open++
		case tok.kind == tokenEnd && name == "CHANNEL":
			open--
		case start && r.item != nil:
			r.read(&tok, name)
		case start && open == 1 && name == "TITLE":
			r.Title = firstOf(r.Title, r.inside(&tok).plain())
		case start && open == 1 && name == "ABSTRACT":
			r.Description = firstOf(r.Description, r.inside(&tok).plain())
		}
	}
	return r.Document, nil
}

func (r *cdfReader) begin(tok *token, bases []string) {
	p := Post{Published: parseDate(said(tok, "LASTMOD")), bases: bases}
	p.linkTo(said(tok, "HREF"), bases)
	r.Posts = append(r.Posts, p)
	if !tok.empty {
		r.item = &r.Posts[len(r.Posts)-1]
	}
}

func (r *cdfReader) read(tok *token, name string) {
	p := r.item
	switch name {
	case "AUTHOR":
		p.Author = firstOf(p.Author, personName(said(tok, "VALUE")))
	case "PUBLICATIONDATE":
		if at := parseDate(said(tok, "VALUE")); !at.IsZero() {
			p.Published = at
		}
	case "A": // its text is the title
		if p.Link == "" {
			p.linkTo(said(tok, "HREF"), p.bases)
		}
		p.titles = oneOf(p.titles, r.inside(tok))
	case "TITLE":
		p.titles = oneOf(p.titles, r.inside(tok))
	case "ABSTRACT":
		p.bodies = oneOf(p.bodies, r.inside(tok))
	}
}

// oneOf adds a text that is not empty to an empty list.
func oneOf(list []text, t text) []text {
	if len(list) > 0 || t.empty() {
		return list
	}
	return []text{t}
}

// said returns a copy of an attribute's value. The copy does not keep the document in memory.
func said(tok *token, name string) string { return strings.Clone(tok.attr(name)) }

// inside returns the content of the current element, up to its end or the end of its item.
func (r *cdfReader) inside(tok *token) text {
	from, ends := r.pos, tok.name
	if tok.empty {
		return text{}
	}
	for {
		next := r.next()
		switch {
		case next.kind == tokenEnd && strings.EqualFold(next.name, ends), next.kind == tokenEOF:
			return text{raw: r.doc[from:next.at]}
		case strings.EqualFold(next.name, "ITEM"), strings.EqualFold(next.name, "CHANNEL"):
			r.pos = next.at
			return text{raw: r.doc[from:next.at]}
		}
	}
}
