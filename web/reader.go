package web

import (
	"context"
	"net/http"
	"sync"

	"digest"
)

// A reader is who is signed in, with their own daily digest.
type reader struct {
	digest.User
	Digest digest.Digest
}

// A readerHandler answers a route that only a signed-in reader has.
type readerHandler func(http.ResponseWriter, *http.Request, reader) error

// forReader makes a handler of h: who is not signed in is led to the sign-in page.
func (s *site) forReader(h readerHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		user, ok, err := s.visitor(r)
		if err != nil {
			return err
		}
		if !ok {
			http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
			return nil
		}
		if isLong(r) {
			leave, ok := s.forms.try(user.ID)
			if !ok {
				return errOneByOne
			}
			defer leave()
		}
		d, err := s.Store.DigestOf(r.Context(), user.ID)
		if err != nil {
			return err
		}
		return h(w, r, reader{user, d})
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

// visitorKey is under which a request's context holds who asks.
type visitorKey struct{}

// remember lets a request ask only once who it is that asks.
func (s *site) remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once := sync.OnceValue(func() visit { return s.lookUp(r) })
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, once)))
	})
}

// A visit is who asks: a user, nobody, or it could not be found out.
type visit struct {
	user digest.User
	ok   bool
	err  error
}

// visitor gives who is signed in; false if nobody is.
func (s *site) visitor(r *http.Request) (digest.User, bool, error) {
	once, ok := r.Context().Value(visitorKey{}).(func() visit)
	if !ok {
		v := s.lookUp(r)
		return v.user, v.ok, v.err
	}
	v := once()
	return v.user, v.ok, v.err
}

// lookUp asks the store whose the session is.
func (s *site) lookUp(r *http.Request) visit {
	c, err := r.Cookie(s.cookieName())
	if err != nil || c.Value == "" {
		return visit{}
	}
	u, err := s.Store.SessionUser(r.Context(), hashSecret(c.Value), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return visit{}
	}
	return visit{u, err == nil, err}
}
