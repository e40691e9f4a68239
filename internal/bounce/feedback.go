package bounce

import "strings"

// readFeedback judges a complaint by its type (RFC 5965 §7.3, with those
// registered later). Reports that authentication failed, that a virus was
// found, or that a message was no spam are not the reader's wish.
func readFeedback(f fields) Report {
	kind := strings.ToLower(f.get("Feedback-Type"))
	r := Report{Kind: Notice, Evidence: "feedback of type " + kind}
	switch kind {
	case "abuse", "fraud":
		r.Kind = Complaint
	case "opt-out", "opt-out-list":
		r.Kind = OptOut
	default:
		return r
	}
	if agent := f.get("User-Agent"); agent != "" {
		r.Evidence += " by " + agent
	}
	return r
}

// isOldComplaint reports a complaint of Microsoft's Junk Mail Reporting Program
// in its form from before RFC 5965: the message alone is attached.
func (m *reading) isOldComplaint() bool {
	return m.attached.has("X-HmXmrOriginalRecipient") &&
		strings.Contains(strings.ToLower(m.header.get("From")), "staff@hotmail.com") &&
		strings.HasPrefix(strings.ToLower(m.header.get("Subject")), "complaint about message from")
}
