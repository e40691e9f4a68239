package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/newsletter"
	"digest/store/db"
)

// An AskCount says what QueueAsks did with the people of a list.
type AskCount struct {
	Queued int // they will get a confirmation request
	Known  int // they had a request before, or wait for one
	Barred int // they are members, or the newsletter must not be sent to them
}

// QueueAsks queues confirmation requests to the people of a list, in several transactions. The caller may repeat it
// after an interruption. It stores only the address and the time zone of each person. It returns digest.Conflict if
// the newsletter accepts no members.
func (s Members) QueueAsks(ctx context.Context, id digest.NewsletterID, all []Joining, now time.Time) (sum AskCount,
	err error) {
	_, err = changeInParts(ctx, s.database, "noting whom to ask", all, func(c conn, part []Joining) (int, error) {
		n, err := queueAsks(ctx, c, id, part, now)
		if err == nil {
			sum.Queued += n.Queued
			sum.Known += n.Known
			sum.Barred += n.Barred
		}
		return len(part), err
	})
	return sum, err
}

// asksMailbox counts a newsletter's requests to a mailbox. Without the condition that the mailbox is not empty,
// SQLite would not use the index, and would read all requests for each line of an import.
const asksMailbox = `SELECT count(*) FROM confirmation_requests a WHERE a.newsletter_id = ? AND a.mailbox = ?
	AND a.mailbox <> ''`

func queueAsks(ctx context.Context, c conn, id digest.NewsletterID, part []Joining, now time.Time) (sum AskCount,
	err error) {
	n, err := readNewsletter(ctx, c, `n.id = ?`, id)
	if err == nil {
		err = canJoin(n)
	}
	if err != nil {
		return sum, err
	}
	barred, err := barredFromAsks(ctx, c, id, part)
	if err != nil {
		return sum, err
	}
	for _, j := range part {
		if barred[emailKey(j.Email)] {
			sum.Barred++
			continue
		}
		mailbox := allowance.Mailbox(j.Email)
		same, err := c.Number(ctx, asksMailbox, id, mailbox)
		if err != nil {
			return sum, err
		}
		if same > 0 { // another spelling of the same mailbox
			sum.Known++
			continue
		}
		added, err := c.Exec(ctx,
			`INSERT INTO confirmation_requests (newsletter_id, address_hash, email, mailbox, domain, time_zone,
				queued_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (newsletter_id, address_hash) DO NOTHING`, id, askHash(j.Email), digest.NormalEmail(j.Email),
			mailbox, mailDomain(j.Email), j.TimeZone, now, now)
		if err != nil {
			return sum, err
		}
		sum.Queued += added
		sum.Known += 1 - added
	}
	return sum, nil
}

// AskedAddresses returns the addresses, as hashes, to which the newsletter must not send another request.
func (s Members) AskedAddresses(ctx context.Context, id digest.NewsletterID) iter.Seq2[newsletter.AskedAddress, error] {
	type row struct {
		ID          int64
		AddressHash []byte
	}
	return func(yield func(newsletter.AskedAddress, error) bool) {
		for r, err := range pages(func(last *row) ([]row, error) {
			after := int64(0)
			if last != nil {
				after = last.ID
			}
			return readRows[row](ctx, s.read(), "listing who was asked",
				fmt.Sprint(`SELECT a.id, a.address_hash FROM confirmation_requests a
				WHERE a.newsletter_id = ? AND a.id > ? AND a.state <> 'waiting' ORDER BY a.id LIMIT `, pageRows), id,
				after)
		}) {
			var a newsletter.AskedAddress
			copy(a[:], r.AddressHash)
			if !yield(a, err) {
				return
			}
		}
	}
}

// NoteAsked stores addresses that got a request elsewhere, so that the newsletter does not send them another. It
// returns how many of them were new.
func (s Members) NoteAsked(ctx context.Context, id digest.NewsletterID, all []newsletter.AskedAddress,
	now time.Time) (int,
	error) {
	return changeInParts(ctx, s.database, "noting who was asked", all,
		func(c conn, part []newsletter.AskedAddress) (int, error) {
			var v values
			for _, a := range part {
				v.Row(id, a[:])
			}
			return c.ExecRows(ctx, &v,
				`INSERT INTO confirmation_requests (newsletter_id, address_hash, email, domain, time_zone, state,
				queued_at, next_at)
			WITH v (id, hash) AS (VALUES {rows}) SELECT v.id, v.hash, '', '', '', CAST(? AS TEXT), CAST(? AS BIGINT), 0
			FROM v WHERE v.id > 0
			ON CONFLICT (newsletter_id, address_hash) DO NOTHING`, newsletter.AskLapsed, now)
		})
}

