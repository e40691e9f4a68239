package operator

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
	"digest/web/page"
)

// operated returns the reader in the request's path, with their own digest.
func (s *site) operated(r *http.Request) (u page.Reader, err error) {
	id, err := page.PathKey(r)
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
func (s *site) changesReader(do func(v *page.Visit, u page.Reader) (saved string, err error)) page.Handler {
	return s.AsOperator(func(v *page.Visit) error {
		u, err := s.operated(v.Request)
		if err != nil {
			return err
		}
		saved, err := do(v, u)
		if digest.KindOf(err) == digest.Conflict {
			v.Wrong, err = catalogue.Refusal(err), nil
		}
		if err == nil && v.Wrong != nil {
			v.Status = http.StatusConflict
			return s.readerPage(v)
		}
		return v.SeeSaved(err, readerPath(u.ID), saved)
	})
}

// who returns the log attributes for the operator and the reader of a change.
func who(v *page.Visit, u page.Reader) slog.Attr {
	return slog.Group("", "operator", int64(v.ID), "reader", int64(u.ID))
}

// pauseFor pauses a reader's digest until a day in the reader's time zone. Without a day it pauses
// until somebody resumes it.
func (s *site) pauseFor(v *page.Visit, u page.Reader) (saved string, err error) {
	st := s.OwnDigest(u.Digest)
	if err := page.HasAll(v.PostForm, "until"); err != nil {
		return "", err
	}
	var until time.Time
	if date := page.TypedDate(v.PostForm, "until"); date.Value != "" {
		day, wrong := date.Read(st.Today().Plus(1), st.Today().Plus(page.FarthestPause))
		if wrong == nil {
			until, wrong = page.DayBegins(day, st.Zone())
		}
		if wrong != nil {
			v.Wrong = wrong
			return "", nil
		}
	}
	if err := s.Store.Readers.PauseDigest(v.Ctx, u.Digest.ID, until, v.Now); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.Ctx, "an operator paused a digest", who(v, u))
	return "paused", nil
}

func (s *site) resumeFor(v *page.Visit, u page.Reader) (saved string, err error) {
	if err := s.Store.Readers.ResumeDigest(v.Ctx, u.Digest.ID, v.Now); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.Ctx, "an operator resumed a digest", who(v, u))
	return "resumed", nil
}

// mailSignIn emails a sign-in link to a reader. The operator cannot see the link.
func (s *site) mailSignIn(v *page.Visit, u page.Reader) (saved string, err error) {
	if !s.Mails() {
		return "", page.ErrNotFound
	}
	if _, suppressed, err := s.Store.Editions.Suppressed(v.Ctx, u.Email); err != nil || suppressed {
		v.Wrong = catalogue.Key("Their address is suppressed. See “Suppressed addresses” on the operator page.")
		return "", err
	}
	q := page.LetterRequest{To: u.Email, Kind: allowance.KnownSignIn}
	q.Letter, _, err = s.Store.Editions.RequestLetter(v.Ctx, store.LetterRequest{
		Kind: q.Kind, Email: q.To, Asker: s.Signer.SignText(digest.ForAsker, "operator "+v.Key()), Life: page.SignInTTL,
	}, v.Now)
	if err != nil || q.Letter.ID == 0 {
		return "was-linked", err
	}
	s.SendLetter(q, func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		token, now := page.NewSecret(), v.Now
		err := s.Store.Sessions.AddSignIn(ctx, page.HashSecret(token), u.ID, now, now.Add(life))
		return u.Email, operatorSignInLetter(catalogue.Of(u.Language), s.BaseURL, token, life), err
	})
	s.Log.InfoContext(v.Ctx, "an operator sent a sign-in link", who(v, u))
	return "linked", nil
}

func (s *site) makeOperator(v *page.Visit, u page.Reader) (saved string, err error) {
	if err := s.Store.Operator.SetOperator(v.Ctx, u.ID, true); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.Ctx, "an operator added an operator", who(v, u))
	return "operates", nil
}

// endOperator removes operator access. Operators cannot remove their own, so that one operator is
// always left.
func (s *site) endOperator(v *page.Visit, u page.Reader) (saved string, err error) {
	if u.ID == v.ID {
		v.Wrong = catalogue.Key("This is your own account. Ask another operator to change it, or delete it in your settings.")
		return "", nil
	}
	if err := s.Store.Operator.DropOperator(v.Ctx, u.ID); err != nil {
		return "", err
	}
	s.Log.InfoContext(v.Ctx, "an operator removed an operator", who(v, u))
	return "operates-not", nil
}
