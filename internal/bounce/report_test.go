package bounce

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/test/tier"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return b
}

// TestParseSamples checks messages of real mail servers.
func TestParseSamples(t *testing.T) {
	tests := []struct {
		file     string
		kind     ReportKind
		bounce   digest.BounceKind
		status   string
		evidence string // a part of it
	}{
		{"postfix-unknown.eml", Failure, digest.HardBounce, "5.1.1", "rejected: User unknown in virtual mailbox table"},
		{"postfix-delayed.eml", Notice, "", "", ""},
		{"postfix-relayed.eml", Notice, "", "", ""},
		{"postfix-expired.eml", Failure, digest.SoftBounce, "4.4.1", "Connection timed out"},
		{"postfix-policy.eml", Failure, digest.RefusedBounce, "5.7.1", "blocked using"},
		{"exim.eml", Failure, digest.HardBounce, "5.1.1", "User unknown"}, // its Status is always 5.0.0
		{"exim-old.eml", Failure, digest.SoftBounce, "5.1.1", "550 5.1.1 User unknown"},
		{"sendmail.eml", Failure, digest.HardBounce, "5.1.1", "User unknown"},
		{"exchange.eml", Failure, digest.HardBounce, "5.1.10", "RecipientNotFound"},
		{"gmail.eml", Failure, digest.HardBounce, "5.1.1", "does not exist"}, // no blank line ends its status
		{"qmail.eml", Failure, digest.SoftBounce, "5.1.1", "does not like recipient"},
		{"global.eml", Failure, digest.HardBounce, "5.1.1", "нет такого"},
		{"yahoo-arf.eml", Complaint, "", "", "abuse by Yahoo!-Mail-Feedback/2.0"},
		{"comcast-arf.eml", Complaint, "", "", "ReturnPathFBL"},
		{"jmrp.eml", Complaint, "", "", "complaint about message from 192.0.2.10"},
		{"arf-opt-out.eml", OptOut, "", "", "opt-out"},
		{"arf-auth-failure.eml", Notice, "", "", "auth-failure"},
		{"out-of-office.eml", NoReport, "", "", ""},
		{"challenge.eml", NoReport, "", "", ""},
		{"receipt.eml", NoReport, "", "", ""},
		{"leave.eml", NoReport, "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			text := sample(t, test.file)
			crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
			for how, raw := range map[string][]byte{"LF": text, "CRLF": crlf,
				"mbox": append([]byte("From MAILER-DAEMON Fri Nov 20\n"), text...)} {
				r, err := Parse(raw)
				if err != nil {
					t.Fatal(how, err)
				}
				if r.Kind != test.kind || r.Bounce != test.bounce || r.Status != test.status ||
					!strings.Contains(r.Evidence, test.evidence) {
					t.Errorf("%s: %+v", how, r)
				}
			}
		})
	}
	if files, _ := filepath.Glob("testdata/*.eml"); len(files) != len(tests) {
		t.Errorf("%d samples, %d of them tested", len(files), len(tests))
	}
}

// TestParseCutOff checks that a truncated message never reports more than the whole one.
func TestParseCutOff(t *testing.T) {
	tier.Alone(t)
	weight := map[ReportKind]int{NoReport: 0, Notice: 0, OptOut: 1, Failure: 2, Complaint: 3}
	files, _ := filepath.Glob("testdata/*.eml")
	for _, file := range files {
		whole := sample(t, filepath.Base(file))
		full, _ := Parse(whole)
		for n := range whole {
			r, err := Parse(whole[:n])
			worse := weight[r.Kind] > weight[full.Kind] || full.Bounce != digest.HardBounce &&
				r.Bounce == digest.HardBounce
			if worse || err != nil && n > 40 {
				t.Fatalf("%s at %d: %+v, %v", file, n, r, err)
			}
		}
	}
}

// report returns a delivery report with a status after the message's own group.
func report(status string) []byte {
	return []byte("From: MAILER-DAEMON@example.org\nSubject: no words that matter\n" +
		"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
		"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n" + status + "\n--b--\n")
}

