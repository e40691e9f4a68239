package feed

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"digest"
)

// Parse reads a document. The kind is decided by its content; contentType (as
// in the HTTP header, may be empty) names the charset and says what is tried
// first where the content leaves it open. address is where the document was
// published, for relative links. An error is a *digest.Error that says what was
// found instead of a feed, a list or a page.
func Parse(body []byte, contentType, address string) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil { // the libraries below meet hostile input
			d, err = nil, refusal("a document that cannot be read", fmt.Errorf("panic: %v", r))
		}
	}()
	doc, repairs := decode(body, contentType)
	d, err = parseText(doc, body, contentType, address)
	if err != nil {
		return nil, err
	}
	if d.IsFeed() && len(d.Posts) == 0 && slices.Contains(d.Repairs, endsEarly) {
		return nil, refusal("a feed that ends before its first entry", nil)
	}
	d.Repairs = append(repairs, d.Repairs...)
	d.complete()
	return d, nil
}

func parseText(doc string, body []byte, contentType, address string) (*Document, error) {
	trimmed := strings.TrimLeft(doc, " \t\r\n\uFEFF")
	switch {
	case trimmed == "":
		return nil, refusal("an empty document", nil)
	case trimmed[0] == '{':
		return parseJSON(trimmed, address)
	}
	root, kind, found := findRoot(trimmed, strings.Contains(strings.ToLower(contentType), "html"))
	switch {
	case !found:
		return nil, refusal(whatElse(body, trimmed), nil)
	case root.more:
		return nil, refusal(fmt.Sprintf("XML whose <%s> has more than %d attributes", shorten(root.name, maxRootName), maxAttributes), nil)
	case kind == "":
		return nil, refusal(fmt.Sprintf("XML whose root is <%s>", shorten(root.name, maxRootName)), nil)
	case kind == HTML:
		d := parsePage(trimmed, address)
		d.readPosts(trimmed, address)
		return d, nil
	case kind == OPML:
		return parseOPML(trimmed, 0, address), nil
	}
	fr := repair(trimmed, address, root, kind)
	if root.at > 0 && !strings.HasPrefix(trimmed, "<") {
		fr.repairs = append(fr.repairs, "stray bytes before the document")
	}
	if kind == Atom {
		return parseAtom(fr, address)
	}
	return parseRSS(fr, address)
}

// rootSearch is how far into a document, in elements and bytes, its root is looked for:
// warnings of scripts, comments and DOCTYPEs stand before it.
const rootSearch = 40

// maxRootName bounds what an error says of a root, in characters.
const maxRootName = 40

// findRoot finds the element that says what the document is. The kind is ""
// when the first element is none that we know. asPage: the header says HTML, so
// that a page which shows a feed's source is not taken for it.
func findRoot(doc string, asPage bool) (token, Kind, bool) {
	s := scanner{doc: doc}
	var first token
	page := false
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
		kind := rootKind(tok)
		switch {
		case kind == HTML:
			page = true
		case kind != "" && !(page && asPage):
			return token{name: tok.name, at: tok.at, more: tok.more}, kind, true
		}
		if strings.EqualFold(tok.name, "html") || strings.EqualFold(tok.name, "body") {
			break
		}
	}
	if page {
		return first, HTML, true
	}
	return first, "", first.name != ""
}

// rootKind is the kind of document whose root is tok, "" for none.
func rootKind(tok token) Kind {
	_, local := splitName(tok.name)
	switch strings.ToLower(local) {
	case "rss", "channel":
		return RSS
	case "rdf":
		return RDF
	case "feed", "entry":
		return Atom
	case "opml":
		return OPML
	case "html", "head", "body", "meta", "title", "div", "p", "br", "b", "script", "center", "h1", "table", "link", "a", "style":
		return HTML
	}
	return ""
}

// whatElse says what bytes without markup are.
func whatElse(body []byte, doc string) string {
	typ, _, _ := strings.Cut(http.DetectContentType(body), ";")
	switch {
	case strings.HasPrefix(typ, "image/"), strings.HasPrefix(typ, "audio/"), strings.HasPrefix(typ, "video/"),
		strings.HasPrefix(typ, "application/") && typ != "application/octet-stream":
		return "a file of type " + typ
	case typ == "application/octet-stream", bytes.IndexByte(body, 0) >= 0:
		return "binary data"
	case strings.HasPrefix(doc, "["):
		return "a JSON array"
	}
	return "plain text"
}

// refusal is the error for a document that is nothing we read.
func refusal(found string, err error) error {
	return &digest.Error{
		Kind:    digest.Invalid,
		Message: "not a feed but " + found + "; give the address of an RSS, Atom or JSON feed, or of a page that links to one",
		Err:     err,
	}
}
