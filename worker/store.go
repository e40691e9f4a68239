package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
)

// PrepareRecord turns the result of a poll into a record for the store. was is the feed before the poll; it
// is zero for a feed that was just found. PrepareRecord sanitises only new and changed posts, because
// sanitising is most of the cost of reading a feed.
func PrepareRecord(ctx context.Context, st *store.Store, was digest.Feed, res poller.Result,
	now time.Time) (store.Polled, error) {
	in, err := prepare(ctx, st, was, res, now)
	if f := &in.Feed; err == nil && in.FirstRead && in.turnover.Hurries() { // its first midnight may come too late
		f.BusyInterval = poller.BusyInterval(*f, in.turnover)
		f.OwnInterval = poller.OwnInterval(*f, now)
		f.PollAt = poller.BusyPoll(*f, now)
	}
	return in.Polled, err
}

// A prepared is the record of a poll and the turnover of its document.
type prepared struct {
	store.Polled
	turnover poller.Turnover
}

func prepare(ctx context.Context, st *store.Store, was digest.Feed, res poller.Result, now time.Time) (in prepared,
	err error) {
	in.Polled = store.Polled{Feed: res.Feed, Was: was, FirstRead: was.ParsedAt.IsZero(), HostFreeAt: res.HostFreeAt,
		Poll: history(res)}
	in.Missing = poller.Missing(res.Feed)
	in.Illness, in.WasSick = poller.Illness(res.Feed, now), poller.Illness(was, now) != digest.Well
	if was.URL != "" && res.Feed.URL != was.URL {
		in.Arrival.Rename, in.Arrival.Abroad = feed.SameAddress(was.URL, res.Feed.URL),
			!feed.SameSite(was.URL, res.Feed.URL)
	}
	if !was.LastOKAt.IsZero() {
		in.turnover.Elapsed = now.Sub(was.LastOKAt)
	}
	if res.Document == nil {
		return in, nil
	}
	if res.Body != nil {
		body, err := st.Posts.Pack(store.Body{ContentType: res.ContentType, URL: res.Address, Bytes: res.Body})
		if err != nil {
			return in, err
		}
		in.Body = &body
	}
	if digest.IsPrivate(res.Address) {
		in.ReadAt = res.Address
	} else if at, err := feed.NormalURL(res.Address); err == nil { // otherwise no feed can have this address
		in.ReadAt = at
	}
	posts := res.Document.Newest(feed.MaxPosts)
	in.Windowed = len(res.Document.Posts) >= feed.MaxPosts || res.Document.Shortened
	in.list(posts)
	known, named, err := in.known(ctx, st, res)
	had := len(known) > 0
	if err == nil && !had && !in.FirstRead {
		had, err = st.Feeds.HasPosts(ctx, res.Feed.ID)
	}
	if err != nil {
		return in, fmt.Errorf("comparing %s with what is stored: %w", res.Feed.URL, err)
	}
	if in.Posts, err = sanitise(ctx, res, posts, known, now); err != nil {
		return in, fmt.Errorf("sanitising the posts of %s: %w", res.Feed.URL, err)
	}
	posts = in.dropBlank(posts, known)
	if in.FirstRead && !had {
		trim(in.Posts, now)
	}
	if moved(was, res.Feed) && in.ReadAt == res.Feed.URL {
		in.Arrival.Read = true
		in.Arrival.Posts, err = sanitise(ctx, res, posts, nil, now)
	}
	in.compare(res, posts, len(known), named, had, now)
	return in, err
}

// dropBlank removes posts without any content, as if the document did not list them. If such a post gets
// content later, it counts as new. known are the stored posts.
func (in *prepared) dropBlank(posts []feed.Post, known map[string]string) []feed.Post {
	blank := make(map[string]bool)
	in.Posts = slices.DeleteFunc(in.Posts, func(p digest.Post) bool {
		if feed.Blank(p) {
			blank[p.Identity] = true
		}
		return blank[p.Identity]
	})
	if len(blank) == 0 {
		return posts
	}
	isLeftOut := func(identity string) bool {
		_, stored := known[identity]
		return blank[identity] && !stored
	}
	for i := len(in.Listed) - 1; i >= 0; i-- {
		if isLeftOut(in.Listed[i]) {
			in.Listed, in.Dates = slices.Delete(in.Listed, i, i+1), slices.Delete(in.Dates, i, i+1)
		}
	}
	return slices.DeleteFunc(slices.Clone(posts), func(p feed.Post) bool { return isLeftOut(p.Identity) })
}

