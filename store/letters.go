package store

import (
	"context"
	"strings"
	"time"

	"digest"
	"digest/internal/allowance"
)

// A LetterRequest is somebody who asks for a letter to an address. What is
// answered depends on earlier requests alone, never on who has an account here.
type LetterRequest struct {
	Kind  allowance.Kind
	Email string
	Asker string        // whose network or browser it is; nobody can tell which from it
	Life  time.Duration // for how long a link in the letter works if nobody has to wait longer for the next one

	// Hourly is how many letters of this kind go to the address's domain in an
	// hour, and HourlyEach how many of them for one asker; 0: as many as are asked for.
	Hourly, HourlyEach int
}

// A LetterAnswer says whether a letter may be written.
type LetterAnswer string

// The answers.
const (
	LetterGranted        LetterAnswer = "granted"
	LetterAddressLimited LetterAnswer = "waits"   // the address was sent one that still works
	LetterAskerLimited   LetterAnswer = "asker"   // who asks has had many sent to the domain
	LetterDomainLimited  LetterAnswer = "crowded" // all together have
)

// A Letter is one that was granted.
type Letter struct {
	ID   int64
	Life time.Duration // for how long a link in it works
}

const (
	letterHour = time.Hour

	// onItsWay is how long a letter that is neither sent nor given up may still
	// be on its way: longer than sending it is tried. What a crash has left counts
	// no longer than that.
	onItsWay = time.Hour
)

// RequestLetter asks for a letter. What is granted counts from now on; LetterSent
// or LetterUnsent has to say with its key what became of it.
func (s *Store) RequestLetter(ctx context.Context, r LetterRequest, now time.Time) (l Letter, answer LetterAnswer, err error) {
	err = s.changeUnder(ctx, s.d.lockAccounts, "counting the letters to an address", func(c conn) (err error) {
		if _, err := c.exec(ctx, `DELETE FROM knocks WHERE asked_at <= ?`, at(now.Add(-allowance.Day))); err != nil {
			return err
		}
		l = Letter{}
		if answer, err = r.answer(ctx, c, now); err != nil || answer != LetterGranted {
			return err
		}
		had, err := r.had(ctx, c, now)
		if err != nil {
			return err
		}
		if allowance.Next(r.Kind, had, r.Asker, now).After(now) {
			answer = LetterAddressLimited
			return nil
		}
		l.Life = allowance.Life(r.Kind, had, r.Asker, now, r.Life)
		return c.get(ctx, &l.ID, `INSERT INTO knocks (kind, email_key, domain, asker, asked_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
			r.Kind, emailKey(r.Email), mailDomain(r.Email), r.Asker, at(now))
	})
	if err != nil {
		return Letter{}, "", err
	}
	return l, answer, nil
}

// letterCounts holds for requests whose letter was sent, or is on its way since.
const letterCounts = `(sent_at > 0 OR sent_at = 0 AND asked_at > ?)`

const selectLetters = `SELECT asked_at AS at, asker, answered FROM knocks WHERE `

// had gives the letters of this kind that the address has had.
func (r LetterRequest) had(ctx context.Context, c conn, now time.Time) (had []allowance.Letter, err error) {
	err = c.all(ctx, &had, selectLetters+`email_key = ? AND kind = ? AND `+letterCounts, emailKey(r.Email), r.Kind, at(now.Add(-onItsWay)))
	return had, err
}

// answer counts what the domain and the mailbox have had.
func (r LetterRequest) answer(ctx context.Context, c conn, now time.Time) (LetterAnswer, error) {
	if r.Hourly > 0 {
		var of struct{ Domain, Asker int }
		err := c.get(ctx, &of, `SELECT count(*) AS domain, COALESCE(SUM(CASE WHEN asker = ? THEN 1 ELSE 0 END), 0) AS asker
			FROM knocks WHERE domain = ? AND kind = ? AND asked_at > ?`, r.Asker, mailDomain(r.Email), r.Kind, at(now.Add(-letterHour)))
		switch {
		case err != nil:
			return "", err
		case of.Asker >= r.HourlyEach:
			return LetterAskerLimited, nil
		case of.Domain >= r.Hourly:
			return LetterDomainLimited, nil
		}
	}
	key := emailKey(r.Email)
	sign := strings.LastIndexByte(key, '@')
	name, _, tagged := strings.Cut(key[:sign], "+")
	if !tagged || r.Kind != allowance.SignUp && r.Kind != allowance.Address && !r.Kind.IsJoin() {
		return LetterGranted, nil // who has an account is mailed under its address alone
	}
	var had []allowance.Letter
	err := c.all(ctx, &had, selectLetters+`domain = ? AND (kind IN ('sign-up', 'address') OR kind LIKE 'join %') AND (email_key = ? OR email_key >= ? AND email_key < ?) AND `+letterCounts,
		mailDomain(r.Email), name+key[sign:], name+"+", name+",", at(now.Add(-onItsWay))) // a comma follows the plus sign in ASCII
	if err == nil && allowance.Mailbox(had, now).After(now) {
		return LetterAddressLimited, nil
	}
	return LetterGranted, err
}

// answerLetters notes that a user has used a link from their mail, or that those
// there no longer work: they may be sent another one at once.
func answerLetters(ctx context.Context, c conn, user digest.UserID) error {
	_, err := c.exec(ctx, `UPDATE knocks SET answered = 1 WHERE answered = 0 AND kind IN ('sign-in', 'sign-in-known')
		AND email_key = (SELECT email_key FROM users WHERE id = ?)`, user)
	return err
}

// LetterSent says of a request that its letter was accepted.
func (s *Store) LetterSent(ctx context.Context, request int64, now time.Time) error {
	return s.endLetterRequest(ctx, request, at(now))
}

// LetterUnsent says of a request that no letter came of it: the address gets its
// allowance back. The domain does not, so that nobody can ask without end.
func (s *Store) LetterUnsent(ctx context.Context, request int64) error {
	return s.endLetterRequest(ctx, request, -1)
}

func (s *Store) endLetterRequest(ctx context.Context, request int64, sent instant) error {
	return s.run(ctx, "recording what became of a letter", `UPDATE knocks SET sent_at = ? WHERE id = ?`, sent, request)
}

// ForgetLetterRequests gives back what letters have cost that a process held
// when it died: nobody gets them, so whoever asked may ask again.
func (s *Store) ForgetLetterRequests(ctx context.Context) error {
	return s.change(ctx, "forgetting letters that were never sent", func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM address_changes WHERE old_yes = 0 AND new_yes = 0
			AND lower(email) IN (SELECT email_key FROM knocks WHERE kind = 'address' AND sent_at = 0)`)
		if err == nil {
			_, err = c.exec(ctx, `UPDATE knocks SET sent_at = -1 WHERE sent_at = 0`)
		}
		return err
	})
}
