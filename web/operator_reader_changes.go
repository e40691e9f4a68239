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
	if u.User, err = s.Store.Readers.User(r.Context(), digest.UserID(id)); err != nil {
		return u, err
	}
	u.Digest, err = s.Store.Readers.DigestOf(r.Context(), u.ID)
	return u, err
}

// changesReader returns a handler for an operator's change of a reader. do returns the word that confirms the change,
// or sets v.Wrong to why there was none.
func (s *site) changesReader(do func(v *visit, u reader) (saved string, err error)) handler {
	return s.asOperator(func(v *visit) error {
		u, err := s.operated(v.Request)
		if err != nil {
			return err
		}
		saved, err := do(v, u)
		if digest.KindOf(err) == digest.Conflict {
			v.Wrong, err = catalogue.Refusal(err), nil
		}
		if err == nil && v.Wrong != nil {
			v.status = http.StatusConflict
			return s.operatorReaderPage(v)
		}
		return v.saved(err, readerPath(u.ID), saved)
	})
}

// who returns the log attributes for the operator and the reader of a change.
func who(v *visit, u reader) slog.Attr {
	return slog.Group("", "operator", int64(v.ID), "reader", int64(u.ID))
}

// pauseFor pauses a reader's digest until a day in the reader's time zone. Without a day it pauses
// until somebody resumes it.
func (s *site) pauseFor(v *visit, u reader) (saved string, err error) {
	st := s.standing(u.Digest)
	if err := hasAll(v.PostForm, "until"); err != nil {
		return "", err
	}
	var until time.Time
	if date := typedDate(v.PostForm, "until"); date.Value != "" {
		day, wrong := date.read(st.today().Plus(1), st.today().Plus(farthestPause))
		if wrong == nil {
			until, wrong = begins(day, st.zone())
		}
		if wrong != nil {
			v.Wrong = wrong
			return "", nil
		}
	}
	if err := s.Store.Readers.PauseDigest(v.ctx, u.Digest.ID, until, v.now); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.ctx, "an operator paused a digest", who(v, u))
	return "paused", nil
}

func (s *site) resumeFor(v *visit, u reader) (saved string, err error) {
	if err := s.Store.Readers.ResumeDigest(v.ctx, u.Digest.ID, v.now); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.ctx, "an operator resumed a digest", who(v, u))
	return "resumed", nil
}

// mailSignIn emails a sign-in link to a reader. The operator cannot see the link.
func (s *site) mailSignIn(v *visit, u reader) (saved string, err error) {
	if !s.mails() {
		return "", errNotFound
	}
	if _, suppressed, err := s.Store.Editions.Suppressed(v.ctx, u.Email); err != nil || suppressed {
		v.Wrong = catalogue.Key("Their address is suppressed. See “Suppressed addresses” on the operator page.")
		return "", err
	}
	q := letterRequest{to: u.Email, kind: allowance.KnownSignIn}
	q.letter, _, err = s.Store.Editions.RequestLetter(v.ctx, store.LetterRequest{
		Kind: q.kind, Email: q.to, Asker: s.Signer.SignText(digest.ForAsker, "operator "+v.key()), Life: SignInTTL,
	}, v.now)
	if err != nil || q.letter.ID == 0 {
		return "was-linked", err
	}
	s.sendLetter(q, func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		token, now := newSecret(), v.now
		err := s.Store.Sessions.AddSignIn(ctx, hashSecret(token), u.ID, now, now.Add(life))
		return u.Email, operatorSignInLetter(catalogue.Of(u.Language), s.BaseURL, token, life), err
	})
	s.Log.InfoContext(v.ctx, "an operator sent a sign-in link", who(v, u))
	return "linked", nil
}

func (s *site) makeOperator(v *visit, u reader) (saved string, err error) {
	if err := s.Store.Operator.SetOperator(v.ctx, u.ID, true); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.ctx, "an operator added an operator", who(v, u))
	return "operates", nil
}

// endOperator removes operator access. Operators cannot remove their own, so that one operator is
// always left.
func (s *site) endOperator(v *visit, u reader) (saved string, err error) {
	if u.ID == v.ID {
		v.Wrong = catalogue.Key("This is your own account. Ask another operator to change it, or delete it in your settings.")
		return "", nil
	}
	if err := s.Store.Operator.DropOperator(v.ctx, u.ID); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.ctx, "an operator removed an operator", who(v, u))
	return "operates-not", nil
}
