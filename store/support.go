package store

import (
	"context"

	"digest"
)

// A ReaderView holds what support needs to know of a reader who misses an edition.
type ReaderView struct {
	User       digest.User
	Suppressed *digest.Suppression // why the address gets no email; nil if it does
	Stays      []digest.Stay
	Digests    []DigestView    // the reader's own digest first, then the newsletters by name
	Editions   []MailedEdition // of all digests, latest first
	Lanes      []digest.Lane   // the route and the lane to the address, unless unremarkable
}

// A DigestView is a reader's digest with its contents.
type DigestView struct {
	digest.Digest
	Newsletter    *digest.Newsletter // nil for the reader's own digest
	Subscriptions []SubscriptionInfo // also paused ones

	// Only for the reader's own digest.
	Held      int // posts that filters held back from the last edition
	HeldSince int // posts that filters have held back since
	Beyond    int // posts of the last edition above the reader's limits of posts per feed
}

// A MailedEdition is an edition with the fate of its email.
type MailedEdition struct {
	digest.Edition
	Email    string          // the recipient
	Returned []digest.Bounce // bounces and complaints
}

// ReaderView returns the view of a reader with their latest editions, up to the given number, or digest.NotFound.
func (s Operator) ReaderView(ctx context.Context, user digest.UserID, editions int) (v ReaderView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) error {
		for _, read := range []func(context.Context, *ReaderView) error{
			func(ctx context.Context, v *ReaderView) (err error) {
				v.User, err = readUser(ctx, s.read(), user)
				return err
			},
			s.readAddress,
			s.readDigests,
			func(ctx context.Context, v *ReaderView) (err error) {
				v.Stays, err = s.Readers.Stays(ctx, user)
				return err
			},
			func(ctx context.Context, v *ReaderView) (err error) {
				v.Editions, err = s.mailedEditions(ctx, user, editions)
				return err
			},
		} {
			if err := read(ctx, &v); err != nil {
				return err
			}
		}
		return nil
	})
	return v, err
}

// readAddress reads what prevents email to a reader's address.
func (s *database) readAddress(ctx context.Context, v *ReaderView) error {
	suppression, suppressed, err := Editions{s}.Suppressed(ctx, v.User.Email)
	if err != nil {
		return err
	}
	if suppressed {
		v.Suppressed = &suppression
	}
	rows, err := readRows[laneRow](ctx, s.read(), "reading the lanes",
		`SELECT `+laneColumns+` FROM lanes l WHERE NOT (`+unremarkable+`)
		AND (l.name = '' OR l.name = (SELECT u.mail_domain FROM users u WHERE u.id = ?)) ORDER BY l.name`, v.User.ID)
	v.Lanes = each(rows, func(r laneRow) digest.Lane { return r.Lane })
	return err
}

// readDigests reads a reader's digests, without the archives of newsletters that they publish, which get no email.
func (s *database) readDigests(ctx context.Context, v *ReaderView) error {
	rows, err := readRows[digestRow](ctx, s.read(), "reading a reader's digests", selectDigest+`WHERE d.user_id = ?
		AND NOT EXISTS (SELECT 1 FROM newsletters n WHERE n.archive_id = d.id)
		ORDER BY CASE WHEN d.newsletter_id IS NULL THEN 0 ELSE 1 END, d.name, d.id`, v.User.ID)
	for _, row := range rows {
		p := DigestView{Digest: row.Digest}
		if p.Subscriptions, err = (Subscriptions{s}).AllSubscriptions(ctx, p.ID); err != nil {
			return err
		}
		if p.NewsletterID != 0 {
			n, err := Newsletters{s}.Newsletter(ctx, p.NewsletterID)
			if err != nil {
				return err
			}
			p.Newsletter = &n
		} else if err := s.readLeftOut(ctx, &p); err != nil {
			return err
		}
		v.Digests = append(v.Digests, p)
	}
	return err
}

// readLeftOut counts the posts that a reader's filters and limits have excluded from the last edition and since.
func (s *database) readLeftOut(ctx context.Context, p *DigestView) error {
	last, err := s.editionsWhere(ctx, `e.digest_id = ? ORDER BY e.due_at DESC LIMIT 1`, p.ID)
	if err != nil {
		return err
	}
	e := digest.Edition{DigestID: p.ID}
	if len(last) > 0 {
		e = last[0]
	}
	b, err := Editions{s}.Beside(ctx, e, p.LastDueAt)
	if p.Held, p.HeldSince = b.Held, b.HeldSince; err != nil || len(last) == 0 {
		return err
	}
	posts, err := Editions{s}.EditionPosts(ctx, []digest.Delivery{{Edition: e}})
	if err != nil {
		return err
	}
	of := make(map[digest.FeedID]int)
	for _, ref := range posts[e.ID] {
		of[ref.FeedID]++
	}
	for _, sub := range p.Subscriptions {
		if sub.Most > 0 {
			p.Beyond += max(0, of[sub.FeedID]-sub.Most)
		}
	}
	return nil
}

func (s *database) mailedEditions(ctx context.Context, user digest.UserID, most int) ([]MailedEdition, error) {
	views, err := readRows[MailedEdition](ctx, s.read(), "reading a reader's editions",
		`SELECT `+editionColumns+`, CASE WHEN e.recipient = '' THEN u.email ELSE e.recipient END AS email
		FROM digests d JOIN users u ON u.id = d.user_id JOIN editions e ON e.digest_id = d.id
		WHERE d.user_id = ? AND NOT EXISTS (SELECT 1 FROM newsletters n WHERE n.archive_id = d.id)
		ORDER BY e.due_at DESC, e.id DESC LIMIT ?`, user, most)
	if err != nil {
		return nil, err
	}
	place := make(map[digest.EditionID]int, len(views))
	for i, e := range views {
		place[e.ID] = i
	}
	ids := each(views, func(e MailedEdition) digest.EditionID { return e.ID })
	returned, err := readRows[digest.Bounce](ctx, s.read(), "reading what came back",
		`SELECT b.edition_id AS edition, b.kind, b.status, b.evidence
		FROM bounces b WHERE b.edition_id`+s.d.OneOf+` ORDER BY b.at, b.kind`, ids)
	for _, b := range returned {
		e := &views[place[b.Edition]]
		e.Returned = append(e.Returned, b)
	}
	return views, err
}
