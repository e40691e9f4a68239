package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// ceremonyTTL is how long a browser has to complete a passkey ceremony.
const ceremonyTTL = 5 * time.Minute

// newRelying creates the relying party for a base URL. It returns nil if the host is an IP address or the URL is
// invalid: passkeys require a domain name.
func newRelying(base string) *webauthn.WebAuthn {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil
	}
	relying, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: render.DefaultName, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationPreferred,
		},
	})
	if err != nil {
		return nil
	}
	return relying
}

// A holder implements webauthn.User for a reader.
type holder struct {
	handle []byte
	name   string
	keys   []webauthn.Credential
}

// WebAuthnID returns the user handle. It is random, so it does not identify the reader.
func (h holder) WebAuthnID() []byte { return h.handle }

// WebAuthnName returns the email address, which the browser shows in its list of passkeys.
func (h holder) WebAuthnName() string { return h.name }

// WebAuthnDisplayName returns the same as WebAuthnName, because readers have no other name.
func (h holder) WebAuthnDisplayName() string { return h.name }

// WebAuthnCredentials returns the stored passkeys of the reader.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holderOf returns the reader as a webauthn.User, with their stored passkeys.
func (s *site) holderOf(ctx context.Context, u digest.User, handle []byte) (holder, []store.Passkey, error) {
	keys, err := s.Store.Sessions.Passkeys(ctx, u.ID)
	if err != nil {
		return holder{}, nil, err
	}
	h := holder{handle: handle, name: u.Email}
	for _, k := range keys {
		var c webauthn.Credential
		if err := json.Unmarshal([]byte(k.Credential), &c); err != nil {
			return holder{}, nil, fmt.Errorf("reading passkey %d: %w", k.ID, err)
		}
		c.Authenticator.SignCount = uint32(k.SignCount)
		h.keys = append(h.keys, c)
	}
	return h, keys, nil
}

// beginRegister starts the registration of a passkey and returns the options for the browser.
func (s *site) beginRegister(w http.ResponseWriter, r *http.Request, u digest.User) (any, error) {
	if !s.Limits.Ceremonies.AllowAll(s.ClientShares(r), s.Now()) {
		return nil, page.ErrTooMany
	}
	fresh := make([]byte, 64)
	_, _ = rand.Read(fresh) // crypto/rand.Read never fails
	handle, err := s.Store.Sessions.Handle(r.Context(), u.ID, fresh)
	if err != nil {
		return nil, err
	}
	h, _, err := s.holderOf(r.Context(), u, handle)
	if err != nil {
		return nil, err
	}
	options, asked, err := s.relying.BeginRegistration(h,
		webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("asking for a passkey: %w", err)
	}
	return options, s.keepCeremony(w, r, u.ID, asked)
}

// A newPasskey is the browser's response to beginRegister.
type newPasskey struct {
	Name       string          `json:"name"`
	Credential json.RawMessage `json:"credential"`
}

// finishRegister verifies the new passkey, stores it and notifies the reader by email.
func (s *site) finishRegister(w http.ResponseWriter, r *http.Request, u digest.User) (any, error) {
	asked, err := s.useCeremony(w, r, u.ID)
	if err != nil {
		return nil, err
	}
	var in newPasskey
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, page.TooLargeOr(err, errBadPasskey)
	}
	answer, err := protocol.ParseCredentialCreationResponseBytes(in.Credential)
	if err != nil {
		return nil, errBadPasskey
	}
	handle, err := s.Store.Sessions.Handle(r.Context(), u.ID, asked.UserID)
	if err != nil {
		return nil, err
	}
	c, err := s.relying.CreateCredential(holder{handle: handle, name: u.Email}, asked, answer)
	if err != nil {
		s.Log.Info("a new passkey was refused", "err", err)
		return nil, errBadPasskey
	}
	c.Attestation = webauthn.CredentialAttestation{} // for privacy: it identifies the maker of the device
	stored, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("writing a passkey: %w", err)
	}
	err = s.Store.Sessions.AddPasskey(r.Context(), store.Passkey{
		UserID: u.ID, CredentialID: c.ID, Credential: string(stored), SignCount: int64(c.Authenticator.SignCount),
		Name: s.passkeyName(r, in.Name),
	}, s.Now())
	switch digest.KindOf(err) {
	case digest.Conflict:
		return nil, errKnownPasskey
	case digest.Invalid:
		return nil, errManyPasskeys
	}
	if err == nil {
		s.tellOfPasskeys(r.Context(), u, passkeyAddedLetter(letterLanguage(u, s.Language(r)), s.BaseURL))
	}
	return map[string]string{"to": "/settings/passkeys?saved=added"}, err
}

