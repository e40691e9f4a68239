package bounce

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
	"digest/store"
)

const stranger = "stranger@example.net"

// TestHandleSamples checks the effect of each kind of report on the reader of its edition.
func TestHandleSamples(t *testing.T) {
	tests := []struct {
		file   string
		from   string // of the envelope
		plain  bool   // to the address without a token
		did    Action
		reason digest.Reason
	}{
		{"postfix-unknown.eml", "", false, Recorded, digest.ForHardBounce},
		{"gmail.eml", "", true, Recorded, digest.ForHardBounce}, // the tag was removed on the way
		{"postfix-expired.eml", "", false, Recorded, ""},
		{"qmail.eml", "", false, Recorded, ""},
		{"qmail.eml", "", true, Ignored, ""}, // a free text has no token
		{"postfix-delayed.eml", "", false, Ignored, ""},
		{"out-of-office.eml", "", false, Ignored, ""},
		{"yahoo-arf.eml", stranger, true, Recorded, digest.ForComplaint},
		{"comcast-arf.eml", stranger, true, Recorded, digest.ForComplaint},
		{"jmrp.eml", stranger, true, Recorded, digest.ForComplaint},
		{"arf-opt-out.eml", stranger, true, Unsubscribed, ""},
		{"arf-auth-failure.eml", stranger, true, Ignored, ""},
		// a message with a sender is not a bounce, whether from a person or forged
		{"postfix-unknown.eml", stranger, false, Ignored, ""},
		{"postfix-unknown.eml", stranger, true, Ignored, ""},
	}
	each(t, len(tests), func(t *testing.T, w *world) {
		for i, test := range tests {
			to := w.bounceTo(i)
			if test.plain {
				to = w.Address
			}
			state := digest.DigestActive
			if test.did == Unsubscribed || test.reason == digest.ForComplaint {
				state = digest.DigestLeft
			}
			for range 2 { // the second time changes nothing
				o := w.take(test.from, to, w.sample(test.file, i))
				if o.Did != test.did || o.Text == "" || strings.Contains(o.Text, "\n") || o.String() != o.Text {
					t.Errorf("%s: %+v", test.file, o)
				}
				if got := w.suppressed(i); got != test.reason || (o.Suppressed != "") != (test.reason != "") ||
					w.state(i) != state {
					t.Errorf("%s: suppressed %q, %+v, digest %s", test.file, got, o, w.state(i))
				}
			}
			for later := range w.readers[i+1:] {
				if w.suppressed(i+1+later) != "" || w.state(i+1+later) != digest.DigestActive {
					t.Fatalf("%s did something to another reader", test.file)
				}
			}
		}
	})
}

// TestHandleBelievesNoAddresses checks that only the token decides whom a report is about.
func TestHandleBelievesNoAddresses(t *testing.T) {
	each(t, 2, func(t *testing.T, w *world) {
		forged := bytes.ReplaceAll(w.sample("postfix-unknown.eml", 1), []byte("anna@example.org"),
			[]byte(w.readers[1].email))
		w.take("", w.bounceTo(0), forged)
		if w.suppressed(0) != digest.ForHardBounce {
			t.Error("the token's reader is mailed")
		}
		w.untouched(0)
		// A report without our token has no effect.
		forged = bytes.ReplaceAll(sample(t, "yahoo-arf.eml"), []byte("anna@yahoo.example"), []byte(w.readers[1].email))
		w.want(Ignored, stranger, w.Address, forged)
		w.untouched(0)
	})
}

// TestHandleComplaintElsewhere checks that a complaint to any address counts if it has our token. A bounce there does
// not, because it could be about a forwarded copy.
func TestHandleComplaintElsewhere(t *testing.T) {
	each(t, 2, func(t *testing.T, w *world) {
		if o := w.take(stranger, "abuse@digest.example", w.sample("yahoo-arf.eml", 0)); o.Did != Recorded ||
			w.suppressed(0) != digest.ForComplaint {
			t.Errorf("%+v", o)
		}
		w.want(NotOurs, "", "abuse@digest.example", w.sample("postfix-unknown.eml", 1))
		w.want(NotOurs, stranger, "abuse@digest.example", sample(t, "yahoo-arf.eml"))
		w.untouched(0)
	})
}

func TestHandleUnsubscribe(t *testing.T) {
	each(t, 3, func(t *testing.T, w *world) {
		any := []byte("From: whoever\n\nDo NOT unsubscribe me!")
		if o := w.want(Unsubscribed, stranger, w.leaveTo(0), any); o.Digest != w.readers[0].digest {
			t.Errorf("%+v", o)
		}
		w.want(Unsubscribed, stranger, w.leaveTo(1), nil) // even an empty message unsubscribes
		for range 2 {
			w.want(Unsubscribed, w.readers[1].email, strings.ToUpper(w.leaveTo(1)), w.sample("leave.eml", 1))
		}
		if w.state(0) != digest.DigestLeft || w.state(1) != digest.DigestLeft || w.suppressed(1) != "" {
			t.Errorf("%s, %s, %q", w.state(0), w.state(1), w.suppressed(1))
		}
		w.untouched(0, 1)
	})
}

