package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

const (
	addressTTL   = 24 * time.Hour // within this time both addresses must confirm
	addressApart = 24 * time.Hour // between two requests of one reader
)

// An addressPage shows the reader's address and the form for another one.
type addressPage struct {
	*visit
	Wish       *store.AddressChange // the pending change; nil: none
	Until      catalogue.Moment     // when Wish expires
	Suppressed bool                 // the present address gets no email, so it cannot confirm
	Mails      bool
	Tried      catalogue.Sayable // why the reader cannot request a change today
	typed      string
}

func (s *site) addressPage(v *visit) error { return s.showAddress(s.addressPageOf(v)) }

func (s *site) showAddress(p addressPage, err error) error {
	return p.show(err, "settings_address", catalogue.Key("Email address"), p)
}

func (s *site) addressPageOf(v *visit) (addressPage, error) {
	p := addressPage{visit: v, Mails: s.mails()}
	v.text(emailKind, "email", &p.typed, 0)
	v.fields["email"].Fill = "email"
	stored, err := s.Store.Subscriptions.AddressView(v.ctx, v.ID, v.Email)
	p.Suppressed = stored.Suppressed
	p.tell(stored.Wish, v.now)
	return p, err
}

// tell sets the fields that depend on the latest request c. A zero c has no effect.
func (p *addressPage) tell(c store.AddressChange, now time.Time) {
	zone := zoneOr(p.Digest.TimeZone)
	if again := c.CreatedAt.Add(addressApart); c.ExpiresAt.After(now) {
		p.Wish, p.Until = &c, catalogue.Time("15:04 on Monday 2 January", c.ExpiresAt.In(zone))
	} else if again.After(now) {
		p.Tried = catalogue.Key("You can change your address once a day. Try again after %s.").With(
			catalogue.Time("15:04 on Monday", again.In(zone)))
	}
}

// requestAddress sends a confirmation email to the old and to the new address. The response does not reveal whether
// the new address has an account.
func (s *site) requestAddress(v *visit) error {
	p, err := s.addressPageOf(v)
	if err != nil {
		return err
	}
	email, wrong := s.wished(p.typed, v.reader)
	switch {
	case wrong != "":
		v.wrong("email", wrong)
		return s.showAddress(p, nil)
	case p.Suppressed:
		v.status = http.StatusConflict
		return s.showAddress(p, nil)
	case p.Wish != nil || p.Tried != nil:
		v.status = http.StatusTooManyRequests
		return s.showAddress(p, nil)
	}
	q, status, err := s.requestLetter(v.Request, func(*http.Request, string) letterAsker {
		return letterAsker{kind: allowance.Address, name: "reader " + v.key()}
	})
	if v.status = status; err == nil && q.Wrong == "" && q.letter.ID == 0 {
		q.Wrong, v.status = catalogue.Key(
			"We already sent emails like this to that address today. Try again in a few hours."),
			http.StatusTooManyRequests
	}
	if err != nil || q.Wrong != "" {
		v.wrong("email", q.Wrong)
		return s.showAddress(p, err)
	}
	oldToken, newToken, now := newSecret(), newSecret(), v.now
	err = s.Store.Readers.AddAddressChange(v.ctx, v.ID, email, hashSecret(oldToken), hashSecret(newToken),
		now, now.Add(addressTTL), addressApart)
	if digest.KindOf(err) == digest.Conflict { // another browser of the reader was faster
		v.status = http.StatusTooManyRequests
		return s.showAddress(s.addressPageOf(v))
	}
	if err != nil {
		return err
	}
	s.mailBothSides(v.language(), v.User, email, oldToken, newToken, q)
	return v.seeOther("/settings/address")
}

// wished parses the new address, or returns why the reader cannot have it.
func (s *site) wished(typed string, me reader) (email string, wrong catalogue.Key) {
	if !s.mails() {
		return "", catalogue.Key("We can’t send email, so you can’t change your address here. Ask the operator.")
	}
	email, err := mailbox(typed)
	if err != nil {
		return "", wrongEmail
	}
	if email == me.Email {
		return "", catalogue.Key("That’s already your address.")
	}
	return email, ""
}

// mailBothSides sends both emails. The one to the new address goes out last, and completes the request when both were
// sent.
func (s *site) mailBothSides(l *catalogue.Language, u digest.User, email, oldToken, newToken string, q letterRequest) {
	toNew := s.letter(q, func(ctx context.Context, _ time.Duration) (string, render.LetterContent, error) {
		holder, err := s.Store.Readers.UserByEmail(ctx, email)
		switch {
		case digest.KindOf(err) == digest.NotFound || err == nil && holder.ID == u.ID: // differs only in case
			return email, newAddressLetter(l, s.BaseURL, newToken), nil
		case err != nil:
			return "", render.LetterContent{}, err
		}
		return email, takenLetter(letterLanguage(holder, l), s.BaseURL), nil
	})
	unsent := toNew.Lost
	toNew.Lost = func(ctx context.Context) error {
		return errors.Join(s.Store.Readers.DropAddressChange(ctx, u.ID), unsent(ctx))
	}
	toOld := s.letter(q, func(context.Context, time.Duration) (string, render.LetterContent, error) {
		return u.Email, oldAddressLetter(l, s.BaseURL, oldToken), nil
	})
	toOld.Sent, toOld.Lost, toOld.Next = nil, toNew.Lost, &toNew // the request belongs to the last email
	s.Outbox.Add(toOld)
}

func (s *site) cancelAddress(v *visit) error {
	return v.saved(s.Store.Readers.EndAddressChange(v.ctx, v.ID), "/settings/address", "cancelled")
}

// A confirmAddressPage is the page behind the link in both emails.
type confirmAddressPage struct {
	Token string
	Wish  store.AddressChange
	Done  string // agreed: the other address has not confirmed yet; changed: both have
}

// confirmAddressPage changes nothing, because link scanners open every link in an email.
func (s *site) confirmAddressPage(w http.ResponseWriter, r *http.Request) error {
	p := confirmAddressPage{Token: r.URL.Query().Get("token"), Done: savedOf(r, "changed", "agreed")}
	var err error
	if p.Done == "" {
		p.Wish, err = s.Store.Readers.AddressChangeOf(r.Context(), hashSecret(p.Token), s.Now())
	}
	return s.showPage(w, r, orSpent(err, errSpentAgree), "settings_address_confirm", catalogue.Key("Email address"), p)
}

// confirmAddress confirms the change for one of the addresses. It needs no session, because the token proves access
// to the mailbox.
func (s *site) confirmAddress(w http.ResponseWriter, r *http.Request) error {
	token, err := linkToken(r.PostForm)
	if err != nil {
		return err
	}
	changed, err := s.Store.Readers.ConfirmAddress(r.Context(), hashSecret(token), s.sessionHash(r), s.Now())
	if digest.KindOf(err) == digest.Conflict {
		return errSpentAgree
	}
	if err != nil {
		return orSpent(err, errSpentAgree)
	}
	done := "agreed"
	if changed {
		done = "changed"
	}
	return showSaved(w, r, nil, "/settings/address/confirm", done)
}
