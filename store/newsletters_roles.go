package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
)

// RoleOf gives what a user may do with a newsletter.
func (s *Store) RoleOf(ctx context.Context, id digest.NewsletterID, user digest.UserID) (role digest.Role, err error) {
	_, err = s.read().find(ctx, &role, `SELECT role FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id,
		user)
	return role, failed("reading a role", err)
}

// A Publisher is somebody who may do something with a newsletter.
type Publisher struct {
	UserID   digest.UserID
	Email    string
	Language string // in which they are spoken to; "": not known
	Role     digest.Role
	Offered  bool // the newsletter itself, by its owner
}

// Publishers lists who may do something with a newsletter, its owner first.
func (s *Store) Publishers(ctx context.Context, id digest.NewsletterID) ([]Publisher, error) {
	return readRows[Publisher](ctx, s.read(), "listing the publishers",
		`SELECT r.user_id, u.email, u.language, r.role, r.offered_at > 0 AS offered FROM newsletter_roles r
		JOIN users u ON u.id = r.user_id WHERE r.newsletter_id = ? ORDER BY CASE r.role WHEN 'owner' THEN 0 ELSE 1 END, u.email`, id)
}

// SetRole gives a user a role in a newsletter. A new owner takes the place of the
// one before, who is an editor from then on; the archive goes on in the new owner's zone.
// RoleNone takes a role away, but for the owner's (digest.Conflict).
func (s *Store) SetRole(ctx context.Context, id digest.NewsletterID, user digest.UserID, role digest.Role,
	now time.Time) error {
	return s.changeAlone(ctx, "giving a role", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		var was digest.Role
		if _, err := c.find(ctx, &was, `SELECT role FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id,
			user); err != nil {
			return err
		}
		switch {
		case was == digest.RoleOwner && role != digest.RoleOwner:
			return digest.Refuse(digest.Conflict, "a newsletter needs an owner; make another person the owner first")
		case was == role:
			return nil
		case role == digest.RoleNone:
			if err := c.run(ctx, `DELETE FROM newsletter_tokens WHERE newsletter_id = ? AND user_id = ?`, id,
				user); err != nil {
				return err
			}
			return c.run(ctx, `DELETE FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id, user)
		case role == digest.RoleOwner:
			return makeOwner(ctx, c, n, user, now)
		case role != digest.RoleEditor:
			return invalid("a role is owner or editor, not %q", role)
		}
		return setRole(ctx, c, id, user, role, now)
	})
}

func setRole(ctx context.Context, c conn, id digest.NewsletterID, user digest.UserID, role digest.Role,
	now time.Time) error {
	return c.run(ctx, `INSERT INTO newsletter_roles (newsletter_id, user_id, role, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (newsletter_id, user_id) DO UPDATE SET role = excluded.role`, id, user, string(role), at(now))
}

// handOver makes the owner an editor, and the archive the new owner's.
func handOver(ctx context.Context, c conn, n digest.Newsletter, to digest.UserID, now time.Time) error {
	u, err := readUser(ctx, c, to)
	if err != nil {
		return err
	}
	zone, err := calendar.Zone(u.TimeZone)
	if err != nil {
		return err
	}
	archive, err := readDigest(ctx, c, `d.id = ?`, n.ArchiveID)
	if err != nil {
		return err
	}
	if err := c.run(ctx, `UPDATE newsletter_roles SET role = 'editor', offered_at = 0 WHERE newsletter_id = ? AND (role = 'owner' OR offered_at > 0)`, n.ID); err != nil {
		return err
	}
	if err := c.run(ctx, `UPDATE digests SET user_id = ? WHERE id = ?`, to, n.ArchiveID); err != nil {
		return err
	}
	s, err := archive.schedule()
	if err != nil || s.Passed(now) {
		return err
	}
	return reschedule(ctx, c, archive, s.In(zone, now), now)
}

// OfferNewsletter offers a newsletter to one of its editors, who may accept it, in place of any other
// offer. digest.NotFound if they do not edit it, digest.Conflict while it waits for approval.
func (s *Store) OfferNewsletter(ctx context.Context, id digest.NewsletterID, editor digest.UserID,
	now time.Time) error {
	return s.changeAlone(ctx, "offering a newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		if n.State == digest.NewsletterPending {
			return errPendingStays(n)
		}
		if err := c.run(ctx, `UPDATE newsletter_roles SET offered_at = 0 WHERE newsletter_id = ? AND offered_at > 0`,
			id); err != nil {
			return err
		}
		found, err := c.exec(ctx,
			`UPDATE newsletter_roles SET offered_at = ? WHERE newsletter_id = ? AND user_id = ? AND role = 'editor'`,
			at(now), id, editor)
		if err == nil && found == 0 {
			err = notFound("%s has no such editor", n.Name)
		}
		return err
	})
}

// EndOffer ends the offer of a newsletter to a user, if there is one: it is taken back, or declined.
func (s *Store) EndOffer(ctx context.Context, id digest.NewsletterID, user digest.UserID) error {
	return s.run(ctx, "ending the offer of a newsletter",
		`UPDATE newsletter_roles SET offered_at = 0 WHERE newsletter_id = ? AND user_id = ?`, id, user)
}

// AcceptOffer makes the user the owner to whom the newsletter was offered, as SetRole does;
// digest.Conflict if it is not offered to them any more.
func (s *Store) AcceptOffer(ctx context.Context, id digest.NewsletterID, user digest.UserID, now time.Time) error {
	return s.changeAlone(ctx, "accepting a newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		var offered int64
		if _, err := c.find(ctx, &offered,
			`SELECT offered_at FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id, user); err != nil {
			return err
		}
		if offered == 0 {
			return digest.Refuse(digest.Conflict, "%s is no longer offered to you", n.Name)
		}
		return makeOwner(ctx, c, n, user, now)
	})
}

// makeOwner hands a newsletter over, but for one that waits for approval.
func makeOwner(ctx context.Context, c conn, n digest.Newsletter, user digest.UserID, now time.Time) error {
	if n.State == digest.NewsletterPending {
		return errPendingStays(n)
	}
	if err := handOver(ctx, c, n, user, now); err != nil {
		return err
	}
	return setRole(ctx, c, n.ID, user, digest.RoleOwner, now)
}

// errPendingStays is for a newsletter that nobody else may own yet.
func errPendingStays(n digest.Newsletter) error {
	return digest.Refuse(digest.Conflict, "%s waits for approval; you can change its owner after that", n.Name)
}
