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

// ReportKind is what a message reports about an earlier one.
type ReportKind string

const (
	NoReport  ReportKind = ""          // an ordinary message, an automatic reply or a receipt
	Notice    ReportKind = "notice"    // a report without consequences: a delay, a delivery, "not spam"
	Failure   ReportKind = "failure"   // not delivered
	Complaint ReportKind = "complaint" // the reader reported spam
	OptOut    ReportKind = "opt-out"   // the reader unsubscribes
)

// A Report is the result of Parse.
type Report struct {
	Kind     ReportKind
	Bounce   digest.BounceKind // of a failure: hard, soft or refused
	Status   string            // of a failure, RFC 3463: "5.1.1"; empty: none
	Evidence string            // one line of the report

	// Original holds the values of header fields of the reported message that may contain its return path. They are
	// untrusted.
	Original []string

	// Automatic says that a program replied, not a person (RFC 3834 §5).
	Automatic bool

	// Aggregate is the first attachment that may be a DMARC aggregate report (RFC 9990).
	Aggregate []byte
}

// MaxMessage is the maximum number of bytes to read from a message. A report is before the message that it returns.
const MaxMessage = 1 << 20

// The limits for parsing one message.
const (
	maxParts    = 100
	maxDepth    = 10
	maxPart     = 256 << 10 // bytes of one part, decoded
	maxText     = 8 << 10   // of the text that may contain a reason
	maxEvidence = 300
)

var errUnreadable = errors.New("this is not an email: it has no header")

// Parse parses a message: a delivery status report (RFC 3464, 6522, 6533), a complaint (RFC 5965), an older form of
// failure report, or anything else. It trusts nothing: the caller has to find out which edition the report is about. It
// returns an error if the bytes are not a message. Of a truncated or damaged message it returns the readable part.
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
	r.Evidence = shortLine(r.Evidence)
	return r, nil
}

// entityOf creates an entity with the only header fields that the MIME reader needs. Other fields may be malformed.
func entityOf(header fields, body []byte) *message.Entity {
	var h message.Header
	for _, name := range []string{"Content-Type", "Content-Transfer-Encoding", "Content-Disposition"} {
		if v := header.get(name); v != "" {
			h.Set(name, v)
		}
	}
	// With an unknown encoding, the body stays encoded.
	e, _ := message.New(h, bytes.NewReader(body))
	return e
}

type reading struct {
	header   fields // of the message itself
	parts    int
	status   []fields // groups of fields of the delivery status
	feedback fields   // fields of the complaint
	attached fields   // header of the returned message
	original []string
	text     string // beginning of the first text part

	aggregate []byte // possible DMARC report
}

// walk reads a part and its inner parts. It does not enter attached messages, because their reports are not this
// message's.
func (m *reading) walk(e *message.Entity, depth int) {
	if m.parts++; m.parts > maxParts || depth > maxDepth {
		return
	}
	if parts := e.MultipartReader(); parts != nil {
		m.walkAll(parts, depth+1)
		return
	}
	kind, _, _ := e.Header.ContentType() // an unreadable type matches no case
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
			// It has fewer than MaxMessage bytes. A truncated one cannot be unpacked.
			m.aggregate, _ = io.ReadAll(e.Body)
		}
	}
}

// mayHoldAggregate reports whether a part may be an aggregate report. Receivers send them with many types.
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
			return // the end, or a truncated part
		}
		m.walk(e, depth)
	}
}

// content returns the content of a part, or the readable beginning of it.
func content(e *message.Entity) []byte {
	b, _ := io.ReadAll(io.LimitReader(e.Body, maxPart))
	return b
}

// traces returns the values of the fields in a returned header in which mail servers and we write the return path.
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

func (m *reading) report() Report {
	if m.feedback != nil {
		return readFeedback(m.feedback)
	}
	if r, ok := readStatus(m.status); ok {
		return r
	}
	return m.readPlain()
}

// isAutomatic reports whether a program replied, such as with a vacation notice or a delivery report. A message that a
// program made for a person ("auto-generated"), such as one to unsubscribe, does not count.
func isAutomatic(header fields) bool {
	submitted := strings.ToLower(header.get("Auto-Submitted"))
	return strings.HasPrefix(submitted, "auto-replied") || strings.HasPrefix(submitted, "auto-notified") ||
		header.has("X-Autoreply") || header.has("X-Autorespond") || header.has("X-Autoresponse") ||
		strings.EqualFold(header.get("Precedence"), "auto_reply")
}

// shortLine makes untrusted text safe to store and display, and shortens it.
func shortLine(s string) string {
	s = digest.OneLine(s)
	if len(s) > maxEvidence {
		s = digest.FirstBytes(s, maxEvidence) + "…"
	}
	return s
}

// said joins a code and a text into evidence.
func said(code, words string) string {
	switch {
	case code == "" || strings.Contains(words, code):
		return words
	case words == "":
		return code
	}
	return fmt.Sprintf("%s: %s", code, words)
}

// readFeedback judges a complaint by its type (RFC 5965 §7.3, and types registered later). Reports of failed
// authentication, viruses or "not spam" are not complaints of the reader.
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

// isOldComplaint reports a complaint of Microsoft's Junk Mail Reporting Program from before RFC 5965, which only
// attaches the message.
func (m *reading) isOldComplaint() bool {
	return m.attached.has("X-HmXmrOriginalRecipient") &&
		strings.Contains(strings.ToLower(m.header.get("From")), "staff@hotmail.com") &&
		strings.HasPrefix(strings.ToLower(m.header.get("Subject")), "complaint about message from")
}
