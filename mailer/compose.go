package mailer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"digest"
)

const (
	maxLine    = 998 // octets without CRLF (RFC 5322 §2.1.1)
	maxSubject = 200 // characters; lists of emails show fewer
)

// Compose returns the complete message with CRLF line ends and no line over 998 octets. The message is 7 bit, unless
// the recipient's address is not. Equal letters give equal bytes. The error is a *NotAcceptedError at StageCompose,
// because a retry cannot succeed.
//
// go-mail writes most of the header. This package writes the body, because go-mail cannot accept a body that is already
// encoded.
func Compose(l Letter) ([]byte, error) {
	const header = 2048 // approximate size of everything except the bodies
	text, html := l.parts()
	b := bytes.NewBuffer(make([]byte, 0, header+text.room()+html.room()))
	err := writeHeader(b, l)
	if err == nil {
		err = writeBody(b, l)
	}
	if err == nil {
		err = checkMessage(b.Bytes(), needsUTF8(l.To))
	}
	if err != nil {
		return nil, &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	return b.Bytes(), nil
}

func writeHeader(b *bytes.Buffer, l Letter) error {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := setAddresses(msg, l); err != nil {
		return err
	}
	if err := token("Message-ID", l.MessageID); err != nil {
		return err
	}
	if l.Date.IsZero() {
		return errors.New("the message has no date")
	}
	msg.SetMessageIDWithValue(l.MessageID)
	msg.SetDateWithValue(l.Date)
	if l.Personal {
		msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	} else {
		msg.SetBulk()
	}
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834 §5
	if err := setListID(msg, l); err != nil {
		return err
	}
	to, err := toField(l.To)
	if err != nil {
		return err
	}
	if _, err := msg.WriteTo(b); err != nil {
		return err
	}
	b.WriteString(to + field("Subject", subject(l.Subject)))
	return writeWhole(b, l)
}

func setAddresses(msg *gomail.Msg, l Letter) error {
	for _, f := range []struct {
		field gomail.AddrHeader
		name  string
		value string
	}{{gomail.HeaderFrom, "from", l.From}, {gomail.HeaderReplyTo, "reply-to", l.ReplyTo}} {
		if f.value == "" && f.field == gomail.HeaderReplyTo {
			continue
		}
		a, err := parseOwn(f.value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		msg.SetAddrHeaderFromMailAddress(f.field, a)
	}
	return nil
}

// setListID sets List-Id (RFC 2919 §3), which go-mail may fold between words.
func setListID(msg *gomail.Msg, l Letter) error {
	if l.ListID == "" {
		return nil
	}
	if err := token("List-Id", l.ListID); err != nil {
		return err
	}
	msg.SetGenHeader("List-Id", strings.TrimSpace(phrase(l.ListName)+" <"+l.ListID+">"))
	return nil
}

// writeWhole writes the fields that must not be folded within a value. go-mail folds long values after the colon or
// between two addresses, and some verifiers and mail programs fail on that. It writes unfolded fields in random order.
func writeWhole(b *bytes.Buffer, l Letter) (failed error) {
	write := func(name, value string, err error) {
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		b.WriteString(name + ": " + value + "\r\n")
	}
	if l.Language != "" { // RFC 3282
		write("Content-Language", l.Language, token("it", l.Language))
	}
	if l.Thread != "" { // refers to a message that was never sent, so that replies form one thread (RFC 5322 §3.6.4)
		write("References", "<"+l.Thread+">", token("it", l.Thread))
	}
	if l.HelpURL != "" {
		write("List-Help", "<"+l.HelpURL+">", webAddress(l.HelpURL))
	}
	if l.ArchiveURL != "" {
		write("List-Archive", "<"+l.ArchiveURL+">", webAddress(l.ArchiveURL))
	}
	if ways, err := unsubscribeWays(l); ways != "" || err != nil {
		write("List-Unsubscribe", ways, err)
	}
	if l.UnsubscribeURL != "" { // a POST to the address unsubscribes (RFC 8058 §3.1)
		write("List-Unsubscribe-Post", "List-Unsubscribe=One-Click", nil)
	}
	if l.ComplaintsTo != "" {
		value, err := complaintsTo(l.ComplaintsTo)
		write("CFBL-Address", value, err)
	}
	if l.FeedbackID != "" {
		write("Feedback-ID", l.FeedbackID, checkFeedbackID(l.FeedbackID))
	}
	return failed
}

// unsubscribeWays returns the value of List-Unsubscribe (RFC 2369 §3.2), with the preferred method first.
func unsubscribeWays(l Letter) (string, error) {
	var ways []string
	if l.UnsubscribeURL != "" {
		if err := webAddress(l.UnsubscribeURL); err != nil {
			return "", err
		}
		ways = append(ways, "<"+l.UnsubscribeURL+">")
	}
	if l.UnsubscribeMail != "" {
		address, err := Recipient(l.UnsubscribeMail)
		if err != nil {
			return "", err
		}
		ways = append(ways, "<mailto:"+mailtoEscape(address)+"?subject=unsubscribe>")
	}
	return strings.Join(ways, ", "), nil
}

// checkFeedbackID checks the format of Google's Feedback Loop: three identifiers and a sender ID of 5 to 15 characters.
func checkFeedbackID(id string) error {
	fields := strings.Split(id, ":")
	if len(fields) != 4 || len(fields[3]) < 5 || len(fields[3]) > 15 ||
		strings.ContainsFunc(strings.Join(fields, ""), notIdentifierRune) {
		return fmt.Errorf("%q is not of the form a:b:c:sender", id)
	}
	return nil
}

// unencoded breaks the beginnings of encoded words (RFC 2047 §2) in foreign text. Mail programs decode them even within
// quotes, to text that digest has not sanitised.
func unencoded(s string) string { return strings.ReplaceAll(digest.OneLine(s), "=?", "= ?") }

func subject(s string) string {
	s = unencoded(s)
	if r := []rune(s); len(r) > maxSubject {
		s = strings.TrimSpace(string(r[:maxSubject-1])) + "…"
	}
	return s
}

// phrase formats a display name (RFC 5322 §3.2.5).
func phrase(name string) string {
	name = unencoded(name)
	if r := []rune(name); len(r) > maxSubject {
		name = string(r[:maxSubject])
	}
	switch {
	case !isASCII(name):
		return mime.QEncoding.Encode("utf-8", name)
	case strings.ContainsAny(name, "()<>[]:;@\\,.\""):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	}
	return name
}

// writeBody writes the rest of the header and the parts, plain text first (RFC 2046 §5.1.4).
func writeBody(b *bytes.Buffer, l Letter) error {
	text, html := l.parts()
	switch {
	case html.room() == 0:
		return text.write(b)
	case text.room() == 0:
		return html.write(b)
	}
	boundary := boundary(l.MessageID)
	fmt.Fprintf(b, "Content-Type: multipart/alternative;\r\n boundary=\"%s\"\r\n\r\n--%s\r\n", boundary, boundary)
	if err := text.write(b); err != nil {
		return err
	}
	fmt.Fprintf(b, "--%s\r\n", boundary)
	if err := html.write(b); err != nil {
		return err
	}
	fmt.Fprintf(b, "--%s--\r\n", boundary)
	return nil
}

// flowed is the type of the text version (RFC 3676). A space at the end of a line joins it with the next one.
const flowed = "text/plain; charset=utf-8; format=flowed; delsp=yes"

// A part is the text or the HTML of a letter. It is plain or already encoded.
type part struct {
	kind, plain string
	encoded     []string
}

func (l Letter) parts() (text, html part) {
	return part{flowed, l.Text, l.Encoded.Text}, part{"text/html; charset=utf-8", l.HTML, l.Encoded.HTML}
}

// room estimates the size of the part in a message, in bytes. 0 means that there is no part.
func (p part) room() int {
	n := len(p.plain) + len(p.plain)/8
	for _, block := range p.encoded {
		n += len(block)
	}
	return n
}

func (p part) write(b *bytes.Buffer) error {
	if p.isShorterInBase64() {
		return p.writeBase64(b)
	}
	fmt.Fprintf(b, "Content-Type: %s\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", p.kind)
	for _, block := range p.encoded {
		b.WriteString(block)
	}
	if err := encode(b, p.plain); err != nil {
		return err
	}
	if !bytes.HasSuffix(b.Bytes(), []byte("\r\n")) {
		b.WriteString("\r\n")
	}
	return nil
}

// encode writes quoted-printable text and converts all line breaks to CRLF.
func encode(w io.Writer, body string) error {
	if strings.IndexByte(body, '\r') >= 0 {
		body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	}
	q := quotedprintable.NewWriter(w)
	if _, err := io.WriteString(q, body); err != nil {
		return err
	}
	return q.Close()
}

// boundary returns a boundary that cannot occur in a part, because quoted-printable never contains "=_" (RFC 2045
// §6.7).
func boundary(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return "=_" + hex.EncodeToString(sum[:12])
}

// checkMessage rejects bytes that other mail servers may interpret differently: a bare CR or LF (message smuggling),
// NUL, an octet over 127, or a long line. With SMTPUTF8, octets over 127 must form valid UTF-8.
func checkMessage(message []byte, utf8Allowed bool) error {
	lines := 0
	for rest := message; len(rest) > 0; lines++ {
		i := bytes.IndexByte(rest, '\n')
		if i < 1 || rest[i-1] != '\r' {
			return fmt.Errorf("line %d of the message does not end with CRLF", lines+1)
		}
		if i-1 > maxLine {
			return fmt.Errorf("line %d of the message is %d octets long, %d at most", lines+1, i-1, maxLine)
		}
		rest = rest[i+1:]
	}
	switch {
	case bytes.Count(message, []byte("\r")) != lines:
		return errors.New("the message contains a bare CR")
	case bytes.IndexByte(message, 0) >= 0:
		return errors.New("the message contains a NUL")
	case utf8Allowed && !utf8.Valid(message):
		return errors.New("the message contains bytes that are not UTF-8")
	case !utf8Allowed && !isSevenBit(message):
		return errors.New("the message contains bytes over 127")
	}
	return nil
}

func isSevenBit(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
