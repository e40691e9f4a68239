package web

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"

	"digest"
	"digest/push"
)

// cloudRoot is the prefix of the callback paths of rssCloud servers. Each subscription has its own
// unguessable path.
const cloudRoot = "/rsscloud/"

// CloudCallbackAddress returns the callback address of a subscription on the instance at base.
func CloudCallbackAddress(base string, signer *digest.Signer, id digest.CloudID) string {
	return strings.TrimSuffix(base, "/") + cloudRoot + signer.Sign(digest.ForCloud, int64(id))
}

// cloudAt returns the subscription of the requested path, or errNotFound. An invalid token causes
// no query.
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

// verifyCloud answers the verification request of a cloud by returning its challenge as text.
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

// cloudTells handles the notification of a cloud that its feed has news. It counts as a ping, with
// the rate limit of pings. The rest of the message is ignored, because it is not signed.
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
