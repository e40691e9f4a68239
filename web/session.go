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

// sessionTTL is how long a browser stays signed in.
const sessionTTL = 90 * 24 * time.Hour

// A reader is who is signed in, with their own daily digest.
type reader struct {
	digest.User
	Digest digest.Digest
}

// key names a reader, for limits.
func (me reader) key() string { return strconv.FormatInt(int64(me.ID), 10) }

// A readerHandler answers a route that only a signed-in reader has. A form that
// was posted is read already, as r.PostForm.
type readerHandler func(http.ResponseWriter, *http.Request, reader) error

// forReader makes a handler of h: who is not signed in is led to the sign-in page.
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
		if r.Method == http.MethodPost {
			s.forgetForm(w, r)
		}
		d, err := s.Store.DigestOf(r.Context(), user.ID)
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

// isLong reports whether a request brings, or may bring, more than a form that
// people fill in: it is held in memory while it is read.
func isLong(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.ContentLength > maxBody || r.ContentLength < 0)
}

// forOperator is forReader for whoever runs this instance; for others there is
// nothing at the address.
func (s *site) forOperator(h readerHandler) handler {
	return s.forReader(func(w http.ResponseWriter, r *http.Request, me reader) error {
		if !me.Operator {
			return errNotFound
		}
		return h(w, r, me)
	})
}

// nameKey is under which a request's context holds the name of its reader's digest.
type nameKey struct{}

// sessionKey is under which a request's context holds its session.
type sessionKey struct{}

// withSession lets a request ask the store only once whose it is, and only if
// anybody wants to know.
func (s *site) withSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once := sync.OnceValues(func() (digest.User, error) { return s.sessionUser(r) })
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, once)))
	})
}

// signedIn gives who is signed in; the zero user if nobody is.
func (s *site) signedIn(r *http.Request) (digest.User, error) {
	return r.Context().Value(sessionKey{}).(func() (digest.User, error))()
}

// language is the one in which a request is answered: that which its reader has chosen, where nobody is signed in
// that of the browser's last one, else the one that the browser asks for.
func (s *site) language(r *http.Request) *catalogue.Language {
	u, _ := s.signedIn(r) // nobody where the database does not answer
	chosen := u.Language
	if u.ID == 0 {
		chosen = s.heldLook(r).Language
	}
	if l, ok := catalogue.Find(chosen); ok {
		return l
	}
	return catalogue.Match(r.Header.Get("Accept-Language"))
}

// languageOf is the language of a page: behind a link of a mail that of the mail's reader, whoever opens it.
func (s *site) languageOf(r *http.Request, data any) *catalogue.Language {
	if p, ok := data.(interface{ mailedTo() digest.UserID }); ok && p.mailedTo() != 0 {
		u, _ := s.Store.User(r.Context(), p.mailedTo()) // nobody where the database does not answer
		if l, ok := catalogue.Find(u.Language); ok {
			return l
		}
	}
	return s.language(r)
}

// sessionUser asks the store whose the session is that a request came with.
func (s *site) sessionUser(r *http.Request) (digest.User, error) {
	c, err := r.Cookie(s.cookieName())
	if err != nil || c.Value == "" {
		return digest.User{}, nil
	}
	u, err := s.Store.SessionUser(r.Context(), hashSecret(c.Value), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return digest.User{}, nil
	}
	return u, err
}

// enter starts a session for a user, always a new one whatever cookie the
// browser brought. with is the passkey that it begins with, if any.
func (s *site) enter(w http.ResponseWriter, r *http.Request, user digest.UserID, with *store.Passkey) error {
	secret, now := newSecret(), s.Now()
	var err error
	if with != nil {
		err = s.Store.AddPasskeySession(r.Context(), hashSecret(secret), *with, now, now.Add(sessionTTL))
	} else {
		err = s.Store.AddSession(r.Context(), hashSecret(secret), user, now, now.Add(sessionTTL))
	}
	if err != nil {
		return err
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	s.setCookie(w, s.cookieName(), secret, int(sessionTTL.Seconds()))
	u, err := s.Store.SessionUser(r.Context(), hashSecret(secret), now)
	if err == nil {
		s.enterBrowser(w, r, u.Email)
	}
	return err
}

// enterByLink starts a session and leads to the page that was asked for, else to the first.
func (s *site) enterByLink(w http.ResponseWriter, r *http.Request, user digest.UserID) error {
	if err := s.enter(w, r, user, nil); err != nil {
		return err
	}
	return seeOther(w, r, s.useReturn(w, r))
}

// endSession forgets the session that the request came with, if any.
func (s *site) endSession(r *http.Request) error {
	if hash := s.sessionHash(r); hash != nil {
		return s.Store.EndSession(r.Context(), hash)
	}
	return nil
}

// sessionHash is the hash of the session that the request came with; nil: none.
func (s *site) sessionHash(r *http.Request) []byte {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil
	}
	return hashSecret(c.Value)
}

func (s *site) isTLS() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// cookieName is the session cookie's. With the __Host- prefix browsers take it
// only from this very host over https, so that no neighbour can plant one.
func (s *site) cookieName() string {
	if s.isTLS() {
		return "__Host-digest"
	}
	return "digest"
}

// setCookie sets a cookie for maxAge seconds; below 0 removes it.
func (s *site) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.isTLS(), SameSite: http.SameSiteLaxMode,
	})
}

// newSecret gives 256 random bits as text, which is the same in an address.
func newSecret() string { return rand.Text() + rand.Text() }

// hashSecret is the form in which a secret is stored. It needs no salt: the
// secret itself is random.
func hashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
