package mailer

import (
	"fmt"
	"mime"
	"net/mail"
	"strings"
	"testing"

	"digest"
)

// TestSMTPUTF8: an address that is not ASCII gets mail if the server offers SMTPUTF8 (RFC 6531). Only messages to
// such addresses request it.
func TestSMTPUTF8(t *testing.T) {
	for _, c := range []struct {
		plain bool
		state digest.EditionState
		why   string
	}{
		{false, digest.EditionSent, ""},
		{true, digest.EditionFailed,
			"the mail server does not offer SMTPUTF8 (RFC 6531), without which jörg@example.org cannot be mailed"},
	} {
		s := &sink{plain: c.plain}
		q := newMemQueue(2, midnight)
		q.rows[1].Email = "jo\u0308rg@example.org" // decomposed
		once(t, s.deliverer(t, q), midnight)
		if row := q.row(1); row.State != c.state || row.Error != c.why {
			t.Errorf("plain %v: %s, %q", c.plain, row.State, row.Error)
		}
		if q.row(2).State != digest.EditionSent || len(q.lanes)+len(q.bounces) > 0 {
			t.Errorf("plain %v: the other is %s; lanes %v, bounces %v", c.plain, q.row(2).State, q.lanes, q.bounces)
		}
		asked := 0
		for _, command := range s.log {
			if strings.HasPrefix(command, "MAIL") && strings.Contains(command, "SMTPUTF8") {
				asked++
			}
		}
		if want := map[bool]int{false: 1, true: 0}[c.plain]; asked != want {
			t.Errorf("plain %v: SMTPUTF8 was asked for %d times: %q", c.plain, asked, s.log)
		}
		for _, m := range s.messages() {
			if utf8 := !isSevenBit([]byte(m)); utf8 != strings.Contains(m, "To: <jörg@example.org>\r\n") {
				t.Errorf("plain %v: %q", c.plain, m[:strings.Index(m, "\r\n\r\n")])
			}
		}
	}
}

// TestMailboxes is the table of addresses that can get mail, and their normal form.
func TestMailboxes(t *testing.T) {
	for raw, want := range map[string]string{ // empty: rejected
		"a@example.org":                          "a@example.org",
		"A.B+c@Example.ORG":                      "A.B+c@example.org", // the host decides about the local part
		"reader@bücher.example":                  "reader@xn--bcher-kva.example",
		`"two words"@example.org`:                `"two words"@example.org`,
		"Reader <a@localhost>":                   "",
		"x@[127.0.0.1]":                          "",
		"nobody":                                 "",
		"a@b@c":                                  "",
		"jörg@example.net":                       "jörg@example.net",
		"jo\u0308rg@EXAMPLE.net":                 "jörg@example.net",
		"用户@例え.jp":                               "用户@xn--r8jz45g.jp",
		"अजय@example.in":                         "अजय@example.in",
		"a\u202eb@example.net":                   "", // changes the direction of text
		"a\u200bb@example.net":                   "", // invisible
		"a\u00a0b@example.net":                   "",
		"😀@example.net":                          "",
		"a\r\nb@example.net":                     "",
		strings.Repeat("ä", 33) + "@example.net": "", // 66 octets
	} {
		got, err := Recipient(raw)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
		if own, err := OwnMailbox(raw); (err == nil) != (want != "" && isASCII(want)) {
			t.Errorf("%q as our own: %q, %v", raw, own, err)
		}
	}
}

// sized renders a letter that fills the room like the real renderer, with at least 1,500 bytes.
func sized(ds []digest.Delivery) ([]Letter, error) {
	letters, err := renderAll(ds)
	for i, d := range ds {
		room := 60_000
		if d.Room > 0 {
			room = max(d.Room, 1_500)
		}
		letters[i].Text = strings.Repeat("Forty-nine letters and a line break, each of it.\n", room/49)
	}
	return letters, err
}

