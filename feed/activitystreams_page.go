package feed

import (
	"slices"
	"strings"
	"time"

	"digest"
)

// An asReader converts the activities of one account to posts.
type asReader struct {
	own     string // the host of the account: posts of other hosts never appear as its own (I9)
	bases   []string
	posts   map[string]bool // the IDs of the account's posts in this document
	written []asWritten
	foreign int // number of skipped posts of other hosts
	more    More
	parsed  map[string]asObject // parsed more.Objects by address, because an outbox may name one a thousand times
	unread  []Unread
	passes  bool // whether all activities of the document are announcements
}

// An asWritten is a post of the account and its source object.
type asWritten struct {
	at int // index in the document's posts
	o  *asObject
}

// asPublishes are the activities that create or change a post: w3.org/TR/activitypub sections 6.2 and 6.3.
var asPublishes = []string{"Create", "Update"}

// asEvents are the activities that publish no post.
var asEvents = strings.Fields(`
	Accept Add Arrive Block Dislike Flag Follow Ignore Invite Join Leave Like Listen Move Offer
	Read Reject Remove TentativeAccept TentativeReject Travel View`)

func (r *asReader) read(items []asValue) []Post {
	activities := r.activities(items)
	r.passes = !slices.ContainsFunc(activities, func(a asObject) bool { return !a.is("Announce") })
	posts := make([]Post, 0, len(activities))
	for i := range activities {
		if p, ok := r.post(&activities[i], len(posts)); ok {
			posts = append(posts, p)
		}
	}
	r.join(posts)
	return posts
}

// activities returns the activities that become posts. It skips deleted and undone ones. If several publish the same
// object, the latest takes the position of the first.
func (r *asReader) activities(items []asValue) []asObject {
	all, gone, place := make([]asObject, 0, len(items)), map[string]bool{}, map[string]int{}
	for _, item := range items {
		a := item.object()
		if f, ok := r.fetched(a.address); ok && len(a.Type) == 0 {
			a = f
		}
		published := a // the activity that publishes the object; for a group, the announced activity
		if inner := a.Object.object(); a.is("Announce") && (inner.is(asPublishes...) || inner.is("Delete")) {
			published = inner
		}
		id := published.Object.object().address
		switch {
		case published.is("Delete"), a.is("Undo"):
			gone[id] = gone[id] || id != "" && r.isOwn(&a)
			continue
		case !a.is("Create", "Update", "Announce") && (len(a.Object) > 0 || a.is(asEvents...)):
			continue
		case a.is("Create", "Update", "Announce") && len(a.Object.list(1)) == 0: // it publishes nothing
			continue
		case published.is(asPublishes...) && id != "" && r.isOwn(&a):
			r.posts[id] = true
			if first, twice := place[id]; twice {
				if a.replaces(&all[first]) {
					all[first] = a
				}
				continue
			}
			place[id] = len(all)
		}
		all = append(all, a)
	}
	return slices.DeleteFunc(all, func(a asObject) bool {
		inner := a.Object.object()
		return gone[inner.address] || gone[a.address] || a.is("Announce") && gone[inner.Object.object().address]
	})
}

// replaces reports whether an activity is newer than other, an earlier item about the same object. An Update is newer
// than a Create, because Pleroma does not date the activity that changes a post.
func (o *asObject) replaces(other *asObject) bool {
	if isChange := o.is("Update"); isChange != other.is("Update") {
		return isChange
	}
	return o.published().After(other.published())
}

// post converts an activity, or a bare object in a collection, to the post with index at.
func (r *asReader) post(a *asObject, at int) (Post, bool) {
	if a.is("Announce") {
		return r.announced(a, at)
	}
	o := *a
	if a.is(asPublishes...) {
		if o = a.Object.object(); len(o.Type) == 0 && (!isPublic(a) || !r.isOwn(a)) {
			return Post{}, false
		}
	}
	if len(o.Type) == 0 { // only its address is in the outbox
		f, ok := r.fetched(o.address)
		if !ok {
			r.name(o.address, a.published(), at)
			return Post{}, false
		}
		o = f
	}
	p, ok := r.created(a, &o)
	if ok {
		p.apart = a.is("Update")
		r.written = append(r.written, asWritten{at, &o})
	}
	return p, ok
}

// name records a post of the account as unread, because the outbox has only its address.
func (r *asReader) name(address string, claimed time.Time, before int) {
	if isWeb(address) && hostAndPort(address) == r.own && !r.more.Later[address] {
		r.unread = append(r.unread, Unread{Address: address, Claimed: claimed, Link: -1, Before: before})
	}
}

