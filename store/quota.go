package store

import (
	"context"
	"slices"
	"time"

	"digest"
)

const (
	// mostSharers is how many readers a feed may have and still count on their accounts.
	mostSharers = 10
	// postOverhead is how many bytes a post counts beside its texts: its row and its index entries.
	postOverhead = 512
)

// An intake is what a poll wants to store, with its posts.
type intake struct {
	digest.Intake
	posts []*incoming
}

func (in *intake) add(p *incoming, edit bool) {
	post := digest.IntakePost{Bytes: sizeOf(p.Post), Edit: edit, Published: p.PublishedAt}
	if !edit && p.shownAt == 0 {
		bare := p.Post
		bare.Content, bare.Enclosures = "", nil
		post.Bare = sizeOf(bare)
	}
	in.Posts, in.posts = append(in.Posts, post), append(in.posts, p)
}

// sizeOf returns how many bytes a post counts.
func sizeOf(p digest.Post) int64 {
	return int64(postOverhead + len(p.Identity) + len(p.URL) + len(p.Title) + len(p.Author) + len(p.Summary) +
		len(p.Content) + len(p.ImageURL) + len(enclosuresText(p.Enclosures)))
}

// Bytes returns about how much memory a poll uses before it is stored, without its feed's record.
func (p Polled) Bytes() int64 {
	n := int64(0)
	for _, posts := range [][]digest.Post{p.Posts, p.Arrival.Posts} {
		for _, post := range posts {
			n += sizeOf(post)
		}
	}
	for _, identity := range p.Listed {
		n += int64(len(identity)) + 16
	}
	if p.Body != nil {
		n += int64(len(p.Body.packed) + len(p.Body.Bytes))
	}
	return n
}

// admit removes what exceeds the quotas. Posts that wait are stored after the feed's next poll, if it still lists
// them.
func (r *recording) admit(ctx context.Context) error {
	intakes := make(map[*polled]*intake)
	for _, p := range r.polls {
		if len(p.Listed) > 0 || len(p.Posts) > 0 || p.Body != nil { // its document was read
			intakes[p] = &intake{Intake: digest.Intake{Used: p.Feed.UsedOn(r.now.Time())}}
		}
	}
	if len(intakes) == 0 {
		return nil
	}
	for _, p := range r.fresh {
		intakes[p.poll].add(p, false)
	}
	for _, p := range r.known {
		if !r.frozen[p.id] || p.rewritten { // of a frozen post only a rewritten version is stored
			intakes[p.poll].add(p, true)
		}
	}
	if err := r.measureBodies(ctx, intakes); err != nil {
		return err
	}
	for _, p := range r.polls { // in the order of feeds
		if in := intakes[p]; in != nil {
			if err := r.admitPoll(ctx, p, in); err != nil {
				return err
			}
		}
	}
	waits := func(p *incoming) bool { return p.waits }
	r.fresh, r.known = slices.DeleteFunc(r.fresh, waits), slices.DeleteFunc(r.known, waits)
	return r.chargeAccounts(ctx)
}

