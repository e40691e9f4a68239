package poller

import (
	"context"
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/feed"
)

// The feed of an account is one page, and the account may publish more than a page in a day. An outbox may
// also name posts whose texts are at their own addresses. A poll that finds a changed page reads on, within
// bounds: further pages until one has a stored entry, then the texts of posts that are not stored.

const (
	accountPages = 4  // of one account in one poll, its first one included
	mostUnread   = 20 // posts that one poll reads at their own addresses
	fewUnread    = 6  // the same for a new account, for which a person waits, and for authors
	mostVain     = 2  // posts that a host refuses, or that belong to no group, before a poll stops
	maxObject    = 1 << 20
	mostMore     = 5 * time.Minute  // for all pages and posts of one poll
	soonMore     = 15 * time.Second // the same for a new account
	lastMore     = 3 * time.Second  // reserved for the rest of a search
	readLater    = 36 * time.Hour   // the age up to which later polls try a post again
)

// A readingOn reads the pages and posts beyond the page of an account.
type readingOn struct {
	*session
	feed  digest.Feed
	isNew bool // no poll has read it before
	first *answer
	pages []*feed.Document
	more  feed.More
	began time.Time

	behind bool            // the next poll has posts to read, and should be soon
	ends   bool            // the host refuses the next page
	texts  int             // posts read at their own addresses
	tried  int             // posts of a group that the poll tried to read
	missed int             // how many of them it could not read
	wait   time.Duration   // the longest Retry-After
	silent map[string]bool // hosts that failed, or answered 429
}

// isAccount reports whether a kind of feed is the account of a network.
func isAccount(kind feed.Kind) bool { return kind == feed.ActivityStreams || kind == feed.ATProto }

// leadsOn reports whether the page of an account has no entries, but a next page. Some servers filter the
// entries of a page after they have counted them.
func leadsOn(doc *feed.Document) bool {
	return isAccount(doc.Kind) && doc.Next != "" && len(doc.Marks()) == 0
}

// readOn reads beyond the page of an account, and returns all of it as one document. An error ends
// the poll, which stores nothing.
func (s *session) readOn(ctx context.Context, f digest.Feed, a *answer, doc *feed.Document) (*feed.Document, *readingOn,
	error) {
	r := &readingOn{session: s, feed: f, isNew: f.ParsedAt.IsZero(), first: a, pages: []*feed.Document{doc},
		began: s.poller.now(), silent: map[string]bool{},
		more: feed.More{Objects: map[string][]byte{}, Later: map[string]bool{}}}
	if !isAccount(doc.Kind) || s.private != nil || !r.isNew && s.poller.known == nil || doc.IsWhole() {
		return doc, r, nil
	}
	if !leadsOn(doc) {
		a.hash = doc.PostsHash()
	}
	defer s.aside(a)()
	if doc.Kind == feed.ActivityStreams && s.fediverse == nil {
		s.askFediverse(ctx, a.host())
	}
	inTime, cancel := r.hurry(ctx)
	defer cancel()
	if err := r.readPages(inTime); err != nil && (inTime.Err() == nil || ctx.Err() != nil) {
		return nil, r, err
	}
	all, err := r.together(ctx)
	if err != nil {
		return nil, r, err
	}
	if err := r.readTexts(inTime, all.Marks()); err != nil && (inTime.Err() == nil || ctx.Err() != nil) {
		return nil, r, err
	}
	if len(r.more.Objects)+len(r.more.Later) > 0 {
		all, err = r.together(ctx)
	}
	if err == nil && r.readAuthors(inTime, all.Marks()) {
		all, err = r.together(ctx)
	}
	return all, r, err
}

// isPartly reports whether the poll could not read most posts of a group.
func (r *readingOn) isPartly() bool { return r.missed > 0 && 2*r.missed >= r.tried }

// aside prepares a session for requests to other addresses than its feed's. The function that it returns
// restores the session.
func (s *session) aside(a *answer) (restore func()) {
	fediverse, stop, fromHome := s.fediverse, s.stop, s.fromHome
	s.stop, s.held, s.smaller = nil, int64(cap(a.body)), true
	return func() { s.fediverse, s.stop, s.fromHome, s.held, s.smaller = fediverse, stop, fromHome, 0, false }
}

