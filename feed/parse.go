package feed

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"digest"
)

// Parse reads a document. Its content decides the kind. contentType, which may be empty, is the HTTP header field: it
// names the charset, and the kind to try first if the content is ambiguous. address is the address of the document,
// for relative links. An error is a *digest.Error that describes the document. If a feed ends before its first entry,
// Parse returns the title and link of the feed together with the error.
func Parse(body []byte, contentType, address string) (*Document, error) {
	return parse(body, contentType, address, More{})
}

func parse(body []byte, contentType, address string, more More) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil { // the parsers of other packages read hostile input
			d, err = nil, refusal("a document that cannot be read", fmt.Errorf("panic: %v", r))
		}
	}()
	doc, repairs := decode(body, contentType)
	d, err = parseText(doc, body, contentType, address, more)
	if err != nil {
		return nil, err
	}
	early := d.IsFeed() && len(d.Posts) == 0 && slices.Contains(d.Repairs, endsEarly)
	d.Repairs = append(repairs, d.Repairs...)
	d.Pages = 1 + len(more.Pages)
	d.complete()
	if early && d.Title == "" && d.Link == "" {
		d = nil
	}
	if early {
		return d, refusal("a feed that ends before its first entry", nil)
	}
	return d, nil
}

func parseText(doc string, body []byte, contentType, address string, more More) (*Document, error) {
	src := &source{text: strings.TrimLeft(doc, " \t\r\n\uFEFF"), address: asBase(address), more: more}
	if src.text == "" {
		return nil, refusal("an empty document", nil)
	}
	var how *format
	if src.text[0] == '{' {
		how = formatOfJSON(src.text)
	} else {
		var found bool
		src.root, how, found = findRoot(src.text, strings.Contains(strings.ToLower(contentType), "html"))
		switch {
		case !found:
			return nil, refusal(whatElse(body, src.text), nil)
		case src.root.more:
			return nil, refusal(fmt.Sprintf("XML whose <%s> has more than %d attributes",
				shorten(src.root.name, maxRootName), maxAttributes), nil)
		case how == nil:
			return nil, refusal(fmt.Sprintf("XML with the root <%s>", shorten(src.root.name, maxRootName)), nil)
		}
	}
	if src.kind = how.kind; src.kind != HTML && src.root.at > 0 {
		src.expand()
	}
	return how.read(src)
}

// rootSearch limits the elements that findRoot reads to find the root. Warnings of scripts may precede it.
const rootSearch = 40

const maxRootName = 40

// findRoot returns the element that determines the format, and the format; nil: the first element is unknown. If
// asPage is true, the header says HTML: then a page that displays the source of a feed is not the feed.
func findRoot(doc string, asPage bool) (token, *format, bool) {
	s, all := scanner{doc: doc}, formats()
	var first token
	var page *format
	for range rootSearch {
		tok := s.next()
		for tok.kind != tokenStart && tok.kind != tokenEOF {
			tok = s.next()
		}
		if tok.kind == tokenEOF {
			break
		}
		if first.name == "" {
			first = token{kind: tokenStart, name: tok.name, at: tok.at, more: tok.more}
		}
		how := formatOf(all, &tok)
		switch {
		case how == nil:
		case how.kind == HTML:
			page = how
		case page == nil || !asPage:
			return token{name: tok.name, at: tok.at, more: tok.more}, how, true
		}
		if strings.EqualFold(tok.name, "html") || strings.EqualFold(tok.name, "body") {
			break
		}
	}
	return first, page, first.name != ""
}

// whatElse describes a document without markup.
func whatElse(body []byte, doc string) any {
	typ, _, _ := strings.Cut(http.DetectContentType(body), ";")
	switch {
	case strings.HasPrefix(typ, "image/"), strings.HasPrefix(typ, "audio/"), strings.HasPrefix(typ, "video/"),
		strings.HasPrefix(typ, "application/") && typ != "application/octet-stream":
		return digest.Refuse(digest.Invalid, "a file of type %s", typ)
	case typ == "application/octet-stream", bytes.IndexByte(body, 0) >= 0:
		return digest.Words("an unreadable file")
	case strings.HasPrefix(doc, "["):
		return digest.Words("a JSON file")
	}
	return digest.Words("plain text")
}

// refusal returns the error for a document in no known format; found describes the document: digest.Words or an
// error.
func refusal(found any, err error) error {
	wrong := digest.Refuse(digest.Invalid,
		"not a feed but %s; enter the address of an RSS, Atom or JSON feed, or of a page with a link to one", found)
	wrong.Err = err
	return wrong
}