// measureBodies computes by how much the stored documents grow.
func (r *recording) measureBodies(ctx context.Context, intakes map[*polled]*intake) error {
	var ids []digest.FeedID
	for p, in := range intakes {
		if p.Body != nil && len(p.Body.packed) > 0 {
			ids = append(ids, p.Feed.ID)
			in.Body = int64(len(p.Body.packed))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var stored []struct {
		FeedID digest.FeedID
		Bytes  int64
	}
	if err := r.c.All(ctx, &stored, `SELECT feed_id, length(body) AS bytes FROM bodies WHERE feed_id IN (`+
		list(ids)+`)`); err != nil {
		return err
	}
	were := make(map[digest.FeedID]int64, len(stored))
	for _, s := range stored {
		were[s.FeedID] = s.Bytes
	}
	for p, in := range intakes {
		in.Body = max(in.Body-were[p.Feed.ID], 0)
	}
	return nil
}

// admitPoll applies the policy to one poll. It reads the readers' accounts only if the poll exceeds the amount that
// counts for no account, which few feeds do in a day.
func (r *recording) admitPoll(ctx context.Context, p *polled, in *intake) error {
	said := r.c.policy.Admit(in.Intake)
	var readers []digest.DigestID
	if said.Share > 0 {
		var err error
		if readers, err = r.sharers(ctx, p); err != nil {
			return err
		}
		if len(readers) > 0 {
			in.Accounts = each(readers, func(id digest.DigestID) int64 { return r.accounts[id].bytes })
			said = r.c.policy.Admit(in.Intake)
		}
	}
	for _, id := range readers {
		r.accounts[id] = accountUse{r.accounts[id].bytes + said.Share, r.accounts[id].more + said.Share}
	}
	p.admitted(in, said, r.now)
	r.waiting += p.Feed.PostsWaiting
	return nil
}

// admitted applies the policy's decision to a poll.
func (p *polled) admitted(in *intake, said digest.Admission, now instant) {
	p.Feed.PostsWaiting = 0
	for i, post := range in.posts {
		switch said.Posts[i] {
		case digest.PostWaits:
			if post.rewritten { // readers have it, and only miss a later version
				post.rewritten = false
				continue
			}
			post.waits = true
			p.Feed.PostsWaiting++
			p.tellsWaiting = p.tellsWaiting || post.shownAt != 0
		case digest.PostBare:
			post.Content, post.Enclosures = "", nil
		}
	}
	if said.Bytes > 0 {
		p.Feed.QuotaBytes = in.Used + said.Bytes
		p.Feed.QuotaDay = digest.DayOf(now.Time())
	}
	if !said.Body && p.Body != nil {
		p.Body = &Body{}
	}
	if p.Feed.PostsWaiting > 0 {
		p.readAgain()
	}
}

// readAgain makes the next poll read the whole document, whatever its validators say. It leaves that poll to the next
// midnight, because the quota has no room before. A document that was read for the first time counts as not read.
func (p *polled) readAgain() {
	f := &p.Feed
	f.ETag, f.LastModified, f.BodyHash, f.BusyInterval = "", "", "", 0
	if p.first {
		f.ParsedAt = instant(0).Time()
	}
	if f.Errors == 0 && !p.again && f.SkipHours == 0 && f.SkipDays == 0 {
		f.PollAt = instant(0).Time()
	}
}

// An accountUse is what was stored today on a reader's account, and how much of it by this recording, in bytes.
type accountUse struct{ bytes, more int64 }

// sharers returns the readers on whose accounts a feed counts, and reads the accounts. It returns none if there are
// more than mostSharers.
func (r *recording) sharers(ctx context.Context, p *polled) ([]digest.DigestID, error) {
	feed := p.Feed.ID
	if p.storedFor != 0 {
		feed = p.storedFor
	}
	var ids []digest.DigestID
	err := r.c.All(ctx, &ids, `SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = ? AND s.paused = 0
		ORDER BY s.digest_id LIMIT ?`, feed, mostSharers+1)
	if err != nil || len(ids) > mostSharers {
		return nil, err
	}
	if len(ids) == 0 && p.FoundFor != 0 {
		ids = append(ids, p.FoundFor)
	}
	return ids, r.readAccounts(ctx, ids)
}

func (r *recording) readAccounts(ctx context.Context, ids []digest.DigestID) error {
	if r.accounts == nil {
		r.accounts = make(map[digest.DigestID]accountUse)
	}
	for _, id := range ids {
		if _, known := r.accounts[id]; known {
			continue
		}
		bytes, err := accountUseOf(ctx, r.c, id, r.now)
		if err != nil {
			return err
		}
		r.accounts[id] = accountUse{bytes: bytes}
	}
	return nil
}

// AccountUse returns how many bytes were stored today on the account of a digest's reader.
func (s Subscriptions) AccountUse(ctx context.Context, id digest.DigestID, now time.Time) (int64, error) {
	bytes, err := accountUseOf(ctx, s.read(), id, at(now))
	return bytes, failed("reading what was stored for a reader", err)
}

func accountUseOf(ctx context.Context, c conn, id digest.DigestID, now instant) (bytes int64, err error) {
	_, err = c.Find(ctx, &bytes, `SELECT bytes FROM account_quotas WHERE digest_id = ? AND day = ?`, id,
		digest.DayOf(now.Time()))
	return bytes, err
}

// chargeAccounts stores the use of the accounts, ordered by key to avoid deadlocks.
func (r *recording) chargeAccounts(ctx context.Context) error {
	var ids []digest.DigestID
	for id, use := range r.accounts {
		if use.more > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var v values
	for _, id := range ids {
		v.Row(id, digest.DayOf(r.now.Time()), r.accounts[id].more)
		r.accounts[id] = accountUse{bytes: r.accounts[id].bytes}
	}
	return r.c.RunRows(ctx, &v, `INSERT INTO account_quotas (digest_id, day, bytes) VALUES {rows}
		ON CONFLICT (digest_id) DO UPDATE SET day = excluded.day,
			bytes = excluded.bytes + CASE WHEN account_quotas.day = excluded.day THEN account_quotas.bytes ELSE 0 END`)
}

// noteUse stores the quota use of a feed for which this recording stores nothing else. If posts of the feed wait, its
// next poll reads the whole document.
func (r *recording) noteUse(ctx context.Context, target *polled) error {
	f := target.Feed
	for _, h := range r.heirs {
		if h.Feed.ID != f.ID {
			continue
		}
		if h.Feed.QuotaUse = f.QuotaUse; f.PostsWaiting > 0 {
			h.first = target.first
			h.readAgain()
		}
		return nil
	}
	err := r.c.Run(ctx, `UPDATE feeds SET quota_day = ?, quota_bytes = ?, posts_waiting = ? WHERE id = ?`,
		f.QuotaDay, f.QuotaBytes, f.PostsWaiting, f.ID)
	if err == nil && f.PostsWaiting > 0 {
		err = r.c.Run(ctx, `UPDATE feeds SET etag = '', last_modified = '', body_hash = '' WHERE id = ?`, f.ID)
	}
	return err
}
