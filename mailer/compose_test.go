package mailer

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"digest"
)

func sample() Letter {
	return Letter{
		From: "Daily Digest <digest@example.org>", To: "reader@example.net", ReplyTo: "help@example.org",
		Subject: "Friday 20 November: 12 posts from 7 sites",
		HTML:    "<!doctype html><p>Grüße, 世界 — " + strings.Repeat("a long line ", 200) + "</p>\n",
		Text:    "Grüße, 世界\n.a line that begins with a dot\ntrailing space \nlast",

		MessageID: "d.abcdefghijklmnopqrst@example.org",
		Date:      time.Date(2026, 11, 20, 0, 3, 0, 0, time.FixedZone("", 3600)),
		ListName:  "Daily Digest", ListID: "d7.digest.example.org",
		UnsubscribeURL:  "https://digest.example.org/u/" + strings.Repeat("x", 60),
		UnsubscribeMail: "bounces+" + strings.Repeat("y", 32) + "@digest.example.org",
		ArchiveURL:      "https://digest.example.org/n/kites/letters",
		HelpURL:         "https://digest.example.org/u/" + strings.Repeat("x", 60),
		FeedbackID:      "edition:d7:daily:digest-example",
		Thread:          "thread.abcdefghijklmnopqrst@example.org",
	}
}

func mustCompose(t testing.TB, m Letter) []byte {
	t.Helper()
	b, err := Compose(m)
	must(t, err)
	return b
}

func parse(t testing.TB, b []byte) *mail.Message {
	t.Helper()
	msg, err := mail.ReadMessage(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	return msg
}

func TestComposeHeader(t *testing.T) {
	msg := parse(t, mustCompose(t, sample()))
	want := map[string]string{
		"From":       `"Daily Digest" <digest@example.org>`,
		"To":         "<reader@example.net>",
		"Reply-To":   "<help@example.org>",
		"Subject":    "Friday 20 November: 12 posts from 7 sites",
		"Date":       "Fri, 20 Nov 2026 00:03:00 +0100",
		"Message-Id": "<d.abcdefghijklmnopqrst@example.org>",
		"List-Id":    "Daily Digest <d7.digest.example.org>",
		"List-Unsubscribe": "<" + sample().UnsubscribeURL + ">, <mailto:" + sample().UnsubscribeMail +
			"?subject=unsubscribe>",
		"List-Unsubscribe-Post":    "List-Unsubscribe=One-Click", // RFC 8058 §3.1, exactly
		"List-Help":                "<" + sample().HelpURL + ">",
		"List-Archive":             "<" + sample().ArchiveURL + ">",
		"Feedback-Id":              "edition:d7:daily:digest-example",
		"References":               "<thread.abcdefghijklmnopqrst@example.org>",
		"Auto-Submitted":           "auto-generated",
		"Precedence":               "bulk",
		"X-Auto-Response-Suppress": "All",
		"Mime-Version":             "1.0",
	}
	for name, value := range want {
		if got := msg.Header[name]; len(got) != 1 || got[0] != value {
			t.Errorf("%s: got %q, want one %q", name, got, value)
		}
	}
	for name := range msg.Header {
		if _, ok := want[name]; !ok && name != "Content-Type" {
			t.Errorf("the header %s has no business here", name)
		}
	}
}

func TestComposeParts(t *testing.T) {
	m := sample()
	for _, encoded := range []bool{false, true} {
		m := m
		if encoded {
			m.Encoded = Encoded{HTML: blocks(m.HTML), Text: blocks(m.Text)}
			m.HTML, m.Text = "", ""
		}
		msg := parse(t, mustCompose(t, m))
		kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
		if err != nil || kind != "multipart/alternative" {
			t.Fatalf("Content-Type %q, %v", kind, err)
		}
		parts := multipart.NewReader(msg.Body, params["boundary"])
		for _, want := range []struct{ kind, body string }{
			{"text/plain; charset=utf-8; format=flowed; delsp=yes", sample().Text}, // plain text first
			{"text/html; charset=utf-8", sample().HTML},
		} {
			p, err := parts.NextRawPart()
			must(t, err)
			if got := p.Header.Get("Content-Type"); got != want.kind {
				t.Errorf("Content-Type %q, want %q", got, want.kind)
			}
			if got := p.Header.Get("Content-Transfer-Encoding"); got != "quoted-printable" {
				t.Errorf("encoding %q", got)
			}
			body, err := io.ReadAll(quotedprintable.NewReader(p))
			got := strings.ReplaceAll(string(body), "\r\n", "\n")
			// The last line break before a boundary is part of the boundary (RFC 2046 §5.1.1).
			if err != nil || got != strings.TrimSuffix(want.body, "\n") {
				t.Errorf("encoded=%v: got %q, %v; want %q", encoded, got, err, want.body)
			}
		}
		if _, err := parts.NextPart(); err != io.EOF {
			t.Errorf("after the last part: %v", err)
		}
	}
}

// blocks encodes s as one block for each line.
func blocks(s string) []string { return strings.SplitAfter(quoted(s), "\r\n") }

func quoted(s string) string {
	var b bytes.Buffer
	q := quotedprintable.NewWriter(&b)
	io.WriteString(q, s)
	q.Close()
	return b.String()
}

func TestComposeOneBody(t *testing.T) {
	m := sample()
	m.HTML = ""
	msg := parse(t, mustCompose(t, m))
	if got := msg.Header.Get("Content-Type"); got != "text/plain; charset=utf-8; format=flowed; delsp=yes" {
		t.Errorf("Content-Type %q", got)
	}
}

// TestComposeIsDeterministic: a retry after a crash must produce the same bytes. Otherwise a receiver sees two
// messages.
func TestComposeIsDeterministic(t *testing.T) {
	first := mustCompose(t, sample())
	for range 20 {
		if again := mustCompose(t, sample()); !bytes.Equal(first, again) {
			t.Fatalf("differs:\n%s\n%s", first, again)
		}
	}
}

func TestComposeWire(t *testing.T) {
	b := mustCompose(t, sample())
	if !bytes.HasSuffix(b, []byte("\r\n")) {
		t.Error("does not end with CRLF")
	}
	for i, line := range strings.Split(string(b), "\r\n") {
		if strings.ContainsAny(line, "\r\n") {
			t.Errorf("line %d contains a bare CR or LF", i)
		}
		if len(line) > 78 && !strings.HasPrefix(line, "List-Unsubscribe:") && !strings.HasPrefix(line, "List-Help:") {
			t.Errorf("line %d is %d long: %q", i, len(line), line)
		}
		if !isASCII(line) {
			t.Errorf("line %d is not ASCII", i)
		}
	}
}

func TestComposeNeutralises(t *testing.T) {
	m := sample()
	m.Subject = "News\r\nBcc: all@example.org\r\n\r\n<script>" + strings.Repeat("x", 2000)
	m.ListName = "Lists; of: \"things\"\r\nX-Evil: 1"
	msg := parse(t, mustCompose(t, m))
	if msg.Header.Get("Bcc") != "" || msg.Header.Get("X-Evil") != "" {
		t.Errorf("a header was injected: %v", msg.Header)
	}
	if got := msg.Header.Get("List-Id"); got != `"Lists; of: \"things\" X-Evil: 1" <d7.digest.example.org>` {
		t.Errorf("List-Id %s", got)
	}
	m = sample()
	m.Subject, m.ListName = "金曜日 11月20日", "毎日の新聞"
	msg = parse(t, mustCompose(t, m))
	if got, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject")); err != nil || got != m.Subject {
		t.Errorf("subject %q, %v", got, err)
	}
}

func TestComposeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Letter){
		"no recipient":               func(m *Letter) { m.To = "" },
		"two recipients":             func(m *Letter) { m.To = "a@example.org, b@example.org" },
		"a sender beyond ASCII":      func(m *Letter) { m.From = "jörg@example.org" }, // needs SMTPUTF8 at each hop
		"no Message-ID":              func(m *Letter) { m.MessageID = "" },
		"no date":                    func(m *Letter) { m.Date = time.Time{} },
		"an address with a space":    func(m *Letter) { m.UnsubscribeURL = "https://example.org/a b" },
		"an address of another kind": func(m *Letter) { m.UnsubscribeURL = "javascript:alert(1)" },
		"an overlong address": func(m *Letter) {
			m.UnsubscribeURL = "https://example.org/" +
				strings.Repeat("x", 1000)
		},
		"an encoded body that is not": func(m *Letter) { m.Encoded.HTML, m.HTML = []string{m.HTML}, "" },
		"a mailbox with a name":       func(m *Letter) { m.UnsubscribeMail = "A <a@example.org>" },
		"help of another kind":        func(m *Letter) { m.HelpURL = "mailto:a@example.org" },
		"feedback of too few fields":  func(m *Letter) { m.FeedbackID = "a:b:sender" },
		"feedback of a short sender":  func(m *Letter) { m.FeedbackID = "a:b:c:us" },
		"feedback of a long sender":   func(m *Letter) { m.FeedbackID = "a:b:c:sixteen-letters-" },
		"a thread in brackets":        func(m *Letter) { m.Thread = "<a@b>" },
	} {
		m := sample()
		spoil(&m)
		b, err := Compose(m)
		e, ok := errors.AsType[*NotAcceptedError](err)
		if !ok || e.Verdict() != Refused || b != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestIDs: the IDs of editions and threads are the same each time, differ from each other, and fit into a header.
func TestIDs(t *testing.T) {
	signer := digest.NewSigner([]byte("0123456789abcdef"))
	for _, host := range []string{"", "localhost", "bücher.example", strings.Repeat("label.", 20) + "org",
		strings.Repeat("l", 63) + ".org", strings.Repeat("l", 63), "a b\r\n"} {
		seen := map[string]bool{}
		for i := range 4 {
			edition := MessageID(signer, 1+digest.EditionID(i%2), host)
			thread := threadID(signer, 1+digest.DigestID(i%2), asciiHost(host))
			for _, id := range []string{edition, thread} {
				seen[id] = true
				m := sample()
				m.MessageID = id
				if got := parse(t, mustCompose(t, m)).Header.Get("Message-Id"); got != "<"+id+">" || len(id) > 64 {
					t.Errorf("host %q: %q, header %q", host, id, got)
				}
			}
		}
		if len(seen) != 4 {
			t.Errorf("host %q: %d IDs, want 4", host, len(seen))
		}
	}
	shape := regexp.MustCompile(`^[a-z0-9]{5,15}$`)
	if a, b := senderID("example.org"), senderID("example.com"); a == b || !shape.MatchString(a) {
		t.Errorf("the sender IDs %s and %s", a, b)
	}
}

// TestComposeLeavesOut: empty fields produce no header field, and a message of no list has no list fields (P8).
func TestComposeLeavesOut(t *testing.T) {
	m := sample()
	m.ReplyTo, m.ListName, m.ListID, m.UnsubscribeURL, m.UnsubscribeMail, m.HelpURL, m.ArchiveURL, m.FeedbackID,
		m.Thread = "", "", "", "", "", "", "", "", ""
	for name := range parse(t, mustCompose(t, m)).Header {
		if strings.HasPrefix(name, "List-") || name == "Feedback-Id" || name == "References" || name == "Reply-To" {
			t.Errorf("there is a %s", name)
		}
	}
	m.UnsubscribeMail = "leave+x@example.org"
	header := parse(t, mustCompose(t, m)).Header
	if got := header.Get("List-Unsubscribe"); got != "<mailto:leave+x@example.org?subject=unsubscribe>" {
		t.Errorf("List-Unsubscribe %q", got)
	}
	if got := header.Get("List-Unsubscribe-Post"); got != "" { // there is no address to post to
		t.Errorf("List-Unsubscribe-Post %q", got)
	}
}

// TestComposeWhole: fields that programs parse stay on one line of any length.
func TestComposeWhole(t *testing.T) {
	m := sample()
	m.UnsubscribeURL = "https://digest.example.org/" + strings.Repeat("u", 700)
	m.HelpURL = "https://digest.example.org/" + strings.Repeat("h", 900)
	m.Thread = strings.Repeat("t", 100) + "@example.org"
	b := string(mustCompose(t, m))
	for _, line := range []string{
		"List-Unsubscribe: <" + m.UnsubscribeURL + ">, <mailto:" + m.UnsubscribeMail + "?subject=unsubscribe>\r\n",
		"List-Help: <" + m.HelpURL + ">\r\n", "References: <" + m.Thread + ">\r\n", "Feedback-ID: " + m.FeedbackID +
			"\r\n",
	} {
		if !strings.Contains(b, "\r\n"+line) {
			t.Errorf("not there in one piece: %s", line)
		}
	}
}

// TestMailtoEscape: any address gives one valid link (RFC 6068).
func TestMailtoEscape(t *testing.T) {
	for address, want := range map[string]string{
		"leave+abc@example.org":   "leave+abc@example.org",
		"a&b=c?d%e/f@example.org": "a%26b%3Dc%3Fd%25e%2Ff@example.org",
		`"a>, <b"@example.org`:    "%22a%3E%2C%20%3Cb%22@example.org",
	} {
		if got := mailtoEscape(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// TestForeignEncodedWords: names of feeds and publishers appear as written. Programs must not decode them to line
// breaks, directions or letters that the filters have not seen.
func TestForeignEncodedWords(t *testing.T) {
	const smuggled = "=?utf-8?q?Your_account_=E2=80=AEdekcol=0D=0ABcc:_x@y.example?= =?utf-8?b?8J+UpQ==?="
	for _, text := range []string{smuggled, "Caf\u00e9 " + smuggled, "==?" + smuggled[2:]} {
		m := sample()
		m.Subject, m.ListName, m.From = text, text, (&mail.Address{Name: text, Address: "digest@example.org"}).String()
		b := mustCompose(t, m)
		checkFields(t, b, m)
		if got := parse(t, b).Header.Get("Subject"); !strings.Contains(decoded(got), "Your_account_=E2=80=AEdekcol") {
			t.Errorf("the subject is %q", got)
		}
	}
}

// decoded returns a field as lenient mail programs show it: with encoded words decoded even within quotes.
func decoded(field string) string {
	s, err := new(mime.WordDecoder).DecodeHeader(strings.ReplaceAll(field, `"`, " "))
	if err != nil {
		return field
	}
	return s
}

func FuzzCompose(f *testing.F) {
	f.Add("=?utf-8?q?=0D=0A?=", "", "", "=?utf-8?q?=E2=80=AE?=")
	f.Add("subject", "<p>html</p>", "text", "name")
	f.Add("a\r\nB: c", "\xff\x00", ".\r.\n.\r\n", "\"\\\u2028")
	f.Fuzz(func(t *testing.T, subject, html, text, name string) {
		m := sample()
		m.Subject, m.HTML, m.Text, m.ListName = subject, html, text, name
		b, err := Compose(m)
		must(t, err)
		checkFields(t, b, m)
	})
}

// FuzzComposeFields: a header value is rejected, or arrives unchanged and adds no other field.
func FuzzComposeFields(f *testing.F) {
	f.Add("reader@example.net", "d7.example.org", "https://example.org/u", "leave+x@example.org",
		"http://example.org/h", "a:b:c:sender", "t@example.org")
	f.Add("a@b\r\nBcc: c@d", "x>\r\nX: y", "https://a\r\n\r\nb", "a@b>, <c@d", "https://\r", "a:b:c:sender\n",
		"a@b> <c")
	f.Fuzz(func(t *testing.T, to, listID, unsubscribe, leave, help, feedback, thread string) {
		m := sample()
		m.To, m.ListID, m.UnsubscribeURL, m.UnsubscribeMail, m.HelpURL, m.FeedbackID, m.Thread = to, listID,
			unsubscribe, leave, help, feedback, thread
		b, err := Compose(m)
		if _, ok := errors.AsType[*NotAcceptedError](err); ok {
			return
		}
		must(t, err)
		checkFields(t, b, m)
	})
}

// checkFields checks that a message has each expected field once, and no other field.
func checkFields(t *testing.T, message []byte, m Letter) {
	t.Helper()
	msg := parse(t, message)
	want := map[string]bool{
		"From": true, "To": true, "Subject": true, "Date": true, "Message-Id": true, "Mime-Version": true,
		"Content-Type":   true,
		"Auto-Submitted": true, "Precedence": true, "X-Auto-Response-Suppress": true,
		"Content-Transfer-Encoding": m.HTML == "" || m.Text == "", "Reply-To": m.ReplyTo != "",
		"List-Id": m.ListID != "", "List-Help": m.HelpURL != "", "List-Archive": m.ArchiveURL != "",
		"Feedback-Id": m.FeedbackID != "", "References": m.Thread != "",
		"List-Unsubscribe": m.UnsubscribeURL != "" ||
			m.UnsubscribeMail != "", "List-Unsubscribe-Post": m.UnsubscribeURL != "",
	}
	for name, asked := range want {
		if n := len(msg.Header[name]); n != 0 != asked || n > 1 {
			t.Errorf("%d fields %s; asked for: %v", n, name, asked)
		}
	}
	for name := range msg.Header {
		if shown := decoded(msg.Header.Get(name)); strings.ContainsFunc(shown, unicode.IsControl) {
			t.Errorf("the header %s is shown as %q", name, shown)
		}
		if !want[name] {
			t.Errorf("the header %s has no business here", name)
		}
	}
	if got := msg.Header.Get("References"); m.Thread != "" && got != "<"+m.Thread+">" {
		t.Errorf("References %q", got)
	}
	if got := msg.Header.Get("List-Help"); m.HelpURL != "" && got != "<"+m.HelpURL+">" {
		t.Errorf("List-Help %q", got)
	}
	if n := strings.Count(msg.Header.Get("List-Unsubscribe"), "<"); n > 2 {
		t.Errorf("List-Unsubscribe has %d ways", n)
	}
}
