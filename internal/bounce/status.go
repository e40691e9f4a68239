package bounce

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"digest"
)

// groups splits a delivery status into its groups of fields: one for the message and one for each recipient (RFC 3464
// §2.1).
func groups(text []byte) (list []fields) {
	for len(list) <= maxParts && len(text) > 0 {
		var group fields
		if group, text = cutHeader(bytes.TrimLeft(text, "\r\n")); len(group) > 0 {
			list = append(list, group)
		}
	}
	return list
}

// readStatus judges a delivery status. Our messages have one recipient each, so a report with several followed aliases.
// The reader's address does not exist only if all of them failed with a hard bounce. It returns false for a report
// without an action.
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

// isHard reports whether at least one code says that the mailbox does not exist, and no specific code says anything
// different.
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

// speaksOfPolicy reports whether a server rejected the sender, the content or the rate, although its code may mean the
// mailbox. Gmail uses 5.2.1 for a mailbox that gets mail at too high a rate.
func speaksOfPolicy(diagnostic string) bool {
	diagnostic = strings.Join(slices.DeleteFunc(strings.Fields(strings.ToLower(diagnostic)), func(word string) bool {
		return strings.ContainsAny(word, "@/") // ignore addresses and links
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

// aboutUs reports whether the code is about the message or its sender and not about the mailbox. Such a failure does
// not count against an address.
func (c code) aboutUs() bool {
	switch c.subject {
	case 5, 6, 7: // protocol, content, policy
		return true
	case 1: // the sender's address
		return c.detail == 7 || c.detail == 8
	}
	return c.subject == 2 && c.detail == 3 || c.subject == 3 && c.detail == 4 // message too large
}

// codePattern matches an enhanced status code that is not part of a longer number.
var codePattern = regexp.MustCompile(`(?:^|[^0-9.])([245])\.([0-9]{1,3})\.([0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9])`)

func codeIn(text string) (code, bool) {
	found := codePattern.FindStringSubmatch(text)
	if found == nil {
		return code{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(found[i]); return n } // at most three digits
	return code{number(1), number(2), number(3)}, true
}

// replyPattern matches the beginning of a server's reply: "smtp; 550 5.1.1 …", "smtp;550-5.1.1 …", "smtp; 550 #5.1.0
// …".
var replyPattern = regexp.MustCompile(
	`^(?:[A-Za-z0-9-]{1,40}\s*;)?\s*([2-5][0-9][0-9])?[ -]?\s*(?:#?([245]\.[0-9]{1,3}\.[0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9]))?`)

// replyIn parses a diagnostic code (RFC 3464 §2.3.6) into the reply and the enhanced code after it, 0 if one is
// missing.
func replyIn(diagnostic string) (reply int, c code) {
	found := replyPattern.FindStringSubmatch(diagnostic)
	reply, _ = strconv.Atoi(found[1]) // the pattern matches every text, if only with empty groups
	c, _ = codeIn(found[2])
	return reply, c
}