func (in *prepared) list(posts []feed.Post) {
	for i := range posts {
		in.Listed = append(in.Listed, posts[i].Identity)
		in.Dates = append(in.Dates, max(posts[i].Published.Unix(), 0))
	}
}

// known returns the content hashes of a document's stored posts. An outbox may name posts without their
// content. known lists those that are stored and returns their number.
func (in *prepared) known(ctx context.Context, st *store.Store, res poller.Result) (known map[string]string, named int,
	err error) {
	all := slices.Clone(in.Listed)
	var former []string
	claimed := make(map[string]time.Time)
	for _, m := range res.Document.Marks() {
		if m.Former != "" {
			former = append(former, m.Former)
		}
		if m.Unread != nil && m.Unread.Link < 0 {
			all, claimed[m.Identity] = append(all, m.Identity), m.Unread.Claimed
		}
	}
	if known, err = st.Feeds.KnownPosts(ctx, res.Feed.ID, slices.Concat(all, former)); err != nil {
		return nil, 0, err
	}
	for _, identity := range all[len(in.Listed):] {
		if _, is := known[identity]; is && !slices.Contains(in.Listed, identity) {
			in.Listed = append(in.Listed, identity)
			in.Dates = append(in.Dates, max(claimed[identity].Unix(), 0))
			named++
		}
	}
	return known, named, nil
}