func TestParseStatus(t *testing.T) {
	const hard, soft, refused, nothing = digest.HardBounce, digest.SoftBounce, digest.RefusedBounce,
		digest.BounceKind("")
	failed := func(status, diagnostic string) string {
		return "Final-Recipient: rfc822; a@example.org\nAction: failed\nStatus: " + status + "\nDiagnostic-Code: " +
			diagnostic + "\n"
	}
	tests := []struct {
		status string
		want   digest.BounceKind
		code   string
	}{
		{failed("5.1.1", "smtp; 550 5.1.1 no such user"), hard, "5.1.1"},
		{failed("5.1.2", ""), hard, "5.1.2"},
		{failed("5.1.3", ""), hard, "5.1.3"},
		{failed("5.1.6", ""), hard, "5.1.6"},
		{failed("5.1.10", ""), hard, "5.1.10"},
		{failed("5.2.1", "smtp; 550 5.2.1 mailbox disabled"), hard, "5.2.1"},
		{failed("5.1.1 (bad address)", ""), hard, "5.1.1"},
		{failed("5.0.0", "smtp;550-5.1.1 The email account"), hard, "5.1.1"},
		{failed("5.0.0", "smtp; 550 #5.1.1 Ironport"), hard, "5.1.1"},
		{"Action: failed\nDiagnostic-Code: smtp; 550 5.1.1 x\n", hard, "5.1.1"},                // no status
		{"Action: FAILED (really)\nStatus: 5.1.1\n", hard, "5.1.1"},                            //
		{failed("5.1.1", "smtp; 550 5.1.1 <nospam@example.org>: User unknown"), hard, "5.1.1"}, // ignore addresses

		{failed("5.2.2", "smtp; 552 5.2.2 mailbox full"), soft, "5.2.2"},
		{failed("5.1.8", ""), refused, "5.1.8"},                                // our address
		{failed("5.7.1", "smtp; 550 5.7.1 blocked"), refused, "5.7.1"},         // policy
		{failed("5.7.26", ""), refused, "5.7.26"},                              // policy
		{failed("5.6.1", ""), refused, "5.6.1"},                                // content
		{failed("4.7.1", "smtp; 451 4.7.1 try again later"), refused, "4.7.1"}, // policy, temporary
		{failed("5.2.3", ""), refused, "5.2.3"},                                // too large
		{failed("5.3.4", ""), refused, "5.3.4"},                                // too large
		{failed("5.3.2", ""), soft, "5.3.2"},
		{failed("5.4.4", ""), soft, "5.4.4"},                                                         // routing
		{failed("5.4.1", "smtp;550 5.4.1 Recipient address rejected: Access denied"), soft, "5.4.1"}, // Exchange's edge
		{failed("4.2.2", "smtp; 452 4.2.2 full"), soft, "4.2.2"},
		{failed("4.1.1", ""), soft, "4.1.1"},
		// the reply is temporary
		{failed("5.1.1", "smtp; 450 4.1.1 greylisted"), soft, "5.1.1"},
		{failed("5.1.1", "smtp; 450 try again"), soft, "5.1.1"}, // the same
		// two codes, one about policy
		{failed("5.1.1", "smtp; 550 5.7.1 policy"), refused, "5.1.1"},
		{failed("5.7.1", "smtp; 550 5.1.1 no such user"), refused, "5.7.1"}, // the same
		// words about policy
		{failed("5.1.1", "smtp; 550 5.1.1 rejected: your IP has a bad reputation"), refused, "5.1.1"},
		{failed("5.2.1", "smtp; 550-5.2.1 The user you are trying to contact is receiving mail at a rate that"),
			refused, "5.2.1"},
		{failed("5.0.0", "smtp; 550 no such user"), soft, "5.0.0"}, // unclear to which command
		{failed("5.0.0", ""), soft, "5.0.0"},
		{failed("2.0.0", ""), soft, "2.0.0"}, // contradictory
		{failed("15.1.1", ""), soft, ""},
		{failed("5.1.1.1", ""), soft, ""},
		{failed("", ""), soft, ""},

		{"Action: delayed\nStatus: 5.1.1\n", nothing, ""},
		{"Action: relayed\nStatus: 5.1.1\n", nothing, ""},
		{"Action: delivered\nStatus: 5.1.1\n", nothing, ""},
		{"Action: expanded\nStatus: 5.1.1\n", nothing, ""},
		{"Status: 5.1.1\n", nothing, ""}, // no action

		{failed("5.1.1", "") + "\n" + failed("5.1.1", ""), hard, "5.1.1"}, // several, all hard
		{failed("5.1.1", "") + "\n" + failed("4.2.2", ""), soft, "4.2.2"}, // one is temporary
		{failed("5.1.1", "") + "\nAction: delivered\n", soft, "5.1.1"},    // an alias with one delivery
		{"\n\n" + failed("5.1.1", "") + "\n\n\n", hard, "5.1.1"},
		{"this is no field\n" + failed("5.1.1", ""), hard, "5.1.1"},
	}
	for _, test := range tests {
		r, err := Parse(report(test.status))
		if err != nil || r.Bounce != test.want || r.Status != test.code {
			t.Errorf("%q: %+v, %v; want %q %s", test.status, r, err, test.want, test.code)
		}
	}
}

