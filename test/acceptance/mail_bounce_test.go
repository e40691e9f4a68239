package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// report returns a delivery report (RFC 3464) with an action and a status, or, without an action, a complaint (RFC
// 5965).
func report(a accepted, action, status string) string {
	head, _, _ := strings.Cut(string(a.raw), "\r\n\r\n")
	to, kind, second := a.from, "delivery-status",
		"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mail.example\n\nFinal-Recipient: rfc822; "+
			a.to+"\nAction: "+action+"\nStatus: "+status+"\nDiagnostic-Code: smtp; 550 "+status+" as it is\n"
	if action == "" {
		to, kind, second = "bounces@example.org", "feedback-report",
			"Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nUser-Agent: Judge/1\nVersion: "+
				"1\nOriginal-Mail-From: <"+a.from+">\n"
	}
	return "From: <mailer-daemon@mail.example>\nTo: <" + to +
		">\nSubject: it came back\nDate: Sat, 28 Mar 2026 01:00:00 +0000\n" +
		"Message-ID: <report@mail.example>\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=" + kind +
		"; boundary=r\n\n" +
		"--r\nContent-Type: text/plain\n\nIt could not be delivered.\n\n--r\n" + second +
		"\n--r\nContent-Type: text/rfc822-headers\n\n" +
		strings.ReplaceAll(head, "\r\n", "\n") + "\n\n--r--\n"
}

// A way delivers a message to the program.
type way func(o *office, from, to, message string)

func ways() map[string]way {
	return map[string]way{
		"pipe": func(o *office, from, to, message string) {
			cmd := o.Command(o.t.Context(), "--now", instant(o.now), "bounce", "--to", to)
			cmd.Stdin = strings.NewReader("Return-Path: <" + from + ">\n" + message)
			if out, err := cmd.CombinedOutput(); err != nil {
				o.t.Errorf("digest bounce: %v: %s", err, out)
			}
		},
		"maildir": func(o *office, from, to, message string) {
			for _, sub := range []string{"tmp", "new", "cur"} {
				os.MkdirAll(filepath.Join(o.Dir, "bounces", sub), 0o700) //nolint:errcheck // the file shows it
			}
			file := o.Write(fmt.Sprintf("bounces/new/%d.judge", len(message)+len(to)),
				"Return-Path: <"+from+">\nDelivered-To: "+to+"\n"+message)
			o.Set("DIGEST_BOUNCE_MAILDIR=" + filepath.Join(o.Dir, "bounces"))
			o.once(o.now)
			if _, err := os.Stat(file); err == nil {
				o.t.Errorf("%s was left", file)
			}
		},
		"LMTP": func(o *office, from, to, message string) { o.listen("lmtp", "LHLO", from, to, message) },
		"SMTP": func(o *office, from, to, message string) { o.listen("smtp", "EHLO", from, to, message) },
	}
}

// listen runs the program as a worker that receives bounces, and sends it one.
func (o *office) listen(scheme, hello, from, to, message string) {
	o.t.Helper()
	address := program.FreeAddress(o.t)
	h, _ := o.through()
	h.Set("DIGEST_BOUNCE_LISTEN=" + scheme + "://" + address)
	worker := h.Start("", "--now", instant(o.now), "work")
	defer worker.Stop()
	k := newTalker(program.Dial(o.t, address))
	defer k.conn.Close()
	k.hear() //nolint:errcheck // the banner
	for _, line := range []string{hello + " judge.example", "MAIL FROM:<" + from + ">", "RCPT TO:<" + to + ">",
		"DATA"} {
		if reply, err := k.send(line); err != nil || codeOf(reply) >= 400 {
			o.t.Logf("%s: %s: %q %v", scheme, line, reply, err)
			return
		}
	}
	if reply, err := k.send(strings.ReplaceAll(message, "\n", "\r\n") + "."); err != nil || codeOf(reply) != 250 {
		o.t.Errorf("%s: the dot: %q %v", scheme, reply, err)
	}
}

// flip changes the last letter of the tag in an address.
func flip(address string) string {
	at := strings.LastIndexByte(address, '@')
	other := "a"
	if strings.EqualFold(address[at-1:at], "a") {
		other = "b"
	}
	return address[:at-1] + other + address[at:]
}