// askHash returns the hash that identifies an address after the address itself is deleted.
func askHash(email string) []byte {
	sum := sha256.Sum256([]byte("ask " + emailKey(email)))
	return sum[:]
}

// barredFromAsks returns the keys of the addresses that get no request: present and former members, and suppressed
// addresses.
func barredFromAsks(ctx context.Context, c conn, id digest.NewsletterID, all []Joining) (map[string]bool, error) {
	barred := make(map[string]bool)
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`SELECT u.email_key FROM users u JOIN memberships m ON m.user_id = u.id WHERE m.newsletter_id = ?
			AND u.email_key`, []any{id}},
		{`SELECT x.email_key FROM newsletter_suppressions x WHERE x.newsletter_id = ? AND x.email_key`, []any{id}},
		{`SELECT s.email_key FROM suppressions s WHERE s.email_key`, nil},
	} { // three queries: a joint one would read all members of the newsletter for each request
		found, err := keysOf(ctx, c, all, q.query+` IN (`+c.d.Names+`)`, q.args...)
		if err != nil {
			return nil, err
		}
		maps.Copy(barred, found)
	}
	return barred, nil
}

// askLease is how long NextAsk reserves a request for its caller.
const askLease = 10 * time.Minute

const newsletterAskColumns = `a.id, a.newsletter_id, a.email, a.time_zone, a.queued_at, a.next_at, a.tries`

// NextAsk returns a request that may be sent now, and reserves it for askLease. found is false if it has nothing to
// send. It skips newsletters and mail domains that have reached their limits or are in trouble.
func (s Members) NextAsk(ctx context.Context, now time.Time) (a newsletter.Ask, found bool, err error) {
	err = s.changeAlone(ctx, "finding somebody to ask", func(c conn) (err error) {
		a, found, err = nextAsk(ctx, c, now)
		return err
	})
	return a, found, err
}

func nextAsk(ctx context.Context, c conn, now time.Time) (a newsletter.Ask, found bool, err error) {
	ids, err := askingNow(ctx, c, now)
	for _, id := range ids {
		if found || err != nil {
			break
		}
		a, found, err = nextAskOf(ctx, c, id, now)
	}
	return a, found, err
}

// nextAskOf is NextAsk for one newsletter, which must be one of askingNow.
func nextAskOf(ctx context.Context, c conn, id digest.NewsletterID, now time.Time) (a newsletter.Ask, found bool,
	err error) {
	for {
		found, err = c.Find(ctx, &a,
			`SELECT `+newsletterAskColumns+` FROM confirmation_requests a WHERE a.newsletter_id = ?
				AND a.state = 'waiting' AND a.next_at <= ?
			AND a.domain NOT IN (SELECT l.name FROM lanes l WHERE l.until_at > ?)
			AND a.domain NOT IN (SELECT b.domain FROM confirmation_requests b WHERE b.requested_at > ?
			GROUP BY b.domain HAVING count(*) >= ?)
			ORDER BY a.next_at LIMIT 1`, id, now, now, now.Add(-time.Hour), newsletter.AsksToDomain)
		if err != nil || !found {
			return a, false, err
		}
		barred, err := barredFromAsks(ctx, c, id, []Joining{{Email: a.Email}})
		if err != nil {
			return a, false, err
		}
		later, err := nextToMailbox(ctx, c, allowance.ToAsk(int64(id)), a.Email, now)
		switch {
		case err != nil:
			return a, false, err
		case len(barred) > 0:
			err = endAsk(ctx, c, a.ID, newsletter.AskDropped)
		case later.After(now): // another newsletter has used up what the mailbox may get
			err = c.Run(ctx, `UPDATE confirmation_requests SET next_at = ? WHERE id = ?`, from(later), a.ID)
		default:
			a.NextAt = at(now.Add(askLease)).Time()
			return a, true, c.Run(ctx, `UPDATE confirmation_requests SET next_at = ? WHERE id = ?`, a.NextAt, a.ID)
		}
		if err != nil {
			return a, false, err
		}
	}
}

