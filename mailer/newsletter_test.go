package mailer

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"digest"
)

// TestNewslettersOwnDomain sends issues of four newsletters and a reader's edition by SMTP. From has a newsletter's
// domain only if a key of exactly that domain signs. Bounces always go to this instance.
func TestNewslettersOwnDomain(t *testing.T) {
	s := &sink{}
	q := newMemQueue(5, midnight)
	for id, address := range map[digest.EditionID]string{1: "letters@anna.example", 2: "letters@bob.example",
		3: "letters@sub.carol.example", 4: ""} {
		q.rows[id].Newsletter = &digest.Newsletter{ID: digest.NewsletterID(id), Name: "Paper", OwnAddress: address}
	}
	l := s.deliverer(t, q)
	ours := testKey(t)
	l.Keys = func(context.Context) ([]digest.DKIMKey, error) { return []digest.DKIMKey{ours}, nil }
	keys := map[digest.NewsletterID]digest.DKIMKey{}
	for id, domain := range map[digest.NewsletterID]string{1: "anna.example", 3: "carol.example"} {
		k, err := NewDKIMKey(domain, "n", midnight)
		must(t, err)
		keys[id] = k
	}
	l.NewsletterKey = func(_ context.Context, id digest.NewsletterID) (digest.DKIMKey, error) {
		k, known := keys[id]
		if !known {
			return k, errors.New("its record is no longer found")
		}
		return k, nil
	}
	want := map[string]string{ // by recipient: From, and the domain that signs
		"<reader1@example.org>": `"Paper" <letters@anna.example> anna.example`,
		"<reader2@example.org>": `"Paper" <digest@example.org> example.org`,
		"<reader3@example.org>": `"Paper" <digest@example.org> example.org`, // has a key of the parent domain
		"<reader4@example.org>": `"Paper" <digest@example.org> example.org`,
		"<reader5@example.org>": `"Daily Digest" <digest@example.org> example.org`,
	}
	once(t, l, midnight)
	for _, m := range s.messages() {
		header := parse(t, []byte(m)).Header
		if got := header.Get("From") + " " +
			signedBy(t, m, append([]digest.DKIMKey{ours}, keys[1], keys[3])); got != want[header.Get("To")] {
			t.Errorf("to %s: %s, want %s", header.Get("To"), got, want[header.Get("To")])
		}
		if host := header.Get("Message-Id"); !strings.HasSuffix(host, "@example.org>") {
			t.Errorf("Message-ID %s", host)
		}
	}
	if n := len(s.messages()); n != len(want) {
		t.Errorf("%d messages, want %d", n, len(want))
	}
	if log := strings.Join(s.log, "\n"); strings.Count(log, "MAIL FROM:<digest@example.org>") != len(want) {
		t.Errorf("bounces do not all come back to this instance:\n%s", log)
	}
}

// TestLetterOfAnOwnDomain sends single letters, such as a test email to the publisher.
func TestLetterOfAnOwnDomain(t *testing.T) {
	s := &sink{}
	key, err := NewDKIMKey("anna.example", "n", midnight)
	must(t, err)
	sender := &Sender{Transport: openTest(t, s.listen(t), Options{}), From: "Digest <digest@example.org>",
		ReturnPath: "bounces@example.org"}
	letter := Letter{From: "Anna <letters@anna.example>", To: "anna@example.net", Subject: "Test", Text: "x",
		Date: time.Unix(1, 0), Newsletter: 1}
	must(t, sender.Send(t.Context(), letter))
	sender.NewsletterKey = func(context.Context, digest.NewsletterID) (digest.DKIMKey, error) { return key, nil }
	must(t, sender.Send(t.Context(), letter))
	all := s.messages()
	if from := parse(t, []byte(all[0])).Header.Get("From"); from != `"Anna" <digest@example.org>` {
		t.Errorf("without a key it is from %s", from)
	}
	if from := parse(t, []byte(all[1])).Header.Get("From"); from != `"Anna" <letters@anna.example>` ||
		signedBy(t, all[1], []digest.DKIMKey{key}) != "anna.example" {
		t.Errorf("with a key it is from %s", from)
	}
	if log := strings.Join(s.log, "\n"); strings.Count(log, "MAIL FROM:<bounces@example.org>") != 2 {
		t.Errorf("bounces do not come back:\n%s", log)
	}
}

// signedBy verifies a message as a receiver does, and returns the domain that signed it.
func signedBy(t *testing.T, message string, keys []digest.DKIMKey) string {
	t.Helper()
	found, err := dkim.VerifyWithOptions(bytes.NewReader([]byte(message)),
		&dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
			for _, k := range keys {
				if at, value, err := DKIMRecord(k); err == nil && at == name {
					return []string{value}, nil
				}
			}
			return nil, errors.New("nothing is published at " + name)
		}})
	if err != nil || len(found) != 1 || found[0].Err != nil {
		t.Fatalf("signatures: %+v, %v\n%s", found, err, message)
	}
	return found[0].Domain
}
