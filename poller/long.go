package poller

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// shorten reads the rest of a document of more than most bytes. It returns the posts at both ends, because the newest
// are there, as many as fit into the memory that the document has already. body is its beginning. shorten drops the
// other bytes as they pass. For JSON it returns the posts at the beginning.
func (b *bodyReader) shorten(body []byte, r io.Reader, most int64, tooLarge error) ([]byte, error) {
	var cut cutter
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(body[:most], []byte("\uFEFF"))), []byte("{")) {
		cut = cutJSON(body[:most])
	} else {
		cut = cutXML(body[:most])
	}
	if cut.end == 0 {
		return nil, sizeError(most)
	}
	total := int64(len(body))
	tail := body[most/2:]
	if cut.item == "" {
		tail = make([]byte, firstRoom)
	}
	next := 0 // index of the oldest byte of tail
	for {
		n, err := r.Read(tail[next:])
		next = (next + n) % len(tail)
		switch total += int64(n); {
		case total > b.long:
			return nil, tooLarge
		case errors.Is(err, io.EOF):
			b.shortened = true
			if cut.item == "" {
				return append(body[:cut.end], "]}"...), nil
			}
			rotate(tail, next)
			return append(body[:cut.end], cut.from(tail)...), nil
		case err != nil:
			return nil, err
		}
	}
}

// A cutter says where a document can be cut between two posts.
type cutter struct {
	end  int    // end of the last whole post in the first half; 0: none ends there
	item string // the name of a post's element; "": the document is JSON
}

// cutXML finds the last end of an item or entry in the first half of a document's beginning.
func cutXML(beginning []byte) cutter {
	for rest := beginning; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return cutter{}
		}
		rest = rest[i+1:]
		length := bytes.IndexAny(rest[:min(len(rest), 64)], " \t\r\n/>")
		if length <= 0 {
			continue
		}
		name := rest[:length]
		switch string(name[bytes.IndexByte(name, ':')+1:]) {
		case "item", "entry":
			end := "</" + string(name) + ">"
			if at := bytes.LastIndex(beginning[:len(beginning)/2], []byte(end)); at >= 0 {
				return cutter{end: at + len(end), item: string(name)}
			}
			return cutter{}
		}
	}
}

// from returns the end of a document from the first post that begins in it.
func (c cutter) from(tail []byte) []byte {
	begin := []byte("<" + c.item)
	for {
		at := bytes.Index(tail, begin)
		if at < 0 || at+len(begin) == len(tail) {
			return nil
		}
		if bytes.IndexByte([]byte(" \t\r\n/>"), tail[at+len(begin)]) >= 0 {
			return tail[at:]
		}
		tail = tail[at+len(begin):]
	}
}

// cutJSON finds the last end of an object in an array of the outermost object.
func cutJSON(beginning []byte) (c cutter) {
	var open []byte // the outermost brackets that are open
	depth, inText := 0, false
	for i := 0; i < len(beginning); i++ {
		switch ch := beginning[i]; {
		case inText && ch == '\\':
			i++
		case ch == '"':
			inText = !inText
		case inText:
		case ch == '{', ch == '[':
			if depth++; depth <= 2 {
				open = append(open[:depth-1], ch)
			}
		case ch == '}', ch == ']':
			if depth--; depth == 2 && ch == '}' && string(open) == "{[" {
				c.end = i + 1
			}
			if depth <= 0 {
				return cutter{}
			}
		}
	}
	return c
}

// rotate moves the first n bytes to the end, in place.
func rotate(b []byte, n int) {
	slices.Reverse(b[:n])
	slices.Reverse(b[n:])
	slices.Reverse(b)
}

func isSize(err error) bool {
	_, ok := errors.AsType[sizeError](err)
	return ok
}
