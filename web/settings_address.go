package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/render"
	"digest/store"
)

const (
	addressTTL   = 24 * time.Hour // how long both sides have to agree
	addressApart = 24 * time.Hour // between two wishes of one reader
)

// An addressPage shows a reader's address, and the wish for another one.
type addressPage struct {
	enquiry
	reader
	Wish       *store.AddressChange // waiting; nil: none
	Until      string               // when it ends
	Cancelled  bool
	Suppressed bool // no mail goes to the present address, so it cannot agree
	Mails      bool
	Tried      string // why another one cannot be asked for today
}

// Address is the present address.
func (p addressPage) Address() string { return p.User.Email }

func (s *site) addressPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.showAddress(w, r, http.StatusOK, addressPage{reader: me, Cancelled: r.URL.Query().Get("done") == "cancelled"})
}

func (s *site) showAddress(w http.ResponseWriter, r *http.Request, status int, p addressPage) error {
	p.Mails = s.mails()
	c, err := s.Store.AddressChange(r.Context(), p.ID)
	if err != nil && digest.KindOf(err) != digest.NotFound {
		return err
	}
	now := s.Now()
	if err == nil && c.ExpiresAt.After(now) {
		p.Wish, p.Until = &c, c.ExpiresAt.In(zoneOr(p.Digest.TimeZone)).Format("15:04 on Monday 2 January")
	} else if err == nil && c.CreatedAt.Add(addressApart).After(now) {
		p.Tried = "One wish a day: you can ask for another address from " + c.CreatedAt.Add(addressApart).In(zoneOr(p.Digest.TimeZone)).Format("15:04 on Monday") + " on."
	}
	if _, p.Suppressed, err = s.Store.Suppressed(r.Context(), p.User.Email); err != nil {
		return err
	}
	return s.show(w, r, status, "settings_address", "Your address", p)
}

// requestAddress has a letter sent to each side. What the page says is the same
// whoever has the wished address.
func (s *site) requestAddress(w http.ResponseWriter, r *http.Request, me reader) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	p := addressPage{reader: me}
	p.enquiry.Email = form.Get(formEmail)
	email, err := s.wished(p.enquiry.Email, me)
	if err != nil {
		p.Wrong = err.Error()
		return s.showAddress(w, r, http.StatusUnprocessableEntity, p)
	}
	if _, suppressed, err := s.Store.Suppressed(r.Context(), me.Email); err != nil || suppressed {
		return s.orShow(err, func() error { return s.showAddress(w, r, http.StatusConflict, p) })
	}
	if c, err := s.Store.AddressChange(r.Context(), me.ID); err == nil && c.CreatedAt.Add(addressApart).After(s.Now()) {
		return s.showAddress(w, r, http.StatusTooManyRequests, p)
	}
	q, status, err := s.enquire(r, letterAddress, form)
	if err == nil && q.Wrong == "" && q.request == 0 {
		q.Wrong, status = "A letter like this went to that address within a day already. Try again tomorrow.", http.StatusTooManyRequests
	}
	if p.enquiry = q; err != nil || q.Wrong != "" {
		return s.orShow(err, func() error { return s.showAddress(w, r, status, p) })
	}
	oldToken, newToken, now := newSecret(), newSecret(), s.Now()
	err = s.Store.AddAddressChange(r.Context(), me.ID, email, hashSecret(oldToken), hashSecret(newToken), now, now.Add(addressTTL), addressApart)
	if digest.KindOf(err) == digest.Conflict {
		return s.showAddress(w, r, http.StatusTooManyRequests, p) // another browser was first
	}
	if err != nil {
		return err
	}
	s.mailBothSides(me.User, email, oldToken, newToken, q.request)
	http.Redirect(w, r, "/settings/address", http.StatusSeeOther)
	return nil
}

// wished reads the address that a reader would rather have.
func (s *site) wished(typed string, me reader) (string, error) {
	if !s.mails() {
		return "", &problem{Title: "No mail can be sent from here, so no address can be confirmed."}
	}
	email, err := s.Mailbox(strings.TrimSpace(typed))
	if err != nil {
		return "", &problem{Title: wrongEmail}
	}
	if email == me.Email {
		return "", &problem{Title: "That is your address already."}
	}
	return email, nil
}

// mailBothSides sends the letters, that to the wished address last, with which
// both are known to be there.
func (s *site) mailBothSides(u digest.User, email, oldToken, newToken string, request int64) {
	toNew := s.letter(request, func(ctx context.Context) (string, render.Letter, error) {
		owner, err := s.Store.UserByEmail(ctx, email)
		switch {
		case digest.KindOf(err) == digest.NotFound || err == nil && owner.ID == u.ID: // the same in another case
			return email, newAddressLetter(s.BaseURL, newToken), nil
		case err != nil:
			return "", render.Letter{}, err
		}
		return email, takenLetter(s.BaseURL), nil
	})
	unsent := toNew.Lost
	toNew.Lost = func(ctx context.Context) error {
		return errors.Join(s.Store.DropAddressChange(ctx, u.ID), unsent(ctx))
	}
	toOld := s.letter(request, func(context.Context) (string, render.Letter, error) {
		return u.Email, oldAddressLetter(s.BaseURL, oldToken), nil
	})
	toOld.Sent, toOld.Lost, toOld.Next = nil, toNew.Lost, &toNew // the request is for the letter to the wished address
	s.Outbox.Add(toOld)
}

func (s *site) cancelAddress(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := s.Store.EndAddressChange(r.Context(), me.ID); err != nil {
		return err
	}
	http.Redirect(w, r, "/settings/address?done=cancelled", http.StatusSeeOther)
	return nil
}

// An agreePage is behind the link that each side was mailed.
type agreePage struct {
	Token string
	Wish  store.AddressChange
	Done  string // agreed: the other side is still to answer; changed: both did
}

// confirmAddressPage changes nothing: link scanners open every link in a mail.
func (s *site) confirmAddressPage(w http.ResponseWriter, r *http.Request) error {
	p := agreePage{Token: r.URL.Query().Get("token")}
	if done := r.URL.Query().Get("done"); done == "changed" || done == "agreed" {
		p.Done = done
		return s.show(w, r, http.StatusOK, "settings_address_confirm", "Your address", p)
	}
	var err error
	if p.Wish, err = s.Store.AddressChangeOf(r.Context(), hashSecret(p.Token), s.Now()); err != nil {
		return orSpent(err, errSpentAgree)
	}
	return s.show(w, r, http.StatusOK, "settings_address_confirm", "Your address", p)
}

// confirmAddress is the yes of one side. It needs no session: who reads the mail says it.
func (s *site) confirmAddress(w http.ResponseWriter, r *http.Request) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	var keep []byte
	if c, err := r.Cookie(s.cookieName()); err == nil {
		keep = hashSecret(c.Value)
	}
	changed, err := s.Store.ConfirmAddress(r.Context(), hashSecret(form.Get("token")), keep, s.Now())
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
	http.Redirect(w, r, "/settings/address/confirm?done="+done, http.StatusSeeOther)
	return nil
}
