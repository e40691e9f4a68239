package acceptance

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/mailer"
	"digest/test/tier"
)

// TestGraders checks that a good message passes every grader, and that each finds its specific fault.
func TestGraders(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	key, err := mailer.NewDKIMKey("example.org", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key.Active = true
	name, value, err := mailer.DKIMRecord(key)
	if err != nil {
		t.Fatal(err)
	}
	good := goodMail()
	late, shouting, wordless := good, good, good
	late.Date = late.Date.Add(-5 * 24 * time.Hour)
	shouting.Subject = "YOU HAVE WON $1,000,000!!! ACT NOW"
	shouting.HTML, shouting.Text = "<p><b>MAKE MONEY FAST</b> with Viagra, 100% free, risk free, call now!</p>",
		"MAKE MONEY FAST with Viagra, 100% free, risk free, call now!"
	wordless.Text = "Read this in a better mail program."
	sealed := seal(t, key, good)
	signatures := []string{"dkimpy", "Mail::DKIM"}
	cases := []struct {
		name    string
		message []byte
		by      []string // the graders that must report a fault
		others  bool     // whether others may too
	}{
		{"good", sealed, nil, false},
		{"a byte changed", bytes.Replace(sealed, []byte("morning"), []byte("warning"), 1), signatures, false},
		{"a second subject", append([]byte("Subject: Something else\r\n"), sealed...), append(signatures, "email"),
			true},
		{"a bare LF", bytes.Replace(sealed, []byte("\r\n\r\n"), []byte("\r\n\n"), 1), []string{"email"}, true},
		{"unsigned", compose(t, good), signatures, false},
		{"five days old", seal(t, key, late), []string{"SpamAssassin", "rspamd"}, false},
		{"shouting", seal(t, key, shouting), []string{"SpamAssassin", "rspamd"}, false},
		{"a lazy text", seal(t, key, wordless), []string{"email"}, true},
	}
	var messages [][]byte
	for _, c := range cases {
		messages = append(messages, c.message)
	}
	b := newBatch(t, name, value, messages)
	for _, g := range graders() {
		t.Run(g.name, func(t *testing.T) {
			g.need(t)
			faults := map[string][]string{} // by file
			for _, fault := range g.faults(t, b) {
				file, what, _ := strings.Cut(fault, "\t")
				faults[file] = append(faults[file], what)
			}
			for i, c := range cases {
				found, must := faults[filepath.Base(b.files[i])], slices.Contains(c.by, g.name)
				if must && len(found) == 0 || !must && !c.others && len(found) > 0 {
					t.Errorf("%s: found %q; must object: %v", c.name, found, must)
				}
			}
		})
	}
}

func goodMail() mailer.Letter {
	return mailer.Letter{
		From: "Daily Digest <digest@news.example.org>", ReplyTo: "help@example.org", To: "reader@example.net",
		Subject: "Friday 20 November: 2 posts from 1 site",
		HTML: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Daily Digest</title></head><body>` +
			`<h1>Friday 20 November</h1>` +
			`<h2><a href="https://weblog.example.com/a">How the baker found the morning</a></h2><p>It was still ` +
			`dark when the first loaves came out of the oven, and the street smelled of rye.</p>` +
			`<h2><a href="https://weblog.example.com/b">A walk along the old canal</a></h2><p>The locks have not ` +
			`been opened for forty years, but the ducks do not mind at all.</p>` +
			`<p><a href="https://news.example.org/u/abcdefgh">Unsubscribe</a></p></body></html>`,
		Text: "Friday 20 November\n\nHow the baker found the morning\nhttps://weblog.example.com/a\nIt was still " +
			"dark when the first loaves came out of the oven, and the street smelled of rye.\n\n" +
			"A walk along the old canal\nhttps://weblog.example.com/b\nThe locks have not been opened for forty " +
			"years, but the ducks do not mind at all.\n\nUnsubscribe: https://news.example.org/u/abcdefgh\n",
		MessageID: "d.abcdefghijklmnopqrst@news.example.org", Date: time.Now(),
		ListName: "Daily Digest", ListID: "d7.news.example.org",
		UnsubscribeURL: "https://news.example.org/u/abcdefgh", UnsubscribeMail: "bounces+ijklmnop@news.example.org",
		HelpURL: "https://news.example.org/u/abcdefgh", FeedbackID: "edition:7:daily:example.org",
	}
}

func compose(t *testing.T, m mailer.Letter) []byte {
	t.Helper()
	message, err := mailer.Compose(m)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func seal(t *testing.T, key digest.DKIMKey, m mailer.Letter) []byte {
	t.Helper()
	sealer, err := mailer.NewDKIMSigner([]digest.DKIMKey{key}, m.From)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := sealer.Sign(compose(t, m))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}
