package store

import (
	"context"
	"errors"
	"time"

	"digest"
)

// resendFor is how long an edition that is sent again may wait for a server.
const resendFor = 24 * time.Hour

// A resendRow is an edition to send again, with the data that decides whether this is possible.
type resendRow struct {
	State      digest.EditionState
	LocalDate  string
	Digest     digest.DigestState
	Newsletter digest.NewsletterState // empty: the reader's own digest
	Unmailed   string                 // the reason why its reader gets no email
	Carrier    string                 // the date of the edition that delivered the posts of an expired one
}

// check returns an error if the edition cannot be sent again.
func (r resendRow) check() error {
	switch {
	case !isOver(r.State):
		return digest.Refuse(digest.Conflict, "the edition of %s is already waiting or being sent; see: digest queue",
			r.LocalDate)
	case r.Digest == digest.DigestLeft:
		return digest.Refuse(digest.Conflict, "the reader unsubscribed")
	case r.Newsletter != "" && r.Newsletter != digest.NewsletterActive:
		return digest.Refuse(digest.Conflict, "the newsletter is not active, so it sends no issues")
	case r.Unmailed != "":
		return digest.Refuse(digest.Conflict, "the reader’s address is suppressed: %s", r.Unmailed)
	case r.Carrier != "":
		return digest.Refuse(digest.Conflict,
			"the edition of %s was never sent; its posts are in the edition of %s, so send that one again", r.LocalDate,
			r.Carrier)
	}
	return nil
}

// ResendEdition queues an edition that was sent or has failed again. It goes to the reader's current address, with a
// new Message-ID. Only an operator does this. It returns digest.NotFound if the edition does not exist, and
// digest.Conflict with the reason if it cannot be sent again.
func (s Editions) ResendEdition(ctx context.Context, id digest.EditionID, now time.Time) error {
	return s.change(ctx, "sending an edition again", func(c conn) error {
		var r resendRow
		found, err := c.Find(ctx, &r,
			`SELECT `+editionState+` AS state, e.local_date, d.state AS digest, COALESCE(n.state, '') AS newsletter,
			COALESCE(`+unmailedError+`, '') AS unmailed, COALESCE((SELECT MAX(x.local_date)
			FROM carried_posts y JOIN editions x ON x.id = y.edition_id
				WHERE y.from_id = e.id AND e.state = 'expired'), '') AS carrier
			FROM editions e JOIN digests d ON d.id = e.digest_id LEFT JOIN newsletters n ON n.id = d.newsletter_id
			WHERE e.id = ?`, id)
		if err == nil && !found {
			err = notFound("there is no such edition")
		}
		if err == nil {
			err = r.check()
		}
		if err != nil {
			return err
		}
		return c.RunOne(ctx, errors.New("the edition has changed meanwhile; try again"),
			`UPDATE editions AS e SET state = 'ready', undelivered = 0, attempt = 0,
			message_id = '', date = ?, next_at = ?, expires_at = ?, sent_at = 0,
			reply = '', error = '', was_in_doubt = 0, recipient = '', resent = resent + 1, domain =
			(SELECT u.mail_domain FROM digests d JOIN users u ON u.id = d.user_id WHERE d.id = e.digest_id)
			WHERE e.id = ? AND e.state = ?`, now, now, at(now).Plus(resendFor), id, r.State)
	})
}
