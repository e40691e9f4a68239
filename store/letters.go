package store

import (
	"context"
	"strings"
	"time"
)

// A LetterRequest is somebody who asks for a letter to an address, and the rate
// limits of that address and its domain. What is answered depends on earlier
// requests alone, never on who has an account here.
type LetterRequest struct {
	Kind  string // sign-up, sign-in or address: each is counted for itself
	Email string

	Daily  int           // letters of this kind to this address in 24 hours
	Apart  time.Duration // between two of them
	Hourly int           // letters of all kinds to addresses of its domain in an hour
}

// A LetterAnswer says whether a letter may be written.
type LetterAnswer string

// The answers.
const (
	LetterGranted        LetterAnswer = "granted"
	LetterAddressLimited LetterAnswer = "resting" // the address has had its letters
	LetterDomainLimited  LetterAnswer = "crowded" // the domain has
)

const (
	letterDay  = 24 * time.Hour
	letterHour = time.Hour

	// onItsWay is how long a letter that is neither sent nor given up may still
	// be on its way: longer than sending it is tried. What a crash has left counts
	// no longer than that.
	onItsWay = time.Hour

	// mostPerMailbox is how many letters of all kinds go to one mailbox in 24 hours,
	// under whatever names: what stands behind a plus sign is a name for the same one.
	mostPerMailbox = 12
)

// RequestLetter asks for a letter. What is granted counts from now on; LetterSent
// or LetterUnsent has to say with its key what became of it.
func (s *Store) RequestLetter(ctx context.Context, r LetterRequest, now time.Time) (id int64, answer LetterAnswer, err error) {
	err = s.changeUnder(ctx, s.d.lockAccounts, "counting the letters to an address", func(c conn) (err error) {
		id = 0
		if _, err := c.exec(ctx, `DELETE FROM knocks WHERE asked_at <= ?`, at(now.Add(-letterDay))); err != nil {
			return err
		}
		if answer, err = r.answer(ctx, c, now); err != nil || answer != LetterGranted {
			return err
		}
		return c.get(ctx, &id, `INSERT INTO knocks (kind, email_key, domain, asked_at) VALUES (?, ?, ?, ?) RETURNING id`,
			r.Kind, emailKey(r.Email), mailDomain(r.Email), at(now))
	})
	if err != nil {
		return 0, "", err
	}
	return id, answer, nil
}

// letterCounts holds for requests whose letter was sent, or is on its way since.
const letterCounts = `(sent_at > 0 OR sent_at = 0 AND asked_at > ?)`

// answer counts what the domain, the mailbox and the address have had.
func (r LetterRequest) answer(ctx context.Context, c conn, now time.Time) (LetterAnswer, error) {
	since := at(now.Add(-onItsWay))
	ofDomain, err := c.number(ctx, `SELECT count(*) FROM knocks WHERE domain = ? AND asked_at > ?`, mailDomain(r.Email), at(now.Add(-letterHour)))
	if err != nil || ofDomain >= r.Hourly {
		return LetterDomainLimited, err
	}
	key := emailKey(r.Email)
	sign := strings.LastIndexByte(key, '@')
	name, _, _ := strings.Cut(key[:sign], "+")
	ofMailbox, err := c.number(ctx, `SELECT count(*) FROM knocks WHERE domain = ? AND (email_key = ? OR email_key >= ? AND email_key < ?) AND `+letterCounts,
		mailDomain(r.Email), name+key[sign:], name+"+", name+",", since) // a comma follows the plus sign in ASCII
	if err != nil || ofMailbox >= mostPerMailbox {
		return LetterAddressLimited, err
	}
	var ofAddress struct {
		N    int
		Last instant
	}
	err = c.get(ctx, &ofAddress, `SELECT count(*) AS n, COALESCE(MAX(asked_at), 0) AS last FROM knocks
		WHERE email_key = ? AND kind = ? AND `+letterCounts, key, r.Kind, since)
	if err != nil || ofAddress.N >= r.Daily || ofAddress.N > 0 && ofAddress.Last.time().Add(r.Apart).After(now) {
		return LetterAddressLimited, err
	}
	return LetterGranted, nil
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
