package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"digest"
)

// FenceSource fences a database that is being copied, until Unfence, because only one of the two may send mail.
// undo removes the fence, unless the heartbeat has changed since.
func (s Operator) FenceSource(ctx context.Context, reason string) (undo func(context.Context) error, err error) {
	var was, is []byte
	err = s.change(ctx, "fencing the database", func(c conn) (err error) {
		if was, err = c.setting(ctx, beatKey); err != nil {
			return err
		}
		last, _, err := lastBeat(ctx, c)
		if err != nil {
			return err
		}
		last.Brought = reason
		if err := last.leave(ctx, c); err != nil {
			return err
		}
		is, err = c.setting(ctx, beatKey)
		return err
	})
	return func(ctx context.Context) error {
		return s.change(ctx, "releasing the fence of a copy that failed", func(c conn) error {
			now, err := c.setting(ctx, beatKey)
			switch {
			case err != nil || !bytes.Equal(now, is):
				return err
			case was == nil:
				return c.Run(ctx, `DELETE FROM settings WHERE key = ?`, beatKey)
			}
			return c.setSetting(ctx, beatKey, was)
		})
	}, err
}

// discardKey is the settings key of an instant. Mail that was due before that instant is never sent.
const discardKey = "unmailed before"

// leftUnmailed is the error of an edition that was due before that instant.
const leftUnmailed = "skipped when the fence was released"

// UnfenceAfter removes the fence as Unfence does. It marks editions as unmailed if they were due before an instant,
// because the lost instance may have mailed them. They stay on the web. Release does the same with editions that it
// makes later. UnfenceAfter returns how many editions it has marked.
func (s Operator) UnfenceAfter(ctx context.Context, baseURL string, now, before time.Time) (sealed int, err error) {
	value, err := json.Marshal(at(before))
	if err != nil {
		return 0, fmt.Errorf("writing what is left unmailed: %w", err)
	}
	err = s.changeAlone(ctx, "releasing the fence", func(c conn) error {
		const late = `e.send_at < ?`
		if err := c.Run(ctx, `DELETE FROM mail_claims WHERE state IN ('leased', 'dotting') AND edition_id IN (
			SELECT e.id FROM editions e WHERE e.state = 'leased' AND `+late+`)`, before); err != nil {
			return err
		}
		sealed, err = c.Exec(ctx, `UPDATE editions AS e SET state = ?, error = ?, undelivered = 0
			WHERE `+late+` AND (e.state = 'ready' OR e.state = 'expired' AND `+undelivered+`
			OR e.state = 'leased' AND NOT EXISTS (SELECT 1 FROM mail_claims mc WHERE mc.edition_id = e.id))`,
			digest.EditionUnmailed, leftUnmailed, before)
		if err != nil {
			return err
		}
		if err := c.setSetting(ctx, discardKey, value); err != nil {
			return err
		}
		return beat(ctx, c, baseURL, now)
	})
	return sealed, err
}

// discardedBefore returns the instant before which due mail is not sent; 0: all mail is sent.
func discardedBefore(ctx context.Context, c conn) (before instant, err error) {
	value, err := c.setting(ctx, discardKey)
	if err == nil && value != nil {
		err = json.Unmarshal(value, &before)
	}
	return before, err
}
