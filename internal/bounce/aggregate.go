package bounce

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/newsletter"
)

// oldestAggregate is the maximum age of the period of a report. Receivers send reports once a day.
const oldestAggregate = 14 * 24 * time.Hour

// recordAggregate stores an aggregate report about a domain that this instance sends from. It drops all others,
// because anyone can send reports, about any domain.
func (h *Handler) recordAggregate(ctx context.Context, attachment []byte) (Outcome, error) {
	r, err := dmarc.ParseReport(attachment)
	if err != nil {
		return ignored("an attachment that is not a DMARC report: %s", shortLine(err.Error())), nil
	}
	now := h.Now()
	if now.Sub(r.Begin) > oldestAggregate || r.End.Sub(now) > 24*time.Hour {
		return ignored("a DMARC report about %s, which is too old or in the future", digest.DateOf(r.Begin)), nil
	}
	own, err := h.sendsFrom(ctx, r)
	if err != nil || !own {
		return ignored("a DMARC report about %s, a domain that we do not send from", r.Domain), err
	}
	recorded, err := h.Store.RecordDMARC(ctx, r, now)
	switch {
	case digest.KindOf(err) == digest.Conflict:
		h.Log.WarnContext(ctx, "dropped a DMARC report", "reporter", r.Reporter, "domain", r.Domain, "err", err)
		return ignored("a DMARC report by %s about %s: %s", r.Reporter, r.Domain, err), nil
	case err != nil:
		return Outcome{}, fmt.Errorf("storing a DMARC report about %s: %w", r.Domain, err)
	case !recorded:
		return ignored("a DMARC report by %s about %s that was already stored", r.Reporter, r.Domain), nil
	}
	text := fmt.Sprintf("a DMARC report by %s about %s was stored", r.Reporter, r.Domain)
	return Outcome{Did: Recorded, Text: text}, nil
}

// sendsFrom reports whether a report is about the domain of From, or about the proven domain of a newsletter.
func (h *Handler) sendsFrom(ctx context.Context, r dmarc.Report) (bool, error) {
	if r.IsAbout(digest.MailDomain(h.From)) {
		return true, nil
	}
	domains, err := h.Store.NewsletterDomains(ctx)
	if err != nil {
		return false, fmt.Errorf("listing the domains of newsletters: %w", err)
	}
	return slices.ContainsFunc(domains, func(d newsletter.Domain) bool {
		return !d.SeenAt.IsZero() && r.IsAbout(d.Domain())
	}), nil
}
