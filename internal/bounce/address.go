package bounce

import (
	"strings"

	"digest"
	"digest/internal/dmarc"
)

// A destination says what one of our addresses is for. It may be the return path of an edition or of a letter that
// asks somebody, the address that ends a digest, or the address for DMARC reports. With none of them, it is the plain
// address.
type destination struct {
	edition digest.EditionID
	ask     int64 // key of a digest.Ask
	digest  digest.DigestID
	round   int // of links that the digest's email belongs to

	reports bool // aggregate reports of DMARC
}

func (p destination) isReturnPath() bool { return p.edition != 0 || p.ask != 0 }

func (p destination) plain() bool { return p == destination{} }

// destinationOf parses an address, with or without angle brackets. It ignores case, which mail servers change. It
// returns false if the address or its token is not ours.
func (h *Handler) destinationOf(address string) (destination, bool) {
	if len(address) > maxAddress {
		return destination{}, false
	}
	ours, address := normal(h.Address), normal(strings.Trim(strings.TrimSpace(address), "<>"))
	if address == ours {
		return destination{}, ours != ""
	}
	if address == dmarc.ReportAddress(ours) {
		return destination{reports: true}, true
	}
	plain, token := digest.CutTag(address)
	if plain != ours {
		return destination{}, false
	}
	return h.destinationFor(token)
}

// maxAddress is longer than any address (RFC 5321 §4.5.3.1).
const maxAddress = 400

func (h *Handler) destinationFor(token string) (destination, bool) {
	if id, ok := h.Signer.Verify(digest.ForBounce, token); ok {
		return destination{edition: digest.EditionID(id)}, true
	}
	if id, ok := h.Signer.Verify(digest.ForAskBounce, token); ok {
		return destination{ask: id}, true
	}
	if id, ok := h.Signer.Verify(digest.ForUnsubscribeMail, token); ok {
		id, round := digest.OfRound(id)
		return destination{digest: digest.DigestID(id), round: round}, true
	}
	return destination{}, false
}

// normal returns the form in which addresses are compared. We may ignore the case of our own local parts (RFC 5321
// §2.4).
func normal(address string) string {
	at := strings.LastIndexByte(address, '@')
	return strings.ToLower(address[:at+1]) + digest.MailDomain(address)
}

// find searches the texts of a report for our addresses. Only the token counts: the domain after it may be a
// forwarder's (SRS), and the local part may have a prefix (BATV). It prefers a return path to the address of a digest.
func (h *Handler) find(texts []string) (found destination, ok bool) {
	mark := strings.ToLower(h.Address[:max(strings.LastIndexByte(h.Address, '@'), 0)]) + "+"
	for _, text := range texts {
		text = strings.ToLower(text)
		for {
			_, after, more := strings.Cut(text, mark)
			if !more {
				break
			}
			text = after
			p, mine := h.destinationFor(text[:tokenLength(text)])
			if mine && p.isReturnPath() {
				return p, true
			}
			if mine && !ok {
				found, ok = p, true
			}
		}
	}
	return found, ok
}

// tokenLength returns the number of letters and digits at the beginning of a text.
func tokenLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	if n < 0 {
		return len(text)
	}
	return n
}

// recipients returns our addresses in a header: those that the delivering server wrote, and those in To and Cc. If one
// has a token, it drops the plain address, which may be the same one without its tag.
func (h *Handler) recipients(header fields) (list []string) {
	tagged := false
	for _, f := range header {
		switch strings.ToLower(f.name) {
		case "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-delivered-to", "to", "cc":
			for _, address := range addressesIn(f.value) {
				if p, ours := h.destinationOf(address); ours {
					list = append(list, address)
					tagged = tagged || !p.plain()
				}
			}
		}
	}
	return h.distinct(list, tagged)
}

// distinct returns each destination once, without the plain one if tagged, and at most maxRecipients.
func (h *Handler) distinct(list []string, tagged bool) (kept []string) {
	seen := map[destination]bool{}
	for _, address := range list {
		p, _ := h.destinationOf(address)
		if seen[p] || tagged && p.plain() || len(kept) >= maxRecipients {
			continue
		}
		seen[p] = true
		kept = append(kept, address)
	}
	return kept
}

// addressesIn returns the bare addresses in a field such as "Someone <a@example.org>, b@example.org". Parts of names in
// the result do no harm, because they are not our addresses.
func addressesIn(value string) []string {
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,;<>()\"", r) })
	kept := words[:0]
	for _, w := range words {
		if strings.Contains(w, "@") {
			kept = append(kept, w)
		}
	}
	return kept
}
