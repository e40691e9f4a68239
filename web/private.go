package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/subscribe"
	"digest/web/page"
)

// credentialOf reads the credential of a feed from a form. Pages never show a credential again.
func credentialOf(form url.Values) digest.Credential {
	return digest.Credential{
		User: strings.TrimSpace(form.Get("user")), Password: form.Get("password"),
		Token:  strings.TrimSpace(form.Get("token")),
		Hidden: form.Get("secret") != "",
	}
}

// findPrivate subscribes the reader to a private feed and redirects to its page. It returns false if the form
// describes no private feed.
func (s *site) findPrivate(ctx context.Context, w http.ResponseWriter, r *http.Request, me page.Reader,
	p feedsFindPage) (bool, error) {
	c := credentialOf(r.PostForm)
	if c.IsEmpty() && !subscribe.HasCredential(p.Asked) {
		return false, nil
	}
	c.Address = p.Asked
	if p.Private = true; c.Hidden || subscribe.HasCredential(p.Asked) {
		p.Asked = ""
	}
	f, created, err := s.Subscriber.SubscribePrivate(ctx, digest.Subscription{DigestID: me.Digest.ID}, c)
	if err != nil {
		return true, s.orWrong(w, r, p, page.AsSlow(ctx, err))
	}
	word := "added"
	if !created {
		word = "credential"
	}
	return true, showAdded(w, r, me, nil, feedPath(f.ID), word)
}

type credentialForm struct {
	Private bool // the feed has a credential now
	Hidden  bool // its address is a secret
	Refused bool // the server rejects the credential
	Wrong   catalogue.Sayable
}

func credentialFormOf(sub store.SubscriptionInfo, wrong catalogue.Sayable) credentialForm {
	f := sub.Feed
	status := f.LastStatus
	return credentialForm{
		Private: digest.IsPrivate(f.URL), Hidden: digest.IsHidden(f.URL), Wrong: wrong,
		Refused: f.Errors > 0 && (status == http.StatusUnauthorized || status == http.StatusForbidden),
	}
}

func (s *site) setCredential(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	err = s.Subscriber.SetCredential(r.Context(), sub, credentialOf(r.PostForm))
	if wrong := wrongOf(err); wrong != nil {
		return s.showSubscription(w, r, me, http.StatusBadRequest, sub.Feed.ID,
			feedPage{Credential: credentialForm{Wrong: wrong}})
	}
	return page.SeeSaved(w, r, err, feedPath(sub.Feed.ID), "credential")
}

// wrongOf returns the message of an error for the person who filled in a form, nil if it has none.
func wrongOf(err error) catalogue.Sayable {
	_, wrong := page.SearchSaid(err)
	return wrong
}