func TestParseFeedbackTypes(t *testing.T) {
	for kind, want := range map[string]ReportKind{
		"abuse": Complaint, "fraud": Complaint, "ABUSE": Complaint, "opt-out": OptOut, "opt-out-list": OptOut,
		"not-spam": Notice, "auth-failure": Notice, "virus": Notice, "other": Notice, "": Notice, "dmarc": Notice,
	} {
		raw := "From: a@example.org\nContent-Type: multipart/report; boundary=b\n\n--b\nContent-Type: " +
			"message/feedback-report\n\nFeedback-Type: " +
			kind + "\nOriginal-Mail-From: <x>\n--b--\n"
		if r, err := Parse([]byte(raw)); err != nil || r.Kind != want || len(r.Original) != 1 {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
	}
}

// TestParseFreeText checks that free text is at most a soft bounce, and only in the forms of mail servers.
func TestParseFreeText(t *testing.T) {
	for subject, want := range map[string]ReportKind{
		"Mail delivery failed: returning message to sender": Failure,
		"Undeliverable: Daily Digest":                       Failure,
		"Returned mail: User unknown":                       Failure,
		"=?utf-8?q?Undeliverable=3A_Daily?=":                Failure,
		"Warning: message 1P1 delayed 24 hours":             Notice,
		"Delivery Status Notification (Delay)":              Notice,
		"Re: Daily Digest":                                  NoReport,
		"Re: failure notice":                                NoReport,
		"Thank you for your mail":                           NoReport,
	} {
		r, err := Parse([]byte("From: x@example.org\nSubject: " + subject + "\n\n550 5.1.1 no such user\n"))
		if err != nil || r.Kind != want || r.Bounce == digest.HardBounce {
			t.Errorf("%s: %+v, %v", subject, r, err)
		}
	}
}

// TestParseForwarded checks that a report inside an attached message does not count.
func TestParseForwarded(t *testing.T) {
	raw := "From: anna@example.org\nSubject: Fwd: what is this?\nContent-Type: multipart/mixed; boundary=o\n\n--o\n" +
		"Content-Type: message/rfc822\n\n" + string(sample(t, "postfix-unknown.eml")) + "\n--o--\n"
	if r, err := Parse([]byte(raw)); err != nil || r.Kind != NoReport {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestParseWrapped checks that a report inside the message of a gateway counts.
func TestParseWrapped(t *testing.T) {
	inner := string(report("Action: failed\nStatus: 5.1.1\n"))
	_, inner, _ = strings.Cut(inner, "Content-Type")
	raw := "From: gateway@example.org\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type" + inner +
		"\n--o\nContent-Type: text/plain\n\nChecked for viruses.\n--o--\n"
	if r, err := Parse([]byte(raw)); err != nil || r.Bounce != digest.HardBounce {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestParseNoMessage(t *testing.T) {
	for _, raw := range []string{"", "\n\n", "no header here", "From \n", "\x00\x01\x02"} {
		if r, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%q: %+v", raw, r)
		}
	}
}

func TestEvidenceIsOneShortLine(t *testing.T) {
	r, err := Parse(report("Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 \x00\x1b[31m\xff red\n " +
		strings.Repeat("ü", 1000)))
	if err != nil || strings.ContainsAny(r.Evidence, "\x00\x1b\n\r") || len(r.Evidence) > maxEvidence+3 ||
		r.Evidence != strings.ToValidUTF8(r.Evidence, "") {
		t.Errorf("%q, %v", r.Evidence, err)
	}
}

func TestCutHeader(t *testing.T) {
	header, rest := cutHeader([]byte("A: one\r\n  two\r\nno field\n orphan\nb : three\n: none\nC:\n\nbody\n"))
	want := fields{{"A", "one  two"}, {"b", "three"}, {"C", ""}}
	if len(header) != len(want) || string(rest) != "body\n" {
		t.Fatalf("%q, %q", header, rest)
	}
	for i := range want {
		if header[i] != want[i] {
			t.Errorf("%q, want %q", header[i], want[i])
		}
	}
}

// TestCutHeaderLineBreaks checks that a bare LF ends a line as CRLF does, and that a bare CR does not. So no text moves
// from one field to another.
func TestCutHeaderLineBreaks(t *testing.T) {
	want := fields{{"Subject", "one X-Two: three"}, {"Auto-Submitted", "auto-replied"}}
	for name, text := range map[string]string{
		"CRLF":    "Subject: one\r\n X-Two: three\r\nAuto-Submitted: auto-replied\r\n\r\nTo: body\r\n",
		"bare LF": "Subject: one\n X-Two: three\nAuto-Submitted: auto-replied\n\nTo: body\n",
		"both":    "Subject: one\n X-Two: three\r\nAuto-Submitted: auto-replied\n\r\nTo: body\r\n",
		"bare CR": "Subject: one\r X-Two: three\r\nAuto-Submitted: auto-replied\r\n\r\nTo: body\r\n",
	} {
		header, rest := cutHeader([]byte(text))
		if !slices.Equal(header, want) || strings.TrimSpace(string(rest)) != "To: body" {
			t.Errorf("%s: %q, %q", name, header, rest)
		}
	}
}
