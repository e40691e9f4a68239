package bounce

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"digest"
)

// groups splits a delivery status into its groups of fields: the message's and
// one for each recipient (RFC 3464 §2.1).
func groups(text []byte) (list []fields) {
	for len(list) <= maxParts && len(text) > 0 {
		var group fields
		if group, text = cutHeader(bytes.TrimLeft(text, "\r\n")); len(group) > 0 {
			list = append(list, group)
		}
	}
	return list
}

// readStatus judges a delivery status. Our messages have one recipient each, so
// where a report names several, aliases were followed, and the reader's address
// is gone only if all of them are. A report without any action says nothing.
func readStatus(list []fields) (r Report, ok bool) {
	failed, others := []Report{}, false
	for _, g := range list {
		action, _, _ := strings.Cut(strings.ToLower(g.get("Action")), " ")
		switch {
		case action == "":
		case action == "failed":
			failed = append(failed, readRecipient(g))
		default:
			others = true
			ok = true
		}
	}
	if len(failed) == 0 {
		return Report{Kind: Notice}, ok
	}
	r = failed[0]
	for _, f := range failed[1:] {
		if f.Bounce != digest.HardBounce && r.Bounce == digest.HardBounce {
			r = f
		}
	}
	if others && r.Bounce == digest.HardBounce {
		r.Bounce = digest.SoftBounce
	}
	return r, true
}

// readRecipient judges the failure at one recipient.
func readRecipient(g fields) Report {
	diagnostic := g.get("Diagnostic-Code")
	status, _ := codeIn(g.get("Status"))
	reply, told := replyIn(diagnostic)
	best := told
	if status.specific() || told == (code{}) {
		best = status
	}
	r := Report{Kind: Failure, Bounce: digest.SoftBounce, Status: best.String(),
		Evidence: said(best.String(), diagnostic)}
	switch {
	case speaksOfPolicy(diagnostic) || status.aboutUs() || told.aboutUs():
		r.Bounce = digest.RefusedBounce
	case reply/100 != 4 && isHard(status, told):
		r.Bounce = digest.HardBounce
	}
	return r
}

// isHard reports whether all codes that say anything specific say that there is
// no such mailbox, and at least one does.
func isHard(codes ...code) bool {
	hard := false
	for _, c := range codes {
		switch {
		case c == code{} || c.class == 5 && !c.specific():
		case digest.NoMailbox(c.String()):
			hard = true
		default:
			return false
		}
	}
	return hard
}

// speaksOfPolicy reports words by which a server refuses the sender, the
// content or the pace under a code that would mean the mailbox. Gmail says
// 5.2.1 of one that gets mail at too high a rate.
func speaksOfPolicy(diagnostic string) bool {
	diagnostic = strings.Join(slices.DeleteFunc(strings.Fields(strings.ToLower(diagnostic)), func(word string) bool {
		return strings.ContainsAny(word, "@/") // addresses and links say nothing of it
	}), " ")
	for _, word := range []string{"at a rate", "too many messages", "spam", "blacklist", "blocklist", "block list",
		"blocked using", "reputation", "policy"} {
		if strings.Contains(diagnostic, word) {
			return true
		}
	}
	return false
}

// A code is an enhanced status code (RFC 3463): class, subject, detail.
type code struct{ class, subject, detail int }

func (c code) String() string {
	if c == (code{}) {
		return ""
	}
	return strconv.Itoa(c.class) + "." + strconv.Itoa(c.subject) + "." + strconv.Itoa(c.detail)
}

// specific reports whether the code says more than its class.
func (c code) specific() bool { return c.subject != 0 || c.detail != 0 }

// aboutUs reports whether the code speaks of the message or its sender, for now
// or for good, and not of the mailbox: nobody's address is to suffer for it.
func (c code) aboutUs() bool {
	switch c.subject {
	case 5, 6, 7: // protocol, content, policy
		return true
	case 1: // the sender's address
		return c.detail == 7 || c.detail == 8
	}
	return c.subject == 2 && c.detail == 3 || c.subject == 3 && c.detail == 4 // its size
}

// codePattern finds an enhanced status code that stands by itself.
var codePattern = regexp.MustCompile(`(?:^|[^0-9.])([245])\.([0-9]{1,3})\.([0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9])`)

// codeIn finds the first code in a text.
func codeIn(text string) (code, bool) {
	found := codePattern.FindStringSubmatch(text)
	if found == nil {
		return code{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(found[i]); return n } // at most three digits
	return code{number(1), number(2), number(3)}, true
}

// replyPattern is the beginning of what a server replied: "smtp; 550 5.1.1 …",
// "smtp;550-5.1.1 …", "smtp; 550 #5.1.0 …".
var replyPattern = regexp.MustCompile(
	`^(?:[A-Za-z0-9-]{1,40}\s*;)?\s*([2-5][0-9][0-9])?[ -]?\s*(?:#?([245]\.[0-9]{1,3}\.[0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9]))?`)

// replyIn reads a diagnostic code (RFC 3464 §2.3.6): the reply and the enhanced
// code that follows it, zero where there is none.
func replyIn(diagnostic string) (reply int, c code) {
	found := replyPattern.FindStringSubmatch(diagnostic)
	reply, _ = strconv.Atoi(found[1]) // the pattern matches everything, with empty groups if need be
	c, _ = codeIn(found[2])
	return reply, c
}
