package poller

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"digest"
	"digest/feed"
)

// This file finds accounts of the fediverse. A search requests WebFinger for a name or the address of a page,
// then the actor, then the outbox. The first page of the outbox is the feed (w3.org/TR/activitypub).

// Values of Accept for objects other than feeds. RFC 9110 §12.5.1.
const (
	acceptActivity  = `application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"`
	acceptWebFinger = "application/jrd+json, application/json"
)

// A fediverse describes how a session sends requests to servers of the fediverse. A nil fediverse means
// that the session sends ordinary requests.
type fediverse struct {
	accept string
	signer *signer // nil: do not sign
	other  bool    // sign by RFC 9421
}

// askFediverse makes a session request objects of ActivityPub.
func (s *session) askFediverse(ctx context.Context, host string) {
	s.fediverse = &fediverse{accept: acceptActivity, signer: s.poller.signerFor(ctx, host)}
}

// address sets Accept and the signature of a request to the fediverse.
func (s *session) address(h http.Header, method string, r *route) {
	f := s.fediverse
	if f == nil || s.forRobots {
		return
	}
	h["Accept"] = []string{f.accept}
	if f.signer == nil {
		return
	}
	sign := f.signer.signDraft
	if f.other = f.other || s.poller.signers.wantsOther(r.host(), s.poller.now()); f.other {
		sign = f.signer.signRFC
	}
	if err := sign(h, method, r.url, s.poller.now()); err != nil {
		s.poller.log.Warn("cannot sign a request", "url", s.shown(*r), "err", err)
	}
}

// askSigned sends a request. If the host rejects its signature, askSigned repeats it once with the other
// kind of signature.
func (s *session) askSigned(ctx context.Context, method string, r route) (*answer, error) {
	a, err := s.ask(ctx, method, r)
	f := s.fediverse
	if err != nil || f == nil || f.signer == nil || f.other || s.forRobots || a.status != http.StatusUnauthorized ||
		!s.poller.signers.tryOther(r.host(), s.poller.now()) {
		return a, err
	}
	f.other = true
	a, err = s.ask(ctx, method, r)
	f.other = false
	if err == nil && a.status < 400 {
		s.poller.signers.tookOther(r.host(), s.poller.now())
	}
	return a, err
}

// speaksActivity reports whether a feed is polled as an outbox.
func speaksActivity(f digest.Feed) bool {
	return f.Kind == string(feed.ActivityStreams) || f.Kind == "" && feed.IsOutbox(f.URL)
}

// unsignedHint returns advice for a rejected unsigned request.
func (s *session) unsignedHint(a *answer) string {
	if s.fediverse == nil || s.fediverse.signer != nil || a.status != http.StatusUnauthorized &&
		a.status != http.StatusForbidden {
		return ""
	}
	return "; it answers signed requests only, for which this instance needs an address that others can reach (DIGEST_BASE_URL)"
}

// onwards follows an outbox without posts of its own to its first page, like a permanent redirect. It
// follows no address twice.
func (s *session) onwards(ctx context.Context, a *answer, doc *feed.Document) (*answer, *feed.Document, error) {
	if s.fediverse == nil || doc.Kind != feed.ActivityStreams || doc.Outbox == "" ||
		slices.Contains(a.seen, doc.Outbox) || doc.Outbox == a.address {
		return a, doc, nil
	}
	r, err := routeTo(doc.Outbox)
	if err != nil {
		return a, doc, err
	}
	r.seen, r.temporary, r.wait, r.mayBeHome = append(slices.Clip(a.seen), a.address), a.temporary, a.wait, a.isHome
	s.hold.settle(0)
	next, err := s.fetch(ctx, http.MethodGet, r)
	if err != nil {
		return a, doc, err
	}
	if !usable(next.status) {
		return a, doc, badStatus(next)
	}
	doc, err = s.parseAny(ctx, next)
	return next, doc, err
}

// A person is an account that a search looks for.
type person struct {
	asked string // the address that was typed, for which refusals are stored
	name  string // ann@example.org; "": found by a page
	page  string // the profile page, or ""
}

// webFinger finds the account that a WebFinger address names.
func (s *search) webFinger(ctx context.Context, asked string) (Result, error) {
	who := person{asked: asked, name: feed.WebFingerAccount(asked)}
	actor, err := s.lookUp(ctx, asked, &who)
	if err != nil {
		return s.refused(asked, err), notFound("@"+who.name, err)
	}
	return s.person(ctx, who, actor)
}