// TestSize: the mailer makes a message smaller if it is too large for the server (RFC 1870), after at most one
// rejection.
func TestSize(t *testing.T) {
	tooLarge := func(stage string) func(string, int) string {
		return func(c string, n int) string {
			if c == stage && n == 1 {
				return "552 5.3.4 message too large"
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		size       int
		answer     func(string, int) string
		state      digest.EditionState
		most, seen int // octets, and MAIL commands
	}{
		"no limit":        {state: digest.EditionSent, most: 80_000, seen: 1},
		"large enough":    {size: 100_000, state: digest.EditionSent, most: 80_000, seen: 1},
		"too small":       {size: 20_000, state: digest.EditionSent, most: 20_000, seen: 1},
		"hopeless":        {size: 1_000, state: digest.EditionFailed},
		"refused at MAIL": {answer: tooLarge("MAIL"), state: digest.EditionSent, most: 20_000, seen: 2},
		"refused at DATA": {answer: tooLarge("DATA"), state: digest.EditionSent, most: 20_000, seen: 2},
		"refused in body": {answer: tooLarge("BODY"), state: digest.EditionSent, most: 20_000, seen: 2},
		"refused at dot":  {answer: tooLarge("DOT"), state: digest.EditionSent, most: 20_000, seen: 2},
		"refused for ever": {answer: always("DOT", "552 5.3.4 message too large"), state: digest.EditionFailed,
			seen: 2},
		"refused for words": {answer: always("DATA", "554 5.7.1 no"), state: digest.EditionFailed, seen: 1},
	} {
		s := &sink{size: c.size, answer: c.answer}
		q := newMemQueue(1, midnight)
		l := s.deliverer(t, q)
		l.Renderer = renderFunc(sized)
		once(t, l, midnight)
		if row := q.row(1); row.State != c.state || len(q.lanes) > 0 {
			t.Errorf("%s: %s, %q, %v", name, row.State, row.Error, q.lanes)
		}
		if got := s.seen("MAIL"); got != c.seen {
			t.Errorf("%s: %d transactions, want %d", name, got, c.seen)
		}
		for _, m := range s.messages() {
			if len(m) > c.most || len(m) < c.most/4 {
				t.Errorf("%s: a message of %d bytes, want %d at most", name, len(m), c.most)
			}
		}
		for _, command := range s.log {
			announced := strings.Contains(command, " SIZE=")
			if strings.HasPrefix(command, "MAIL") && announced != (c.size > 0) {
				t.Errorf("%s: %s", name, command)
			}
		}
	}
}

// TestFirstWordOfAField: the first word is on the line of the field's name, lines are short, and a mail program
// decodes the original text.
func TestFirstWordOfAField(t *testing.T) {
	for _, subject := range []string{
		"Friday 20 November: 15 posts from 8 sites", "Freitag, 20. November: 15 Beiträge", "", "x",
		"  spaces   within ",
		"11月20日金曜日：8のサイトから15の記事が届きました。今日のトップは灯台の話です", "الجمعة 20 نوفمبر: ١٥ مقالة من ٨ مواقع", "=?utf-8?Q?no?=",
		strings.Repeat("word ", 39), strings.Repeat("w", 190), strings.Repeat("ü", 190), "a " +
			strings.Repeat("😀", 60), "tab\tand\x00nul",
	} {
		m := sample()
		m.Subject = subject
		message, err := Compose(m)
		must(t, err)
		head, _, _ := strings.Cut(string(message), "\r\n\r\n")
		for _, name := range []string{"Subject: ", "To: "} {
			_, rest, found := strings.Cut(head, "\r\n"+name)
			if !found || subject != "" && strings.HasPrefix(rest, "\r\n") {
				t.Errorf("%q: %q does not begin on its line", subject, name)
			}
		}
		for line := range strings.SplitSeq(head, "\r\n") {
			encoded := strings.Contains(line, "=?utf-8?")
			if encoded && len(line) > 76 || strings.Contains(line, " ") && len(line) > 78 &&
				strings.HasPrefix(line, "Subject: word") {
				t.Errorf("%q: a line of %d columns: %s", subject, len(line), line)
			}
		}
		read, err := mail.ReadMessage(strings.NewReader(string(message)))
		must(t, err)
		got, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		if want := unencoded(subject); err != nil || got != want {
			t.Errorf("%q, %v: want %q", got, err, want)
		}
	}
	if got := fmt.Sprint(len(encodedWords(strings.Repeat("ü", 100), 20))); got == "1" {
		t.Error("one word of 100 letters")
	}
}