// fetched returns the object that the poll fetched from address, if address is its ID and all its authors are at the
// same host.
func (r *asReader) fetched(address string) (o asObject, ok bool) {
	body, found := r.more.Objects[address]
	if !found {
		return o, false
	}
	o, known := r.parsed[address]
	if !known {
		if text, _ := decode(body, ""); o.read([]byte(text)) != nil {
			o = asObject{}
		}
		o.address = o.ID.text()
		r.parsed[address] = o
	}
	theirs := &asReader{own: hostAndPort(address)}
	return o, o.address == address && theirs.isOwn(&o)
}

// announced converts an announcement to a post. A post of another author becomes a link, unless the poll fetched it
// at its own address (I9). A group's announcement of a member's post is no boost (FEP-1b12).
func (r *asReader) announced(a *asObject, at int) (Post, bool) {
	if !isPublic(a) || !r.isOwn(a) {
		return Post{}, false
	}
	o, group := a.Object.object(), a.Actor.object().address
	switch {
	case o.is(asPublishes...):
		published := o.Object.object()
		return r.ofGroup(a, &o, &published, at)
	case len(o.Object) > 0: // a like or a lock, for example
		return Post{}, false
	case o.isFor(group):
		return r.ofGroup(a, a, &o, at)
	}
	if len(o.AttributedTo) > 0 && hostAndPort(o.address) == r.own {
		if p, ok := r.created(a, &o); ok {
			p.GUID, p.Extra = firstOf(a.address, "boost:"+o.address), digest.Repeat
			return p, true
		}
	}
	if f, ok := r.fetched(o.address); ok && f.isFor(group) {
		p, ok := r.at(hostAndPort(f.address)).member(a, &f)
		p.GUID = firstOf(a.address, "boost:"+o.address)
		return p, ok
	}
	p, ok := r.boost(a, &o)
	if ok && r.passes && isWeb(o.address) {
		r.unread = append(r.unread, Unread{Address: o.address, Claimed: p.Published, Link: at, Unsure: true, By: group})
	}
	return p, ok
}

// ofGroup converts an object that a group announces, and the activity that published it, to a post. Earlier versions
// used the announcement's ID as the GUID; Former holds it.
func (r *asReader) ofGroup(a, activity, o *asObject, at int) (Post, bool) {
	p, ok := r.passedOn(a, activity, o, at)
	if before := firstOf(a.address, "boost:"+firstOf(o.address, o.page())); before != p.GUID {
		p.Former = bounded(before)
	}
	return p, ok
}

func (r *asReader) passedOn(a, activity, o *asObject, at int) (Post, bool) {
	if f, ok := r.fetched(o.address); ok {
		return r.at(hostAndPort(f.address)).member(a, &f)
	}
	if p, ok := r.member(a, o); ok && len(o.Type) > 0 {
		return p, true
	}
	claimed := o.published()
	for _, of := range []*asObject{activity, a} {
		if claimed.IsZero() {
			claimed = of.published()
		}
	}
	p, ok := r.boost(a, o)
	if !ok || o.is("Tombstone") || r.more.Later[o.address] {
		return Post{}, false
	}
	p.GUID, p.Extra, p.Published = firstOf(o.address, p.GUID), 0, claimed
	if len(o.InReplyTo.list(1)) > 0 { // a comment: only for readers who subscribe to replies
		p.Extra = digest.Reply
		return p, true
	}
	if isWeb(o.address) {
		r.unread = append(r.unread, Unread{Address: o.address, Claimed: claimed, Link: at})
	}
	return p, true
}

// at returns a copy of r for objects that the poll fetched from another host.
func (r *asReader) at(host string) *asReader {
	theirs := *r
	theirs.own = host
	return &theirs
}

// member converts an object by a member of a group to a post.
func (r *asReader) member(a, o *asObject) (Post, bool) {
	p, ok := r.created(&asObject{To: a.To, CC: a.CC, Published: a.Published}, o)
	by := o.AttributedTo.object().address
	if p.Author = firstOf(p.Author, accountOf(by)); p.Author == "" && isWeb(by) && hostAndPort(by) == r.own {
		if f, read := r.fetched(by); read && f.isActor() {
			p.Author = firstOf(f.title(), singleSpaced(f.PreferredUsername.text()))
		} else {
			p.writtenBy = by
		}
	}
	return p, ok
}

// boost returns a post that only links to another one.
func (r *asReader) boost(a, o *asObject) (Post, bool) {
	to := firstOf(o.address, o.page())
	if !isWeb(to) || !isPublic(o) && (len(o.To) > 0 || len(o.CC) > 0) {
		return Post{}, false
	}
	p := Post{GUID: firstOf(a.address, "boost:"+to), Link: to, bases: r.bases, Published: a.published(),
		Extra: digest.Repeat, LinkOnly: true}
	p.bodies = []text{literal(`<p>Boosts <a href="`+escape(to)+`">`+escape(to)+`</a></p>`, markup)}
	return p, true
}