func (s *site) beginPasskey(w http.ResponseWriter, r *http.Request) (any, error) {
	if !s.Limits.Ceremonies.AllowAll(s.ClientShares(r), s.Now()) {
		return nil, page.ErrTooMany
	}
	options, asked, err := s.relying.BeginDiscoverableLogin(
		webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return nil, fmt.Errorf("asking for a passkey: %w", err)
	}
	return options, s.keepCeremony(w, r, 0, asked)
}

// finishPasskey verifies the assertion of a passkey and signs its user in. Every invalid assertion gets the same
// error.
func (s *site) finishPasskey(w http.ResponseWriter, r *http.Request) (any, error) {
	asked, err := s.useCeremony(w, r, 0)
	if err != nil {
		return nil, err
	}
	answer, err := protocol.ParseCredentialRequestResponseBody(r.Body)
	if err != nil {
		return nil, errBadPasskey
	}
	var keys []store.Passkey
	find := func(_, handle []byte) (webauthn.User, error) {
		u, err := s.Store.Sessions.UserByHandle(r.Context(), handle)
		if err != nil {
			return nil, err
		}
		var h holder
		h, keys, err = s.holderOf(r.Context(), u, handle)
		return h, err
	}
	_, c, err := s.relying.ValidatePasskeyLogin(find, asked, answer)
	if err != nil {
		s.Log.Info("rejected a passkey", "err", err)
		return nil, errBadPasskey
	}
	key, err := s.usePasskey(r.Context(), keys, c)
	if err != nil {
		return nil, err
	}
	if err := s.Enter(w, r, key.UserID, &key); err != nil {
		return nil, err
	}
	return map[string]string{"to": s.UseReturn(w, r)}, nil
}

// usePasskey records the use of a passkey. It rejects a passkey whose signature counter did not increase, because it
// may be a copy.
func (s *site) usePasskey(ctx context.Context, keys []store.Passkey, c *webauthn.Credential) (store.Passkey, error) {
	for _, k := range keys {
		if string(k.CredentialID) != string(c.ID) {
			continue
		}
		if c.Authenticator.CloneWarning {
			s.Log.Warn("a passkey was refused: its counter did not increase, so it may be a copy", "passkey", k.ID)
			return k, errBadPasskey
		}
		stored, err := json.Marshal(c)
		if err != nil {
			return k, fmt.Errorf("writing a passkey: %w", err)
		}
		err = s.Store.Sessions.UsePasskey(ctx, k, string(stored), int64(c.Authenticator.SignCount), s.Now())
		return k, page.OrSpent(err, errBadPasskey)
	}
	return store.Passkey{}, errBadPasskey
}

// keepCeremony stores the session data of a ceremony and sets a cookie with the secret that finds it.
func (s *site) keepCeremony(w http.ResponseWriter, r *http.Request, user digest.UserID,
	asked *webauthn.SessionData) error {
	data, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("writing what a passkey is asked: %w", err)
	}
	secret, now := page.NewSecret(), s.Now()
	if err := s.Store.Sessions.AddCeremony(r.Context(), page.HashSecret(secret), user, string(data), now,
		now.Add(ceremonyTTL)); err != nil {
		return err
	}
	s.setCeremonyCookie(w, secret, int(ceremonyTTL.Seconds()))
	return nil
}

