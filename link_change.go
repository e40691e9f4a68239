package digest

import (
	"strconv"
	"strings"
	"time"
)

// A LinkChange is a change that a link in an email made while the reader of that email was not signed in. The reader is
// notified of it and can undo it.
type LinkChange struct {
	ID                 int64
	DigestID           DigestID
	FeedID             FeedID // of the changed subscription; 0: a setting of the digest changed
	Setting            LinkSetting
	OldValue, NewValue string // values of the setting

	Title   string // name of the digest, or title of the feed as its reader sees it
	Host    string // of the feed, without the rest of its address, which may be a secret
	NewHost string // of the feed that replaced it; only of LinkFeed

	EmailDate Date // of the edition whose email had the link; zero: unknown
	OneClick  bool // the unsubscribe button of a mail program did it (RFC 8058)
	ChangedAt time.Time
	UndoneAt  time.Time // zero: not undone
}

// A LinkSetting is a setting that a link in an email can change.
type LinkSetting string

// The settings that links can change. The first two belong to a digest, the others to a subscription.
const (
	LinkState        LinkSetting = "state"        // values by StateValue
	LinkDays         LinkSetting = "days"         // values by Cadence.String
	LinkSubscription LinkSetting = "subscription" // values by StateValue
	LinkDisplay      LinkSetting = "display"      // layouts
	LinkFeed         LinkSetting = "feed"         // keys of feeds
)

// LinkUndoTime is how long a reader can undo a LinkChange.
const LinkUndoTime = 30 * 24 * time.Hour

// StateValue encodes a state and the end of a pause as a value of a LinkSetting.
func StateValue(state DigestState, until time.Time) string {
	if state != DigestPaused || until.IsZero() {
		return string(state)
	}
	return string(state) + " " + strconv.FormatInt(until.Unix(), 10)
}

// ParseStateValue decodes a value from StateValue.
func ParseStateValue(value string) (state DigestState, until time.Time) {
	name, seconds, _ := strings.Cut(value, " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		until = time.Unix(n, 0).UTC()
	}
	return DigestState(name), until
}

// ToldByEdition reports whether an edition of the digest is due within two days and can report a LinkChange. Otherwise
// the reader gets an email. Members of newsletters always get the email, because an issue needs new posts.
func ToldByEdition(d Digest, now time.Time) bool {
	const soon = 48 * time.Hour
	comes := d.State == DigestActive || d.State == DigestPaused && !d.PausedUntil.IsZero()
	return d.NewsletterID == 0 && comes && d.NextDueAt.Sub(now) <= soon
}