// together parses the page with everything that was read beyond it.
func (r *readingOn) together(ctx context.Context) (doc *feed.Document, err error) {
	a, all := r.first, r.pages[0]
	if len(r.more.Pages)+len(r.more.Objects)+len(r.more.Later) > 0 {
		err = r.inPlace(ctx, a, func() (err error) {
			doc, err = feed.ParseMore(a.body, a.header.Get("Content-Type"), a.address, r.more)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = doc
	}
	if all.Apart = r.texts; r.ends {
		all.Next = ""
	}
	return all, nil
}

func (r *readingOn) readPages(ctx context.Context) error {
	seen := []string{r.first.address}
	for len(r.pages) < accountPages {
		last := r.pages[len(r.pages)-1]
		if last.Next == "" || slices.Contains(seen, last.Next) || r.isLate() {
			return nil
		}
		if enough, err := r.isEnough(ctx, last); enough || err != nil {
			return err
		}
		seen = append(seen, last.Next)
		a, page, err := r.page(ctx, last.Next)
		if err != nil {
			return r.withoutPage(err)
		}
		if page.Kind != last.Kind || a.host() != r.first.host() {
			return nil
		}
		r.pages, r.more.Pages = append(r.pages, page), append(r.more.Pages, a.body)
		r.held += int64(cap(a.body))
	}
	return nil
}

func (r *readingOn) page(ctx context.Context, address string) (*answer, *feed.Document, error) {
	a, err := r.readAt(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	page, err := r.parseAny(ctx, a)
	return a, page, err
}

// withoutPage decides about a poll that could not read one of its pages. If the host failed or answered 429, the
// poll fails, and a later one reads all pages. If that happens again, the poll keeps the pages that it has.
func (r *readingOn) withoutPage(err error) error {
	t, ok := asPollError(err)
	if !ok || isPassing(t) && !r.isNew && r.feed.Errors == 0 {
		return err
	}
	r.wait = max(r.wait, t.wait)
	r.ends = true
	return nil
}

func isPassing(t *pollError) bool {
	return t.status == 0 || t.status >= http.StatusInternalServerError || t.throttled()
}

// isEnough reports whether a poll needs no further page: this one has a stored entry. The first poll of an account
// stores the posts of the last day, for the first edition, and at least one post of the account itself.
func (r *readingOn) isEnough(ctx context.Context, page *feed.Document) (bool, error) {
	if r.isNew {
		own := func(p feed.Post) bool { return p.Extra == 0 }
		old := func(p feed.Post) bool { return p.Published.IsZero() || r.began.Sub(p.Published) > oneDay }
		return len(page.Unread) > 0 || slices.ContainsFunc(page.Posts, own) && slices.ContainsFunc(page.Posts, old), nil
	}
	known, err := r.stored(ctx, page.Marks())
	return len(known) > 0, err
}

func (r *readingOn) isLate() bool { return r.poller.now().Sub(r.began) > mostMore }

// hurry returns a context with a deadline for a new account, because a person waits for it.
func (r *readingOn) hurry(ctx context.Context) (context.Context, context.CancelFunc) {
	if !r.isNew {
		return ctx, func() {}
	}
	most := soonMore
	if end, bounded := ctx.Deadline(); bounded {
		most = min(most, time.Until(end)-lastMore) // the deadline is by the real clock
	}
	return context.WithTimeout(ctx, most)
}

// stored returns the content hashes of the entries that are stored, by identity.
func (r *readingOn) stored(ctx context.Context, marks []feed.Mark) (map[string]string, error) {
	if r.isNew || len(marks) == 0 {
		return nil, nil
	}
	identities := make([]string, 0, len(marks))
	for _, m := range marks {
		if identities = append(identities, m.Identity); m.Former != "" {
			identities = append(identities, m.Former)
		}
	}
	known, err := r.poller.known(ctx, r.feed.ID, identities)
	for _, m := range marks {
		if hash, is := known[m.Former]; is && m.Former != "" {
			known[m.Identity] = hash
		}
	}
	return known, err
}

// readObject requests an object of ActivityPub. An uploaded file at its host, or an address
// that redirects to another host, is not the word of the host (I9).
func (r *readingOn) readObject(ctx context.Context, address string) (*answer, error) {
	a, err := r.readAt(ctx, address)
	switch {
	case err != nil:
		return nil, err
	case a.host() != feed.Host(address):
		return nil, badAnswer(a.status, "its host leads elsewhere")
	case !feed.IsActivity(a.header.Get("Content-Type")):
		return nil, badAnswer(a.status, "its host does not send it as ActivityPub")
	}
	return a, nil
}

// readAt requests an address. It connects to an allowed network only if the feed is there (I7).
func (r *readingOn) readAt(ctx context.Context, address string) (*answer, error) {
	to, err := routeTo(address)
	if err != nil {
		return nil, err
	}
	to.mayBeHome = r.first.isHome
	if r.fediverse != nil {
		r.askFediverse(ctx, to.host())
	}
	a, err := r.fetch(ctx, http.MethodGet, to)
	if err == nil && !usable(a.status) {
		err = badStatus(a)
	}
	return a, err
}

// readTexts reads posts at their own addresses. It begins with the oldest: the posts that it leaves are newer
// than all stored ones, and so the next poll finds them.
func (r *readingOn) readTexts(ctx context.Context, marks []feed.Mark) error {
	known, err := r.stored(ctx, marks)
	if err != nil {
		return err
	}
	wanted, most := wantedOf(marks, known), fewUnread
	if !r.isNew {
		most = mostUnread
		slices.Reverse(wanted)
	}
	asked, vain, refused := 0, 0, 0
	for i, u := range wanted {
		if asked == most || r.isLate() {
			r.leave(wanted[i:])
			return nil
		}
		if u.Unsure && vain == mostVain || u.Link < 0 && refused > mostVain {
			continue
		}
		if asked++; u.Link >= 0 && !u.Unsure {
			r.tried++
		}
		switch read, err := r.readText(ctx, u); {
		case err != nil:
			return err
		case !read && u.Unsure:
			vain++
		case !read && u.Link < 0:
			refused++
		}
	}
	return nil
}

// readAuthors reads the authors of the posts of a group that are not stored, where their addresses do not
// tell the names. It reports whether it read any.
func (r *readingOn) readAuthors(ctx context.Context, marks []feed.Mark) bool {
	known, err := r.stored(ctx, marks)
	if err != nil {
		return false // the posts are complete without names
	}
	var authors []string
	for _, m := range marks {
		if _, is := known[m.Identity]; m.Author != "" && !is && !slices.Contains(authors, m.Author) &&
			len(authors) < fewUnread {
			authors = append(authors, m.Author)
		}
	}
	read := false
	for _, address := range authors {
		if r.silent[feed.Host(address)] || r.isLate() {
			continue
		}
		if a, err := r.readObject(ctx, address); err == nil {
			r.add(address, a)
			read = true
		}
	}
	return read
}

// add adds an object for together to parse.
func (r *readingOn) add(address string, a *answer) {
	r.more.Objects[address] = a.body
	r.held += int64(cap(a.body))
}

// wantedOf returns the posts to read at their own addresses, in the order of the outbox. A post that the outbox
// only names counts until the first stored entry: older ones are an archive.
func wantedOf(marks []feed.Mark, known map[string]string) (wanted []feed.Unread) {
	reached := false
	for _, m := range marks {
		_, isKnown := known[m.Identity]
		reached = reached || isKnown
		if m.Unread != nil && !isKnown && (m.Unread.Link >= 0 || !reached) {
			wanted = append(wanted, *m.Unread)
		}
	}
	return wanted
}

// leave skips posts, so that the next poll reads them. Of a new account they are an archive, and no poll reads them.
func (r *readingOn) leave(rest []feed.Unread) {
	if r.isNew {
		return
	}
	for _, u := range rest {
		if !u.Unsure {
			r.later(u.Address)
			r.behind = true
		}
	}
}

// later skips a post, so that a later poll reads it.
func (r *readingOn) later(address string) { r.more.Later[address] = true }

// readText reads one post, and reports whether it did and the post belongs to the outbox. An error ends the poll.
func (r *readingOn) readText(ctx context.Context, u feed.Unread) (bool, error) {
	host := feed.Host(u.Address)
	if r.silent[host] {
		r.miss(u, true)
		return false, nil
	}
	a, err := r.readObject(ctx, u.Address)
	if err != nil {
		t, ok := asPollError(err)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case !ok: // another worker requests from the host, or memory is short
			t = &pollError{}
		}
		r.silent[host] = isPassing(t)
		if host == r.first.host() {
			r.wait = max(r.wait, t.wait)
		}
		r.miss(u, isPassing(t))
		return false, nil
	}
	if u.Unsure {
		isFor := false
		if err := r.inPlace(ctx, a, func() error { isFor = feed.IsFor(a.body, u.By); return nil }); err != nil ||
			!isFor {
			return false, ctx.Err()
		}
	}
	r.add(u.Address, a)
	r.texts++
	return true, nil
}

// miss decides about a post that could not be read. If the failure may pass, a later poll tries again. An old
// post of a group, or one that its host refuses, becomes a link.
func (r *readingOn) miss(u feed.Unread, mayPass bool) {
	if u.Unsure {
		return
	}
	if u.Link >= 0 {
		r.missed++
	}
	switch {
	case r.isNew || !mayPass:
	case u.Link < 0:
		r.later(u.Address)
		r.behind = true
	case r.began.Sub(u.Claimed) < readLater:
		r.later(u.Address)
	}
}
