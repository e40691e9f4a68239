package mailer

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const (
	mostColumns     = 78 // of a line (RFC 5322 §2.1.1)
	mostWordColumns = 76 // of a line with encoded words, which have at most 75 columns (RFC 2047 §2)
)

// field returns a header field whose value is text. It puts the first word on the first line, because some programs
// show a line break after the colon as a space.
func field(name, text string) string {
	if isASCII(text) {
		return name + ": " + folded(text, mostColumns-len(name+": ")) + "\r\n"
	}
	return name + ": " + strings.Join(encodedWords(text, mostWordColumns-len(name+": ")), "\r\n ") + "\r\n"
}

// folded breaks ASCII text between words into lines. The first line has room columns.
func folded(text string, room int) string {
	var b strings.Builder
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case len(word)+1 > room:
			b.WriteString("\r\n ")
			room = mostColumns - 1
		default:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(word)
		room -= len(word)
	}
	return b.String()
}

// encodedWords encodes text as encoded words of whole characters, in the shorter of the two encodings. The first
// word has room columns, and each other word has its own line.
func encodedWords(text string, room int) (words []string) {
	encode := encodedB
	if len(encodedQ(text)) < len(encodedB(text)) {
		encode = encodedQ
	}
	begin := 0
	for i, r := range text {
		if end := i + len(string(r)); i > begin && len(encode(text[begin:end])) > room {
			words = append(words, encode(text[begin:i]))
			begin, room = i, mostWordColumns-1
		}
	}
	return append(words, encode(text[begin:]))
}

func encodedB(text string) string {
	return "=?utf-8?B?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

func encodedQ(text string) string {
	const upperHex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString("=?utf-8?Q?")
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteByte('_')
		case c > ' ' && c < 0x7f && strings.IndexByte(`=?_"(),.:;<>@[\]`, c) < 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'=', upperHex[c>>4], upperHex[c&15]})
		}
	}
	return b.String() + "?="
}

// toField returns the To field for the one recipient. It does not encode a local part that is not ASCII (RFC 6532
// §3.2).
func toField(address string) (string, error) {
	a, err := parseAddress(address)
	if err != nil {
		return "", fmt.Errorf("to: %w", err)
	}
	return "To: <" + bare(a) + ">\r\n", nil
}

// needsUTF8 reports whether mail to an address needs SMTPUTF8 (RFC 6531).
func needsUTF8(address string) bool { return !isASCII(address) }
