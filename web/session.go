package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

const (
	// sessionTTL makes a session end 90 days after its last use, because renewSession runs once a day.
	sessionTTL = 91 * 24 * time.Hour
	renewEvery = 24 * time.Hour
)

// A reader is the signed-in user and their daily digest.
type reader struct {
	digest.User
	Digest digest.Digest
}

// key returns the reader's key for rate limits.
func (me reader) key() string { return strconv.FormatInt(int64(me.ID), 10) }

// A readerHandler serves a route that needs a session. A posted form is already parsed, in r.PostForm.
type readerHandler func(http.ResponseWriter, *http.Request, reader) error

// forReader makes a handler of h. It redirects requests without a session to the sign-in page.
func (s *site) forReader(h readerHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		user, err := s.signedIn(r)
		if err != nil {
			return err
		}
		if user.ID == 0 {
			return s.toSignIn(w, r)
		}
		if isLong(r) {
			unlock, busy := s.forms.tryLock(user.ID)
			if busy != nil {
				return errOneByOne
			}
			defer unlock()
			if body, ok := r.Body.(*boundedBody); ok {
				body.long = s.long.begin()
				defer body.long.end()
			}
		}
		d, err := s.Store.Readers.DigestOf(r.Context(), user.ID)
		if err != nil {
			return err
		}
		r = r.WithContext(context.WithValue(r.Context(), nameKey{}, named(d).Name))
		return withForm(func(w http.ResponseWriter, r *http.Request) error {
			if r.Method == http.MethodPost && s.isOthersForm(r, user.ID) {
				return errOthersForm
			}
			return h(w, r, reader{user, d})
		})(w, r)
	}
}

// isLong reports whether the body of a request may be longer than an ordinary form. The whole body stays in memory
// while it is read.
func isLong(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.ContentLength > maxBody || r.ContentLength < 0)
}

// forOperator is forReader for operators. Other readers get errNotFound.
func (s *site) forOperator(h readerHandler) handler {
	return s.forReader(func(w http.ResponseWriter, r *http.Request, me reader) error {
		if !me.Operator {
			return errNotFound
		}
		return h(w, r, me)
	})
}

type nameKey struct{}

type sessionKey struct{}

// withSession looks up the session of a request at most once, and only if a handler needs it.
func (s *site) withSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once := sync.OnceValues(func() (store.SessionUser, error) { return s.sessionUser(r) })
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, once)))
	})
}

// signedIn returns the signed-in user, the zero user without a session.
func (s *site) signedIn(r *http.Request) (digest.User, error) {
	u, err := session(r)
	return u.User, err
}

func session(r *http.Request) (store.SessionUser, error) {
	return r.Context().Value(sessionKey{}).(func() (store.SessionUser, error))()
}

// renewSession moves the end of the request's session, at most once a day, unless the response is cached.
func (s *site) renewSession(w http.ResponseWriter, r *http.Request) {
	u, err := session(r)
	now := s.Now()
	if err != nil || u.ID == 0 || !isUncached(w.Header()) || u.EndsAt.Sub(now) > sessionTTL-renewEvery {
		return
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return
	}
	renewed, err := s.Store.Sessions.RenewSession(r.Context(), hashSecret(c.Value), now, now.Add(sessionTTL))
	if err != nil {
		s.Log.WarnContext(r.Context(), "cannot renew a session, so it ends earlier", "err", err)
	}
	if renewed {
		s.setCookie(w, s.cookieName(), c.Value, int(sessionTTL.Seconds()))
	}
}

// language returns the language for a request: the one that the signed-in reader has chosen; without a session, the
// last one of this browser; otherwise the best match of Accept-Language.
func (s *site) language(r *http.Request) *catalogue.Language {
	u, _ := s.signedIn(r) // on error the zero user
	chosen := u.Language
	if u.ID == 0 {
		chosen = s.heldLook(r).Language
	}
	if l, ok := catalogue.Find(chosen); ok {
		return l
	}
	return catalogue.Match(r.Header.Get("Accept-Language"))
}

// languageOf returns the language of a page. A page behind a link in an email has the language of the recipient.
func (s *site) languageOf(r *http.Request, data any) *catalogue.Language {
	if p, ok := data.(interface{ mailedTo() digest.UserID }); ok && p.mailedTo() != 0 {
		u, _ := s.Store.Readers.User(r.Context(), p.mailedTo()) // on error the zero user
		if l, ok := catalogue.Find(u.Language); ok {
			return l
		}
	}
	return s.language(r)
}

// sessionUser looks up the user of the request's session cookie. It returns the zero user without a valid session.
func (s *site) sessionUser(r *http.Request) (store.SessionUser, error) {
	c, err := r.Cookie(s.cookieName())
	if err != nil || c.Value == "" {
		return store.SessionUser{}, nil
	}
	u, err := s.Store.Sessions.SessionUser(r.Context(), hashSecret(c.Value), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return store.SessionUser{}, nil
	}
	return u, err
}

// enter starts a new session for a user and ends the one that the browser had. with is the passkey of the sign-in, or
// nil.
func (s *site) enter(w http.ResponseWriter, r *http.Request, user digest.UserID, with *store.Passkey) error {
	secret, now := newSecret(), s.Now()
	var err error
	if with != nil {
		err = s.Store.Sessions.AddPasskeySession(r.Context(), hashSecret(secret), *with, now, now.Add(sessionTTL))
	} else {
		err = s.Store.Sessions.AddSession(r.Context(), hashSecret(secret), user, now, now.Add(sessionTTL))
	}
	if err != nil {
		return err
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	s.setCookie(w, s.cookieName(), secret, int(sessionTTL.Seconds()))
	u, err := s.Store.Sessions.SessionUser(r.Context(), hashSecret(secret), now)
	if err == nil {
		s.knowBrowser(w, u.Email)
	}
	return err
}

// enterByLink starts a session and redirects to the page that was requested before the sign-in, or to the front page.
func (s *site) enterByLink(w http.ResponseWriter, r *http.Request, user digest.UserID) error {
	if err := s.enter(w, r, user, nil); err != nil {
		return err
	}
	return seeOther(w, r, s.useReturn(w, r))
}

func (s *site) endSession(r *http.Request) error {
	if hash := s.sessionHash(r); hash != nil {
		return s.Store.Sessions.EndSession(r.Context(), hash)
	}
	return nil
}

// sessionHash returns the hash of the request's session secret, nil without a cookie.
func (s *site) sessionHash(r *http.Request) []byte {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil
	}
	return hashSecret(c.Value)
}

func (s *site) isTLS() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// cookieName returns the name of the session cookie. Browsers accept the prefix __Host- only over https and from this
// host, so another subdomain cannot set the cookie.
func (s *site) cookieName() string {
	if s.isTLS() {
		return "__Host-digest"
	}
	return "digest"
}

// setCookie sets a cookie for maxAge seconds. A negative maxAge deletes it.
func (s *site) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.isTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// newSecret returns a random secret of at least 256 bits, which needs no escaping in URLs.
func newSecret() string { return rand.Text() + rand.Text() }

// hashSecret returns the hash under which the database stores a secret. It needs no salt, because secrets are random.
func hashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
