package bounce

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"digest"
)

// countReply counts the reply of a person to a newsletter once, and stores nothing else of it. The reply itself went to
// the newsletter's reply address, which is also in Reply-To.
func (h *Handler) countReply(ctx context.Context, p destination, m Message, r Report, bounce bool) (Outcome, error) {
	header, _ := cutHeader(cutEnvelope(m.Bytes[:min(len(m.Bytes), MaxMessage)]))
	if bounce || r.Kind != NoReport || r.Automatic || isBulk(header) {
		return ignored("%s: a bounce or an automatic reply is not counted as a reply", p), nil
	}
	counted, err := h.Store.CountReply(ctx, p.newsletter, h.replyToken(header, m.Bytes), h.Now())
	switch {
	case digest.KindOf(err) == digest.NotFound:
		return gone(p), nil
	case err != nil:
		return Outcome{}, fmt.Errorf("counting a reply to newsletter %d: %w", p.newsletter, err)
	case !counted:
		return ignored("%s: not counted, or already counted", p), nil
	}
	return Outcome{Did: Counted, Text: fmt.Sprintf("%s: counted", p)}, nil
}

// replyToken identifies a reply by its Message-ID, or by its bytes without one, so that repeated deliveries count once.
func (h *Handler) replyToken(header fields, message []byte) string {
	sum := sha256.Sum256(message)
	return h.Signer.SignText(digest.ForReply, cmp.Or(header.get("Message-Id"), hex.EncodeToString(sum[:])))
}

// isBulk reports whether a program made the message, as a reply or not (RFC 3834 §5; Precedence is older).
func isBulk(header fields) bool {
	submitted := strings.ToLower(strings.TrimSpace(header.get("Auto-Submitted")))
	return submitted != "" && submitted != "no" || header.has("List-Id") ||
		slices.Contains([]string{"bulk", "junk", "list"}, strings.ToLower(strings.TrimSpace(header.get("Precedence"))))
}
