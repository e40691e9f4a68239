package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"digest"
	"digest/store/db"
)

const suppressionColumns = `s.email, s.reason, s.evidence, s.edition_id, s.created_at`

// rank orders the reasons. An address keeps its highest one.
const rank = `CASE %s WHEN 'soft_bounces' THEN 1 WHEN 'hard_bounce' THEN 2 WHEN 'complaint' THEN 3 ELSE 4 END`

// unmailedDigest selects why the digest d is not emailed, as the error of an edition, or NULL. unmailedError selects
// the same for the edition e.
const (
	unmailedDigest = `CASE WHEN d.mailed = 0 THEN '` + webOnly + `' ELSE (SELECT ` + suppressedWords + ` FROM users u
		JOIN suppressions s ON s.email_key = u.email_key WHERE u.id = d.user_id) END`

	unmailedError = `(SELECT ` + unmailedDigest + ` FROM digests d WHERE d.id = e.digest_id)`

	suppressedWords = `'the address is suppressed: ' || CASE s.reason
		WHEN 'soft_bounces' THEN 'emails bounced for a week'
		WHEN 'hard_bounce' THEN 'an email bounced' WHEN 'complaint' THEN 'the reader marked an email as spam'
		ELSE 'by the operator' END
		|| CASE WHEN s.evidence = '' THEN '' ELSE ' (' || s.evidence || ')' END`
)

// endUnmailed ends editions that are not emailed and appear in the web view only.
func endUnmailed(ctx context.Context, c conn, ids []digest.EditionID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Run(ctx, `UPDATE editions AS e SET state = ?, error = COALESCE(`+unmailedError+`, e.error) WHERE e.id`+
		c.d.OneOf, digest.EditionUnmailed, ids)
}

// Suppress adds an address to those that get no email. A suppressed address keeps its reason unless the new one ranks
// higher: soft bounces, a hard bounce, a complaint, the operator's decision.
func (s Editions) Suppress(ctx context.Context, sup digest.Suppression) error {
	if !strings.Contains(sup.Email, "@") {
		return db.Invalid("%q is not an address such as ada@example.org", sup.Email)
	}
	switch sup.Reason {
	case digest.ForSoftBounces, digest.ForHardBounce, digest.ForComplaint, digest.ForOperator:
	default:
		return db.Invalid("an address is suppressed for hard_bounce, soft_bounces, complaint or manual, not for %q",
			sup.Reason)
	}
	return s.change(ctx, "suppressing "+sup.Email, func(c conn) error { return suppress(ctx, c, sup) })
}

func suppress(ctx context.Context, c conn, sup digest.Suppression) error {
	err := c.Run(ctx, `INSERT INTO suppressions (email_key, email, reason, evidence, edition_id, created_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, evidence = excluded.evidence,
			edition_id = excluded.edition_id, created_at = excluded.created_at
		WHERE `+fmt.Sprintf(rank, "excluded.reason")+` > `+fmt.Sprintf(rank, "suppressions.reason"),
		emailKey(sup.Email), digest.NormalEmail(sup.Email), sup.Reason, digest.OneLine(sup.Evidence),
		sup.EditionID, sup.CreatedAt)
	if err != nil {
		return err
	}
	held, err := recall(ctx, c,
		`IN (SELECT d.id FROM users u JOIN digests d ON d.user_id = u.id WHERE u.email_key = ?)`, emailKey(sup.Email))
	if err != nil {
		return err
	}
	return endUnmailed(ctx, c, held)
}

// Unsuppress allows email to an address again and deletes its soft bounces. It returns digest.NotFound if the address
// is not suppressed.
func (s Editions) Unsuppress(ctx context.Context, email string) error {
	return s.change(ctx, "mailing an address again", func(c conn) error {
		none := notFound("%s is not suppressed; see: digest suppressions", digest.NormalEmail(email))
		if err := c.RunOne(ctx, none, `DELETE FROM suppressions WHERE email_key = ?`, emailKey(email)); err != nil {
			return err
		}
		return c.Run(ctx, `DELETE FROM bounces WHERE email_key = ? AND kind = 'soft'`, emailKey(email))
	})
}

// Suppressions returns the suppressed addresses, latest first.
func (s Editions) Suppressions(ctx context.Context) iter.Seq2[digest.Suppression, error] {
	return pages(func(last *digest.Suppression) ([]digest.Suppression, error) {
		from, after := forever, ""
		if last != nil {
			from, after = at(last.CreatedAt), emailKey(last.Email)
		}
		return readRows[digest.Suppression](ctx, s.read(), "listing the suppressed addresses",
			`SELECT `+suppressionColumns+` FROM suppressions s
			WHERE s.created_at <= ? AND (s.created_at < ? OR s.email_key > ?) ORDER BY s.created_at DESC, s.email_key
			LIMIT ?`,
			from, from, after, pageRows)
	})
}

// Suppressed reports whether an address, in any case, is suppressed, and why.
func (s Editions) Suppressed(ctx context.Context, email string) (digest.Suppression, bool, error) {
	sup, found, err := readSuppression(ctx, s.read(), emailKey(email))
	return sup, found, failed("looking for a suppressed address", err)
}

func readSuppression(ctx context.Context, c conn, key string) (sup digest.Suppression, found bool, err error) {
	found, err = c.Find(ctx, &sup, `SELECT `+suppressionColumns+` FROM suppressions s WHERE s.email_key = ?`, key)
	return sup, found, err
}
