package bounce

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/newsletter"
)

// Records stores results and looks up editions and digests. Its methods commit before they return, return a
// digest.NotFound error for deleted records, and change nothing the second time.
type Records interface {
	RecordBounce(ctx context.Context, now time.Time, b digest.Bounce) (s digest.Suppression, suppressed bool, err error)
	DeclineAsk(ctx context.Context, ask int64, now time.Time) error
	RecordAskBounce(ctx context.Context, now time.Time, ask int64, b digest.Bounce) (suppressed string, err error)
	SetDigestState(ctx context.Context, id digest.DigestID, state digest.DigestState, now time.Time) error
	Digest(ctx context.Context, id digest.DigestID) (digest.Digest, error)
	Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error)
	Editions(ctx context.Context, id digest.DigestID, limit int) ([]digest.Edition, error) // newest first
	NewsletterDomains(ctx context.Context) ([]newsletter.Domain, error)
	RecordDMARC(ctx context.Context, r dmarc.Report, now time.Time) (recorded bool, err error)
}

// A Handler handles returned emails. It is safe for concurrent use.
type Handler struct {
	Store   Records
	Signer  *digest.Signer
	Address string // the return path without a token: bounces@example.org
	From    string // the bare From address; DMARC reports about its domain are stored
	Now     func() time.Time
	Log     *slog.Logger

	mu     sync.Mutex
	logged map[string]bool // files with a logged warning
}

// A Message is a delivered email.
type Message struct {
	From      string   // sender of the envelope; empty: a bounce
	FromKnown bool     // From is known; otherwise Handle uses Return-Path, if there is one
	To        []string // recipients of the envelope; none: Handle uses the header
	Bytes     []byte   // only the first MaxMessage are read
}

// Action is the result of a message.
type Action string

const (
	NotOurs      Action = "not ours" // to none of our addresses
	Ignored      Action = "ignored"  // ours, and asks for nothing
	Recorded     Action = "recorded" // a bounce, a complaint or a DMARC report, in the store
	Unsubscribed Action = "left"     // a digest was unsubscribed
)

// An Outcome describes the result of a message.
type Outcome struct {
	Did     Action            `json:"did"`
	Edition digest.EditionID  `json:"edition,omitempty"`
	Digest  digest.DigestID   `json:"digest,omitempty"`
	Kind    digest.BounceKind `json:"kind,omitempty"`
	Status  string            `json:"status,omitempty"` // RFC 3463

	// Suppressed is the address that the message suppressed.
	Suppressed string `json:"suppressed,omitempty"`
	Text       string `json:"text"` // one line for people

	// Token says that the address had one of our tokens, so that a person did not write it by hand.
	Token bool `json:"-"`
}

// String returns the line for people.
func (o Outcome) String() string { return o.Text }

// Handle handles a message. If it returns no error, the result is committed and the caller may delete the message;
// handling it again changes nothing. An error says that the store failed, and that the caller should keep the message
// and retry. For several recipients it returns the outcome with the highest weight.
func (h *Handler) Handle(ctx context.Context, m Message) (Outcome, error) {
	header, _ := cutHeader(cutEnvelope(m.Bytes[:min(len(m.Bytes), MaxMessage)]))
	to := m.To
	if len(to) == 0 {
		to = h.recipients(header)
	}
	if !m.FromKnown {
		m.From, m.FromKnown = senderIn(header)
	}
	r, broken := Parse(m.Bytes)
	weightiest := Outcome{Did: NotOurs, Text: "not for us: none of its recipients is our address"}
	for _, address := range to {
		p, ours := h.destinationOf(address)
		if !ours {
			continue
		}
		o, err := h.handleOne(ctx, p, m, r, broken)
		if err != nil {
			return Outcome{}, err
		}
		if o.weight() > weightiest.weight() {
			weightiest = o
		}
	}
	if weightiest.Did == NotOurs && (r.Kind == Complaint || r.Kind == OptOut) {
		return h.handleComplaint(ctx, m, r)
	}
	return weightiest, nil
}

