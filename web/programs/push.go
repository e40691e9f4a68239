package programs

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/push"
	"digest/web/page"
)

// CallbackAddress returns the URL at which a hub reaches the instance at base for a subscription.
func CallbackAddress(base string, signer *digest.Signer, id digest.PushID) string {
	return strings.TrimSuffix(base, "/") + page.PushRoot + signer.Sign(digest.ForCallback, int64(id))
}

// pushAt returns the subscription of the requested address. It returns ErrNotFound for an invalid token, without a
// query, and errPushOver for a subscription that has ended.
func (s *site) pushAt(r *http.Request) (digest.PushSubscription, error) {
	id, ok := s.Signer.Verify(digest.ForCallback, r.PathValue("token"))
	if !ok {
		return digest.PushSubscription{}, page.ErrNotFound
	}
	if !s.Limits.Pushers.AllowAll(s.ClientShares(r), s.Now()) {
		return digest.PushSubscription{}, page.ErrTooMany
	}
	p, err := s.Store.Feeds.PushSubscription(r.Context(), digest.PushID(id))
	if digest.KindOf(err) == digest.NotFound {
		return p, errPushOver
	}
	return p, err
}

// errPushOver makes a hub end its subscription (WebSub section 7).
var errPushOver = &page.Problem{Status: http.StatusGone, Title: catalogue.Key("This subscription has ended"),
	Text: catalogue.Key("This subscription has ended")}

// verifyHub answers a hub's verification of intent (WebSub section 5.3) by echoing the challenge. It also handles a
// denial (section 5.2). It returns ErrNotFound for a request that this instance did not make.
func (s *site) verifyHub(w http.ResponseWriter, r *http.Request) error {
	p, err := s.pushAt(r)
	if errors.Is(err, errPushOver) {
		return page.ErrNotFound
	}
	if err != nil {
		return err
	}
	i, ok := push.ParseIntent(r.URL.Query())
	if !ok || r.Method == http.MethodHead {
		return page.ErrNotFound
	}
	meant, now := false, s.Now()
	switch i.Mode {
	case push.Subscribe:
		meant, err = s.Store.Feeds.VerifyPush(r.Context(), now, p.ID, i.Topic, now.Add(i.Lease),
			push.RenewAt(now, i.Lease, rand.Float64()))
	case push.Unsubscribe:
		meant, err = s.Store.Feeds.VerifyLeave(r.Context(), now, p.ID, i.Topic)
	case push.Denied:
		meant, err = s.Store.Feeds.DenyPush(r.Context(), now, p.ID, i.Topic, i.Reason, now.Add(push.DeniedFor))
	}
	if err != nil {
		return err
	}
	if !meant {
		return page.ErrNotFound
	}
	return page.Plain(w, http.StatusOK, i.Challenge)
}

// receivePush accepts content from a hub (WebSub section 7). If the hub has the secret, an unsigned body gets 403,
// and a body with a wrong signature gets 202 but is not stored. If the hub has no secret, the body only announces
// news.
func (s *site) receivePush(w http.ResponseWriter, r *http.Request) error {
	p, err := s.pushAt(r)
	if err != nil {
		return err
	}
	if p.State != digest.PushActive && p.State != digest.PushLeaving {
		return errPushOver
	}
	signature := r.Header.Get(push.SignatureField)
	secret := push.GetsSecret(p.Hub)
	if secret && signature == "" {
		return page.Plain(w, http.StatusForbidden,
			"missing signature: sign the body with the secret of this subscription, in "+push.SignatureField+"\n")
	}
	if !secret {
		return s.accepted(w, s.Store.Feeds.AnnouncedFeed(r.Context(), p.FeedID, s.Now()))
	}
	defer s.CountBody(r)()
	body, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return s.accepted(w, s.Store.Feeds.AnnouncedFeed(r.Context(), p.FeedID, s.Now()))
	}
	if err != nil {
		return err
	}
	if push.Author(signature, p.Secret, body) != push.Genuine {
		s.Log.DebugContext(r.Context(), "a push is not signed by its hub", "hub", p.Hub)
		if !s.Limits.Forgers.AllowAll(s.ClientShares(r), s.Now()) {
			return page.ErrTooMany
		}
		return s.accepted(w, nil)
	}
	return s.accepted(w, s.Store.Feeds.ReceivePush(r.Context(), s.Now(), p.FeedID,
		digest.Shortened(r.Header.Get("Content-Type"), page.MaxShown), body))
}

// accepted responds 202 and wakes the job that stores pushes.
func (s *site) accepted(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	if s.Pushed != nil {
		s.Pushed()
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