// TestHandleUnsubscribeByAnOldMail checks that the address in an older email does not work after its reader turned off
// old links. The address in a newer email works.
func TestHandleUnsubscribeByAnOldMail(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		must(t, w.store.Readers.VoidLinks(t.Context(), w.readers[0].digest))
		if o := w.take(stranger, w.leaveTo(0), nil); o.Did != Ignored ||
			!strings.Contains(o.Text, "turned off the links in older emails") {
			t.Errorf("%+v", o)
		}
		w.untouched()
		number := digest.InRound(int64(w.readers[0].digest), 1)
		w.want(Unsubscribed, stranger, digest.Tagged(w.Address, w.Signer.Sign(digest.ForUnsubscribeMail, number)), nil)
	})
}

// TestHandleUnsubscribeByPrograms checks that replies from programs do not unsubscribe.
func TestHandleUnsubscribeByPrograms(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		for file, from := range map[string]string{"leave.eml": "", "postfix-unknown.eml": stranger,
			"challenge.eml": stranger, "yahoo-arf.eml": stranger, "exim-old.eml": stranger} {
			w.want(Ignored, from, w.leaveTo(0), w.sample(file, 0))
		}
		w.untouched()
	})
}

func TestHandleWhatIsNoMore(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		old := digest.Tagged(w.Address, w.Signer.Sign(digest.ForBounce, 4711))
		if o := w.take("", old, w.sample("postfix-unknown.eml", 0)); o.Did != Ignored ||
			!strings.Contains(o.Text, "4711") {
			t.Errorf("%+v", o)
		}
		old = digest.Tagged(w.Address, w.Signer.Sign(digest.ForUnsubscribeMail, 4711))
		w.want(Ignored, stranger, old, w.sample("leave.eml", 0))
		for _, purpose := range []digest.Purpose{digest.ForBounce, digest.ForUnsubscribeMail} {
			for _, file := range []string{"arf-opt-out.eml", "yahoo-arf.eml"} {
				gone := digest.Tagged(w.Address, w.Signer.Sign(purpose, 4711))
				message := bytes.ReplaceAll(sample(t, file), []byte("bounces+TOKEN@digest.example"), []byte(gone))
				w.want(Ignored, stranger, w.Address, message)
			}
		}
		w.untouched()
	})
}

// TestHandleByHeader checks that the header of a message without an envelope, as from `digest bounce < message`, has
// its recipient.
func TestHandleByHeader(t *testing.T) {
	each(t, 5, func(t *testing.T, w *world) {
		take := func(message []byte) Outcome {
			o, err := w.Handle(t.Context(), Message{Bytes: message})
			w.ok(err)
			return o
		}
		for i, file := range []string{"postfix-unknown.eml", "exim.eml"} { // Delivered-To, Envelope-to
			if o := take(w.sample(file, i)); o.Did != Recorded || !o.Token || w.suppressed(i) != digest.ForHardBounce {
				t.Errorf("%s: %+v", file, o)
			}
		}
		if o := take(w.sample("leave.eml", 2)); o.Did != Unsubscribed || w.state(2) != digest.DigestLeft {
			t.Errorf("%+v", o)
		}
		sendmail := append([]byte("Delivered-To: "+w.bounceTo(4)+"\n"), w.sample("sendmail.eml", 4)...)
		// Return-Path: <MAILER-DAEMON@…>
		if o := take(sendmail); o.Did != Recorded || w.suppressed(4) != digest.ForHardBounce {
			t.Errorf("%+v", o)
		}
		if o := take([]byte("Delivered-To: anna@example.org\nSubject: hello\n\n")); o.Did != NotOurs {
			t.Errorf("%+v", o)
		}
		// Return-Path shows that this message has a sender.
		if o := take(bytes.Replace(w.sample("postfix-unknown.eml", 3), []byte("Return-Path: <>"),
			[]byte("Return-Path: <x@example.net>"), 1)); o.Did != Ignored {
			t.Errorf("%+v", o)
		}
		w.untouched(0, 1, 2, 4)
	})
}

func TestHandleSeveralRecipients(t *testing.T) {
	each(t, 3, func(t *testing.T, w *world) {
		o, err := w.Handle(t.Context(),
			Message{FromKnown: true, To: []string{"x@y", w.Address, w.bounceTo(0), w.bounceTo(2)},
				Bytes: w.sample("sendmail.eml", 0)})
		if err != nil || o.Did != Recorded || w.suppressed(0) == "" || w.suppressed(2) == "" {
			t.Errorf("%+v, %v", o, err)
		}
		w.untouched(0, 2)
	})
}

