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
	"digest/web/page"
)

const (
	addressTTL   = 24 * time.Hour // within this time both addresses must confirm
	addressApart = 24 * time.Hour // between two requests of one reader
)

// An addressPage shows the reader's address and the form for another one.
type addressPage struct {
	*page.Visit
	Wish       *store.AddressChange // the pending change; nil: none
	Until      catalogue.Moment     // when Wish expires
	Suppressed bool                 // the present address gets no email, so it cannot confirm
	Mails      bool
	Tried      catalogue.Sayable // why the reader cannot request a change today
	typed      string
}

func (s *site) addressPage(v *page.Visit) error { return s.showAddress(s.addressPageOf(v)) }

func (s *site) showAddress(p addressPage, err error) error {
	return p.Show(err, "settings_address", catalogue.Key("Email address"), p)
}

func (s *site) addressPageOf(v *page.Visit) (addressPage, error) {
	p := addressPage{Visit: v, Mails: s.Mails()}
	v.AddText(page.EmailKind, "email", &p.typed, 0)
	v.Fields()["email"].Fill = "email"
	stored, err := s.Store.Subscriptions.AddressView(v.Ctx, v.ID, v.Email)
	p.Suppressed = stored.Suppressed
	p.tell(stored.Wish, v.Now)
	return p, err
}

// tell sets the fields that depend on the latest request c. A zero c has no effect.
func (p *addressPage) tell(c store.AddressChange, now time.Time) {
	zone := page.ZoneOr(p.Digest.TimeZone)
	if again := c.CreatedAt.Add(addressApart); c.ExpiresAt.After(now) {
		p.Wish, p.Until = &c, catalogue.Time("15:04 on Monday 2 January", c.ExpiresAt.In(zone))
	} else if again.After(now) {
		p.Tried = catalogue.Key("You can change your address once a day. Try again after %s.").With(
			catalogue.Time("15:04 on Monday", again.In(zone)))
	}
}

// requestAddress sends a confirmation email to the old and to the new address. The response does not reveal whether
// the new address has an account.
func (s *site) requestAddress(v *page.Visit) error {
	p, err := s.addressPageOf(v)
	if err != nil {
		return err
	}
	email, wrong := s.wished(p.typed, v.Reader)
	switch {
	case wrong != "":
		v.Reject("email", wrong)
		return s.showAddress(p, nil)
	case p.Suppressed:
		v.Status = http.StatusConflict
		return s.showAddress(p, nil)
	case p.Wish != nil || p.Tried != nil:
		v.Status = http.StatusTooManyRequests
		return s.showAddress(p, nil)
	}
	q, status, err := s.requestLetter(v.Request, func(*http.Request, string) letterAsker {
		return letterAsker{kind: allowance.Address, name: "reader " + v.Key()}
	})
	if v.Status = status; err == nil && q.Wrong == "" && q.Letter.ID == 0 {
		q.Wrong, v.Status = catalogue.Key(
			"We already sent emails like this to that address today. Try again in a few hours."),
			http.StatusTooManyRequests
	}
	if err != nil || q.Wrong != "" {
		v.Reject("email", q.Wrong)
		return s.showAddress(p, err)
	}
	oldToken, newToken, now := page.NewSecret(), page.NewSecret(), v.Now
	err = s.Store.Readers.AddAddressChange(v.Ctx, v.ID, email, page.HashSecret(oldToken), page.HashSecret(newToken),
		now, now.Add(addressTTL), addressApart)
	if digest.KindOf(err) == digest.Conflict { // another browser of the reader was faster
		v.Status = http.StatusTooManyRequests
		return s.showAddress(s.addressPageOf(v))
	}
	if err != nil {
		return err
	}
	s.mailBothSides(v.PageLanguage(), v.User, email, oldToken, newToken, q)
	return v.SeeOther("/settings/address")
}

// wished parses the new address, or returns why the reader cannot have it.
func (s *site) wished(typed string, me page.Reader) (email string, wrong catalogue.Key) {
	if !s.Mails() {
		return "", catalogue.Key("We can’t send email, so you can’t change your address here. Ask the operator.")
	}
	email, err := page.Mailbox(typed)
	if err != nil {
		return "", page.WrongEmail
	}
	if email == me.Email {
		return "", catalogue.Key("That’s already your address.")
	}
	return email, ""
}

// mailBothSides sends both emails. The one to the new address goes out last, and completes the request when both were
// sent.
func (s *site) mailBothSides(l *catalogue.Language, u digest.User, email, oldToken, newToken string,
	q page.LetterRequest) {
	toNew := s.Letter(q, func(ctx context.Context, _ time.Duration) (string, render.LetterContent, error) {
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
	toOld := s.Letter(q, func(context.Context, time.Duration) (string, render.LetterContent, error) {
		return u.Email, oldAddressLetter(l, s.BaseURL, oldToken), nil
	})
	toOld.Sent, toOld.Lost, toOld.Next = nil, toNew.Lost, &toNew // the request belongs to the last email
	s.Outbox.Add(toOld)
}

func (s *site) cancelAddress(v *page.Visit) error {
	return v.SeeSaved(s.Store.Readers.EndAddressChange(v.Ctx, v.ID), "/settings/address", "cancelled")
}

// A confirmAddressPage is the page behind the link in both emails.
type confirmAddressPage struct {
	Token string
	Wish  store.AddressChange
	Done  string // agreed: the other address has not confirmed yet; changed: both have
}

// confirmAddressPage changes nothing, because link scanners open every link in an email.
func (s *site) confirmAddressPage(w http.ResponseWriter, r *http.Request) error {
	p := confirmAddressPage{Token: r.URL.Query().Get("token"), Done: page.SavedOf(r, "changed", "agreed")}
	var err error
	if p.Done == "" {
		p.Wish, err = s.Store.Readers.AddressChangeOf(r.Context(), page.HashSecret(p.Token), s.Now())
	}
	return s.ShowPage(w, r, page.OrSpent(err, page.ErrSpentAgree), "settings_address_confirm",
		catalogue.Key("Email address"), p)
}

// confirmAddress confirms the change for one of the addresses. It needs no session, because the token proves access
// to the mailbox.
func (s *site) confirmAddress(w http.ResponseWriter, r *http.Request) error {
	token, err := page.LinkToken(r.PostForm)
	if err != nil {
		return err
	}
	changed, err := s.Store.Readers.ConfirmAddress(r.Context(), page.HashSecret(token), s.SessionHash(r), s.Now())
	if digest.KindOf(err) == digest.Conflict {
		return page.ErrSpentAgree
	}
	if err != nil {
		return page.OrSpent(err, page.ErrSpentAgree)
	}
	done := "agreed"
	if changed {
		done = "changed"
	}
	return page.SeeSaved(w, r, nil, "/settings/address/confirm", done)
}