// TestMailComesBack checks the effect of bounces by each way. Unknown mailboxes and complaints suppress the address
// until the operator removes the suppression. Temporary errors, policy refusals, forgeries and other mail do nothing.
// A mail to the unsubscribe address ends a digest.
func TestMailComesBack(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for name, send := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := storetest.SQLite(t)
			if name == "pipe" {
				database = storetest.Postgres(t)
			}
			o := newOffice(t, database, 5)
			o.seal()
			names := []string{"hard", "complaint", "delayed", "policy", "forged", "leaves", "sender", "plain"}
			for i, n := range names {
				names[i] = n + "@example.org"
			}
			o.add(firstMidnight(), "UTC", names...)
			o.day(firstMidnight(), 0, 15*time.Minute)
			o.set(firstMidnight().Add(20 * time.Minute))
			o.comeBack(send)
			for email, reason := range map[string]string{"hard": "hard_bounce", "complaint": "complaint"} {
				if got := o.suppressions()[email+"@example.org"]; got != reason {
					t.Errorf("%s is suppressed as %q, want %q", email, got, reason)
				}
			}
			if n := len(o.suppressions()); n != 2 {
				t.Errorf("suppressed: %v", o.suppressions())
			}
			for _, gone := range []string{"hard", "complaint", "leaves"} {
				o.mute[gone+"@example.org"] = o.now
			}
			o.until = firstMidnight().Add(oneDay)
			o.day(o.until, 0, 15*time.Minute)
			if j := o.hold(); j.messages != 8+5 {
				t.Errorf("%d messages, want 8 and then 5", j.messages)
			}
			o.undo()
		})
	}
}

// comeBack sends the bounces of the first day.
func (o *office) comeBack(send way) {
	o.t.Helper()
	for _, a := range o.server.kept() {
		name, _, _ := strings.Cut(a.to, "@")
		switch name {
		case "hard":
			send(o, "", a.from, report(a, "failed", "5.1.1"))
			send(o, "", a.from, report(a, "failed", "5.1.1"))
		case "complaint":
			// the address that providers use for complaints
			send(o, "abuse@mail.example", "bounces@example.org", report(a, "", ""))
		case "delayed":
			send(o, "", a.from, report(a, "delayed", "4.4.1"))
		case "policy":
			send(o, "", a.from, report(a, "failed", "5.7.1"))
			o.back[a.to] = true
		case "forged":
			b := a
			b.from = flip(a.from)
			send(o, "", b.from, report(b, "failed", "5.1.1"))
		case "sender": // bounces have an empty sender
			send(o, "somebody@example.net", a.from, report(a, "failed", "5.1.1"))
		case "plain":
			send(o, "", a.from, "From: <a@b.example>\nTo: <"+a.from+
				">\nSubject: Out of office\n\nI am away; user unknown 5.1.1.\n")
		case "leaves":
			p, _ := examine(a.raw, o.keys)
			_, mailto, ok := strings.Cut(p.Header.Get("List-Unsubscribe"), "<mailto:")
			mailto, _, _ = strings.Cut(mailto, ">")
			to, _, _ := strings.Cut(mailto, "?")
			if !ok {
				o.t.Fatalf("no mailto in %s", p.Header.Get("List-Unsubscribe"))
			}
			send(o, a.to, to, "From: <"+a.to+">\nTo: <"+to+">\nSubject: unsubscribe\n\n")
		}
	}
}

// undo removes the suppressions: the bounced reader gets mail the next day; the one who complained has unsubscribed.
func (o *office) undo() {
	o.t.Helper()
	o.at(o.now, "suppressions", "remove", "hard@example.org")
	o.at(o.now, "suppressions", "remove", "complaint@example.org")
	before := len(o.server.kept())
	o.day(firstMidnight().Add(2*oneDay), 0, 15*time.Minute)
	to := map[string]int{}
	for _, a := range o.server.kept()[before:] {
		to[a.to]++
	}
	if len(to) != 6 || to["hard@example.org"] != 1 {
		o.t.Errorf("after the undo mail went to %v", to)
	}
}
