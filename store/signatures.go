package store

import (
	"context"
	"time"

	"digest"
)

// Migrate brings the schema to this version.
func (s *Store) Migrate(ctx context.Context) error { panic("not yet") }

// Close closes the database.
func (s *Store) Close() error { panic("not yet") }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { panic("not yet") }

// Secret gives the instance's 32 random bytes, made once.
func (s *Store) Secret(ctx context.Context) ([]byte, error) { panic("not yet") }

// AddUser adds a confirmed user with one daily digest.
func (s *Store) AddUser(ctx context.Context, email, zone string, now time.Time) (digest.User, digest.Digest, error) {
	panic("not yet")
}

// UserByEmail finds a user.
func (s *Store) UserByEmail(ctx context.Context, email string) (digest.User, error) { panic("not yet") }

// Users lists everyone.
func (s *Store) Users(ctx context.Context) ([]UserInfo, error) { panic("not yet") }

// DigestOf gives a user's own daily digest.
func (s *Store) DigestOf(ctx context.Context, user digest.UserID) (digest.Digest, error) {
	panic("not yet")
}

// Digest gives a digest by key.
func (s *Store) Digest(ctx context.Context, id digest.DigestID) (digest.Digest, error) {
	panic("not yet")
}

// SetTimeZone moves a user.
func (s *Store) SetTimeZone(ctx context.Context, user digest.UserID, zone string, now time.Time) error {
	panic("not yet")
}

// SetSendDelay sets the delay from midnight to mail.
func (s *Store) SetSendDelay(ctx context.Context, id digest.DigestID, delay time.Duration) error {
	panic("not yet")
}

// SetWeekdays sets the days of a digest.
func (s *Store) SetWeekdays(ctx context.Context, id digest.DigestID, w digest.Weekdays, now time.Time) error {
	panic("not yet")
}

// SetDigestState starts, pauses or ends a digest.
func (s *Store) SetDigestState(ctx context.Context, id digest.DigestID, state digest.DigestState, now time.Time) error {
	panic("not yet")
}

// RemoveUser removes everything of a person.
func (s *Store) RemoveUser(ctx context.Context, user digest.UserID) error { panic("not yet") }

// FeedByURL finds a feed.
func (s *Store) FeedByURL(ctx context.Context, url string) (digest.Feed, error) { panic("not yet") }

// EnsureFeed adds a feed unless it is there.
func (s *Store) EnsureFeed(ctx context.Context, f digest.Feed) (feed digest.Feed, created bool, err error) {
	panic("not yet")
}

// Feeds lists every feed.
func (s *Store) Feeds(ctx context.Context) ([]FeedInfo, error) { panic("not yet") }

// Subscribe adds a subscription.
func (s *Store) Subscribe(ctx context.Context, sub digest.Subscription, now time.Time) (created bool, err error) {
	panic("not yet")
}

// Unsubscribe ends a subscription.
func (s *Store) Unsubscribe(ctx context.Context, id digest.DigestID, feed digest.FeedID) error {
	panic("not yet")
}

// Subscriptions lists a digest's subscriptions.
func (s *Store) Subscriptions(ctx context.Context, id digest.DigestID) ([]SubscriptionInfo, error) {
	panic("not yet")
}

// Import subscribes to a list.
func (s *Store) Import(ctx context.Context, id digest.DigestID, items []ImportItem, now time.Time) (ImportResult, error) {
	panic("not yet")
}

// Plan queues the feeds of due digests.
func (s *Store) Plan(ctx context.Context, now time.Time, schedule func(f digest.Feed, due time.Time) (time.Time, bool)) (PlanResult, error) {
	panic("not yet")
}

// NextEvent gives the earliest instant at which there is something to do.
func (s *Store) NextEvent(ctx context.Context) (time.Time, bool, error) { panic("not yet") }

// OldestDue gives the earliest midnight that was planned and is not yet released.
func (s *Store) OldestDue(ctx context.Context) (time.Time, bool, error) { panic("not yet") }

