package bounce

import (
	"mime"
	"strings"

	"digest"
)

// readPlain judges a message without a usable report. Servers older than RFC 3464 describe a failure in free text. Such
// a failure is never a hard bounce, because anybody can write the text.
func (m *reading) readPlain() Report {
	subject := m.subject()
	switch {
	case m.isOldComplaint():
		return Report{Kind: Complaint, Evidence: m.header.get("Subject")}
	case speaksOfDelay(subject):
		return Report{Kind: Notice}
	case m.header.has("X-Failed-Recipients"), speaksOfFailure(subject, m.text): // of Exim
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

// speaksOfDelay reports whether the subject is a warning about a delay.
func speaksOfDelay(subject string) bool {
	subject = strings.ToLower(subject)
	return strings.HasPrefix(subject, "warning") || strings.Contains(subject, "(delay)") ||
		strings.Contains(subject, "delayed")
}

// speaksOfFailure reports whether a message begins as mail servers report a failed delivery. Automatic replies and
// challenges begin differently.
func speaksOfFailure(subject, text string) bool {
	subject = strings.ToLower(subject)
	for _, begin := range []string{
		"mail delivery failed",               // Exim
		"mail delivery failure",              // and other servers
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

// reasonIn returns the reason in a free text: the paragraph after the line with the recipient
// ("<nobody@example.com>:"), or the beginning of the text.
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
