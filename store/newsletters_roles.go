package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// RoleOf returns the role of a user in a newsletter, RoleNone if they have none.
func (s Newsletters) RoleOf(ctx context.Context, id digest.NewsletterID, user digest.UserID) (role digest.Role,
	err error) {
	_, err = s.read().Find(ctx, &role, `SELECT role FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id,
		user)
	return role, failed("reading a role", err)
}

// A Publisher is a user with a role in a newsletter.
type Publisher struct {
	UserID   digest.UserID
	Email    string
	Language string // of emails to them; "" if unknown
	Role     digest.Role
	Offered  bool // the owner has offered them the newsletter
}

// Publishers returns the users with a role in a newsletter, its owner first.
func (s Newsletters) Publishers(ctx context.Context, id digest.NewsletterID) ([]Publisher, error) {
	return readRows[Publisher](ctx, s.read(), "listing the publishers",
		`SELECT r.user_id, u.email, u.language, r.role, r.offered_at > 0 AS offered FROM newsletter_roles r
		JOIN users u ON u.id = r.user_id WHERE r.newsletter_id = ? ORDER BY CASE r.role WHEN 'owner' THEN 0 ELSE 1 END,
		u.email`, id)
}

// SetRole sets the role of a user in a newsletter. A new owner replaces the former one, who becomes an editor, and
// the archive moves to the new owner's time zone. RoleNone removes a role. It returns digest.Conflict if that would
// remove the only owner.
func (s Newsletters) SetRole(ctx context.Context, id digest.NewsletterID, user digest.UserID, role digest.Role,
	now time.Time) error {
	return s.changeAlone(ctx, "giving a role", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		var was digest.Role
		if _, err := c.Find(ctx, &was, `SELECT role FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id,
			user); err != nil {
			return err
		}
		switch {
		case was == digest.RoleOwner && role != digest.RoleOwner:
			return digest.Refuse(digest.Conflict, "a newsletter needs an owner; make another person the owner first")
		case was == role:
			return nil
		case role == digest.RoleNone:
			if err := c.Run(ctx, `DELETE FROM newsletter_tokens WHERE newsletter_id = ? AND user_id = ?`, id,
				user); err != nil {
				return err
			}
			return c.Run(ctx, `DELETE FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id, user)
		case role == digest.RoleOwner:
			return makeOwner(ctx, c, n, user, now)
		case role != digest.RoleEditor:
			return db.Invalid("a role is owner or editor, not %q", role)
		}
		return setRole(ctx, c, id, user, role, now)
	})
}

func setRole(ctx context.Context, c conn, id digest.NewsletterID, user digest.UserID, role digest.Role,
	now time.Time) error {
	return c.Run(ctx, `INSERT INTO newsletter_roles (newsletter_id, user_id, role, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (newsletter_id, user_id) DO UPDATE SET role = excluded.role`, id, user, role, now)
}

// handOver makes the owner an editor, and transfers the archive to a new owner.
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
	if err := c.Run(ctx, `UPDATE newsletter_roles SET role = 'editor', offered_at = 0 WHERE newsletter_id = ?
		AND (role = 'owner' OR offered_at > 0)`, n.ID); err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE digests SET user_id = ? WHERE id = ?`, to, n.ArchiveID); err != nil {
		return err
	}
	s, err := archive.schedule()
	if err != nil || s.Passed(now) {
		return err
	}
	return reschedule(ctx, c, archive, s.In(zone, now), now)
}

// OfferNewsletter offers a newsletter to one of its editors, in place of any former offer. It returns digest.NotFound
// if the user does not edit it, and digest.Conflict while it waits for approval.
func (s Newsletters) OfferNewsletter(ctx context.Context, id digest.NewsletterID, editor digest.UserID,
	now time.Time) error {
	return s.changeAlone(ctx, "offering a newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		if n.State == digest.NewsletterPending {
			return errPendingStays(n)
		}
		if err := c.Run(ctx, `UPDATE newsletter_roles SET offered_at = 0 WHERE newsletter_id = ? AND offered_at > 0`,
			id); err != nil {
			return err
		}
		found, err := c.Exec(ctx,
			`UPDATE newsletter_roles SET offered_at = ? WHERE newsletter_id = ? AND user_id = ? AND role = 'editor'`,
			now, id, editor)
		if err == nil && found == 0 {
			err = notFound("%s has no such editor", n.Name)
		}
		return err
	})
}

// EndOffer withdraws or declines the offer of a newsletter to a user, if there is one.
func (s Newsletters) EndOffer(ctx context.Context, id digest.NewsletterID, user digest.UserID) error {
	return s.run(ctx, "ending the offer of a newsletter",
		`UPDATE newsletter_roles SET offered_at = 0 WHERE newsletter_id = ? AND user_id = ?`, id, user)
}

// AcceptOffer makes a user the owner of a newsletter that was offered to them, as SetRole does. It returns
// digest.Conflict if there is no offer any longer.
func (s Newsletters) AcceptOffer(ctx context.Context, id digest.NewsletterID, user digest.UserID, now time.Time) error {
	return s.changeAlone(ctx, "accepting a newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return err
		}
		var offered int64
		if _, err := c.Find(ctx, &offered,
			`SELECT offered_at FROM newsletter_roles WHERE newsletter_id = ? AND user_id = ?`, id, user); err != nil {
			return err
		}
		if offered == 0 {
			return digest.Refuse(digest.Conflict, "%s is no longer being transferred to you", n.Name)
		}
		return makeOwner(ctx, c, n, user, now)
	})
}

// makeOwner transfers a newsletter to a user. It returns digest.Conflict while the newsletter waits for approval.
func makeOwner(ctx context.Context, c conn, n digest.Newsletter, user digest.UserID, now time.Time) error {
	if n.State == digest.NewsletterPending {
		return errPendingStays(n)
	}
	if err := handOver(ctx, c, n, user, now); err != nil {
		return err
	}
	return setRole(ctx, c, n.ID, user, digest.RoleOwner, now)
}

func errPendingStays(n digest.Newsletter) error {
	return digest.Refuse(digest.Conflict, "%s is waiting for approval; you can change its owner after that", n.Name)
}