// askingNow returns the newsletters that may send a request now: none while no email can be sent at all, or after
// digest.AsksAnHour requests in an hour.
func askingNow(ctx context.Context, c conn, now time.Time) (ids []digest.NewsletterID, err error) {
	lately, err := c.Number(ctx, `SELECT count(*) FROM confirmation_requests a WHERE a.requested_at > ?`,
		now.Add(-time.Hour))
	if err != nil || lately >= newsletter.AsksAnHour {
		return nil, err
	}
	var waiting []digest.NewsletterID
	err = c.All(ctx, &waiting,
		`SELECT n.id FROM newsletters n WHERE n.state = 'active' AND NOT EXISTS (SELECT 1 FROM lanes l
			WHERE l.name = '' AND l.until_at > ?)
		AND EXISTS (SELECT 1 FROM confirmation_requests a WHERE a.newsletter_id = n.id AND a.state = 'waiting'
		AND a.next_at <= ?) ORDER BY n.id`, now, now)
	for _, id := range waiting {
		if err != nil {
			return nil, err
		}
		var counts newsletter.AskCounts
		if counts, err = countAsks(ctx, c, id, now.Add(-newsletter.AskLife)); err != nil || counts.Stopped() != "" {
			continue
		}
		var today int
		if today, err = c.Number(ctx,
			`SELECT count(*) FROM confirmation_requests a WHERE a.newsletter_id = ? AND a.requested_at > ?`, id,
			now.Add(-24*time.Hour)); today < newsletter.AsksADay {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// AskCounts counts a newsletter's requests by state. stopped is the reason why it sends none now, or "".
func (s Members) AskCounts(ctx context.Context, id digest.NewsletterID, now time.Time) (all newsletter.AskCounts,
	stopped string, err error) {
	if all, err = countAsks(ctx, s.read(), id, time.Time{}); err == nil {
		var lately newsletter.AskCounts
		lately, err = countAsks(ctx, s.read(), id, now.Add(-newsletter.AskLife))
		stopped = lately.Stopped()
	}
	return all, stopped, failed("counting whom a newsletter asks", err)
}

// countAsks counts the requests that were sent at or after since. The zero time counts all, including those not sent
// yet.
func countAsks(ctx context.Context, c conn, id digest.NewsletterID, since time.Time) (counts newsletter.AskCounts,
	err error) {
	var rows []struct {
		State newsletter.AskState
		N     int
	}
	err = c.All(ctx, &rows, `SELECT a.state, count(*) AS n FROM confirmation_requests a WHERE a.newsletter_id = ?
		AND a.requested_at >= ? GROUP BY a.state`, id, since)
	for _, r := range rows {
		if n := counts.Of(r.State); n != nil {
			*n = r.N
		}
	}
	return counts, err
}

// AskNow marks a request as sent. The mailer must call it just before the email counts as accepted: from then on the
// person gets no other request, and the link with this hash works. It returns digest.Conflict if the person joined or
// left, the newsletter is not active, or another process has the request.
func (s Members) AskNow(ctx context.Context, a newsletter.Ask, hash []byte, now time.Time) error {
	return s.changeAlone(ctx, "noting whom a letter asks", func(c conn) error {
		barred, err := barredFromAsks(ctx, c, a.NewsletterID, []Joining{{Email: a.Email}})
		if err == nil && len(barred) > 0 {
			err = db.Conflict("they joined or left meanwhile")
		}
		if err != nil {
			return err
		}
		if err := c.RunOne(ctx, db.Conflict("nobody is to be asked"),
			`UPDATE confirmation_requests SET state = 'asked', requested_at = ? WHERE id = ? AND state = 'waiting'
				AND next_at = ?
			AND newsletter_id IN (SELECT n.id FROM newsletters n WHERE n.state = 'active')`, now, a.ID,
			a.NextAt); err != nil {
			return err
		}
		q := JoinRequest{NewsletterID: a.NewsletterID, Email: a.Email, TimeZone: a.TimeZone, Form: a.Form()}
		if err := insertJoinRequest(ctx, c, hash, q, now, now.Add(newsletter.AskLife)); err != nil {
			return err
		}
		if err := (LetterRequest{Kind: allowance.ToAsk(int64(a.NewsletterID)), Email: a.Email}).note(ctx, c,
			now); err != nil {
			return err
		}
		return noteMember(ctx, c, a.NewsletterID, a.Email, eventAsked, a.Form(), now)
	})
}

// AskAgain queues a request for next, after its email was certainly not accepted. counts says whether the address
// caused this, so that it counts as a try.
func (s Members) AskAgain(ctx context.Context, a newsletter.Ask, hash []byte, counts bool, next time.Time) error {
	return s.unask(ctx, a, hash, func(c conn) error {
		return c.Run(ctx, `UPDATE confirmation_requests SET state = 'waiting', requested_at = 0, tries = tries + ?,
			next_at = ? WHERE id = ?`, counts, next, a.ID)
	})
}

// AskFailed ends a request whose email will never be accepted. state says whether the mailbox does not exist or the
// server refuses the email; evidence is the server's answer.
func (s Members) AskFailed(ctx context.Context, a newsletter.Ask, hash []byte, state newsletter.AskState,
	evidence string,
	now time.Time) error {
	return s.unask(ctx, a, hash, func(c conn) error {
		if err := c.Run(ctx, `UPDATE confirmation_requests SET requested_at = ? WHERE id = ?`, now,
			a.ID); err != nil {
			return err
		}
		if err := endAsk(ctx, c, a.ID, state); err != nil || state != newsletter.AskBounced {
			return err
		}
		return suppress(ctx, c, digest.Suppression{Email: a.Email, Reason: digest.ForHardBounce, Evidence: evidence,
			CreatedAt: now})
	})
}

// unask undoes AskNow, if it happened, and calls do. It does nothing if another process has the request.
func (s *database) unask(ctx context.Context, a newsletter.Ask, hash []byte, do func(conn) error) error {
	return s.changeAlone(ctx, "noting who was not asked", func(c conn) error {
		mine, err := c.Number(ctx,
			`SELECT count(*) FROM confirmation_requests a WHERE a.id = ? AND a.next_at = ?
				AND a.state IN ('waiting', 'asked')`, a.ID, a.NextAt)
		if err != nil || mine == 0 {
			return err
		}
		if err := c.Run(ctx, `DELETE FROM join_requests WHERE token_hash = ?`, hash); err != nil {
			return err
		}
		if err := forgetAsked(ctx, c, a.NewsletterID, a.Email); err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE letter_requests SET sent_at = -1 WHERE kind = ? AND email_key = ?`,
			allowance.ToAsk(int64(a.NewsletterID)), emailKey(a.Email)); err != nil {
			return err
		}
		return do(c)
	})
}

func forgetAsked(ctx context.Context, c conn, id digest.NewsletterID, email string) error {
	return c.Run(ctx, `DELETE FROM membership_events WHERE newsletter_id = ? AND email_key = ? AND kind = 'asked'`, id,
		emailKey(email))
}

// endAsk stores the final state of a request and deletes its address.
func endAsk(ctx context.Context, c conn, id int64, state newsletter.AskState) error {
	return c.Run(ctx, `UPDATE confirmation_requests SET state = ?, email = '', mailbox = '', domain = '' WHERE id = ?`,
		state, id)
}

// askConfirmed records that a person has joined, if they got a request. Their mail domain still counts for the pace.
func askConfirmed(ctx context.Context, c conn, q JoinRequest) error {
	return c.Run(ctx, `UPDATE confirmation_requests SET state = 'confirmed', email = '', mailbox = ''
		WHERE newsletter_id = ? AND address_hash = ? AND state = 'asked'`,
		q.NewsletterID, askHash(q.Email))
}

// forgetAsksOf deletes the address of a removed user from all requests. The hash stays, so that they get no other
// request.
func forgetAsksOf(ctx context.Context, c conn, user digest.UserID) error {
	var email string
	if found, err := c.Find(ctx, &email, `SELECT u.email FROM users u WHERE u.id = ?`, user); err != nil || !found {
		return err
	}
	return c.Run(ctx, `UPDATE confirmation_requests SET state = 'lapsed', email = '', mailbox = '', domain = ''
		WHERE address_hash = ? AND state IN ('asked', 'waiting')`, askHash(email))
}

// ForgetAsks deletes the addresses of people who have not answered within digest.AskLife. The hashes stay, so that
// they get no other request. It deletes requests that could not be sent within digest.AskPatience.
func (s Members) ForgetAsks(ctx context.Context, now time.Time) error {
	var over []newsletter.Ask
	err := s.read().All(ctx, &over, `SELECT `+
		newsletterAskColumns+` FROM confirmation_requests a WHERE a.state = 'asked' AND a.requested_at <= ?
			ORDER BY a.id`, now.Add(-newsletter.AskLife))
	if err != nil {
		return fmt.Errorf("finding who has not answered: %w", err)
	}
	_, err = changeInParts(ctx, s.database, "forgetting who has not answered", over,
		func(c conn, part []newsletter.Ask) (int, error) {
			for _, a := range part {
				if err := endAsk(ctx, c, a.ID, newsletter.AskLapsed); err != nil {
					return 0, err
				}
				if err := forgetAsked(ctx, c, a.NewsletterID, a.Email); err != nil {
					return 0, err
				}
			}
			return len(part), nil
		})
	if err != nil {
		return err
	}
	return s.change(ctx, "forgetting who was not asked", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM join_requests WHERE expires_at <= ?`, now); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM confirmation_requests WHERE state = 'waiting' AND queued_at <= ?`,
			now.Add(-newsletter.AskPatience))
	})
}
