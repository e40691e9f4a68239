package feed

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"digest"
)

// Parse reads a document. Its content decides the kind. contentType, which may be empty, is the field of the HTTP
// header: it names the charset, and the kind to try first if the content is ambiguous. address is the address of the
// document, for relative links. An error is a *digest.Error that names what the document is instead. If a feed ends
// before its first entry, Parse returns the title and link of the feed beside the error.
func Parse(body []byte, contentType, address string) (*Document, error) {
	return parse(body, contentType, address, More{})
}

func parse(body []byte, contentType, address string, more More) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil { // the libraries below meet hostile input
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

// rootSearch is how far into a document, in elements and bytes, its root is looked for:
// warnings of scripts, comments and DOCTYPEs stand before it.
const rootSearch = 40

// maxRootName bounds what an error says of a root, in characters.
const maxRootName = 40

// findRoot finds the element that says what the document is. The format is nil
// when the first element is none that we know. asPage: the header says HTML, so
// that a page which shows a feed's source is not taken for it.
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

// whatElse says what bytes without markup are.
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

// refusal is the error for a document that is nothing we read but what was found: digest.Words, or an error that
// says it.
func refusal(found any, err error) error {
	wrong := digest.Refuse(digest.Invalid,
		"not a feed but %s; enter the address of an RSS, Atom or JSON feed, or of a page with a link to one", found)
	wrong.Err = err
	return wrong
}
