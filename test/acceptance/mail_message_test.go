package acceptance

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A parcel is a parsed message as the server received it.
type parcel struct {
	id, addressee, subject string
	date                   time.Time
	header                 mail.Header
	text, html             string
	posts                  map[string]bool
	signed                 bool
}

var counted = regexp.MustCompile(`(\d+) posts? from`)

func examine(raw []byte, keys keyring) (p parcel, problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return p, []string{"it cannot be read: " + err.Error()}
	}
	p.header, p.id = m.Header, m.Header.Get("Message-Id")
	p.subject, _ = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if p.date, err = m.Header.Date(); err != nil {
		bad("its date: %v", err)
	}
	if to, err := m.Header.AddressList("To"); err != nil || len(to) != 1 {
		bad("To: %q: %v", m.Header.Get("To"), err)
	} else {
		p.addressee = to[0].Address
	}
	for _, name := range []string{"From", "Message-Id", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"} {
		if len(m.Header[name]) != 1 {
			bad("%d fields %s", len(m.Header[name]), name)
		}
	}
	if err := p.open(m); err != nil {
		bad("%v", err)
	}
	if !strings.HasSuffix(strings.TrimSpace(p.html), "</html>") {
		bad("the HTML does not end")
	}
	p.posts = links(p.text)
	if inHTML := links(p.html); !maps.Equal(inHTML, p.posts) {
		bad("the HTML links to %d posts, the text to %d", len(inHTML), len(p.posts))
	}
	if n := counted.FindStringSubmatch(p.subject); n != nil && n[1] != strconv.Itoa(len(p.posts)) {
		bad("%q links to %d posts", p.subject, len(p.posts))
	}
	leave, _, _ := strings.Cut(strings.TrimPrefix(m.Header.Get("List-Unsubscribe"), "<"), ">")
	if leave == "" || !strings.Contains(p.text, leave) {
		bad("the text does not say how to leave")
	}
	if p.signed, err = verify(raw, keys); err != nil {
		bad("its signature: %v", err)
	}
	return p, problems
}

func (p *parcel) open(m *mail.Message) error {
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return fmt.Errorf("Content-Type %q: %w", m.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("its parts: %w", err)
		}
		var body io.Reader = part
		switch part.Header.Get("Content-Transfer-Encoding") {
		case "quoted-printable":
			body = quotedprintable.NewReader(part)
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, part)
		}
		content, err := io.ReadAll(body)
		if err != nil {
			return fmt.Errorf("a part: %w", err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			p.html = string(content)
		} else {
			p.text = string(content)
		}
	}
}

// A keyring maps the names of DNS records to keys.
type keyring map[string]*rsa.PublicKey

func (k keyring) add(name, value string) error {
	der, err := base64.StdEncoding.DecodeString(tags(value)["p"])
	if err != nil {
		return err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return err
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return fmt.Errorf("%T is no RSA key", key)
	}
	k[strings.TrimSuffix(name, ".")] = public
	return nil
}

func tags(list string) map[string]string {
	all := map[string]string{}
	for tag := range strings.SplitSeq(list, ";") {
		name, value, _ := strings.Cut(tag, "=")
		all[strings.TrimSpace(name)] = strings.Join(strings.Fields(value), "")
	}
	return all
}

// verify checks the DKIM signatures of a message (RFC 6376, only relaxed/relaxed and rsa-sha256). A message without a
// signature is no error.
func verify(raw []byte, keys keyring) (signed bool, err error) {
	head, body, _ := strings.Cut(string(raw), "\r\n\r\n")
	fields := unfold(head)
	for _, f := range fields {
		if name, value, _ := strings.Cut(f, ":"); strings.EqualFold(strings.TrimSpace(name), "DKIM-Signature") {
			signed = true
			if err := verifyOne(fields, f, tags(value), body, keys); err != nil {
				return true, err
			}
		}
	}
	return signed, nil
}

// unfold splits a header into its fields, with their line breaks.
func unfold(head string) (fields []string) {
	for _, line := range strings.Split(head, "\r\n") {
		if len(fields) > 0 && line != "" && strings.ContainsRune(" \t", rune(line[0])) {
			fields[len(fields)-1] += "\r\n" + line
		} else {
			fields = append(fields, line)
		}
	}
	return fields
}

var blanks = regexp.MustCompile(`[ \t]+`)

// relaxed returns the canonical form of a field (§3.4.2).
func relaxed(field string) string {
	name, value, _ := strings.Cut(field, ":")
	value = blanks.ReplaceAllString(strings.ReplaceAll(value, "\r\n", ""), " ")
	return strings.ToLower(strings.TrimSpace(name)) + ":" + strings.TrimSpace(value)
}

// relaxedBody returns the canonical form of the body (§3.4.4).
func relaxedBody(body string) string {
	lines := strings.Split(body, "\r\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(blanks.ReplaceAllString(line, " "), " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\r\n") + "\r\n"
}

var signatureValue = regexp.MustCompile(`([;:][ \t\r\n]*b[ \t\r\n]*=)[^;]*`)

func verifyOne(fields []string, signature string, t map[string]string, body string, keys keyring) error {
	if t["v"] != "1" || t["a"] != "rsa-sha256" || t["c"] != "relaxed/relaxed" || t["l"] != "" {
		return fmt.Errorf("v=%s a=%s c=%s l=%s", t["v"], t["a"], t["c"], t["l"])
	}
	key := keys[t["s"]+"._domainkey."+t["d"]]
	if key == nil {
		return fmt.Errorf("there is no key %s of %s", t["s"], t["d"])
	}
	if hash := sha256.Sum256([]byte(relaxedBody(body))); t["bh"] != base64.StdEncoding.EncodeToString(hash[:]) {
		return errors.New("the body is another")
	}
	left := map[string][]string{}
	for _, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		left[name] = append(left[name], f)
	}
	var signed strings.Builder
	for name := range strings.SplitSeq(t["h"], ":") {
		name = strings.ToLower(name)
		if n := len(left[name]); n > 0 { // from the last upwards; absent fields count as empty (§5.4.2)
			signed.WriteString(relaxed(left[name][n-1]) + "\r\n")
			left[name] = left[name][:n-1]
		}
	}
	signed.WriteString(relaxed(signatureValue.ReplaceAllString(signature, "$1")))
	hash := sha256.Sum256([]byte(signed.String()))
	value, err := base64.StdEncoding.DecodeString(t["b"])
	if err != nil {
		return err
	}
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, hash[:], value)
}
