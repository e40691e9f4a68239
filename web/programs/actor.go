package programs

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"

	"digest"
	"digest/poller"
)

// The poller signs requests to the fediverse as this instance's actor. Servers fetch the actor's
// public key here (w3.org/TR/activitypub section 4.1). The actor needs no signed request: a server
// that verifies our signature would need our key to accept its own signed request for that key. The
// actor follows no accounts and ignores its inbox.

// actorName is the part of the actor's address before the @.
const actorName = "digest"

// actor serves the ActivityPub document of this instance.
func (s *site) actor(w http.ResponseWriter, r *http.Request) error {
	if s.ActorKey == nil {
		return noPage()
	}
	key, err := s.ActorKey(r.Context())
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	id := s.BaseURL + poller.ActorPath
	return writeAs(w, "application/activity+json", map[string]any{
		"@context":                  []string{"https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"},
		"id":                        id,
		"type":                      "Application",
		"preferredUsername":         actorName,
		"name":                      "Daily Digest",
		"summary":                   "<p>Reads public posts once a day for those who subscribed to them.</p>",
		"url":                       s.BaseURL + "/bot",
		"inbox":                     id + "/inbox",
		"outbox":                    id + "/outbox",
		"manuallyApprovesFollowers": true,
		"discoverable":              false,
		"indexable":                 false,
		"publicKey": map[string]string{
			"id": poller.KeyID(s.BaseURL), "owner": id,
			"publicKeyPem": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		},
	})
}

// actorOutbox serves an empty collection, because the actor publishes nothing.
func (s *site) actorOutbox(w http.ResponseWriter, _ *http.Request) error {
	return writeAs(w, "application/activity+json", map[string]any{
		"@context": "https://www.w3.org/ns/activitystreams", "id": s.BaseURL + poller.ActorPath + "/outbox",
		"type": "OrderedCollection", "totalItems": 0, "orderedItems": []string{},
	})
}

// actorInbox accepts messages and ignores them.
func (s *site) actorInbox(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// webFinger returns the address of the actor (RFC 7033 section 4).
func (s *site) webFinger(w http.ResponseWriter, r *http.Request) error {
	base, err := url.Parse(s.BaseURL)
	if err != nil || s.ActorKey == nil {
		return noPage()
	}
	account, id := "acct:"+actorName+"@"+base.Host, s.BaseURL+poller.ActorPath
	if asked := r.URL.Query().Get("resource"); !strings.EqualFold(asked, account) && asked != id {
		return noPage()
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	return writeAs(w, "application/jrd+json", map[string]any{
		"subject": account, "aliases": []string{id},
		"links": []map[string]string{{"rel": "self", "type": "application/activity+json", "href": id}},
	})
}

func noPage() error { return &digest.Error{Kind: digest.NotFound, Message: "there is no such page"} }

// writeAs writes v as JSON with the given media type. Caches may keep it for an hour.
func writeAs(w http.ResponseWriter, mediaType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(body)
	return nil
}
