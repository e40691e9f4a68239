package feed

import (
	"bytes"
	"mime"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"digest"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// declaredEncoding finds the encoding in an XML declaration, or in the meta
// element of a page, near the beginning.
var declaredEncoding = regexp.MustCompile(
	`(?i)(?:<\?xml[^>]*\sencoding|<meta[^>]*charset)\s*=\s*["']?\s*([A-Za-z0-9._:-]+)`)

// decode makes clean UTF-8 of a document. The order is: byte order mark, UTF-16
// and UTF-32 by their zero bytes, the HTTP charset, the declaration, UTF-8,
// detection. A declaration that the bytes disprove is not believed.
func decode(body []byte, contentType string) (string, []string) {
	text, repair := decodeBytes(body, contentType)
	repairs := []string(nil)
	if repair != "" {
		repairs = append(repairs, repair)
	}
	if once, certain := decodeTwice(text); certain {
		text = once
		repairs = append(repairs, string(digest.Words("double-encoded UTF-8")))
	}
	clean := cleanText(text)
	if len(clean) != len(text) {
		repairs = append(repairs, string(digest.Words("control characters removed")))
	}
	return clean, repairs
}

func decodeBytes(body []byte, contentType string) (text, repair string) {
	if e, n := byteOrder(body); e != nil {
		return decodeWith(e, body[n:]), ""
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	declared := declaredCharsets(body, contentType)
	valid := utf8.Valid(body)
	for _, e := range declared {
		if e == encoding.Nop && valid {
			return string(body), ""
		}
		if e == encoding.Nop || valid && disproves(body, e) {
			continue
		}
		if text := decodeWith(e, body); plausible(text) {
			return text, ""
		}
	}
	if valid {
		if len(declared) > 0 {
			return string(body), string(digest.Words("wrong charset declared: the text is UTF-8"))
		}
		return string(body), ""
	}
	if e := detect(body); e != nil {
		return decodeWith(e, body), string(digest.Words("charset detected"))
	}
	return mendUTF8(body), string(digest.Words("invalid UTF-8 read as windows-1252"))
}

// byteOrder recognises UTF-16 and UTF-32 by a byte order mark, whose length it
// gives, or by the zero bytes around the first '<'.
func byteOrder(b []byte) (encoding.Encoding, int) {
	le32 := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	be32 := utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	le16 := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	be16 := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, mark := range []struct {
		bytes    string
		encoding encoding.Encoding
		skip     int
	}{
		{"\xFF\xFE\x00\x00", le32, 4}, {"\x00\x00\xFE\xFF", be32, 4},
		{"\xFF\xFE", le16, 2}, {"\xFE\xFF", be16, 2},
		{"<\x00\x00\x00", le32, 0}, {"\x00\x00\x00<", be32, 0},
		{"<\x00", le16, 0}, {"\x00<", be16, 0},
		{"{\x00", le16, 0}, {"\x00{", be16, 0},
	} {
		if bytes.HasPrefix(b, []byte(mark.bytes)) && (mark.skip > 0 || zeroAgain(b, mark.bytes)) {
			return mark.encoding, mark.skip
		}
	}
	return nil, 0
}

// zeroAgain reports whether the zero byte of a mark stands beside the next character too:
// else it is one that strayed into the document.
func zeroAgain(b []byte, mark string) bool {
	next := strings.IndexByte(mark, 0) + 2
	return len(mark) == 4 || next < len(b) && b[next] == 0
}

// declaredCharsets gives the charsets that the header and the document name,
// in that order; encoding.Nop stands for UTF-8. Names that mean nothing, and
// UTF-16 (already ruled out by byteOrder), are left out.
func declaredCharsets(body []byte, contentType string) []encoding.Encoding {
	var found []encoding.Encoding
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if e := charsetNamed(params["charset"]); e != nil {
			found = append(found, e)
		}
	}
	if m := declaredEncoding.FindSubmatch(body[:min(len(body), 2048)]); m != nil {
		if e := charsetNamed(string(m[1])); e != nil {
			found = append(found, e)
		}
	}
	return found
}

// charsetNamed looks a charset up by the names that occur, nil for none.
func charsetNamed(name string) encoding.Encoding {
	name = strings.ToLower(strings.Trim(name, " \"'"))
	name = strings.ReplaceAll(name, "_", "-")
	if squeezed := strings.ReplaceAll(name, "-", ""); strings.HasPrefix(squeezed, "iso8859") {
		name = "iso-8859-" + squeezed[len("iso8859"):]
	} else if strings.HasPrefix(squeezed, "windows125") || strings.HasPrefix(squeezed, "cp125") {
		name = "windows-" + squeezed[strings.Index(squeezed, "125"):]
	}
	_, canonical := charset.Lookup(name)
	e, err := htmlindex.Get(canonical) // Lookup's own hides what it is
	switch {
	case canonical == "utf-8" || strings.HasPrefix(name, "utf8") || strings.HasPrefix(name, "utf-8"):
		return encoding.Nop
	case err != nil, strings.HasPrefix(canonical, "utf-16"), canonical == "replacement", canonical == "x-user-defined":
		return nil
	case canonical == "gbk":
		return simplifiedchinese.GB18030
	}
	return e
}

// disproves reports whether valid UTF-8 cannot be what the single-byte
// encoding e says: bytes above ASCII hardly ever form UTF-8 by chance.
func disproves(body []byte, e encoding.Encoding) bool {
	if _, single := e.(*charmap.Charmap); !single {
		return false
	}
	return slices.ContainsFunc(body, func(c byte) bool { return c >= 0x80 })
}

// plausible reports whether decoding went well: at most one character in fifty
// of those above ASCII could not be read.
func plausible(text string) bool {
	bad, high := 0, 0
	for _, r := range text {
		if r >= 0x80 {
			high++
		}
		if r == utf8.RuneError {
			bad++
		}
	}
	return bad*50 <= high
}

func decodeWith(e encoding.Encoding, body []byte) string {
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(text)
}

// mendUTF8 keeps what is UTF-8 and reads every other byte as windows-1252.
func mendUTF8(body []byte) string {
	var b strings.Builder
	b.Grow(len(body) + len(body)/8)
	for len(body) > 0 {
		r, n := utf8.DecodeRune(body)
		if r == utf8.RuneError && n == 1 {
			r = windows1252(body[0])
		}
		b.WriteRune(r)
		body = body[n:]
	}
	return b.String()
}

// windows1252 is the character of a byte in windows-1252.
func windows1252(c byte) rune { return charmap.Windows1252.DecodeByte(c) }

// cleanText drops what no text may hold (NUL and other controls), and reads C1
// controls as windows-1252, which is what they always are.
func cleanText(s string) string {
	if !needsCleaning(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r >= 0x80 && r < 0xA0:
			b.WriteRune(windows1252(byte(r)))
		case isTextRune(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func needsCleaning(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r':
			return true
		case c == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0:
			return true
		case c == 0xEF && i+2 < len(s) && s[i+1] == 0xBF && s[i+2] >= 0xBE:
			return true
		}
	}
	return false
}
