package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// operated returns the reader in the request's path, with their own digest.
func (s *site) operated(r *http.Request) (u reader, err error) {
	id, err := pathKey(r)
	if err != nil {
		return u, err
	}
	if u.User, err = s.Store.User(r.Context(), digest.UserID(id)); err != nil {
		return u, err
	}
	u.Digest, err = s.Store.DigestOf(r.Context(), u.ID)
	return u, err
}

// changesReader returns a handler for an operator's change of a reader. do returns the word that
// confirms the change, or why there was none.
func (s *site) changesReader(do func(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable,
	err error)) handler {
	return s.forOperator(func(w http.ResponseWriter, r *http.Request, me reader) error {
		u, err := s.operated(r)
		if err != nil {
			return err
		}
		saved, wrong, err := do(r, me, u)
		if digest.KindOf(err) == digest.Conflict {
			wrong, err = catalogue.Refusal(err), nil
		}
		if err == nil && wrong != nil {
			return s.showOperatorReader(w, r, http.StatusConflict, me,
				operatorReaderPage{Wrong: wrong, Date: typedDate(r.PostForm, "until")})
		}
		return showSaved(w, r, err, readerPath(u.ID), saved)
	})
}

// who returns the log attributes for the operator and the reader of a change.
func who(me, u reader) slog.Attr {
	return slog.Group("", "operator", int64(me.ID), "reader", int64(u.ID))
}

// pauseFor pauses a reader's digest until a day in the reader's time zone. Without a day it pauses
// until somebody resumes it.
func (s *site) pauseFor(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable, err error) {
	st := s.standing(u.Digest)
	if err := hasAll(r.PostForm, "until"); err != nil {
		return "", nil, err
	}
	var until time.Time
	if date := typedDate(r.PostForm, "until"); date.Value != "" {
		day, wrong := date.read(st.today().Plus(1), st.today().Plus(farthestPause))
		if wrong == nil {
			until, wrong = begins(day, st.zone())
		}
		if wrong != nil {
			return "", wrong, nil
		}
	}
	if err := s.Store.PauseDigest(r.Context(), u.Digest.ID, until, s.Now()); err != nil {
		return "", nil, err
	}
	s.Log.InfoContext(r.Context(), "an operator paused a digest", who(me, u))
	return "paused", nil, nil
}

func (s *site) resumeFor(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable, err error) {
	if err := s.Store.ResumeDigest(r.Context(), u.Digest.ID, s.Now()); err != nil {
		return "", nil, err
	}
	s.Log.InfoContext(r.Context(), "an operator resumed a digest", who(me, u))
	return "resumed", nil, nil
}

// mailSignIn emails a sign-in link to a reader. The operator cannot see the link.
func (s *site) mailSignIn(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable, err error) {
	if !s.mails() {
		return "", nil, errNotFound
	}
	if _, suppressed, err := s.Store.Suppressed(r.Context(), u.Email); err != nil || suppressed {
		return "", catalogue.Key(
			"Their address is suppressed. See “Suppressed addresses” on the operator page."), err
	}
	q := letterRequest{to: u.Email, kind: allowance.KnownSignIn}
	q.letter, _, err = s.Store.RequestLetter(r.Context(), store.LetterRequest{
		Kind: q.kind, Email: q.to, Asker: s.Signer.SignText(digest.ForAsker, "operator "+me.key()), Life: SignInTTL,
	}, s.Now())
	if err != nil || q.letter.ID == 0 {
		return "was-linked", nil, err
	}
	s.sendLetter(q, func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		token, now := newSecret(), s.Now()
		err := s.Store.AddSignIn(ctx, hashSecret(token), u.ID, now, now.Add(life))
		return u.Email, operatorSignInLetter(catalogue.Of(u.Language), s.BaseURL, token, life), err
	})
	s.Log.InfoContext(r.Context(), "an operator sent a sign-in link", who(me, u))
	return "linked", nil, nil
}

func (s *site) makeOperator(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable, err error) {
	if err := s.Store.SetOperator(r.Context(), u.ID, true); err != nil {
		return "", nil, err
	}
	s.Log.InfoContext(r.Context(), "an operator added an operator", who(me, u))
	return "operates", nil, nil
}

// endOperator removes operator access. Operators cannot remove their own, so that one operator is
// always left.
func (s *site) endOperator(r *http.Request, me, u reader) (saved string, wrong catalogue.Sayable, err error) {
	if u.ID == me.ID {
		return "", catalogue.Key("This is you. Ask another operator, or delete your account in your settings."), nil
	}
	if err := s.Store.DropOperator(r.Context(), u.ID); err != nil {
		return "", nil, err
	}
	s.Log.InfoContext(r.Context(), "an operator removed an operator", who(me, u))
	return "operates-not", nil, nil
}
