package feed

import "strings"

// maxBindings bounds the namespaces in force at one point of a document: each
// name below is looked up among them.
const maxBindings = 200

// declare notes the namespaces that a tag declares; they hold until its end.
func (t *tidier) declare(tok token) {
	for _, a := range tok.attrs {
		switch {
		case a.name == "xmlns":
			t.bind("", vocabulary(decodeEntities(a.value)))
		case strings.HasPrefix(a.name, "xmlns:"):
			t.bind(a.name[len("xmlns:"):], vocabulary(decodeEntities(a.value)))
		}
	}
}

// bind lets a prefix stand for a vocabulary from here on.
func (t *tidier) bind(prefix, vocabulary string) {
	if len(t.bindings) >= maxBindings {
		t.repaired("more namespaces than can be meant: the rest left out")
		return
	}
	t.bindings = append(t.bindings, binding{prefix, vocabulary})
}

// vocabulary is that of a prefix at this point of the document.
func (t *tidier) vocabulary(prefix string) string {
	for i := len(t.bindings) - 1; i >= 0; i-- {
		if t.bindings[i].prefix == prefix {
			return t.bindings[i].vocabulary
		}
	}
	if prefix == "" {
		return ""
	}
	return customary(prefix)
}

// canonical is the name by which the tables know an element.
func (t *tidier) canonical(name string) string {
	prefix, local := splitName(name)
	local = strings.ToLower(local)
	v := t.vocabulary(prefix)
	if v == "" || t.kind == Atom && v == "atom" {
		return local
	}
	if prefix == "" && t.rules[local] == pass && local != "author" && local != "source" {
		t.bind("", "") // a namespace of the publisher's own, down from here
		return local
	}
	return v + ":" + local
}

// langOf is the language an element declares, as a tag of RFC 5646.
func langOf(tok token) string {
	return strings.ReplaceAll(firstOf(tok.attr("xml:lang"), tok.attr("lang")), "_", "-")
}

func splitName(name string) (prefix, local string) {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// baseOf is the base of links in an element: its own xml:base on top of its
// parent's, and relative ones on top of the document's address.
func (t *tidier) baseOf(tok token, parent string) string {
	own := tok.attr("xml:base")
	if own == "" {
		return parent
	}
	if parent == "" {
		parent = t.address
	}
	if base := resolve(parent, own); isAbsolute(base) {
		return base
	}
	return parent
}

// formOf says how the inside of a text construct is to be read (RFC 4287 §3.1;
// Atom 0.3 has a mode as well). RSS does not say.
func (t *tidier) formOf(tok token) form {
	if t.kind != Atom {
		return unsaid
	}
	typ, mode := strings.ToLower(tok.attr("type")), strings.ToLower(tok.attr("mode"))
	switch {
	case mode == "base64":
		return encoded
	case typ == "" && mode == "":
		return untyped
	case typ == "html", strings.HasPrefix(typ, "text/html"):
		return markup
	case strings.HasSuffix(typ, "html"), strings.HasPrefix(typ, "application/xhtml"), strings.HasSuffix(typ, "xml"):
		return markup
	case typ == "text", strings.HasPrefix(typ, "text/"):
		return plain
	case typ == "":
		return untyped
	}
	return encoded // media types that are no text come in base64 (RFC 4287 §4.1.3.3)
}
