package bounce

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-message"

	"digest"
)

// ReportKind says what a message says of one that was sent earlier.
type ReportKind string

// The kinds of reports.
const (
	NoReport  ReportKind = ""          // none: an ordinary message, an automatic reply, a receipt
	Notice    ReportKind = "notice"    // a report that asks for nothing: a delay, a delivery, "not spam"
	Failure   ReportKind = "failure"   // it was not delivered
	Complaint ReportKind = "complaint" // its reader called it spam
	OptOut    ReportKind = "opt-out"   // its reader wants no more of the kind
)

// A Report is what Parse reads in a message.
type Report struct {
	Kind     ReportKind
	Bounce   digest.BounceKind // of a failure: hard or soft
	Status   string            // of a failure, RFC 3463: "5.1.1"; empty when not given
	Evidence string            // what was said, one line

	// Original holds the values of those fields of the reported message in
	// which its return path may stand. They come from strangers.
	Original []string

	// Automatic says that a program answered, not a person (RFC 3834 §5).
	Automatic bool

	// Aggregate is the first attachment that may be an aggregate report of DMARC (RFC 9990).
	Aggregate []byte
}

// MaxMessage is how much of a message is read. What a report has to say stands
// before the message that it returns.
const MaxMessage = 1 << 20

// Bounds of what is looked at in one message.
const (
	maxParts    = 100
	maxDepth    = 10
	maxPart     = 256 << 10 // bytes of one part, decoded
	maxText     = 8 << 10   // of the text in which a reason is looked for
	maxEvidence = 300
)

var errUnreadable = errors.New("this is not an email: it has no header")

// Parse reads a message as a mail server gives it: a delivery status report
// (RFC 3464, 6522, 6533), a complaint (RFC 5965), a failure in one of the forms
// from before there were standards, or none of these. It believes nothing: who
// the report is about is for the caller to find out. The error says that the
// bytes are no message; one that is cut off or broken inside gives what can be
// read of it.
func Parse(raw []byte) (Report, error) {
	header, body := cutHeader(cutEnvelope(raw[:min(len(raw), MaxMessage)]))
	if len(header) == 0 {
		return Report{}, errUnreadable
	}
	m := reading{header: header}
	m.walk(entityOf(header, body), 0)
	r := m.report()
	r.Original = m.original
	r.Automatic = isAutomatic(header)
	r.Aggregate = m.aggregate
	r.Evidence = oneLine(r.Evidence)
	return r, nil
}

// entityOf hands a message over to the MIME reader with the fields that it
// needs; it reads no others, so that none can be too broken for it.
func entityOf(header fields, body []byte) *message.Entity {
	var h message.Header
	for _, name := range []string{"Content-Type", "Content-Transfer-Encoding", "Content-Disposition"} {
		if v := header.get(name); v != "" {
			h.Set(name, v)
		}
	}
	e, _ := message.New(h, bytes.NewReader(body)) // with an encoding that is not known, the body is as it came
	return e
}

// A reading gathers what the parts of a message say.
type reading struct {
	header   fields // the message's own
	parts    int
	status   []fields // groups of the delivery status
	feedback fields   // of the complaint
	attached fields   // header of the message returned
	original []string
	text     string // the beginning of the first text

	aggregate []byte // of DMARC
}

// walk reads a part, and those inside it. It does not go into messages that are
// attached: what they report is not what this one reports.
func (m *reading) walk(e *message.Entity, depth int) {
	if m.parts++; m.parts > maxParts || depth > maxDepth {
		return
	}
	if parts := e.MultipartReader(); parts != nil {
		m.walkAll(parts, depth+1)
		return
	}
	kind, _, _ := e.Header.ContentType() // one that cannot be read is none that matters here
	switch kind = strings.ToLower(kind); kind {
	case "message/delivery-status", "message/global-delivery-status":
		if m.status == nil {
			m.status = groups(content(e))
		}
	case "message/feedback-report":
		if m.feedback == nil {
			m.feedback, _ = cutHeader(bytes.TrimLeft(content(e), "\r\n"))
			m.original = append(m.original, m.feedback.all("Original-Mail-From")...)
		}
	case "message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers":
		if m.attached == nil {
			m.attached, _ = cutHeader(cutEnvelope(content(e)))
			m.original = append(m.original, traces(m.attached)...)
		}
	case "text/plain", "":
		if m.text == "" {
			text := content(e)
			m.text = string(text[:min(len(text), maxText)])
		}
	default:
		if m.aggregate == nil && mayHoldAggregate(e, kind) {
			m.aggregate, _ = io.ReadAll(e.Body) // less than MaxMessage; where it breaks off, it cannot be unpacked
		}
	}
}

// mayHoldAggregate reports whether a part may be an aggregate report, which receivers send under many types.
func mayHoldAggregate(e *message.Entity, kind string) bool {
	switch kind {
	case "application/gzip", "application/x-gzip", "application/zip", "application/x-zip-compressed",
		"text/xml", "application/xml":
		return true
	}
	_, disposition, _ := e.Header.ContentDisposition()
	_, parameters, _ := e.Header.ContentType()
	name := strings.ToLower(cmp.Or(disposition["filename"], parameters["name"]))
	return strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".xml.gz") || strings.HasSuffix(name, ".zip")
}

func (m *reading) walkAll(parts message.MultipartReader, depth int) {
	for m.parts <= maxParts {
		e, err := parts.NextPart()
		if err != nil && !message.IsUnknownEncoding(err) && !message.IsUnknownCharset(err) {
			return // the end, or where it breaks off
		}
		m.walk(e, depth)
	}
}

// content is what a part holds; where it breaks off, what is there.
func content(e *message.Entity) []byte {
	b, _ := io.ReadAll(io.LimitReader(e.Body, maxPart))
	return b
}

// traces are the values of a returned header's fields in which mail servers
// and we ourselves put the return path.
func traces(header fields) (values []string) {
	for _, f := range header {
		name := strings.ToLower(f.name)
		switch name {
		case "return-path", "list-unsubscribe", "received", "received-spf", "authentication-results",
			"arc-authentication-results":
			values = append(values, f.value)
		default:
			if strings.HasPrefix(name, "x-") {
				values = append(values, f.value)
			}
		}
	}
	return values
}

// report is what all parts together say.
func (m *reading) report() Report {
	if m.feedback != nil {
		return readFeedback(m.feedback)
	}
	if r, ok := readStatus(m.status); ok {
		return r
	}
	return m.readPlain()
}

// isAutomatic reports an answer made by a program: a vacation notice, a
// delivery report. A message that a program made for a person
// ("auto-generated"), such as one to unsubscribe, is none.
func isAutomatic(header fields) bool {
	submitted := strings.ToLower(header.get("Auto-Submitted"))
	return strings.HasPrefix(submitted, "auto-replied") || strings.HasPrefix(submitted, "auto-notified") ||
		header.has("X-Autoreply") || header.has("X-Autorespond") || header.has("X-Autoresponse") ||
		strings.EqualFold(header.get("Precedence"), "auto_reply")
}

// oneLine makes a stranger's text safe to store and to show, and short.
func oneLine(s string) string {
	s = digest.OneLine(s)
	if len(s) > maxEvidence {
		s = strings.ToValidUTF8(s[:maxEvidence], "") + "…"
	}
	return s
}

// said puts a code and words together, as evidence.
func said(code, words string) string {
	switch {
	case code == "" || strings.Contains(words, code):
		return words
	case words == "":
		return code
	}
	return fmt.Sprintf("%s: %s", code, words)
}

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
