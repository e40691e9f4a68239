package feed

import (
	"fmt"
	"strings"

	"digest"
)

// ReadList reads a file that a person says is a subscription list. It is found
// wherever it stands: without its root, behind other words, in the page that a
// browser has saved of it. An error is a *digest.Error that says what the file is.
func ReadList(body []byte) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = nil, notList("a file that cannot be read", fmt.Errorf("panic: %v", r))
		}
	}()
	text, repairs := decode(body, "")
	at := beginOfList(text)
	if at < 0 && strings.Contains(text, "&lt;outline") { // a page that shows its source
		text = decodeEntities(text)
		at = beginOfList(text)
	}
	if at < 0 {
		return nil, notList(whatInstead(text, body), nil)
	}
	before := strings.Count(text[:at], "\n")
	d = parseOPML(text[at:], "")
	for i := range d.Feeds {
		d.Feeds[i].Line += before
	}
	for i := range d.BadLines {
		d.BadLines[i].Line += before
	}
	if n := len(d.BadLines); indexFold(text[at:], "</opml") < 0 && (n == 0 || d.BadLines[n-1].Why != endsInLine) {
		d.BadLines = append(d.BadLines, BadLine{Line: before + 1 + strings.Count(strings.TrimSpace(text[at:]), "\n"),
			Why: "the file ends before the list does; what stood behind is missing"})
	}
	d.Repairs = append(repairs, d.Repairs...)
	return d, nil
}

// beginOfList is where the root of a list stands, else its first outline; -1 if
// there is none.
func beginOfList(text string) int {
	if at := indexFold(text, "<opml"); at >= 0 {
		return at
	}
	return indexFold(text, "<outline")
}

// whatInstead says what a file is that holds no list.
func whatInstead(text string, body []byte) string {
	trimmed := strings.TrimLeft(text, " \t\r\n\uFEFF")
	if trimmed == "" {
		return "an empty file"
	}
	if trimmed[0] == '{' {
		return "a file in JSON"
	}
	root, kind, found := findRoot(trimmed, false)
	switch {
	case !found:
		return whatElse(body, trimmed)
	case kind == HTML:
		return "a web page"
	case kind != "":
		return "a feed (subscribe to it by its address)"
	}
	return fmt.Sprintf("XML whose root is <%s>", shorten(root.name, maxRootName))
}

func notList(found string, err error) error {
	return &digest.Error{Kind: digest.Invalid, Message: "not a subscription list (OPML) but " + found, Err: err}
}