// ClaimFeeds claims feeds to poll.
func (s *Store) ClaimFeeds(ctx context.Context, now time.Time, n int, gap, lease time.Duration, token string) ([]ClaimedFeed, error) {
	panic("not yet")
}

// ReleaseFeeds gives back what was claimed and never asked.
func (s *Store) ReleaseFeeds(ctx context.Context, token string, ids ...digest.FeedID) error {
	panic("not yet")
}

// KnownPosts gives the content hashes of known posts.
func (s *Store) KnownPosts(ctx context.Context, feed digest.FeedID, identities []string) (map[string]string, error) {
	panic("not yet")
}

// Record stores polls.
func (s *Store) Record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	panic("not yet")
}

// Release makes editions.
func (s *Store) Release(ctx context.Context, now time.Time, deadline time.Duration) (editions int, err error) {
	panic("not yet")
}

// ClaimEditions claims editions to send.
func (s *Store) ClaimEditions(ctx context.Context, now time.Time, n int, lease time.Duration, token string) ([]digest.Delivery, error) {
	panic("not yet")
}

// BeginDot commits the promise before the final dot.
func (s *Store) BeginDot(ctx context.Context, now time.Time, token string, dots []digest.Dot) (won []digest.EditionID, err error) {
	panic("not yet")
}

// Finish records what became of editions.
func (s *Store) Finish(ctx context.Context, now time.Time, token string, marks []digest.Mark) error {
	panic("not yet")
}

// ReleaseEditions gives back what is leased.
func (s *Store) ReleaseEditions(ctx context.Context, token string) error { panic("not yet") }

// Reap ends what died.
func (s *Store) Reap(ctx context.Context, now time.Time) (inDoubt int, err error) { panic("not yet") }

// ReapIdempotent is Reap for a transport that does the same thing twice without harm.
func (s *Store) ReapIdempotent(ctx context.Context, now time.Time) error { panic("not yet") }

// EditionPosts gives the posts of editions.
func (s *Store) EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error) {
	panic("not yet")
}

// WaitingPosts gives what the next midnight would bring.
func (s *Store) WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error) {
	panic("not yet")
}

// Posts gives posts by key.
func (s *Store) Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error) {
	panic("not yet")
}

// Sources gives feeds by key.
func (s *Store) Sources(ctx context.Context, ids []digest.FeedID) ([]digest.Source, error) {
	panic("not yet")
}

// OwnTitles gives readers' own titles.
func (s *Store) OwnTitles(ctx context.Context, ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]string, error) {
	panic("not yet")
}

// Editions lists a digest's editions, newest first.
func (s *Store) Editions(ctx context.Context, id digest.DigestID, limit int) ([]digest.Edition, error) {
	panic("not yet")
}

// EditionsBefore goes on where Editions ended.
func (s *Store) EditionsBefore(ctx context.Context, id digest.DigestID, before digest.EditionID, limit int) ([]digest.Edition, error) {
	panic("not yet")
}

// Edition gives an edition by key.
func (s *Store) Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error) {
	panic("not yet")
}

// Prune deletes what is old.
func (s *Store) Prune(ctx context.Context, now time.Time, keep time.Duration, batch int) (n int, err error) {
	panic("not yet")
}

// AddSignIn stores a sign-in token.
func (s *Store) AddSignIn(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	panic("not yet")
}

// TakeSignIn uses up a sign-in token.
func (s *Store) TakeSignIn(ctx context.Context, hash []byte, now time.Time) (digest.UserID, error) {
	panic("not yet")
}

// AddSession stores a session.
func (s *Store) AddSession(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error {
	panic("not yet")
}

// SessionUser gives whose session it is.
func (s *Store) SessionUser(ctx context.Context, hash []byte, now time.Time) (digest.User, error) {
	panic("not yet")
}

// EndSession forgets a session.
func (s *Store) EndSession(ctx context.Context, hash []byte) error { panic("not yet") }
