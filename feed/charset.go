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

// declaredEncoding finds the encoding in an XML declaration or in the meta element of a page.
var declaredEncoding = regexp.MustCompile(
	`(?i)(?:<\?xml[^>]*\sencoding|<meta[^>]*charset)\s*=\s*["']?\s*([A-Za-z0-9._:-]+)`)

// decode converts a document to clean UTF-8. It tries in this order: byte order mark, UTF-16 and UTF-32 by their zero
// bytes, the HTTP charset, the declaration, UTF-8, detection. It ignores a declaration that the bytes disprove.
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
		repairs = append(repairs, string(digest.Words("control characters, which we removed")))
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
			return string(body), string(digest.Words("wrong charset declared; the text is UTF-8"))
		}
		return string(body), ""
	}
	if e := detect(body); e != nil {
		return decodeWith(e, body), string(digest.Words("charset missing or wrong, so we guessed it"))
	}
	return mendUTF8(body), string(digest.Words("invalid UTF-8, which we read as windows-1252"))
}

// byteOrder recognises UTF-16 and UTF-32 by a byte order mark, or by the zero bytes around the first '<'. It returns
// the length of the mark.
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

// zeroAgain reports whether the next character has the zero byte of mark too. Otherwise the zero byte is a stray one.
func zeroAgain(b []byte, mark string) bool {
	next := strings.IndexByte(mark, 0) + 2
	return len(mark) == 4 || next < len(b) && b[next] == 0
}

// declaredCharsets returns the charsets that the header and the document declare, in that order; encoding.Nop means
// UTF-8. It skips unknown names, and UTF-16, which byteOrder has already excluded.
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

// charsetNamed returns the charset with a name that occurs in feeds; nil: unknown.
func charsetNamed(name string) encoding.Encoding {
	name = strings.ToLower(strings.Trim(name, " \"'"))
	name = strings.ReplaceAll(name, "_", "-")
	if squeezed := strings.ReplaceAll(name, "-", ""); strings.HasPrefix(squeezed, "iso8859") {
		name = "iso-8859-" + squeezed[len("iso8859"):]
	} else if strings.HasPrefix(squeezed, "windows125") || strings.HasPrefix(squeezed, "cp125") {
		name = "windows-" + squeezed[strings.Index(squeezed, "125"):]
	}
	_, canonical := charset.Lookup(name)
	e, err := htmlindex.Get(canonical) // the encoding that Lookup returns hides its type
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

// disproves reports whether valid UTF-8 cannot be text in the single-byte encoding e: bytes above ASCII hardly ever
// form UTF-8 by chance.
func disproves(body []byte, e encoding.Encoding) bool {
	if _, single := e.(*charmap.Charmap); !single {
		return false
	}
	return slices.ContainsFunc(body, func(c byte) bool { return c >= 0x80 })
}

// plausible reports whether decoding succeeded: at most one in fifty characters above ASCII is a replacement
// character.
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

// mendUTF8 keeps valid UTF-8 and reads every other byte as windows-1252.
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

func windows1252(c byte) rune { return charmap.Windows1252.DecodeByte(c) }

// cleanText removes NUL and other control characters that no text may contain. It reads C1 controls as windows-1252,
// because in feeds they always are.
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
