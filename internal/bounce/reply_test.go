package bounce

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

// newsletterThatCounts returns a newsletter with members that counts replies, and the address for them.
func (w *world) newsletterThatCounts(members int) (n digest.Newsletter, to string) {
	w.t.Helper()
	ctx, now := w.t.Context(), w.Now()
	u, err := w.store.UserByEmail(ctx, w.readers[0].email)
	w.ok(err)
	n, err = w.store.AddNewsletter(ctx, digest.Newsletter{
		Slug: "anna-writes", Name: "Anna writes", Cadence: digest.Daily, State: digest.NewsletterActive,
		ReplyTo: "anna@example.org", CountReplies: true,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, u.ID, now)
	w.ok(err)
	for i := range members {
		w.join(n.ID, fmt.Sprintf("m%d@example.org", i))
	}
	return n, digest.Tagged(w.Address, w.Signer.Sign(digest.ForReply, int64(n.ID)))
}

func (w *world) answers(n digest.Newsletter) (sum int64) {
	w.t.Helper()
	days, err := w.store.NewsletterNumbers(w.t.Context(), n, w.Now(), 30)
	w.ok(err)
	for _, d := range days {
		sum += d.Replied
	}
	return sum
}

func answer(id string) []byte {
	return []byte("From: Mo <mo@example.org>\r\nMessage-ID: <" + id +
		">\r\nSubject: Re: The boat\r\n\r\nThank you!\r\n")
}

// TestHandleReply checks that each reply of a person counts once. Replies of programs do not count, and no reply counts
// if the newsletter turns counting off.
func TestHandleReply(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		n, to := w.newsletterThatCounts(3)
		for i, c := range []struct {
			from string
			body []byte
			did  Action
			sum  int64
		}{
			{"mo@example.org", answer("a@example.org"), Counted, 1},
			{"mo@example.org", answer("a@example.org"), Ignored, 1}, // delivered twice
			{"", answer("b@example.org"), Ignored, 1},               // not from a person
			{"", sample(t, "out-of-office.eml"), Ignored, 1},
			{"mo@example.org", sample(t, "out-of-office.eml"), Ignored, 1},
			{"", sample(t, "postfix-unknown.eml"), Ignored, 1},
			{"li@example.org", []byte("Subject: no id\r\n\r\nHello\r\n"), Counted, 2},
			{"li@example.org", []byte("Subject: no id\r\n\r\nHello\r\n"), Ignored, 2},
			{"mo@example.org", answer("c@example.org"), Counted, 3},
			{"mo@example.org", answer("d@example.org"), Ignored, 3}, // the limit is the number of members
		} {
			o := w.take(c.from, to, c.body)
			if o.Did != c.did || w.answers(n) != c.sum || !o.Token {
				t.Errorf("%d: %+v, %d counted", i, o, w.answers(n))
			}
		}
		n.CountReplies = false
		err := w.store.SetNewsletter(t.Context(), n, w.Now())
		w.ok(err)
		if o := w.take("mo@example.org", to, answer("e@example.org")); o.Did != Ignored || w.answers(n) != 3 {
			t.Errorf("not counted any more: %+v", o)
		}
		w.ok(w.store.SetNewsletterState(t.Context(), n.ID, digest.NewsletterEnded, "", w.Now()))
		w.ok(w.store.RemoveNewsletter(t.Context(), n.ID))
		if o := w.take("mo@example.org", to, answer("f@example.org")); o.Did != Ignored ||
			!strings.Contains(o.Text, "no longer exists") {
			t.Errorf("removed: %+v", o)
		}
		w.untouched(0)
	})
}

// TestHandleComplaintOfCounted checks a complaint about an email that has the address for replies before the one that
// unsubscribes.
func TestHandleComplaintOfCounted(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		_, to := w.newsletterThatCounts(1)
		message := bytes.Replace(w.sample("yahoo-arf.eml", 0), []byte("Subject: "),
			[]byte("Reply-To: anna@example.org, "+to+"\r\nSubject: "), -1)
		if o := w.take(stranger, w.Address, message); o.Did != Recorded || o.Kind != digest.Complaint {
			t.Errorf("%+v", o)
		}
	})
}

// TestServeLargeReply checks that a reply may have pictures, which are skipped, and that a bounce may not.
func TestServeLargeReply(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		n, to := w.newsletterThatCounts(9)
		body := strings.Repeat("iVBORw0KGgo=\r\n", 6<<20/14)
		for i, p := range []struct{ setting, hello string }{{"smtp://127.0.0.1:0", "EHLO"},
			{"lmtp://127.0.0.1:0", "LHLO"}} {
			a := serve(t, w.Handler, p.setting)
			c := greeted(t, a, p.hello)
			mail := fmt.Sprintf("MAIL FROM:<mo@example.org> SIZE=%d", len(body)+200)
			c.want("552", c.say(mail, "RCPT TO:<"+w.leaveTo(0)+">"))
			c.want("550", c.say("RSET", "MAIL FROM:<>", "RCPT TO:<"+to+">"))
			c.want("250", c.say("RSET", mail, "RCPT TO:<"+to+">"))
			c.want("250", c.send(append(answer(fmt.Sprint("data", i)), body...)))
			c.want("250", c.say(mail, "RCPT TO:<"+to+">"))
			whole := string(answer(fmt.Sprint("chunks", i))) + body
			fmt.Fprintf(c.W, "BDAT %d LAST\r\n%s", len(whole), whole) //nolint:errcheck // Flush says it
			w.ok(c.W.Flush())
			c.want("250", c.hear())
			c.want("250", c.say("NOOP"))
			if w.answers(n) != int64(2*i+2) {
				t.Errorf("%s: %d counted", p.setting, w.answers(n))
			}
			others := make([]*client, maxLarge)
			for j := range others {
				others[j] = greeted(t, a, p.hello)
				want := "250"
				if j == maxLarge-1 {
					want = "451" // c and three others have the places
				}
				others[j].want(want, others[j].say(mail, "RCPT TO:<"+to+">"))
			}
			last := others[maxLarge-1]
			last.want("250", last.say("RSET", "MAIL FROM:<mo@example.org>", "RCPT TO:<"+to+">"))
			c.want("552", c.say("RSET", "MAIL FROM:<mo@example.org> SIZE=99999999"))
		}
	})
}

func (w *world) join(n digest.NewsletterID, email string) {
	w.t.Helper()
	_, _, err := w.store.Join(w.t.Context(), n, store.Joining{Email: email, TimeZone: "UTC", Asked: true}, w.Now())
	w.ok(err)
}