// useCeremony returns the session data of the browser's ceremony and deletes it, so that it works only once.
func (s *site) useCeremony(w http.ResponseWriter, r *http.Request, user digest.UserID) (asked webauthn.SessionData,
	err error) {
	c, err := r.Cookie(s.CookieName() + "-passkey")
	if err != nil {
		return asked, errBadPasskey
	}
	s.setCeremonyCookie(w, "", -1)
	data, err := s.Store.Sessions.UseCeremony(r.Context(), page.HashSecret(c.Value), user, s.Now())
	if err != nil {
		return asked, page.OrSpent(err, errBadPasskey)
	}
	if err := json.Unmarshal([]byte(data), &asked); err != nil {
		return asked, fmt.Errorf("reading what a passkey was asked: %w", err)
	}
	return asked, nil
}

func (s *site) setCeremonyCookie(w http.ResponseWriter, secret string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.CookieName() + "-passkey", Value: secret, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.IsTLS(), SameSite: http.SameSiteStrictMode,
	})
}

// forReaderJSON makes a handler for JSON requests of signed-in readers, as ForReader does for forms.
func (s *site) forReaderJSON(h func(http.ResponseWriter, *http.Request, digest.User) (any, error)) page.Handler {
	return s.passkeyJSON(func(w http.ResponseWriter, r *http.Request) (any, error) {
		u, err := s.SignedIn(r)
		if err == nil && u.ID == 0 {
			err = errSignInFirst
		}
		if err == nil && s.IsOthersForm(r, u.ID) {
			err = page.ErrOthersForm
		}
		if err != nil {
			return nil, err
		}
		return h(w, r, u)
	})
}

var (
	errSignInFirst = &page.Problem{Status: http.StatusUnauthorized, Title: catalogue.Key("Sign in"),
		Text: catalogue.Key("Your session has ended. Sign in and try again.")}
	errBadPasskey = &page.Problem{Status: http.StatusForbidden, Title: catalogue.Key("This passkey didn’t work"),
		Text: catalogue.Key("Try again. If it still fails, sign in by email and add the passkey again.")}
	errKnownPasskey = &page.Problem{Status: http.StatusConflict, Title: catalogue.Key("You already added this passkey"),
		Text: catalogue.Key("Nothing was changed.")}
	errManyPasskeys = &page.Problem{Status: http.StatusConflict, Title: catalogue.Key("You have too many passkeys"),
		Text: catalogue.Key("Remove one that you no longer use, then try again.")}
	errNotJSON = &page.Problem{Status: http.StatusUnsupportedMediaType,
		Title: catalogue.Key("We couldn’t read that form"),
		Text:  catalogue.Key("Go back, reload the page and try again.")}
)

// passkeyJSON makes a handler for JSON requests of our own scripts. An error becomes the field "error" of the response.
// The handler returns ErrNotFound if passkeys are not available.
func (s *site) passkeyJSON(h func(http.ResponseWriter, *http.Request) (any, error)) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.relying == nil {
			return page.ErrNotFound
		}
		status := http.StatusOK
		var answer any
		err := error(errNotJSON)
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
			answer, err = h(w, r)
		}
		if err != nil {
			p := s.ProblemOf(r, err)
			status, answer = p.Status,
				map[string]string{"error": catalogue.Key("%s. %s").With(p.Title, p.Text).In(s.Language(r))}
		}
		return page.WriteJSON(w, status, answer)
	}
}

// passkeyName returns the name that a reader typed, cleaned and cut to 60 characters, or a default with today's date.
func (s *site) passkeyName(r *http.Request, typed string) string {
	const most = 60
	name := digest.OneLine(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, typed))
	if utf8.RuneCountInString(name) > most {
		name = digest.Shortened(name, most-1)
	}
	usual := catalogue.Key("Passkey added %s").With(catalogue.Time("2 January 2006", s.Now().UTC()))
	return cmp.Or(name, usual.In(s.Language(r)))
}