// sanitise returns the sanitised posts that are new or changed.
func sanitise(ctx context.Context, res poller.Result, posts []feed.Post, known map[string]string,
	now time.Time) ([]digest.Post, error) {
	var clean []digest.Post
	err := res.Work(ctx, func(ctx context.Context) error {
		for i := range posts {
			p := &posts[i]
			if hash, is := known[p.Identity]; hash != p.Hash && !(is && p.LinkOnly) {
				post := p.Sanitise(now)
				post.Links = feed.Links(post, res.Feed.URL, res.Feed.SiteURL)
				clean = append(clean, post)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return clean, nil
}

// trim drops contents from the first document of a feed. For posts older than store.Recent, except the
// newest post, it keeps at most poller.UnseenBytes.
func trim(posts []digest.Post, now time.Time) {
	newest, kept := 0, 0
	for i, p := range posts {
		if p.PublishedAt.After(posts[newest].PublishedAt) {
			newest = i
		}
	}
	for i := range posts {
		p := &posts[i]
		if i == newest || p.PublishedAt.After(now.Add(-store.Recent)) {
			continue
		}
		if kept += len(p.Content); kept > poller.UnseenBytes {
			p.Content, p.Enclosures, p.Links = "", nil, nil
		}
	}
}

// compare compares the posts of a document with the stored posts of its feed. known is the number of stored
// posts in the document, and named counts those listed by address only. had reports that the feed had any
// posts.
//
// A document of several posts, none of them known, may not reach back to the last poll. Then compare
// records a gap, unless the oldest post is from before the last poll.
func (in *prepared) compare(res poller.Result, posts []feed.Post, known, named int, had bool, now time.Time) {
	oldest, newest := dates(posts, now)
	news := len(posts) + named - known
	in.turnover.Behind, in.turnover.Reach = res.Behind, poller.Reach(in.Was, res.Document, news)
	if news > 0 && (newest.IsZero() || had) { // a new entry is news, whatever its date
		in.Feed.NewestAt = now
		in.Feed.OwnInterval = poller.OwnInterval(in.Feed, now)
	}
	if in.FirstRead && !oldest.IsZero() {
		in.turnover.New, in.turnover.Elapsed = len(posts), now.Sub(oldest)
	}
	elsewhere := in.Feed.ValidatorURL != in.Was.ValidatorURL // the address returned another document
	if !had || elsewhere || len(posts) == 0 {
		return
	}
	in.turnover.Listed, in.turnover.New = len(posts)+named, news
	if !oldest.IsZero() {
		in.turnover.Span = newest.Sub(oldest)
	}
	reaches := !oldest.IsZero() && oldest.Before(in.Was.LastOKAt)
	if known == 0 && len(posts) >= leastToMiss && !in.Was.LastOKAt.IsZero() && !reaches {
		in.Gap = &digest.Gap{From: in.Was.LastOKAt, To: now}
		if oldest.After(in.Was.LastOKAt) {
			in.Gap.To = oldest
		}
	}
}

// leastToMiss is the smallest document that can reveal a gap. A feed that holds only its latest post lists
// a new post at every change.
const leastToMiss = 2

// dates returns the first and last date in a document, with future dates replaced by now. Both are zero if
// a post has no date.
func dates(posts []feed.Post, now time.Time) (oldest, newest time.Time) {
	for i := range posts {
		at := posts[i].Published
		switch {
		case at.IsZero():
			return time.Time{}, time.Time{}
		case at.After(now):
			at = now
		}
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
		if at.After(newest) {
			newest = at
		}
	}
	return oldest, newest
}

func history(res poller.Result) store.PollRecord {
	return store.PollRecord{
		At:       res.Feed.LastAttemptAt,
		Outcome:  string(res.Outcome),
		Status:   res.Status,
		Requests: res.Requests,
		Bytes:    res.Bytes,
		Took:     res.Took,
		Note:     res.Message,
	}
}

// prepare turns the poll of a claimed feed into a record for the store.
func (j *Job) prepare(ctx context.Context, c store.ClaimedFeed, res poller.Result) (store.Polled, error) {
	now := j.Now()
	if err := j.reread(ctx, c.Feed, &res); err != nil {
		return store.Polled{}, err
	}
	in, err := prepare(ctx, j.Store, c.Feed, res, now)
	if errors.Is(err, poller.ErrOverran) {
		j.Log.Warn("the posts of a feed take too long to sanitise", "feed", c.URL)
		in, err = prepare(ctx, j.Store, c.Feed, res.Overran(c.Feed, now), now)
	}
	if err == nil {
		in.Token = c.Token
		err = j.queueExtraPoll(ctx, &in, now)
	}
	return in.Polled, err
}

// queueExtraPoll schedules a poll outside the midnights of a feed's readers if the feed needs one. It needs
// one if it failed or asked to wait, publishes more in a day than its document holds, or skips hours or
// days. Most feeds need none and cost no query.
func (j *Job) queueExtraPoll(ctx context.Context, in *prepared, now time.Time) error {
	f := &in.Feed
	if f.Errors == 0 && in.Gap == nil && f.BusyInterval == 0 && f.SkipHours == 0 && f.SkipDays == 0 &&
		!in.turnover.Hurries() {
		return nil
	}
	var from time.Time
	if f.Errors > 0 { // midnights before that send no request
		from = f.NotBefore.Add(-j.Spread.Deadline)
	}
	due, err := j.Store.Feeds.FeedDue(ctx, f.ID, from)
	if err != nil {
		return fmt.Errorf("finding the next reader of %s: %w", f.URL, err)
	}
	var later time.Time
	if f.Errors > 0 && !due.IsZero() {
		if later, err = j.Store.Feeds.FeedDue(ctx, f.ID, due.Add(time.Minute)); err != nil {
			return fmt.Errorf("finding the next reader but one of %s: %w", f.URL, err)
		}
	}
	if f.Errors == 0 {
		if !due.IsZero() {
			in.turnover.UntilDue = max(due.Sub(now), 0)
		}
		f.BusyInterval = poller.BusyInterval(*f, in.turnover)
		f.OwnInterval = poller.OwnInterval(*f, now)
	}
	f.PollAt = poller.ExtraPoll(*f, due, now, j.Spread, later)
	return nil
}

// moved reports whether a poll confirmed a new address of a feed.
func moved(was, is digest.Feed) bool { return was.URL != "" && is.URL != was.URL && is.Errors == 0 }

// reread parses the stored document of a feed again if it was parsed by an older parser, so that no request
// is needed (S11). It also does so for a feed that moved, because "unchanged" means that the new address
// has the same document. The poll itself does not change.
func (j *Job) reread(ctx context.Context, was digest.Feed, res *poller.Result) error {
	moves := moved(was, res.Feed)
	if res.Outcome != poller.Unchanged || was.Parser == feed.Version && !moves || was.ParsedAt.IsZero() {
		return nil
	}
	body, found, err := j.Store.Posts.Body(ctx, was.ID)
	if err != nil {
		return fmt.Errorf("reading the stored document of %s: %w", was.URL, err)
	}
	res.Feed.Parser = feed.Version // even if reading fails: try once
	if !found {
		return nil
	}
	if moves {
		body.URL = res.Feed.URL
	}
	doc, err := j.Poller.Read(ctx, body.Bytes, body.ContentType, body.URL)
	if err != nil || !doc.IsFeed() {
		j.Log.Warn("cannot read a stored document", "feed", was.URL, "err", err)
		return nil
	}
	if moves {
		res.Address = body.URL
		poller.DescribeMoved(&res.Feed, was, doc)
	}
	res.Document = doc
	poller.NoteTopic(&res.Feed, doc, body.URL)
	res.Feed.DocInterval = doc.Interval()
	res.Feed.SkipHours, res.Feed.SkipDays = doc.SkipHours, doc.SkipDays
	return nil
}

// recordAll stores polls as they end. While one commit runs, the next polls collect, so a busy hour commits
// many at a time. An endless round also waits a moment for more polls, because no person waits.
func (r *round) recordAll() {
	for first := range r.done {
		batch, release := r.gather(first)
		var stored store.RecordResult
		err := r.retry(r.job.Hard, func() (err error) {
			stored, err = r.job.Store.Feeds.Record(r.job.Hard, r.job.Now(), batch)
			return err
		})
		if err != nil {
			r.fail(fmt.Errorf("storing %d polls: %w", len(batch), err))
		}
		if stored.Refused > 0 {
			r.job.Log.Warn("cannot store some documents; see: digest feeds", "feeds", stored.Refused)
		}
		if stored.Waiting > 0 {
			r.job.Log.Warn("feeds are over their daily quota; see: digest feeds", "posts", stored.Waiting)
		}
		if stored.Posts > 0 {
			r.job.report(Event{Kind: EventStored, Posts: stored.Posts, Hidden: stored.Hidden})
			r.job.unseen.ring()
		}
		release()
		r.end(len(batch), Summary{Posts: stored.Posts})
		if stored.Told > 0 {
			r.told.ring()
		}
	}
}

// gather collects a batch that begins with first. release frees the memory of the batch.
func (r *round) gather(first polled) (batch []store.Polled, release func()) {
	var all []polled
	pause := time.After(commitPause)
	release = func() {
		for _, p := range all {
			p.free()
		}
	}
	bytes := int64(0)
	for p, open := first, true; open; p, open = r.nextPolled(pause) {
		all, batch, bytes = append(all, p), append(batch, p.Polled), bytes+p.bytes
		if len(batch) == commitPolls || bytes >= commitBytes {
			break
		}
	}
	return batch, release
}

// nextPolled returns one more poll for a commit. more is false if the commit should start. It waits for
// polls only in an endless round, until the pause or the round ends.
func (r *round) nextPolled(pause <-chan time.Time) (p polled, more bool) {
	select {
	case p, more = <-r.done:
		return p, more
	default:
	}
	if !r.endless {
		return p, false
	}
	select {
	case p, more = <-r.done:
	case <-pause:
	case <-r.begin.Done():
	}
	return p, more
}
