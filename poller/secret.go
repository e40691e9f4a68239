package poller

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// leastSecret is the length in bytes from which withoutSecret also removes the path or query of a secret
// address without its host. A shorter text may be something else.
const leastSecret = 16

// withoutSecret removes the secret address of a feed from a document. It replaces "host/path" by "host/", and
// removes the path or the query where they appear alone. It finds the address in every form that a decoder undoes.
func withoutSecret(document []byte, address string) []byte {
	_, secret, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(secret, "/")
	if path == "" {
		return document
	}
	document = replaceWritten(document, secret, host+"/")
	_, query, _ := strings.Cut(path, "?")
	for _, part := range []string{path, query} {
		if len(part) >= leastSecret {
			document = replaceWritten(document, part, "")
		}
	}
	return document
}

// replaceWritten replaces a text in a document, in all forms that a decoder undoes. Its time is proportional to the
// document, however long the text is and however often its beginning appears.
func replaceWritten(document []byte, text, instead string) []byte {
	s := newStream(text)
	var result []byte
	kept := 0 // bytes of the document that are copied or replaced so far
	decode(document, func(c written) {
		if s.ends(c) {
			result = append(append(result, document[kept:s.begin()]...), instead...)
			kept, s.matched = c.to, 0
		}
	})
	if kept == 0 {
		return document
	}
	return append(result, document[kept:]...)
}

// A stream searches for a text byte by byte (Knuth, Morris and Pratt).
type stream struct {
	text    []byte // decoded
	shorter []int  // by length of a match: the next shorter beginning of the text that also ends there
	matched int    // bytes of the text that match up to the latest byte
	from    []int  // a ring: where each of the latest bytes begins in the document
	seen    int
}

func newStream(text string) *stream {
	s := &stream{}
	decode([]byte(text), func(c written) { s.text = append(s.text, c.meant) })
	s.shorter, s.from = make([]int, len(s.text)+1), make([]int, len(s.text))
	for i, n := 1, 0; i < len(s.text); i++ {
		n = s.extended(n, s.text[i])
		s.shorter[i+1] = n
	}
	return s
}

// extended returns the length of the match after a byte that follows a match of n bytes.
func (s *stream) extended(n int, next byte) int {
	for n == len(s.text) || s.text[n] != next {
		if n == 0 {
			return 0
		}
		n = s.shorter[n]
	}
	return n + 1
}

// ends adds the next byte, and reports whether the text ends with it.
func (s *stream) ends(c written) bool {
	s.from[s.seen%len(s.from)] = c.from
	s.seen++
	s.matched = s.extended(s.matched, c.meant)
	return s.matched == len(s.text)
}

// begin returns where the complete match begins in the document.
func (s *stream) begin() int { return s.from[s.seen%len(s.from)] }

// A written is a decoded byte, and its place [from:to] in the document, where it may be an escape.
type written struct {
	meant    byte
	from, to int
}

// longestEscape is the length in bytes of the longest escape that a decoder undoes, such as &#x10FFFF;
const longestEscape = 12

// A decoder undoes the forms in which programs write an address into a document: percent-encoding, HTML character
// references, JSON escapes, and each of these within another.
type decoder struct {
	give func(written)
	tail []written // the latest bytes, which the next byte may complete to an escape
}

func decode(text []byte, give func(written)) {
	d := &decoder{give: give, tail: make([]written, 0, 2*longestEscape)}
	for i, c := range text {
		d.add(written{c, i, i + 1})
	}
	for _, c := range d.tail {
		give(c)
	}
}

// add decodes the next byte. If it ends an escape, the decoded bytes replace the escape.
func (d *decoder) add(c written) {
	if n := len(d.tail); n > 0 && d.tail[n-1].meant == '\\' && c.meant != 'u' {
		c.from, d.tail = d.tail[n-1].from, d.tail[:n-1]
	}
	if d.tail = append(d.tail, c); len(d.tail) == cap(d.tail) {
		for _, c := range d.tail[:longestEscape] {
			d.give(c)
		}
		d.tail = d.tail[:copy(d.tail, d.tail[longestEscape:])]
	}
	length, meant := d.escape()
	if length == 0 {
		return
	}
	start := len(d.tail) - length
	from := d.tail[start].from
	d.tail = d.tail[:start]
	for _, b := range meant {
		d.add(written{b, from, c.to})
	}
}

// escape returns the length of the escape at the end of the tail, and its decoded bytes. The length is 0 if the
// tail ends with no escape.
func (d *decoder) escape() (length int, meant []byte) {
	n := len(d.tail)
	switch {
	case d.tail[n-1].meant == ';':
		for at := n - 2; at >= max(0, n-longestEscape); at-- {
			if d.tail[at].meant == '&' {
				if meant = reference(d.text(at+1, n-1)); meant == nil {
					return 0, nil
				}
				return n - at, meant
			}
		}
	case n >= 3 && d.tail[n-3].meant == '%':
		if b, err := strconv.ParseUint(d.text(n-2, n), 16, 8); err == nil {
			return 3, []byte{byte(b)}
		}
	case n >= 6 && d.tail[n-5].meant == 'u' && d.tail[n-6].meant == '\\':
		if r, err := strconv.ParseUint(d.text(n-4, n), 16, 16); err == nil {
			return 6, utf8.AppendRune(nil, rune(r))
		}
	}
	return 0, nil
}

func (d *decoder) text(from, to int) string {
	var b [longestEscape]byte
	for i, c := range d.tail[from:to] {
		b[i] = c.meant
	}
	return string(b[:to-from])
}

// reference decodes a character reference. It returns nil for a name that addresses do not need.
func reference(name string) []byte {
	switch name {
	case "amp":
		return []byte("&")
	case "lt":
		return []byte("<")
	case "gt":
		return []byte(">")
	case "quot":
		return []byte(`"`)
	case "apos":
		return []byte("'")
	}
	digits, numbered := strings.CutPrefix(name, "#")
	base := 10
	if hex := strings.TrimPrefix(strings.ToLower(digits), "x"); len(hex) < len(digits) {
		digits, base = hex, 16
	}
	r, err := strconv.ParseUint(digits, base, 21)
	if err != nil || !numbered {
		return nil
	}
	return utf8.AppendRune(nil, rune(r))
}
