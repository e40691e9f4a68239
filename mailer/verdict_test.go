package mailer

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

// said parses the reply in a line.
func said(t testing.TB, line string) Reply {
	t.Helper()
	r, err := readReply(bufio.NewReader(strings.NewReader(line + "\r\n")))
	must(t, err)
	return r
}

func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		stage Stage
		reply string // empty if the connection was lost
		want  Verdict
	}{
		{StageCompose, "", Refused},
		{StageConnect, "", Route}, // no server
		{StageConnect, "554 closed", Route},
		{StageConnect, "421 busy", Route},
		{StageConnect, "554 5.7.1 your address is blocked", Paused},
		{StageAuth, "", Route},
		{StageAuth, "535 5.7.8 wrong password", Paused}, // not about a mailbox
		{StageAuth, "454 4.7.0 not now", Route},
		{StageAuth, "550 no", Paused},
		{StageMail, "", Retry},
		{StageMail, "451 later", Route},
		{StageMail, "421 too many", Route},
		{StageMail, "550 5.7.1 not you", Paused}, // before RCPT: about us
		{StageMail, "553 5.1.8 sender unknown", Paused},
		{StageMail, "530 5.7.0 STARTTLS first", Paused},
		{StageRcpt, "", Retry},
		{StageRcpt, "421 4.3.2 down", Route},
		{StageRcpt, "450 4.2.0 greylisted", Retry},
		{StageRcpt, "452 4.2.2 full", Retry},
		{StageRcpt, "552 too much", Retry}, // RFC 5321 §4.5.3.1.10
		{StageRcpt, "552 5.2.2 full", Retry},
		{StageRcpt, "550 no such user", Bounced},
		{StageRcpt, "550 5.1.1 no such user", Bounced},
		{StageRcpt, "553 5.1.3 no address", Bounced},
		{StageRcpt, "551 5.1.6 moved", Bounced},
		{StageRcpt, "554 5.1.2 no such domain", Bounced},
		{StageRcpt, "550 5.2.1 mailbox disabled", Bounced},
		{StageRcpt, "556 5.1.10 no mail here", Bounced}, // RFC 7505
		{StageRcpt, "521 5.3.2 no mail here", Bounced},  // RFC 7504
		{StageRcpt, "521 5.7.1 not for you", Refused},
		{StageRcpt, "550 5.7.1 relaying denied", Refused},
		{StageRcpt, "550 5.4.1 access denied", Refused},
		// about us: it must not suppress all readers of a domain
		{StageRcpt, "550 blocked, see https://www.spamhaus.org", Refused},
		{StageRcpt, "550 relay not permitted", Refused},
		{StageRcpt, "553 no", Refused},
		{StageRcpt, "554 5.7.1 spam", Refused},
		{StageRcpt, "530 5.7.0 log in first", Paused},
		{StageRcpt, "550 5.7.26 not authenticated", Paused},
		{StageData, "451 later", Retry},
		{StageData, "554 no", Refused},
		{StageBody, "", Retry},
		{StageDot, "452 disk", Retry},
		{StageDot, "552 5.3.4 too large", Refused},
		{StageDot, "550 5.1.1 no such user", Refused}, // not at RCPT: a filter may send it
		{StageDot, "554 5.7.1 spam", Refused},
		{StageDot, "550 5.7.515 the domain is not authenticated", Paused},
		{StageDot, "550 5.7.26 not authenticated", Paused},
		{StageDot, "421 4.7.0 later", Route},
	} {
		e := &NotAcceptedError{Stage: test.stage}
		if test.reply != "" {
			e.Reply = said(t, test.reply)
		}
		if got := e.Verdict(); got != test.want {
			t.Errorf("%s %q: %s, want %s", test.stage, test.reply, got, test.want)
		}
	}
}

