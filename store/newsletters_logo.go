package store

import (
	"context"
	"time"

	"digest"
)

// mostLogos is how many logos of a newsletter are stored. An issue that was sent shows the logo of its time.
const mostLogos = 10

// SetNewsletterLogo stores a newsletter's logo. It returns digest.NotFound if there is no such newsletter.
func (s Newsletters) SetNewsletterLogo(ctx context.Context, id digest.NewsletterID, l digest.Logo, picture []byte,
	now time.Time) error {
	return s.change(ctx, "storing the logo", func(c conn) error {
		if err := c.RunOne(ctx, noNewsletter(),
			`UPDATE newsletters SET logo_file = ?, logo_width = ?, logo_height = ?, logo_clear = ? WHERE id = ?`,
			l.LogoFile, l.LogoWidth, l.LogoHeight, l.LogoClear, id); err != nil {
			return err
		}
		if err := c.Run(ctx, `INSERT INTO newsletter_logos (newsletter_id, file, picture, added_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (newsletter_id, file) DO UPDATE SET added_at = excluded.added_at`, id, l.LogoFile, picture,
			now); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM newsletter_logos WHERE newsletter_id = ? AND file NOT IN
			(SELECT l.file FROM newsletter_logos l WHERE l.newsletter_id = ? ORDER BY l.added_at DESC, l.file LIMIT ?)`,
			id, id, mostLogos)
	})
}

// RemoveNewsletterLogo deletes the present logo of a newsletter and all former ones.
func (s Newsletters) RemoveNewsletterLogo(ctx context.Context, id digest.NewsletterID) error {
	return s.change(ctx, "removing the logo", func(c conn) error {
		if err := c.RunOne(ctx, noNewsletter(),
			`UPDATE newsletters SET logo_file = '', logo_width = 0, logo_height = 0, logo_clear = 0 WHERE id = ?`,
			id); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM newsletter_logos WHERE newsletter_id = ?`, id)
	})
}

// NewsletterLogo returns the picture of a present or former logo by its file name, or digest.NotFound.
func (s Newsletters) NewsletterLogo(ctx context.Context, id digest.NewsletterID, file string) ([]byte, error) {
	type stored struct{ Picture []byte }
	row, err := readOne[stored](ctx, s.read(), "reading the logo", notFound("there is no such logo"),
		`SELECT picture FROM newsletter_logos WHERE newsletter_id = ? AND file = ?`, id, file)
	return row.Picture, err
}
