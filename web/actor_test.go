package web_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"digest"
	"digest/poller"
	"digest/web"
)

// TestActor checks that servers of the fediverse find the public key by the key's ID and by the
// actor's name, without a signature.
func TestActor(t *testing.T) {
	made, err := poller.NewActorKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := poller.ReadActorKey(made)
	if err != nil {
		t.Fatal(err)
	}
	o := web.Options{BaseURL: "https://news.example/", Signer: digest.NewSigner([]byte("sixteen or more bytes")),
		ActorKey: func(context.Context) (*rsa.PrivateKey, error) { return key, nil }}
	handler := web.New(o)
	ask := func(method, path, mediaType string, into any) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, "https://news.example"+path, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != mediaType ||
			json.Unmarshal(w.Body.Bytes(), into) != nil {
			t.Fatalf("%s: %d %s %s", path, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
	var finger struct {
		Subject string
		Links   []struct{ Rel, Type, Href string }
	}
	ask("GET", "/.well-known/webfinger?resource=acct:digest@news.example", "application/jrd+json", &finger)
	if finger.Subject != "acct:digest@news.example" || len(finger.Links) != 1 || finger.Links[0].Rel != "self" ||
		finger.Links[0].Href != "https://news.example/actor" {
		t.Errorf("%+v", finger)
	}
	var actor struct {
		ID, Type, PreferredUsername, Inbox, Outbox string
		PublicKey                                  struct{ ID, Owner, PublicKeyPem string }
	}
	ask("GET", "/actor", "application/activity+json", &actor)
	if actor.ID != finger.Links[0].Href || actor.PublicKey.Owner != actor.ID ||
		actor.PublicKey.ID != poller.KeyID(o.BaseURL) || actor.PreferredUsername != "digest" || actor.Inbox == "" {
		t.Errorf("%+v", actor)
	}
	block, _ := pem.Decode([]byte(actor.PublicKey.PublicKeyPem))
	if block == nil {
		t.Fatal("no PEM")
	}
	if public, err := x509.ParsePKIXPublicKey(block.Bytes); err != nil || !key.PublicKey.Equal(public) {
		t.Errorf("another key: %v", err)
	}
	var outbox struct{ TotalItems *int }
	ask("GET", "/actor/outbox", "application/activity+json", &outbox)
	if outbox.TotalItems == nil || *outbox.TotalItems != 0 {
		t.Error("the actor has published something")
	}
	for path, want := range map[string]int{
		"GET /.well-known/webfinger?resource=acct:ann@news.example": http.StatusNotFound,
		"GET /.well-known/webfinger":                                http.StatusNotFound,
		"POST /actor/inbox":                                         http.StatusAccepted,
		"POST /actor":                                               http.StatusMethodNotAllowed,
	} {
		method, path := path[:4], path[4:]
		if method == "GET " {
			method = "GET"
		} else {
			path = path[1:]
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, "https://news.example"+path, nil))
		if w.Code != want {
			t.Errorf("%s %s: %d, want %d", method, path, w.Code, want)
		}
	}
}