// TestAboutMessage: some refusals concern only one message.
func TestAboutMessage(t *testing.T) {
	for line, want := range map[string][2]bool{ // about the message; too large
		"554 5.6.0 no":                          {true, false},
		"552 5.3.4 no":                          {true, true},
		"550 5.2.3 no":                          {true, true},
		"552 message exceeds a limit":           {true, true},
		"523 the message is too large":          {true, true},
		"554 5.7.1 message contains a virus":    {true, false},
		"550 5.7.1 listed by SURBL":             {true, false},
		"554 5.7.1 spam":                        {false, false},
		"550 5.7.1 listed by a blocklist":       {false, false},
		"552 5.2.2 mailbox full":                {false, false},
		"452 4.3.4 message size over the limit": {false, false}, // for now
	} {
		r := said(t, line)
		if got := [2]bool{r.aboutMessage(), r.isTooLarge()}; got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// TestAnswers: only refusals and deferrals that may concern the domain as a whole count against it.
func TestAnswers(t *testing.T) {
	for line, want := range map[string]Answers{
		"550 5.1.1 nobody":                        {All: 1},
		"554 5.6.0 no":                            {All: 1},
		"554 5.3.4 message too large":             {All: 1},
		"550 5.7.1 message contains a listed URL": {All: 1},
		"550 5.7.1 policy":                        {All: 1, Refusals: 1},
		"451 4.7.1 later":                         {All: 1, Deferrals: 1},
		"451 4.7.0 slow down":                     {All: 1},
		"452 4.2.2 full":                          {All: 1},
		"421 busy":                                {},
	} {
		a := Attempt{Err: &NotAcceptedError{Stage: StageRcpt, Reply: said(t, line)}}
		if got := a.answers(); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
}

// TestWhomADeferralIsAbout: a 4xx concerns a mailbox, a domain, or neither, as with greylisting.
func TestWhomADeferralIsAbout(t *testing.T) {
	for line, want := range map[string]string{
		"450 4.2.0 try again later":                        "",
		"451 4.7.1 try again later":                        "",
		"450 later":                                        "",
		"450 4.2.0 Recipient address rejected: Greylisted": "mailbox",
		"451 4.7.1 Greylisting in action":                  "mailbox",
		"452 4.2.2 over quota, too much in it":             "mailbox",
		"450 4.2.1 receiving mail too quickly":             "mailbox",
		"450 4.1.2 domain not found":                       "mailbox",
		"452 4.3.1 no space":                               "domain",
		"451 4.4.1 no route":                               "domain",
		"452 4.5.3 too many":                               "domain",
		"451 4.7.650 temporarily rate limited":             "domain",
		"450 4.7.0 deferred":                               "domain",
		"451 4.7.1 too many messages, slow down":           "domain",
		"451 server busy":                                  "domain",
	} {
		r, got := said(t, line), ""
		if r.aboutMailbox() {
			got = "mailbox"
		}
		if r.aboutDomain() {
			got += "domain"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestWaitHint(t *testing.T) {
	for line, want := range map[string]time.Duration{
		"450 4.2.0 try again in 300 seconds":                          5 * time.Minute,
		"451 4.7.1 Greylisted for 5 minutes":                          5 * time.Minute,
		"451 Please wait 90s.":                                        90 * time.Second,
		"450 come back in 00:04:30":                                   4*time.Minute + 30*time.Second,
		"451 retry after about 1 hour":                                time.Hour,
		"451 try again in at least another 20 min":                    20 * time.Minute,
		"451 in 99999999999999999999 seconds":                         0, // out of range
		"451 in 999999999 hours":                                      mostHint,
		"450 in 30 days":                                              0,
		"452 4.5.3 100 messages, 60 seconds":                          0, // a limit
		"550 try again in 300 seconds":                                0, // permanent
		"450 4.2.0 later":                                             0,
		"450 for more see https://example.org/help/in/5/minutes.html": 5 * time.Minute, // harmless
	} {
		if got := said(t, line).waitHint(); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func FuzzWaitHint(f *testing.F) {
	f.Add("try again in 300 seconds")
	f.Add("in 00:99:99 after 5m for 1h")
	f.Fuzz(func(t *testing.T, text string) {
		if d := (Reply{Code: 450, Text: text}).waitHint(); d < 0 || d > 24*time.Hour {
			t.Errorf("%q: %s", text, d)
		}
		if d := (Reply{Code: 550, Text: text}).waitHint(); d != 0 {
			t.Errorf("%q: %s, of a refusal", text, d)
		}
	})
}

func TestRetrySchedule(t *testing.T) {
	var total time.Duration
	n := 0
	for attempt := 1; ; attempt++ {
		d, ok := retryDelay(attempt)
		if !ok {
			break
		}
		n++
		total += d
	}
	if n != 9 || total != 17*time.Hour+15*time.Minute {
		t.Errorf("%d retries over %s; they must end before the next edition", n, total)
	}
	if d, _ := retryDelay(1); d < 5*time.Minute {
		t.Errorf("%s is too soon for a greylist", d)
	}
}
