package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A LetterRequest is somebody who asks at the door for a letter to an address, and what
// that address and its domain may have. What is answered depends on knocks
// alone, never on who has an account here.
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
	knockDay  = 24 * time.Hour
	knockHour = time.Hour

	// onItsWay is how long a letter that is neither sent nor given up may still
	// be on its way: longer than the mailroom tries. What a crash has left counts
	// no longer than that.
	onItsWay = time.Hour
)

// RequestLetter asks for a letter. What is granted counts from now on, and is to be
// settled by Sent or Unsent with its key.
func (s *Store) RequestLetter(ctx context.Context, k LetterRequest, now time.Time) (id int64, answer LetterAnswer, err error) {
	err = s.write(ctx, func(c conn) error {
		id, answer = 0, LetterGranted
		if err := c.hold(ctx, s.d.lockDoor); err != nil {
			return err
		}
		if _, err := c.exec(ctx, `DELETE FROM knocks WHERE asked_at <= ?`, at(now.Add(-knockDay))); err != nil {
			return err
		}
		var err error
		if answer, err = answerTo(ctx, c, k, now); err != nil || answer != LetterGranted {
			return err
		}
		return c.get(ctx, &id, `INSERT INTO knocks (kind, email_key, domain, asked_at) VALUES (?, ?, ?, ?) RETURNING id`,
			k.Kind, emailKey(k.Email), mailDomain(k.Email), at(now))
	})
	if err != nil {
		return 0, "", fmt.Errorf("counting the letters to an address: %w", err)
	}
	return id, answer, nil
}

// answerTo counts what the domain and the address have had.
func answerTo(ctx context.Context, c conn, k LetterRequest, now time.Time) (LetterAnswer, error) {
	var ofDomain int
	err := c.get(ctx, &ofDomain, `SELECT count(*) FROM knocks WHERE domain = ? AND asked_at > ?`, mailDomain(k.Email), at(now.Add(-knockHour)))
	if err != nil {
		return "", err
	}
	if ofDomain >= k.Hourly {
		return LetterDomainLimited, nil
	}
	full, err := isFull(ctx, c, k, now)
	if err != nil || full {
		return LetterAddressLimited, err
	}
	var had struct {
		N    int     `db:"n"`
		Last instant `db:"last"`
	}
	err = c.get(ctx, &had, `SELECT count(*) AS n, COALESCE(MAX(asked_at), 0) AS last FROM knocks
		WHERE email_key = ? AND kind = ? AND (sent_at > 0 OR sent_at = 0 AND asked_at > ?)`, emailKey(k.Email), k.Kind, at(now.Add(-onItsWay)))
	if err != nil {
		return "", err
	}
	if had.N >= k.Daily || had.N > 0 && had.Last.time().Add(k.Apart).After(now) {
		return LetterAddressLimited, nil
	}
	return LetterGranted, nil
}

// mostTagged is how many letters of all kinds go to one mailbox in 24 hours,
// under whatever names: what stands behind a plus sign is a name for the same one.
const mostTagged = 12

// isFull reports whether a mailbox has had its letters.
func isFull(ctx context.Context, c conn, k LetterRequest, now time.Time) (bool, error) {
	key := emailKey(k.Email)
	sign := strings.LastIndexByte(key, '@')
	name, _, _ := strings.Cut(key[:sign], "+")
	var n int
	err := c.get(ctx, &n, `SELECT count(*) FROM knocks WHERE domain = ? AND (email_key = ? OR email_key >= ? AND email_key < ?)
		AND (sent_at > 0 OR sent_at = 0 AND asked_at > ?)`,
		mailDomain(k.Email), name+key[sign:], name+"+", name+",", at(now.Add(-onItsWay))) // a comma follows the plus sign in ASCII
	return n >= mostTagged, err
}

// LetterSent settles a request: its letter was accepted.
func (s *Store) LetterSent(ctx context.Context, knock int64, now time.Time) error {
	return s.settleKnock(ctx, knock, at(now))
}

// LetterUnsent settles a request of which no letter came: the address gets its
// allowance back. The domain does not, so that nobody can ask without end.
func (s *Store) LetterUnsent(ctx context.Context, knock int64) error {
	return s.settleKnock(ctx, knock, -1)
}

// ForgetLetterRequests gives back what letters have cost that a process held when it
// died: nobody gets them, so whoever asked may ask again.
func (s *Store) ForgetLetterRequests(ctx context.Context) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM address_changes WHERE old_yes = 0 AND new_yes = 0
			AND lower(email) IN (SELECT email_key FROM knocks WHERE kind = 'address' AND sent_at = 0)`)
		if err == nil {
			_, err = c.exec(ctx, `UPDATE knocks SET sent_at = -1 WHERE sent_at = 0`)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting letters that were never sent: %w", err)
	}
	return nil
}

func (s *Store) settleKnock(ctx context.Context, knock int64, sent instant) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `UPDATE knocks SET sent_at = ? WHERE id = ?`, sent, knock)
		return err
	})
	if err != nil {
		return fmt.Errorf("recording what became of a letter: %w", err)
	}
	return nil
}
