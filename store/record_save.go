package store

import (
	"context"
	"strings"

	"digest"
)

// numbers are the columns of a feed's record that most polls change, and texts
// those that few do, most of them texts. Most polls find nothing new: to write their numbers alone
// halves what storing them costs.
const (
	numbers = `id, last_ok_at, parsed_at, not_before, fresh_until, poll_at, errors, first_error_at,
		last_status, head_retest_at, moved_since, listed_at, last_attempt_at, askable_at`
	texts = `url, host, kind, title, site_url, language, etag, last_modified, validator_url, body_hash,
		last_error, state, head_state, conditional_state, moved_to, moved_from, moved_at, length, domain, newest_at, parser,
		doc_interval, own_interval, busy_interval, skip_hours, skip_days, failing_since,
		gone_at, pinged_at, repeats, by_date, doubted`
)

func numberCells(f digest.Feed, listed, askable instant) []any {
	return []any{
		f.ID, at(f.LastOKAt), at(f.ParsedAt), from(f.NotBefore), from(f.FreshUntil), from(f.PollAt), f.Errors, at(f.FirstErrorAt),
		f.LastStatus, at(f.HeadRetestAt), at(f.MovedSince), listed, from(f.LastAttemptAt), askable,
	}
}

func textCells(f digest.Feed) []any {
	return []any{
		f.URL, f.Host, f.Kind, f.Title, f.SiteURL, f.Language, f.ETag, f.LastModified, f.ValidatorURL, f.BodyHash,
		f.LastError, string(f.State), string(f.Head), string(f.Conditional), f.MovedTo, f.MovedFrom, at(f.MovedAt), f.Length, f.Domain, at(f.NewestAt), f.Parser,
		seconds(f.DocInterval), seconds(f.OwnInterval), seconds(f.BusyInterval), int64(f.SkipHours), int64(f.SkipDays), at(f.FailingSince),
		at(f.GoneAt), at(f.PingedAt), f.Repeats, bit(f.ByDate), bit(f.Doubted),
	}
}

// sameTexts reports whether two records differ in their numbers at most.
func sameTexts(a, b digest.Feed) bool {
	x, y := textCells(a), textCells(b)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return a.ID == b.ID
}

// saveFeeds writes the records of polls, and ends their leases.
func saveFeeds(ctx context.Context, c conn, polls []*polled) error {
	var few, all values
	for _, p := range polls {
		cells := numberCells(p.Feed, p.listedAt, c.askable(p.Feed, 0))
		if sameTexts(p.Was, p.Feed) {
			few.row(cells...)
		} else {
			all.row(append(cells, textCells(p.Feed)...)...)
		}
	}
	if err := few.chunks(saving(ctx, c, numbers)); err != nil {
		return err
	}
	return all.chunks(saving(ctx, c, numbers+", "+texts))
}

// saving gives the statement that sets columns, the first of which is the key.
func saving(ctx context.Context, c conn, columns string) func(*values) error {
	var set strings.Builder
	for i, name := range strings.Split(columns, ",") {
		switch name = strings.TrimSpace(name); {
		case i == 0:
		case name == "poll_at":
			set.WriteString("poll_at = NULLIF(v.poll_at, 0), ")
		case name == "last_attempt_at": // the claim noted one before the first request; the poll knows of its last
			set.WriteString("last_attempt_at = CASE WHEN v.last_attempt_at > feeds.last_attempt_at THEN v.last_attempt_at ELSE feeds.last_attempt_at END, ")
		default:
			set.WriteString(name + " = v." + name + ", ")
		}
	}
	return func(part *values) error {
		_, err := c.exec(ctx, `WITH v (`+columns+`) AS (VALUES `+part.String()+`)
			UPDATE feeds SET `+set.String()+`lease_until = 0, lease_token = '' FROM v WHERE feeds.id = v.id`, part.args...)
		return err
	}
}
