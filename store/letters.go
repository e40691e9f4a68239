package store

import (
	"context"
	"time"

	"digest"
	"digest/internal/allowance"
)

// A LetterRequest is a request for an email to an address. The answer depends only on earlier requests, never on
// whether the address has an account.
type LetterRequest struct {
	Kind    allowance.Kind
	Email   string
	Asker   string        // a pseudonym of the network or browser that requests the letter
	Life    time.Duration // how long a link in the letter works; see Letter.Life
	Invited bool          // by an invitation: the limits for all askers do not apply
}

// A LetterAnswer reports whether a letter may be sent.
type LetterAnswer string

// The answers of RequestLetter.
const (
	LetterGranted         LetterAnswer = "granted"
	LetterAddressLimited  LetterAnswer = "waits"    // the address or its mailbox had others
	LetterAskerLimited    LetterAnswer = "asker"    // the asker caused many
	LetterDomainLimited   LetterAnswer = "domain"   // all askers caused many to the domain
	LetterInstanceLimited LetterAnswer = "instance" // all askers caused many
)

// A Letter is a granted request.
type Letter struct {
	ID   int64
	Life time.Duration // how long a link in it works: at least until the next letter may be requested
}

const (
	letterHour = time.Hour

	// onItsWay is how long a letter without a result counts as being sent. It is longer than all attempts to send it,
	// and limits how long a letter counts that a crash has left.
	onItsWay = time.Hour
)

// RequestLetter requests a letter. A granted letter counts from now on. The caller must report its result with
// LetterSent or LetterUnsent.
func (s Editions) RequestLetter(ctx context.Context, r LetterRequest, now time.Time) (l Letter, answer LetterAnswer,
	err error) {
	err = s.changeUnder(ctx, s.d.LockAccounts, "counting the letters to an address", func(c conn) (err error) {
		l = Letter{}
		if answer, err = r.answer(ctx, c, now); err != nil || answer != LetterGranted {
			return err
		}
		had, err := r.had(ctx, c, now)
		if err == nil && allowance.Next(r.Kind, had, r.Asker, now).After(now) {
			answer = LetterAddressLimited
		}
		if err != nil || answer != LetterGranted {
			return err
		}
		l.Life = allowance.Life(r.Kind, had, r.Asker, now, r.Life)
		l.ID, err = r.insert(ctx, c, now)
		return err
	})
	if err != nil {
		return Letter{}, "", err
	}
	return l, answer, nil
}

// letterLoad reads the allowance.Load of a share. The condition that share is not empty lets SQLite use the index of
// shares.
const letterLoad = `SELECT COALESCE(SUM(CASE WHEN answered = 0 THEN 1 ELSE 0 END), 0) AS total,
	COALESCE(SUM(answered), 0) AS answered,
	COALESCE(SUM(CASE WHEN answered = 0 AND asker = ? THEN 1 ELSE 0 END), 0) AS of_asker,
	COALESCE(SUM(CASE WHEN answered = 0 AND domain = ? THEN 1 ELSE 0 END), 0) AS to_domain,
	COALESCE(SUM(CASE WHEN answered = 0 AND domain = ? AND asker = ? THEN 1 ELSE 0 END), 0) AS to_domain_for_asker
	FROM letter_requests WHERE share = ? AND share <> '' AND requested_at > ?`

// answer checks the limits of the instance, the domain and the mailbox.
func (r LetterRequest) answer(ctx context.Context, c conn, now time.Time) (LetterAnswer, error) {
	if err := c.Run(ctx, `DELETE FROM letter_requests WHERE requested_at <= ?`,
		now.Add(-allowance.Day)); err != nil {
		return "", err
	}
	if share := r.Kind.Share(); share != allowance.NoShare && !r.Invited {
		var load allowance.Load
		domain := allowance.Domain(allowance.Mailbox(r.Email))
		err := c.Get(ctx, &load, letterLoad, r.Asker, domain, domain, r.Asker, share, now.Add(-letterHour))
		if err != nil {
			return "", err
		}
		if crowd := r.Kind.Crowded(load, domain); crowd != allowance.NoCrowd {
			return LetterAnswer(crowd), nil
		}
	}
	if !r.Kind.IsStrangers() {
		return LetterGranted, nil
	}
	next, err := nextToMailbox(ctx, c, r.Kind, r.Email, now)
	if err == nil && next.After(now) {
		return LetterAddressLimited, nil
	}
	return LetterGranted, err
}

// letterCounts holds for requests whose letter was sent, or is being sent since an instant.
const letterCounts = `(sent_at > 0 OR sent_at = 0 AND requested_at > ?)`

const selectLetters = `SELECT kind, requested_at AS at, asker, answered FROM letter_requests WHERE `