// handleComplaint handles a complaint to an address that is not ours, such as one of a feedback loop. It counts if it
// contains one of our tokens.
func (h *Handler) handleComplaint(ctx context.Context, m Message, r Report) (Outcome, error) {
	if _, ok := h.find(r.Original); !ok {
		return Outcome{Did: NotOurs, Text: "not for us: a complaint about a message that is not ours"}, nil
	}
	return h.handleOne(ctx, destination{}, m, r, nil)
}

// senderIn returns the sender of the envelope, as the delivering server wrote it into the header. Sendmail writes the
// name of its daemon for a bounce.
func senderIn(header fields) (from string, known bool) {
	from = strings.Trim(header.get("Return-Path"), "<> \t")
	if local, _, _ := strings.Cut(from, "@"); strings.EqualFold(local, "MAILER-DAEMON") {
		from = ""
	}
	return from, header.has("Return-Path")
}

// weight orders outcomes by their effect.
func (o Outcome) weight() int {
	return slices.Index([]Action{NotOurs, Ignored, Unsubscribed, Recorded}, o.Did)
}

func (h *Handler) handleOne(ctx context.Context, p destination, m Message, r Report, broken error) (o Outcome,
	err error) {
	stranger, bounce := m.FromKnown && m.From != "", m.FromKnown && m.From == ""
	switch {
	case p.digest != 0:
		o, err = h.unsubscribeByMail(ctx, p, r, bounce)
	case broken != nil:
		o = ignored("cannot be read: %s", broken)
	case r.Aggregate != nil && (p.reports || p.plain() && r.Kind == NoReport):
		o, err = h.recordAggregate(ctx, r.Aggregate)
	case p.reports:
		o = ignored("a message without a DMARC report")
	case p.ask != 0 && stranger && r.Kind == NoReport && !r.Automatic:
		o, err = h.decline(ctx, p)
	case p.isReturnPath() && stranger:
		o = ignored("%s: a message with a sender is not a bounce", p)
	case p.isReturnPath():
		o, err = h.doReport(ctx, p, r)
	case r.Kind == Failure && stranger:
		o = ignored("a message with a sender is not a bounce")
	default:
		if found, ok := h.find(r.Original); ok {
			o, err = h.doReport(ctx, found, r)
		} else {
			o = ignored("not a report about one of our messages")
		}
	}
	o.Token = !p.plain() && (!p.reports || r.Aggregate != nil)
	if err == nil {
		if what := []any{"did", string(o.Did), "what", o.Text}; o.Did == Ignored {
			h.Log.DebugContext(ctx, "returned email processed", what...)
		} else {
			h.Log.InfoContext(ctx, "returned email processed", what...)
		}
	}
	return o, err
}

// unsubscribeByMail unsubscribes a digest for any message from a person, because only the reader's mail program knows
// the address. It ignores bounces and automatic replies, which some programs send to all addresses that they find.
func (h *Handler) unsubscribeByMail(ctx context.Context, p destination, r Report, bounce bool) (Outcome, error) {
	if bounce || r.Kind != NoReport || r.Automatic {
		return ignored("%s: a bounce or an automatic reply unsubscribes nobody", p), nil
	}
	d, err := h.Store.Digest(ctx, p.digest)
	switch {
	case err != nil:
		return failed(err, "finding %s", p)
	case d.LinkRound != p.round:
		return ignored("%s: its reader turned off the links in older emails", p), nil
	}
	return h.unsubscribe(ctx, p)
}

func (h *Handler) doReport(ctx context.Context, p destination, r Report) (Outcome, error) {
	switch r.Kind {
	case Failure:
		return h.record(ctx, p, digest.Bounce{Kind: r.Bounce, Status: r.Status, Evidence: r.Evidence})
	case Complaint:
		return h.record(ctx, p, digest.Bounce{Kind: digest.Complaint, Evidence: r.Evidence})
	case OptOut:
		if p.ask != 0 {
			return h.decline(ctx, p)
		}
		return h.optOut(ctx, p)
	case Notice:
		return ignored("%s: a report that asks for nothing", p), nil
	}
	return ignored("%s: neither a bounce nor a complaint", p), nil
}

