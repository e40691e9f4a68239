package operator

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// needLetters shows the operator for digest.LetterNoteLife that the site rejected letter requests.
func needLetters(p *operatorPage, notes []digest.LetterNote, now time.Time) {
	for _, n := range notes {
		switch {
		case now.Sub(n.At) >= digest.LetterNoteLife:
		case n.SignIn:
			p.need(catalogue.Key(
				"Too many sign-in links went unused (%s), so we stopped sending links to new browsers. To create a link for a reader, run “digest user sign-in”."), page.Minute(n.At))
		default:
			var of catalogue.Sayable = page.Minute(n.At)
			if n.Domain != "" {
				of = catalogue.Key("%s, %s").With(n.Domain, of)
			}
			p.need(catalogue.Key("Too many sign-up emails went unanswered (%s), so we rejected further sign-ups. If this continues, set DIGEST_SIGN_UP=invitation or put the newsletter on hold."), of)
		}
	}
}

// needProxies adds the problems with proxies to the operator's list.
func (s *site) needProxies(p *operatorPage, notes []digest.ProxyNote) {
	if s.IsTLS() && s.TrustedProxies.None() {
		p.need("Readers use https, so this instance is behind a proxy, but DIGEST_TRUSTED_PROXIES is empty. All readers share the limits of one address. Set it to the proxy’s address.")
	}
	for _, n := range notes {
		found, todo := n.Words()
		p.need("Since the start: %s (last seen %s). What to do: %s.", found, page.Minute(n.At), todo)
	}
}