// nextToMailbox returns allowance.ForBox for the mailbox of an address.
func nextToMailbox(ctx context.Context, c conn, k allowance.Kind, email string, now time.Time) (time.Time, error) {
	var had []allowance.Letter
	err := c.All(ctx, &had, selectLetters+`mailbox = ? AND requested_at > ? AND `+letterCounts,
		allowance.Mailbox(email), now.Add(-allowance.Day), now.Add(-onItsWay))
	return allowance.ForBox(k, had, now), err
}

// had returns the letters of this kind that the address had. Letters that strangers can cause count for the
// mailbox, however they spell it. Sign-in links go to the exact address of an account.
func (r LetterRequest) had(ctx context.Context, c conn, now time.Time) (had []allowance.Letter, err error) {
	column, key := "email_key", emailKey(r.Email)
	if r.Kind.IsStrangers() && r.Kind != allowance.SignIn {
		column, key = "mailbox", allowance.Mailbox(r.Email)
	}
	err = c.All(ctx, &had, selectLetters+column+` = ? AND kind = ? AND `+letterCounts, key, r.Kind,
		now.Add(-onItsWay))
	return had, err
}

// insert stores a request. A sign-in request for an address without an account sends nothing, so it counts only for
// the next such request.
func (r LetterRequest) insert(ctx context.Context, c conn, now time.Time) (id int64, err error) {
	mailbox, share := allowance.Mailbox(r.Email), r.Kind.Share()
	if r.Invited || !r.Kind.IsStrangers() {
		share = allowance.NoShare
	}
	accounts, err := c.Number(ctx, `SELECT count(*) FROM users WHERE email_key = ?`, emailKey(r.Email))
	if err != nil {
		return 0, err
	}
	if !r.Kind.IsStrangers() || r.Kind == allowance.SignIn && accounts == 0 {
		mailbox, share = "", allowance.NoShare
	}
	err = c.Get(ctx, &id, `INSERT INTO letter_requests (kind, email_key, mailbox, domain, share, asker, requested_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		r.Kind, emailKey(r.Email), mailbox, allowance.Domain(allowance.Mailbox(r.Email)), share, r.Asker,
		now)
	return id, err
}

// note stores a letter that a server has accepted.
func (r LetterRequest) note(ctx context.Context, c conn, now time.Time) error {
	id, err := r.insert(ctx, c, now)
	if err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE letter_requests SET sent_at = ? WHERE id = ?`, now, id)
}

// answerMailbox records that somebody has used a link from an email to an address. All letters to its mailbox count
// as answered.
func answerMailbox(ctx context.Context, c conn, email string) error {
	return c.Run(ctx, `UPDATE letter_requests SET answered = 1 WHERE answered = 0 AND mailbox = ?`,
		allowance.Mailbox(email))
}

// answerLetters records that the sign-in links of a user no longer work, so that the user can request the next one
// now.
func answerLetters(ctx context.Context, c conn, user digest.UserID) error {
	err := c.Run(ctx, `UPDATE letter_requests SET answered = 1 WHERE answered = 0
		AND kind IN ('sign-in', 'sign-in-known')
		AND email_key = (SELECT email_key FROM users WHERE id = ?)`, user)
	return err
}

// LetterSent records that a server accepted the letter of a request.
func (s Editions) LetterSent(ctx context.Context, request int64, now time.Time) error {
	return s.endLetterRequest(ctx, request, at(now))
}

// LetterUnsent records that the letter of a request was not sent. It no longer counts for the address, but still for
// the domain, so that requests remain limited.
func (s Editions) LetterUnsent(ctx context.Context, request int64) error {
	return s.endLetterRequest(ctx, request, -1)
}

func (s *database) endLetterRequest(ctx context.Context, request int64, sent instant) error {
	return s.run(ctx, "recording what became of a letter", `UPDATE letter_requests SET sent_at = ? WHERE id = ?`, sent,
		request)
}

// ForgetLetterRequests makes letters not count that a process held when it died, because they are never sent.
func (s Editions) ForgetLetterRequests(ctx context.Context) error {
	return s.change(ctx, "forgetting letters that were never sent", func(c conn) error {
		var emails []string
		err := c.All(ctx, &emails, `SELECT email FROM address_changes WHERE old_confirmed = 0 AND new_confirmed = 0`)
		if err != nil {
			return err
		}
		for _, email := range emails {
			if err := c.Run(ctx, `DELETE FROM address_changes WHERE email = ? AND old_confirmed = 0 AND new_confirmed = 0
				AND EXISTS (SELECT 1 FROM letter_requests WHERE email_key = ? AND kind = 'address' AND sent_at = 0)`,
				email, emailKey(email)); err != nil {
				return err
			}
		}
		return c.Run(ctx, `UPDATE letter_requests SET sent_at = -1 WHERE sent_at = 0`)
	})
}