// lookUp sends a WebFinger request and returns the account's actor. It sets who.page to the profile page.
func (s *search) lookUp(ctx context.Context, address string, who *person) (actor string, err error) {
	s.fediverse = &fediverse{accept: acceptWebFinger}
	defer func() { s.fediverse = nil }()
	a, err := s.look(ctx, address)
	if plain, ok := withoutTLS("//"+address[len("https://"):], err); ok && s.poller.leadsHome(ctx, feed.Host(address)) {
		a, err = s.look(ctx, plain)
	}
	if t, ok := asPollError(err); ok && t.status == http.StatusNotFound {
		t.text = "its host knows no account of that name (404)"
	}
	if err != nil {
		return "", err
	}
	s.led = true
	defer s.hold.settle(0)
	var found, page string // not actor: a read that took too long still writes here after the return
	if err := s.inPlace(ctx, a, func() error { found, page = feed.ReadWebFinger(a.body); return nil }); err != nil {
		return "", err
	}
	if found == "" && page == "" {
		return "", badAnswer(a.status, "its host names no account of the fediverse")
	}
	who.page = page
	return found, nil
}

// person finds the feed of an account by its actor. If the outbox cannot be read, it searches the account's
// page like any other page. If the outbox lists no posts and the page offers no better feed, person returns
// the outbox, since the account may be new.
func (s *search) person(ctx context.Context, who person, actor string) (Result, error) {
	found, err := s.actor(ctx, &who, actor)
	poor := err == nil && found.Document != nil && (!tells(found) || found.partly)
	if err == nil && !poor || err != nil && !maySeekPage(err) {
		return found, wrongActor(who, err)
	}
	why := err
	if poor {
		why = errors.New("its outbox does not give all posts")
	}
	page := s.page
	rss, ok := s.byPage(ctx, who)
	switch {
	case ok && (!poor || rss.Document == nil || len(rss.Document.Posts) > 0):
		return s.instead(who, rss, why), nil
	case poor:
		s.hold.settle(0) // drop what was read after the outbox
		s.page = page
		found.Requests, found.Bytes = s.requests, s.bytes
		if s.host == found.Feed.Host {
			found.HostFreeAt = latest(found.HostFreeAt, s.freeAt)
		}
		return found, nil
	}
	return s.refused(who.asked, err), wrongActor(who, err)
}

// tells reports whether an outbox contains more than links to posts at its own host. A PeerTube channel
// lists its films so; its RSS feed describes them.
func tells(outbox Result) bool {
	return slices.ContainsFunc(outbox.Document.Posts, func(p feed.Post) bool {
		return p.Extra&digest.Repeat == 0 || feed.Host(p.Link) != outbox.Feed.Host
	})
}

func (s *search) byPage(ctx context.Context, who person) (Result, bool) {
	if s.page == nil && who.page != "" {
		if rss, page, failed := s.try(ctx, who.page); failed == nil && page == nil {
			return rss, true
		} else if failed == nil && page.Kind == feed.HTML {
			s.page = page
		}
	}
	if s.page == nil {
		return Result{}, false
	}
	rss, failed := s.behind(ctx, who.asked, who.page)
	return rss, failed == nil
}

// instead logs that an account is read by another feed than its outbox.
func (s *search) instead(who person, found Result, why error) Result {
	s.poller.log.Warn("using an account's RSS feed instead of ActivityPub", "account", who.shown(), "feed",
		digest.AddressWithoutCredentials(found.Feed.URL), "why", why)
	return found
}

func (w person) shown() string {
	if w.name != "" {
		return "@" + w.name
	}
	return w.asked
}

func wrongActor(who person, err error) error {
	if err == nil {
		return nil
	}
	return notFound(who.shown(), err)
}

// maySeekPage reports whether a search may request an account's page after its outbox failed.
func maySeekPage(err error) bool {
	t, ok := asPollError(err)
	return ok && !t.unanswered && !t.throttled()
}

// mostSteps is the maximum number of objects that a search reads to find the posts of an account: a post, its
// actor, the actor to which the account moved, and the outbox.
const mostSteps = 5

