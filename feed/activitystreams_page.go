package feed

import (
	"slices"
	"strings"

	"digest"
)

// An asReader makes posts of the activities of one account.
type asReader struct {
	own     string // the host whose account it is: nothing of another is shown as its own (I9)
	bases   []string
	posts   map[string]bool // the IDs of its own posts in this document
	written []asWritten
	foreign int // left out
}

// An asWritten is a post of the account's own and what it was made of.
type asWritten struct {
	at int // its place in the document's posts
	o  *asObject
}

// asPublishes are the activities by which a post comes to be, or to be another: w3.org/TR/activitypub sections 6.2 and 6.3.
var asPublishes = []string{"Create", "Update"}

// asEvents are activities that tell of something else than a post, with an object or without.
var asEvents = []string{"Accept", "Add", "Arrive", "Block", "Dislike", "Flag", "Follow", "Ignore", "Invite", "Join", "Leave", "Like", "Listen", "Move",
	"Offer", "Read", "Reject", "Remove", "TentativeAccept", "TentativeReject", "Travel", "View"}

func (r *asReader) read(items []asValue) []Post {
	activities := r.activities(items)
	posts := make([]Post, 0, len(activities))
	for i := range activities {
		if p, ok := r.post(&activities[i], len(posts)); ok {
			posts = append(posts, p)
		}
	}
	r.join(posts)
	return posts
}

// activities gives those that posts are made of: what was deleted or taken back is left out,
// and of several that publish one object the latest stands in the place of the first.
func (r *asReader) activities(items []asValue) []asObject {
	all, gone, place := make([]asObject, 0, len(items)), map[string]bool{}, map[string]int{}
	for _, item := range items {
		a := item.object()
		id := a.Object.object().address
		switch {
		case a.is("Delete", "Undo"):
			gone[id] = gone[id] || id != "" && r.isOwn(&a)
			continue
		case !a.is("Create", "Update", "Announce") && (len(a.Object) > 0 || a.is(asEvents...)):
			continue
		case a.is("Create", "Update", "Announce") && len(a.Object.list(1)) == 0: // it publishes nothing
			continue
		case a.is(asPublishes...) && id != "" && r.isOwn(&a):
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
	return slices.DeleteFunc(all, func(a asObject) bool { return gone[a.Object.object().address] || gone[a.address] })
}

// replaces reports whether an activity tells of an object later than another that stands before
// it, among the newest first. Pleroma does not date the activity that changes a post.
func (o *asObject) replaces(other *asObject) bool {
	if isChange := o.is("Update"); isChange != other.is("Update") {
		return isChange
	}
	return o.published().After(other.published())
}

// post makes the post that is to stand at a place of an activity, or of an object that stands
// in a collection by itself.
func (r *asReader) post(a *asObject, at int) (Post, bool) {
	if a.is("Announce") {
		return r.announced(a)
	}
	o := *a
	if a.is(asPublishes...) {
		o = a.Object.object()
	}
	p, ok := r.created(a, &o)
	if ok {
		r.written = append(r.written, asWritten{at, &o})
	}
	return p, ok
}

// announced makes a post of what the account passes on. Of somebody else's post only its
// address is shown: what it says was not read at its own (I9). A group passes on what its
// members write there, which is what it is for, and so is no boost (FEP-1b12).
func (r *asReader) announced(a *asObject) (Post, bool) {
	if !isPublic(a) || !r.isOwn(a) {
		return Post{}, false
	}
	o := a.Object.object()
	isGroup := o.is(asPublishes...)
	if !isGroup && len(o.Object) > 0 { // a like, a lock
		return Post{}, false
	}
	if isGroup {
		o = o.Object.object()
		if p, ok := r.created(a, &o); ok {
			p.Author = firstOf(p.Author, accountOf(o.AttributedTo.object().address))
			return p, true
		}
	} else if len(o.AttributedTo) > 0 && hostAndPort(o.address) == r.own {
		if p, ok := r.created(a, &o); ok {
			p.GUID, p.Extra = firstOf(a.address, "boost:"+o.address), digest.Repeat
			return p, true
		}
	}
	to := firstOf(o.address, o.page())
	if !isWeb(to) || !isPublic(&o) && (len(o.To) > 0 || len(o.CC) > 0) {
		return Post{}, false
	}
	p := Post{GUID: firstOf(a.address, "boost:"+to), Link: to, bases: r.bases, Published: parseDate(a.Published.text())}
	if !isGroup {
		p.Extra = digest.Repeat
	}
	p.bodies = []text{literal(`<p>Boosts <a href="`+escape(to)+`">`+escape(to)+`</a></p>`, markup)}
	return p, true
}

// created makes a post of an object that an activity has published.
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

// author is who an object says has written it, where that is more than an address.
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

// accountOf is the name of the account whose actor has an address such as /u/ann; "" where
// the address does not tell it.
func accountOf(actor string) string {
	if name := WebFingerAccount(ProfileAccount(actor)); name != "" {
		return "@" + name
	}
	return ""
}

// isOwn reports whether an object is said to be by nobody of another host.
func (r *asReader) isOwn(o *asObject) bool {
	of := append(o.AttributedTo.addresses(), o.Actor.addresses()...)
	if isWeb(o.address) {
		of = append(of, o.address)
	}
	return !slices.ContainsFunc(of, func(address string) bool { return hostAndPort(address) != r.own })
}

// answersOthers reports whether an object answers somebody else than its own author.
func (r *asReader) answersOthers(o *asObject) bool {
	to := o.InReplyTo.object().address
	if to == "" || r.posts[to] {
		return false
	}
	by := o.AttributedTo.object().address
	return by == "" || !strings.HasPrefix(to, strings.TrimSuffix(by, "/")+"/")
}

// join gives the first post of each thread what its author has added to it without a break, in
// the order in which it was written. What continues an answer to somebody is one too.
func (r *asReader) join(posts []Post) {
	slices.Reverse(r.written) // the newest come first, also among those of one second
	slices.SortStableFunc(r.written, func(a, b asWritten) int { return posts[a.at].Published.Compare(posts[b.at].Published) })
	place := make(map[string]asWritten, len(r.written))
	for _, w := range r.written {
		place[w.o.address] = w
	}
	first := map[int]int{} // the place of a thread's first post by those of its parts
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
				continue // what it began with is not here
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

// join adds to the first post of a thread a part of it, which was made of o; its text goes to said.
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
		p.encloseFile(e)
	}
	p.images = append(p.images, part.images...)
}

// append adds HTML to the text of a post.
func (p *Post) append(added string) {
	if len(p.bodies) == 0 {
		p.bodies = []text{{}}
	}
	p.bodies[0] = literal(p.bodies[0].html()+added, markup)
}

// sameAuthor reports whether two objects are said to be by one author.
func (o *asObject) sameAuthor(other *asObject) bool {
	return o.AttributedTo.object().address == other.AttributedTo.object().address
}
