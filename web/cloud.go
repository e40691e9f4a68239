package web

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"

	"digest"
	"digest/push"
)

// cloudRoot begins the addresses at which rssCloud servers reach this instance: one for each
// subscription, which nobody can guess.
const cloudRoot = "/rsscloud/"

// CloudCallbackAddress is where a cloud reaches the instance at base for a subscription.
func CloudCallbackAddress(base string, signer *digest.Signer, id digest.CloudID) string {
	return strings.TrimSuffix(base, "/") + cloudRoot + signer.Sign(digest.ForCloud, int64(id))
}

// cloudAt gives the subscription whose address is asked, and errNotFound where there is none; a guess
// costs the database nothing.
func (s *site) cloudAt(r *http.Request) (digest.CloudSubscription, error) {
	id, ok := s.Signer.Verify(digest.ForCloud, r.PathValue("token"))
	if !ok || !s.Clouds {
		return digest.CloudSubscription{}, errNotFound
	}
	if !s.limits.pushers.allowAll(s.clientShares(r), s.Now()) {
		return digest.CloudSubscription{}, errTooMany
	}
	c, err := s.Store.CloudSubscription(r.Context(), digest.CloudID(id))
	if digest.KindOf(err) == digest.NotFound {
		return c, errPushOver
	}
	return c, err
}

// verifyCloud answers a cloud that makes sure that it was asked to tell of a feed. Whatever it
// sends is sent back as text.
func (s *site) verifyCloud(w http.ResponseWriter, r *http.Request) error {
	c, err := s.cloudAt(r)
	if errors.Is(err, errPushOver) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	topic, challenge, ok := push.ParseCloudIntent(r.URL.Query())
	if !ok || r.Method == http.MethodHead {
		return errNotFound
	}
	now := s.Now()
	meant, err := s.Store.VerifyCloud(r.Context(), now, c.ID, topic, now.Add(push.CloudLease),
		push.CloudRenewAt(now, rand.Float64()))
	if err != nil {
		return err
	}
	if !meant {
		return errNotFound
	}
	return plain(w, http.StatusOK, challenge)
}

// cloudTells takes the word of a cloud that its feed has news: a ping, as often as pings of one feed count. What
// it sends beside that is not read, for nobody has signed it.
func (s *site) cloudTells(w http.ResponseWriter, r *http.Request) error {
	c, err := s.cloudAt(r)
	if err != nil {
		return err
	}
	if now := s.Now(); c.Promises(now) && s.limits.pinged.allow(c.Topic, now) {
		if err := s.Store.AnnouncedFeed(r.Context(), c.FeedID, now); err != nil {
			return err
		}
	}
	return plain(w, http.StatusOK, "Thanks.\n")
}