type brokenStore struct{ Records }

var errBroken = errors.New("the disk is full")

func (brokenStore) RecordBounce(context.Context, time.Time, digest.Bounce) (digest.Suppression, bool, error) {
	return digest.Suppression{}, false, errBroken
}

func (brokenStore) SetDigestState(context.Context, digest.DigestID, digest.DigestState, time.Time) error {
	return errBroken
}

func TestHandleStoreFails(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		w.Store = brokenStore{w.Store}
		for file, to := range map[string]string{"postfix-unknown.eml": w.bounceTo(0), "yahoo-arf.eml": w.Address,
			"arf-opt-out.eml": w.Address, "leave.eml": w.leaveTo(0)} {
			from := ""
			if file != "postfix-unknown.eml" {
				from = stranger
			}
			o, err := w.Handle(t.Context(),
				Message{From: from, FromKnown: true, To: []string{to}, Bytes: w.sample(file, 0)})
			if !errors.Is(err, errBroken) {
				t.Errorf("%s: %+v, %v", file, o, err)
			}
		}
	})
}

// TestHandleAsk checks the effect of messages about a confirmation request, and that the second time changes nothing.
func TestHandleAsk(t *testing.T) {
	for _, test := range []struct {
		file, from string
		plain      bool
		did        Action
		reason     digest.Reason
		want       newsletter.AskCounts
	}{
		{"postfix-unknown.eml", "", false, Recorded, digest.ForHardBounce, newsletter.AskCounts{Bounced: 1}},
		{"gmail.eml", "", true, Recorded, digest.ForHardBounce, newsletter.AskCounts{Bounced: 1}},
		{"yahoo-arf.eml", stranger, true, Recorded, "", newsletter.AskCounts{Complained: 1}},
		{"postfix-expired.eml", "", false, Recorded, "", newsletter.AskCounts{Asked: 1}},
		{"arf-opt-out.eml", stranger, true, Unsubscribed, "", newsletter.AskCounts{Lapsed: 1}},
		{"", "mo@example.org", false, Unsubscribed, "", newsletter.AskCounts{Lapsed: 1}}, // List-Unsubscribe
		{"", "", false, Ignored, "", newsletter.AskCounts{Asked: 1}},
		{"postfix-unknown.eml", stranger, false, Ignored, "", newsletter.AskCounts{Asked: 1}},
		{"out-of-office.eml", "", false, Ignored, "", newsletter.AskCounts{Asked: 1}},
	} {
		each(t, 1, func(t *testing.T, w *world) {
			n, ask := w.ask("mo@example.org")
			to := digest.Tagged(w.Address, w.Signer.Sign(digest.ForAskBounce, ask))
			message := []byte("From: mo@example.org\r\nSubject: unsubscribe\r\n\r\n")
			if test.file != "" {
				message = sample(t, test.file)
			}
			message = bytes.ReplaceAll(message, []byte("bounces+TOKEN@digest.example"), []byte(to))
			if test.plain {
				to = w.Address
			}
			o := w.take(test.from, to, message)
			again := w.take(test.from, to, message)
			s, _, err := w.store.Editions.Suppressed(t.Context(), "mo@example.org")
			w.ok(err)
			counts, _, err := w.store.Members.AskCounts(t.Context(), n, w.Now())
			w.ok(err)
			if o.Did != test.did || (o.Suppressed != "") != (test.reason != "") || again.Suppressed != "" ||
				s.Reason != test.reason || counts != test.want {
				t.Errorf("%s: %+v, then %+v; suppressed for %q, %+v", test.file, o, again, s.Reason, counts)
			}
			w.untouched(0)
		})
	}
}

func (w *world) ask(email string) (n digest.NewsletterID, ask int64) {
	w.t.Helper()
	ctx, now := w.t.Context(), w.Now()
	u, err := w.store.Readers.UserByEmail(ctx, w.readers[0].email)
	w.ok(err)
	made, err := w.store.Newsletters.AddNewsletter(ctx, digest.Newsletter{
		Slug: "anna-writes", Name: "Anna writes", Cadence: digest.Daily, State: digest.NewsletterActive,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, u.ID, now)
	w.ok(err)
	_, err = w.store.Members.QueueAsks(ctx, made.ID, []store.Joining{{Email: email, TimeZone: "UTC"}}, now)
	w.ok(err)
	a, _, err := w.store.Members.NextAsk(ctx, now)
	w.ok(err)
	w.ok(w.store.Members.AskNow(ctx, a, []byte("h"), now))
	return made.ID, a.ID
}
