package page

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

// A Reader is the signed-in user and their daily digest.
type Reader struct {
	digest.User
	Digest digest.Digest
}

// Key returns the reader's key for rate limits.
func (me Reader) Key() string { return strconv.FormatInt(int64(me.ID), 10) }

// A ReaderHandler serves a route that needs a session. A posted form is already parsed, in r.PostForm.
type ReaderHandler func(http.ResponseWriter, *http.Request, Reader) error

// ForReader makes a handler of h. It redirects requests without a session to the sign-in page.
func (s *Site) ForReader(h ReaderHandler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		user, err := s.SignedIn(r)
		if err != nil {
			return err
		}
		if user.ID == 0 {
			return s.toSignIn(w, r)
		}
		if isLong(r) {
			unlock, busy := s.Forms.TryLock(user.ID)
			if busy != nil {
				return ErrOneByOne
			}
			defer unlock()
			defer s.CountBody(r)()
		}
		d, err := s.Store.Readers.DigestOf(r.Context(), user.ID)
		if err != nil {
			return err
		}
		r = r.WithContext(context.WithValue(r.Context(), nameKey{}, Named(d).Name))
		return WithForm(func(w http.ResponseWriter, r *http.Request) error {
			if r.Method == http.MethodPost && s.IsOthersForm(r, user.ID) {
				return ErrOthersForm
			}
			return h(w, r, Reader{user, d})
		})(w, r)
	}
}

// isLong reports whether the body of a request may be longer than an ordinary form. The whole body stays in memory
// while it is read.
func isLong(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.ContentLength > MaxBody || r.ContentLength < 0)
}

// ForOperator is ForReader for operators. Other readers get ErrNotFound.
func (s *Site) ForOperator(h ReaderHandler) Handler {
	return s.ForReader(func(w http.ResponseWriter, r *http.Request, me Reader) error {
		if !me.Operator {
			return ErrNotFound
		}
		return h(w, r, me)
	})
}

type nameKey struct{}

type sessionKey struct{}

// withSession looks up the session of a request at most once, and only if a handler needs it.
func (s *Site) withSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once := sync.OnceValues(func() (store.SessionUser, error) { return s.sessionUser(r) })
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, once)))
	})
}

// SignedIn returns the signed-in user, the zero user without a session.
func (s *Site) SignedIn(r *http.Request) (digest.User, error) {
	u, err := session(r)
	return u.User, err
}

func session(r *http.Request) (store.SessionUser, error) {
	return r.Context().Value(sessionKey{}).(func() (store.SessionUser, error))()
}

// renewSession moves the end of the request's session, at most once a day, unless the response is cached.
func (s *Site) renewSession(w http.ResponseWriter, r *http.Request) {
	u, err := session(r)
	now := s.Now()
	if err != nil || u.ID == 0 || !isUncached(w.Header()) || u.EndsAt.Sub(now) > sessionTTL-renewEvery {
		return
	}
	c, err := r.Cookie(s.CookieName())
	if err != nil {
		return
	}
	renewed, err := s.Store.Sessions.RenewSession(r.Context(), HashSecret(c.Value), now, now.Add(sessionTTL))
	if err != nil {
		s.Log.WarnContext(r.Context(), "cannot renew a session, so it ends earlier", "err", err)
	}
	if renewed {
		s.SetCookie(w, s.CookieName(), c.Value, int(sessionTTL.Seconds()))
	}
}

// Language returns the language for a request: the one that the signed-in reader has chosen; without a session, the
// last one of this browser; otherwise the best match of Accept-Language.
func (s *Site) Language(r *http.Request) *catalogue.Language {
	u, _ := s.SignedIn(r) // on error the zero user
	chosen := u.Language
	if u.ID == 0 {
		chosen = s.heldLook(r).Language
	}
	if l, ok := catalogue.Find(chosen); ok {
		return l
	}
	return catalogue.Match(r.Header.Get("Accept-Language"))
}

// LanguageOf returns the language of a page. A page behind a link in an email has the language of the recipient.
func (s *Site) LanguageOf(r *http.Request, data any) *catalogue.Language {
	if p, ok := data.(interface{ MailedTo() digest.UserID }); ok && p.MailedTo() != 0 {
		u, _ := s.Store.Readers.User(r.Context(), p.MailedTo()) // on error the zero user
		if l, ok := catalogue.Find(u.Language); ok {
			return l
		}
	}
	return s.Language(r)
}

// sessionUser looks up the user of the request's session cookie. It returns the zero user without a valid session.
func (s *Site) sessionUser(r *http.Request) (store.SessionUser, error) {
	c, err := r.Cookie(s.CookieName())
	if err != nil || c.Value == "" {
		return store.SessionUser{}, nil
	}
	u, err := s.Store.Sessions.SessionUser(r.Context(), HashSecret(c.Value), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return store.SessionUser{}, nil
	}
	return u, err
}

// Enter starts a new session for a user and ends the one that the browser had. with is the passkey of the sign-in, or
// nil.
func (s *Site) Enter(w http.ResponseWriter, r *http.Request, user digest.UserID, with *store.Passkey) error {
	secret, now := NewSecret(), s.Now()
	var err error
	if with != nil {
		err = s.Store.Sessions.AddPasskeySession(r.Context(), HashSecret(secret), *with, now, now.Add(sessionTTL))
	} else {
		err = s.Store.Sessions.AddSession(r.Context(), HashSecret(secret), user, now, now.Add(sessionTTL))
	}
	if err != nil {
		return err
	}
	if err := s.EndSession(r); err != nil {
		return err
	}
	s.SetCookie(w, s.CookieName(), secret, int(sessionTTL.Seconds()))
	u, err := s.Store.Sessions.SessionUser(r.Context(), HashSecret(secret), now)
	if err == nil {
		s.KnowBrowser(w, u.Email)
	}
	return err
}

// EnterByLink starts a session and redirects to the page that was requested before the sign-in, or to the front page.
func (s *Site) EnterByLink(w http.ResponseWriter, r *http.Request, user digest.UserID) error {
	if err := s.Enter(w, r, user, nil); err != nil {
		return err
	}
	return SeeOther(w, r, s.UseReturn(w, r))
}

// EndSession ends the session of the request.
func (s *Site) EndSession(r *http.Request) error {
	if hash := s.SessionHash(r); hash != nil {
		return s.Store.Sessions.EndSession(r.Context(), hash)
	}
	return nil
}

// SessionHash returns the hash of the request's session secret, nil without a cookie.
func (s *Site) SessionHash(r *http.Request) []byte {
	c, err := r.Cookie(s.CookieName())
	if err != nil {
		return nil
	}
	return HashSecret(c.Value)
}

// IsTLS reports whether visitors use https.
func (s *Site) IsTLS() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// CookieName returns the name of the session cookie. Browsers accept the prefix __Host- only over https and from this
// host, so another subdomain cannot set the cookie.
func (s *Site) CookieName() string {
	if s.IsTLS() {
		return "__Host-digest"
	}
	return "digest"
}

// SetCookie sets a cookie for maxAge seconds. A negative maxAge deletes it.
func (s *Site) SetCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.IsTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// NewSecret returns a random secret of at least 256 bits, which needs no escaping in URLs.
func NewSecret() string { return rand.Text() + rand.Text() }

// HashSecret returns the hash under which the database stores a secret. It needs no salt, because secrets are random.
func HashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