// record stores a bounce or a complaint about an edition. A complaint with only a digest's token counts for its latest
// edition. A bounce always has the token of an edition.
func (h *Handler) record(ctx context.Context, p destination, b digest.Bounce) (Outcome, error) {
	if p.ask != 0 {
		return h.recordAsk(ctx, p, b)
	}
	if p.edition == 0 {
		if b.Kind != digest.Complaint {
			return ignored("%s: bounces don't come to this address", p), nil
		}
		latest, err := h.Store.Editions(ctx, p.digest, 1)
		if err != nil {
			return Outcome{}, fmt.Errorf("finding the edition that bounced: %w", err)
		}
		if len(latest) == 0 {
			return gone(p), nil
		}
		p = destination{edition: latest[0].ID}
	}
	b.Edition = p.edition
	s, suppressed, err := h.Store.RecordBounce(ctx, h.Now(), b)
	if err != nil {
		return failed(err, "recording the bounce of %s", p)
	}
	o := Outcome{Did: Recorded, Edition: p.edition, Kind: b.Kind, Status: b.Status}
	o.Text = fmt.Sprintf("%s: %s", p, kindText(b))
	if suppressed {
		o.Suppressed = s.Email
		o.Text += "; " + shortLine(s.Email) + " gets no more email"
	}
	return o, nil
}

func (h *Handler) recordAsk(ctx context.Context, p destination, b digest.Bounce) (Outcome, error) {
	email, err := h.Store.RecordAskBounce(ctx, h.Now(), p.ask, b)
	if err != nil {
		return failed(err, "recording the bounce of %s", p)
	}
	o := Outcome{Did: Recorded, Kind: b.Kind, Status: b.Status, Suppressed: email,
		Text: fmt.Sprintf("%s: %s", p, kindText(b))}
	if email != "" {
		o.Text += "; " + shortLine(email) + " gets no more email"
	}
	return o, nil
}

// decline stores that the recipient of a confirmation request does not want to join. Only their mail program knows the
// address.
func (h *Handler) decline(ctx context.Context, p destination) (Outcome, error) {
	if err := h.Store.DeclineAsk(ctx, p.ask, h.Now()); err != nil {
		return failed(err, "declining %s", p)
	}
	return Outcome{Did: Unsubscribed, Text: fmt.Sprintf("%s: declined by email", p)}, nil
}

func kindText(b digest.Bounce) string {
	text := string(b.Kind)
	switch b.Kind {
	case digest.Complaint:
	case digest.RefusedBounce:
		text = "rejected for a reason other than the mailbox"
	default:
		text += " bounce"
	}
	return strings.TrimSuffix(text+", "+b.Evidence, ", ")
}

func (h *Handler) optOut(ctx context.Context, p destination) (Outcome, error) {
	if p.edition != 0 {
		e, err := h.Store.Edition(ctx, p.edition)
		if err != nil {
			return failed(err, "finding the digest of %s", p)
		}
		p = destination{digest: e.DigestID}
	}
	return h.unsubscribe(ctx, p)
}

// unsubscribe unsubscribes the digest of a destination.
func (h *Handler) unsubscribe(ctx context.Context, p destination) (Outcome, error) {
	if err := h.Store.SetDigestState(ctx, p.digest, digest.DigestLeft, h.Now()); err != nil {
		return failed(err, "unsubscribing %s by email", p)
	}
	return Outcome{Did: Unsubscribed, Digest: p.digest, Text: fmt.Sprintf("%s: unsubscribed by email", p)}, nil
}

// failed returns the outcome of a failed access to the store. It ignores a message about a deleted record.
func failed(err error, doing string, p destination) (Outcome, error) {
	if digest.KindOf(err) == digest.NotFound {
		return gone(p), nil
	}
	return Outcome{}, fmt.Errorf(doing+": %w", p, err)
}

func (p destination) String() string {
	if p.edition != 0 {
		return fmt.Sprintf("edition %d", p.edition)
	}
	if p.ask != 0 {
		return fmt.Sprintf("confirmation request %d", p.ask)
	}
	return fmt.Sprintf("digest %d", p.digest)
}

func gone(p destination) Outcome { return ignored("%s: it no longer exists", p) }

func ignored(format string, a ...any) Outcome {
	return Outcome{Did: Ignored, Text: "nothing to do: " + fmt.Sprintf(format, a...)}
}
