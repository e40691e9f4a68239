package bounce

import (
	"mime"
	"strings"

	"digest"
)

// readPlain judges a message without a report that can be believed. Servers
// older than RFC 3464 say in free text what failed, which is good for a soft
// bounce at most: the text may be anything.
func (m *reading) readPlain() Report {
	subject := m.subject()
	switch {
	case m.isOldComplaint():
		return Report{Kind: Complaint, Evidence: m.header.get("Subject")}
	case speaksOfDelay(subject):
		return Report{Kind: Notice}
	case m.header.has("X-Failed-Recipients"), speaksOfFailure(subject, m.text): // Exim's
		words := reasonIn(m.text)
		c, _ := codeIn(words)
		r := Report{Kind: Failure, Bounce: digest.SoftBounce, Status: c.String(), Evidence: said(subject, words)}
		if c.aboutUs() || speaksOfPolicy(words) {
			r.Bounce = digest.RefusedBounce
		}
		return r
	}
	return Report{}
}

func (m *reading) subject() string {
	raw := m.header.get("Subject")
	decoded, err := new(mime.WordDecoder).DecodeHeader(raw)
	if err != nil {
		return raw
	}
	return decoded
}

// speaksOfDelay reports a warning that delivery takes time.
func speaksOfDelay(subject string) bool {
	subject = strings.ToLower(subject)
	return strings.HasPrefix(subject, "warning") || strings.Contains(subject, "(delay)") ||
		strings.Contains(subject, "delayed")
}

// speaksOfFailure reports what mail servers write above mail that they could
// not deliver. Automatic replies and challenges begin otherwise.
func speaksOfFailure(subject, text string) bool {
	subject = strings.ToLower(subject)
	for _, begin := range []string{
		"mail delivery failed",               // Exim
		"mail delivery failure",              // and others
		"undelivered mail returned",          // Postfix
		"undeliverable",                      // Exchange
		"delivery status notification (fail", // Exchange, Gmail
		"returned mail:",                     // Sendmail
		"failure notice",                     // qmail
		"delivery failure",                   // Domino
		"delivery failed",
		"mail system error - returned mail",
		"unzustellbar",
	} {
		if strings.HasPrefix(subject, begin) {
			return true
		}
	}
	text = strings.TrimLeft(text, " \t\r\n")
	for _, begin := range []string{"Hi. This is the qmail-send program", "Hi. This is the deliver program",
		"This is the mail delivery agent at"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// reasonIn finds the reason in a free text: what follows the line that names
// the recipient ("<nobody@example.com>:"), or else the whole beginning.
func reasonIn(text string) string {
	for line, rest := "", text; rest != ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimSpace(line)
		if strings.Contains(line, "@") && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, ">")) {
			paragraph, _, _ := strings.Cut(strings.ReplaceAll(rest, "\r\n", "\n"), "\n\n")
			return strings.TrimSpace(paragraph)
		}
	}
	return strings.TrimSpace(text[:min(len(text), maxEvidence)])
}