// actor finds the outbox of an actor. It sets who.page to the account's page.
func (s *search) actor(ctx context.Context, who *person, address string) (Result, error) {
	if address == "" {
		return Result{}, &pollError{text: "it names no actor of ActivityPub"}
	}
	s.led = true
	var owner *feed.Document
	moved, withholds := "", false
	defer func() { s.fediverse = nil }()
	for range mostSteps {
		s.askFediverse(ctx, feed.Host(address))
		found, doc, err := s.try(ctx, address)
		switch {
		case err != nil:
			return Result{}, err
		case doc == nil && found.Document == nil: // a known feed
			return found, nil
		case doc == nil && len(found.Document.Posts) == 0 && (withholds || found.Document.Withholds):
			s.hold.settle(0)
			return Result{}, badAnswer(http.StatusOK, "the account shows its posts to nobody who asks for its outbox")
		case doc == nil:
			nameAfter(&found.Feed, owner)
			return found, nil
		case doc.Kind == feed.ActivityStreams && doc.By != "" && owner == nil && moved == "":
			address = doc.By
			continue
		case doc.Kind != feed.ActivityStreams || doc.Outbox == "":
			return Result{}, badAnswer(http.StatusOK, "the answer is no actor of ActivityPub")
		case doc.MovedTo != "" && moved == "":
			moved, address = address, doc.MovedTo
			continue
		case moved != "" && owner == nil && !slices.Contains(doc.Aliases, moved):
			return Result{}, badAnswer(http.StatusOK,
				"the account has moved to another one, which does not confirm the move"+didYouMean(address))
		case doc.Suspended:
			return Result{}, badAnswer(http.StatusOK, "its server has suspended the account")
		}
		withholds = doc.Withholds
		if owner == nil {
			owner = doc
			if doc.Link != "" && s.page == nil {
				who.page = doc.Link
			}
		}
		address = doc.Outbox
	}
	return Result{}, badAnswer(http.StatusOK, "its outbox leads nowhere")
}

// didYouMean suggests the account of an actor. It returns "" if the address does not contain the name.
func didYouMean(actor string) string {
	if name := feed.WebFingerAccount(feed.ProfileAccount(actor)); name != "" {
		return "; did you mean @" + shortLine(name) + "?"
	}
	return ""
}

// nameAfter copies the title, page and language of an account to its feed. An outbox does not have them.
func nameAfter(f *digest.Feed, owner *feed.Document) {
	if owner == nil {
		return
	}
	f.Me = owner.OwnPages()
	f.Title, f.SiteURL, f.Language = owner.Title, feed.CleanURL(owner.Link), feed.Language(owner.Language)
}

// wantsSignature reports whether a request failed because it was unsigned or did not accept ActivityPub. The
// address must look like the address of an account or a post.
func wantsSignature(address string, err error) bool {
	t, ok := asPollError(err)
	return ok && (t.status == http.StatusUnauthorized || t.status == http.StatusNotAcceptable) &&
		cmp.Or(feed.ProfileAccount(address), feed.AuthorOf(address)) != ""
}

// profile looks for a feed behind a page that may show an account or a post. At an address such as /@ann it tries
// the actor first, at any other address the feeds that the page offers. For a post it tries the account of the author.
func (s *search) profile(ctx context.Context, asked, address string) (Result, error) {
	account := feed.ProfileAccount(address)
	actor := s.page.Actor
	if account != "" && actor == "" && len(s.page.Feeds) == 0 {
		var who person
		actor, _ = s.lookUp(ctx, account, &who)
	}
	if account != "" && actor != "" {
		return s.person(ctx, person{asked: asked, name: feed.WebFingerAccount(account), page: address}, actor)
	}
	if actor != "" && len(s.page.Feeds) == 0 { // the actor of a post or of an account
		if posts, failed := s.actor(ctx, &person{}, actor); failed == nil {
			return posts, nil
		}
		actor = ""
	}
	found, err := s.behind(ctx, asked, address)
	if err == nil {
		return found, nil
	}
	if actor != "" {
		if posts, failed := s.actor(ctx, &person{}, actor); failed == nil {
			return posts, nil
		}
	}
	if author := feed.AuthorOf(address); author != "" && digest.KindOf(err) == digest.Invalid {
		var who person
		if actor, failed := s.lookUp(ctx, author, &who); failed == nil && actor != "" {
			return s.person(ctx, person{asked: asked, name: feed.WebFingerAccount(author), page: who.page}, actor)
		}
	}
	return found, err
}
