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
	addressTTL   = 24 * time.Hour // how long both sides have to agree
	addressApart = 24 * time.Hour // between two wishes of one reader
)

// An addressPage shows a reader's address, and the wish for another one.
type addressPage struct {
	letterRequest
	reader
	Wish       *store.AddressChange // waiting; nil: none
	Until      catalogue.Moment     // when it ends
	Cancelled  bool
	Suppressed bool // no mail goes to the present address, so it cannot agree
	Mails      bool
	Tried      catalogue.Sayable // why another one cannot be asked for today
}

// Address is the present address.
func (p addressPage) Address() string { return p.User.Email }

func (s *site) addressPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.addressPageOf(r, me)
	return s.showPage(w, r, err, "settings_address", catalogue.Key("Email address"), p)
}

func (s *site) showAddress(w http.ResponseWriter, r *http.Request, status int, p addressPage) error {
	return s.show(w, r, status, "settings_address", catalogue.Key("Email address"), p)
}

func (s *site) addressPageOf(r *http.Request, me reader) (addressPage, error) {
	p := addressPage{reader: me, Mails: s.mails(), Cancelled: savedOf(r, "cancelled") != ""}
	v, err := s.Store.AddressView(r.Context(), me.ID, me.Email)
	p.Suppressed = v.Suppressed
	p.tell(v.Wish, s.Now())
	return p, err
}

// tell notes what a reader's latest wish means now; the zero one means nothing.
func (p *addressPage) tell(c store.AddressChange, now time.Time) {
	zone := zoneOr(p.Digest.TimeZone)
	if again := c.CreatedAt.Add(addressApart); c.ExpiresAt.After(now) {
		p.Wish, p.Until = &c, catalogue.Time("15:04 on Monday 2 January", c.ExpiresAt.In(zone))
	} else if again.After(now) {
		p.Tried = catalogue.Key("You can change your address once a day. Try again after %s.").With(
			catalogue.Time("15:04 on Monday", again.In(zone)))
	}
}

// requestAddress has a letter sent to each side. What the page says is the same
// whoever has the wished address.
func (s *site) requestAddress(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.addressPageOf(r, me)
	if err != nil {
		return err
	}
	p.letterRequest.Email = r.PostForm.Get("email")
	email, wrong := s.wished(p.letterRequest.Email, me)
	switch p.Wrong = wrong; {
	case wrong != "":
		return s.showAddress(w, r, http.StatusUnprocessableEntity, p)
	case p.Suppressed:
		return s.showAddress(w, r, http.StatusConflict, p)
	case p.Wish != nil || p.Tried != nil:
		return s.showAddress(w, r, http.StatusTooManyRequests, p)
	}
	q, status, err := s.requestLetter(r, func(*http.Request, string) letterAsker {
		return letterAsker{kind: allowance.Address, name: "reader " + me.key()}
	})
	if err == nil && q.Wrong == "" && q.letter.ID == 0 {
		q.Wrong, status = catalogue.Key(
			"We already sent emails like this to that address today. Try again in a few hours."),
			http.StatusTooManyRequests
	}
	if p.letterRequest = q; err != nil || q.Wrong != "" {
		return orShow(err, func() error { return s.showAddress(w, r, status, p) })
	}
	oldToken, newToken, now := newSecret(), newSecret(), s.Now()
	err = s.Store.AddAddressChange(r.Context(), me.ID, email, hashSecret(oldToken), hashSecret(newToken),
		now, now.Add(addressTTL), addressApart)
	if digest.KindOf(err) == digest.Conflict { // another browser was first
		p, err = s.addressPageOf(r, me)
		return orShow(err, func() error { return s.showAddress(w, r, http.StatusTooManyRequests, p) })
	}
	if err != nil {
		return err
	}
	s.mailBothSides(s.language(r), me.User, email, oldToken, newToken, q)
	return seeOther(w, r, "/settings/address")
}

// wished reads the address that a reader would rather have, or says why not.
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

// mailBothSides sends the letters, that to the wished address last, with which
// both are known to be there.
func (s *site) mailBothSides(l *catalogue.Language, u digest.User, email, oldToken, newToken string, q letterRequest) {
	toNew := s.letter(q, func(ctx context.Context, _ time.Duration) (string, render.LetterContent, error) {
		holder, err := s.Store.UserByEmail(ctx, email)
		switch {
		case digest.KindOf(err) == digest.NotFound || err == nil && holder.ID == u.ID: // the same in another case
			return email, newAddressLetter(l, s.BaseURL, newToken), nil
		case err != nil:
			return "", render.LetterContent{}, err
		}
		return email, takenLetter(letterLanguage(holder, l), s.BaseURL), nil
	})
	unsent := toNew.Lost
	toNew.Lost = func(ctx context.Context) error {
		return errors.Join(s.Store.DropAddressChange(ctx, u.ID), unsent(ctx))
	}
	toOld := s.letter(q, func(context.Context, time.Duration) (string, render.LetterContent, error) {
		return u.Email, oldAddressLetter(l, s.BaseURL, oldToken), nil
	})
	toOld.Sent, toOld.Lost, toOld.Next = nil, toNew.Lost, &toNew // the request is for the letter to the wished address
	s.Outbox.Add(toOld)
}

func (s *site) cancelAddress(w http.ResponseWriter, r *http.Request, me reader) error {
	return showSaved(w, r, s.Store.EndAddressChange(r.Context(), me.ID), "/settings/address", "cancelled")
}

// A confirmAddressPage is behind the link that each side was mailed.
type confirmAddressPage struct {
	Token string
	Wish  store.AddressChange
	Done  string // agreed: the other side is still to answer; changed: both did
}

// confirmAddressPage changes nothing: link scanners open every link in a mail.
func (s *site) confirmAddressPage(w http.ResponseWriter, r *http.Request) error {
	p := confirmAddressPage{Token: r.URL.Query().Get("token"), Done: savedOf(r, "changed", "agreed")}
	var err error
	if p.Done == "" {
		p.Wish, err = s.Store.AddressChangeOf(r.Context(), hashSecret(p.Token), s.Now())
	}
	return s.showPage(w, r, orSpent(err, errSpentAgree), "settings_address_confirm", catalogue.Key("Email address"), p)
}

// confirmAddress is the yes of one side. It needs no session: who reads the mail says it.
func (s *site) confirmAddress(w http.ResponseWriter, r *http.Request) error {
	token, err := linkToken(r.PostForm)
	if err != nil {
		return err
	}
	changed, err := s.Store.ConfirmAddress(r.Context(), hashSecret(token), s.sessionHash(r), s.Now())
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
