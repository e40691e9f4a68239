package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"digest"
	"digest/internal/textsearch"
	"digest/store/db"
)

// former_subscriptions stores a reader's settings of a feed when they unsubscribe, so that they can undo it. It
// stores none of a private feed, because the feed's credentials cannot be restored.

// A madeSubscription holds a reader's settings of a feed, as they are stored when the subscription ends.
type madeSubscription struct {
	Title   string          `json:"title,omitempty"`
	Folder  string          `json:"folder,omitempty"`
	Display digest.Layout   `json:"display,omitempty"`
	Most    int             `json:"most,omitempty"`
	Extras  digest.Extra    `json:"extras,omitempty"`
	RollUp  digest.Weekdays `json:"roll_up,omitempty"`
	Trial   digest.Trial    `json:"trial,omitzero"` // zero after the question
	Leads   bool            `json:"leads,omitempty"`
	Paused  bool            `json:"paused,omitempty"`
	Until   instant         `json:"until,omitempty"` // the end of the pause; 0 if only the reader ends it
	Waited  waited          `json:"waited,omitempty"`
	FormerFilters
}

// FormerFilters are the words of the filters that a reader had for one feed only.
type FormerFilters struct {
	Filters  []string `json:"filters,omitempty"`
	Only     []string `json:"only,omitempty"`
	NoShorts bool     `json:"no_shorts,omitempty"`
}

func (m *FormerFilters) add(f digest.Filter) {
	switch f.Kind {
	case digest.OnlyWords:
		m.Only = append(m.Only, f.Words)
	case digest.HideShorts:
		m.NoShorts = true
	default:
		m.Filters = append(m.Filters, f.Words)
	}
}

func (m FormerFilters) all() (all []digest.Filter) {
	for _, words := range m.Filters {
		all = append(all, digest.Filter{Words: words})
	}
	for _, words := range m.Only {
		all = append(all, digest.Filter{Kind: digest.OnlyWords, Words: words})
	}
	if m.NoShorts {
		all = append(all, digest.Filter{Kind: digest.HideShorts, Words: digest.ShortsName})
	}
	return all
}

// waited lists the posts of a feed that waited for the next edition when it was paused or ended, at most
// mostReturned.
type waited []digest.PostID

const (
	// mostReturned is how many waiting posts of a feed are restored.
	mostReturned = 1000
	// returnedWithin is how long after its first sighting a post is restored. An edition may come only once a month.
	returnedWithin = withdrawnWithin
)

// Scan implements sql.Scanner.
func (w *waited) Scan(value any) error {
	*w = nil
	return scanJSON(value, w)
}

// Scan implements sql.Scanner.
func (m *madeSubscription) Scan(value any) error {
	*m = madeSubscription{}
	return scanJSON(value, m)
}

// scanJSON decodes a column that asJSON encoded. It leaves into unchanged if the column is empty.
func scanJSON(value, into any) error {
	var text []byte
	switch v := value.(type) {
	case nil:
	case string:
		text = []byte(v)
	case []byte:
		text = v
	default:
		return fmt.Errorf("JSON is stored as %T", value)
	}
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}

func asJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// A subscriptionMade is a subscription that is about to end.
type subscriptionMade struct {
	digest.Subscription
	URL          string
	Paused       bool
	PausedUntil  instant
	WaitingPosts waited
}

// former reads a subscription that is about to end, or returns digest.NotFound.
func (c conn) former(ctx context.Context, id digest.DigestID, feed digest.FeedID) (subscriptionMade, error) {
	return readOne[subscriptionMade](ctx, c, "", noSubscription(),
		`SELECT s.digest_id, s.feed_id, s.title, s.folder, s.display, s.most, s.extras, s.leads, s.roll_up,
			s.trial_until, s.trial_ends, s.trial_asked, s.paused, s.paused_until, s.waiting_posts, f.url
		FROM subscriptions s JOIN feeds f ON f.id = s.feed_id WHERE s.digest_id = ? AND s.feed_id = ?`, id, feed)
}