// isFor reports whether an object is addressed to an actor, such as a post to a group.
func (o *asObject) isFor(actor string) bool {
	for _, field := range []asValue{o.To, o.CC, o.Audience} {
		if actor != "" && slices.Contains(field.addresses(), actor) {
			return true
		}
	}
	return false
}

// created converts an object that an activity published to a post.
func (r *asReader) created(a, o *asObject) (Post, bool) {
	switch {
	case o.is("Tombstone") || len(o.Type) == 0 || o.isActor() || !isPublic(o, a):
		return Post{}, false
	case !r.isOwn(a) || !r.isOwn(o):
		r.foreign++
		return Post{}, false
	}
	p := Post{GUID: o.address, Link: o.page(), bases: r.bases, Language: o.language(), Author: o.author(a)}
	if p.Link == "" && isWeb(o.address) {
		p.Link = o.address
	}
	for _, date := range []asValue{o.Published, a.Published, o.Updated} {
		if p.Published.IsZero() {
			p.Published = parseDate(date.text())
		}
	}
	if r.answersOthers(o) {
		p.Extra = digest.Reply
	}
	if name := o.title(); name != "" {
		p.titles = []text{literal(name, plain)}
	}
	p.showObject(o)
	return p, p.GUID != "" || p.Link != ""
}

func (o *asObject) author(a *asObject) string {
	for _, field := range []asValue{o.AttributedTo, o.Actor, a.Actor} {
		for _, v := range field.list(maxInList) {
			if by := v.object(); by.title() != "" {
				return by.title()
			}
		}
	}
	return ""
}

// accountOf returns the account name for an actor address such as /u/ann; "": the address does not contain it.
func accountOf(actor string) string {
	if name := WebFingerAccount(ProfileAccount(actor)); name != "" {
		return "@" + name
	}
	return ""
}

// isOwn reports whether an object and all its authors are at the account's host.
func (r *asReader) isOwn(o *asObject) bool {
	of := append(o.AttributedTo.addresses(), o.Actor.addresses()...)
	if isWeb(o.address) {
		of = append(of, o.address)
	}
	return !slices.ContainsFunc(of, func(address string) bool { return hostAndPort(address) != r.own })
}

func (r *asReader) answersOthers(o *asObject) bool {
	to := o.InReplyTo.object().address
	if to == "" || r.posts[to] {
		return false
	}
	by := o.AttributedTo.object().address
	return by == "" || !strings.HasPrefix(to, strings.TrimSuffix(by, "/")+"/")
}

// join appends the author's consecutive replies to the first post of each thread, oldest first. A continuation of a
// reply to another author is a reply too.
func (r *asReader) join(posts []Post) {
	slices.Reverse(r.written) // the feed lists the newest first, also within one second
	slices.SortStableFunc(r.written,
		func(a, b asWritten) int { return posts[a.at].Published.Compare(posts[b.at].Published) })
	place := make(map[string]asWritten, len(r.written))
	for _, w := range r.written {
		place[w.o.address] = w
	}
	first := map[int]int{} // maps the index of a part to the index of the thread's first post
	added := map[int]*strings.Builder{}
	for _, w := range r.written {
		to, found := place[w.o.InReplyTo.object().address]
		if !found || to.at == w.at || !to.o.sameAuthor(w.o) {
			continue
		}
		if posts[to.at].Extra == digest.Reply {
			posts[w.at].Extra = digest.Reply
			continue
		}
		root, isPart := first[to.at]
		if !isPart {
			if root = to.at; len(to.o.InReplyTo.list(1)) > 0 {
				continue // the first post of the thread is not in this document
			}
		}
		if first[w.at] = root; added[root] == nil {
			added[root] = &strings.Builder{}
		}
		posts[root].join(&posts[w.at], w.o, added[root])
	}
	for at, text := range added {
		posts[at].append(text.String())
	}
}

// join appends part, a later post of the thread made from o, to the first post p. It collects the text in said.
func (p *Post) join(part *Post, o *asObject, said *strings.Builder) {
	part.PartOf = bounded(p.GUID)
	if part.warning != "" && p.excerpted == "" {
		for _, t := range p.bodies[:min(len(p.bodies), 1)] {
			p.excerpted = t.html()
		}
		p.excerpted += said.String() + "<p>" + escape(part.warning) + "</p>"
	}
	if len(part.bodies) > 0 && part.bodies[0].form == markup {
		said.WriteString("<div>" + strings.TrimSuffix(part.bodies[0].html(), o.answerLine()) + "</div>")
	}
	for _, e := range part.Enclosures {
		p.enclose(e)
	}
	p.images = append(p.images, part.images...)
}

func (p *Post) append(added string) {
	if len(p.bodies) == 0 {
		p.bodies = []text{{}}
	}
	p.bodies[0] = literal(p.bodies[0].html()+added, markup)
}

func (o *asObject) sameAuthor(other *asObject) bool {
	return o.AttributedTo.object().address == other.AttributedTo.object().address
}
