package mailer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
)

// Text in other scripts than Latin is up to twice as long in quoted-printable as in base64 (RFC 2045 §6.8).

// isShorterInBase64 reports whether base64 makes an encoded part shorter by more than a tenth.
func (p part) isShorterInBase64() bool {
	coded, escaped, soft := 0, 0, 0
	for _, block := range p.encoded {
		coded += len(block)
		escaped += strings.Count(block, "=")
		soft += strings.Count(block, "=\r\n")
	}
	plain := coded - 2*(escaped-soft) - 3*soft
	return coded > 0 && 10*base64Length(plain) < 9*coded
}

func base64Length(plain int) int {
	n := base64.StdEncoding.EncodedLen(plain)
	return n + 2*(n/base64Line+1)
}

// base64Line is the maximum length of a line (RFC 2045 §6.8).
const base64Line = 76

func (p part) writeBase64(b *bytes.Buffer) error {
	var blocks []io.Reader
	for _, block := range p.encoded {
		blocks = append(blocks, strings.NewReader(block))
	}
	text, err := io.ReadAll(quotedprintable.NewReader(io.MultiReader(blocks...)))
	if err != nil {
		return fmt.Errorf("decoding a part: %w", err)
	}
	fmt.Fprintf(b, "Content-Type: %s\r\nContent-Transfer-Encoding: base64\r\n\r\n", p.kind)
	coded := base64.StdEncoding.EncodeToString(text)
	for len(coded) > base64Line {
		b.WriteString(coded[:base64Line] + "\r\n")
		coded = coded[base64Line:]
	}
	b.WriteString(coded + "\r\n")
	return nil
}