// waitingOf returns the posts of a feed that wait for a digest, newest first, at most mostReturned.
func (c conn) waitingOf(ctx context.Context, id digest.DigestID, feed digest.FeedID) (posts []digest.PostID,
	err error) {
	err = c.All(ctx, &posts,
		`SELECT post_id FROM digest_posts`+waits+`post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ?)
		ORDER BY post_id DESC LIMIT ?`, id, id, feed, mostReturned)
	return posts, err
}

// keepMade stores a reader's settings of a feed before the subscription ends.
func keepMade(ctx context.Context, c conn, own subscriptionMade) error {
	if err := c.Run(ctx, keepFormer(`s.digest_id = ? AND s.feed_id = ?`), own.DigestID, own.FeedID); err != nil ||
		digest.IsPrivate(own.URL) {
		return err
	}
	m := madeSubscription{Title: own.Title, Folder: own.Folder, Display: own.Display, Most: own.Most,
		Extras: own.Extras, RollUp: own.RollUp, Leads: own.Leads,
		Paused: own.Paused, Until: own.PausedUntil, Waited: own.WaitingPosts}
	if !own.TrialAsked { // a reader who returns after the question keeps the feed
		m.Trial = own.Trial
	}
	if !own.Paused {
		w, err := c.waitingOf(ctx, own.DigestID, own.FeedID)
		if err != nil {
			return err
		}
		m.Waited = w
	}
	filters, err := filtersOf(ctx, c, own.DigestID)
	if err != nil {
		return err
	}
	for _, f := range filters {
		if f.FeedID == own.FeedID {
			m.add(f)
		}
	}
	text, err := asJSON(m)
	if err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE former_subscriptions SET settings = ? WHERE digest_id = ? AND feed_id = ?`, text,
		own.DigestID, own.FeedID)
}

// FormerSubscription returns an ended subscription that Resubscribe can restore, or digest.NotFound. The feed may
// have been merged into another before the subscription ended.
func (s Subscriptions) FormerSubscription(ctx context.Context, id digest.DigestID,
	feed digest.FeedID) (SubscriptionInfo,
	error) {
	row, err := readOne[struct {
		digest.Feed
		Settings madeSubscription
	}](ctx, s.read(), "reading a former subscription", noSubscription(),
		`SELECT `+feedColumns+`, x.settings FROM former_subscriptions x JOIN feeds f ON f.id = x.feed_id
			JOIN feed_times t ON t.feed_id = f.id
		WHERE x.digest_id = ? AND `+isFormer+` AND x.feed_id IN (SELECT m.id FROM feeds m WHERE m.id = ?
		UNION SELECT m.merged_into FROM feeds m WHERE m.id = ?)
		ORDER BY x.feed_id DESC LIMIT 1`, id, feed, feed)
	own := digest.Subscription{DigestID: id, FeedID: row.ID, Title: row.Settings.Title, Folder: row.Settings.Folder,
		Display: row.Settings.Display, Most: row.Settings.Most, Extras: row.Settings.Extras,
		RollUp: row.Settings.RollUp, Trial: row.Settings.Trial}
	return SubscriptionInfo{Subscription: own, Feed: row.Feed}, err
}

// isFormer selects rows x of feeds f with stored settings to which the reader has not subscribed again.
const isFormer = `x.settings <> '' AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = x.digest_id
	AND s.feed_id = CASE WHEN f.merged_into > 0 THEN f.merged_into ELSE f.id END)`

// A FormerFeed is a feed of a former subscription, with the reader's stored settings.
type FormerFeed struct {
	URL, Title, Folder string
	FormerFilters
}

// FormerFeeds returns the feeds whose subscriptions a digest has ended and can restore, ordered by key.
func (s Subscriptions) FormerFeeds(ctx context.Context, id digest.DigestID) ([]FormerFeed, error) {
	rows, err := readRows[struct {
		URL      string
		Settings madeSubscription
	}](ctx, s.read(), "reading the feeds that were left",
		`SELECT f.url, x.settings FROM former_subscriptions x JOIN feeds f ON f.id = x.feed_id
		WHERE x.digest_id = ? AND `+isFormer+` ORDER BY f.id`, id)
	all := make([]FormerFeed, len(rows))
	for i, r := range rows {
		all[i] = FormerFeed{r.URL, r.Settings.Title, r.Settings.Folder, r.Settings.FormerFilters}
	}
	return all, err
}

// Resubscribe undoes Unsubscribe and UnsubscribeSeveral. It restores subscriptions with their settings and their
// waiting posts, and returns how many. It skips private feeds, feeds that are not stored any longer, feeds that the
// digest never had, and present subscriptions.
func (s Subscriptions) Resubscribe(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, now time.Time) (int,
	error) {
	return s.eachFeed(ctx, "subscribing again", feeds, func(c conn, feed digest.FeedID) error {
		return resubscribe(ctx, c, id, feed, at(now))
	})
}

func resubscribe(ctx context.Context, c conn, id digest.DigestID, feed digest.FeedID, now instant) error {
	had, err := readOne[struct {
		URL        string
		MergedInto digest.FeedID
		Settings   madeSubscription
	}](ctx, c, "", noSubscription(),
		`SELECT f.url, f.merged_into, x.settings FROM former_subscriptions x JOIN feeds f ON f.id = x.feed_id
		WHERE x.digest_id = ? AND x.feed_id = ?`, id, feed)
	if err != nil {
		return err
	}
	if digest.IsPrivate(had.URL) {
		return noSubscription()
	}
	if had.MergedInto != 0 {
		feed = had.MergedInto
	}
	n, err := c.Number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, id, feed)
	if err != nil {
		return err
	}
	if n > 0 {
		return noSubscription()
	}
	m := had.Settings
	sub := digest.Subscription{DigestID: id, FeedID: feed, Title: m.Title, Folder: m.Folder, Display: m.Display,
		Most: m.Most, Extras: m.Extras, RollUp: m.RollUp, Trial: m.Trial}
	if _, err := subscribe(ctx, c, sub, now); err != nil {
		return err
	}
	return returnMade(ctx, c, sub, m, now)
}

// returnMade restores the waiting posts, the lead, the filters and the pause of a subscription. A feed leads again
// only if no other feed leads now.
func returnMade(ctx context.Context, c conn, sub digest.Subscription, m madeSubscription, now instant) error {
	if err := hideThese(ctx, c, sub, m.Waited, now); err != nil {
		return err
	}
	if m.Leads {
		if err := c.Run(ctx, `UPDATE subscriptions SET leads = 1 WHERE digest_id = ? AND feed_id = ?
			AND NOT EXISTS (SELECT 1 FROM subscriptions o WHERE o.digest_id = ? AND o.leads = 1)`, sub.DigestID,
			sub.FeedID, sub.DigestID); err != nil {
			return err
		}
	}
	for _, f := range m.all() {
		f.DigestID, f.FeedID, f.CreatedAt = sub.DigestID, sub.FeedID, now.Time()
		if err := returnFilter(ctx, c, f); err != nil {
			return err
		}
	}
	if !m.Paused {
		return nil
	}
	return pauseUntil(ctx, c, sub.DigestID, sub.FeedID, m.Until)
}

// hideThese adds posts that waited before to the next edition again, if they may still come.
func hideThese(ctx context.Context, c conn, sub digest.Subscription, posts waited, now instant) error {
	if len(posts) == 0 {
		return nil
	}
	var ids []digest.PostID
	if err := c.All(ctx, &ids, `SELECT p.id FROM posts p WHERE `+mayCome+` AND p.seen_at >= ? AND p.id`+
		c.d.OneOf+` ORDER BY p.id`,
		sub.FeedID, sub.DigestID, now.Plus(-returnedWithin), posts); err != nil {
		return err
	}
	return hideNew(ctx, c, sub, ids, now)
}

// returnFilter restores a filter, unless a reader could not add it now.
func returnFilter(ctx context.Context, c conn, f digest.Filter) error {
	all, err := filtersOf(ctx, c, f.DigestID)
	f.Words = textsearch.Clean(db.Clean(f.Words))
	if err != nil || countWords(all) >= mostFilters && f.Kind != digest.HideShorts || checkFilter(f) != nil {
		return err
	}
	if _, err := insertFilter(ctx, c, f); err != nil {
		return err
	}
	return noteFiltered(ctx, c, f.DigestID)
}
