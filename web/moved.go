package web

import (
	"cmp"
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// A move is a move of one of the reader's feeds, for pages.
type move struct {
	render.Moved
	Title            string // title of the feed
	FromHost, ToHost string
	Path             string // path of the page that undoes the move

	Stays bool // the reader also follows the new address

	at   digest.FeedID // feed from which the reader can go back; 0 if that is not possible
	back bool
}

// moves returns the moves that a reader's notices mention, for pages.
func (s *site) moves(d digest.Digest, told []store.Move) (all []move) {
	for _, n := range told {
		all = append(all, move{
			Moved: render.Moved{FeedID: n.FeedID, From: digest.AddressShown(n.URL),
				To: digest.AddressShown(n.MovedTo)},
			Title:    page.Shortened(cmp.Or(n.Title, digest.HostShown(n.URL))),
			FromHost: digest.HostShown(n.URL), ToHost: digest.HostShown(n.MovedTo),
			at: n.At, back: n.Back, Stays: n.Stays, Path: s.movedPath(d, n.FeedID),
		})
	}
	return all
}

// movedPath returns the path of the page that undoes a move, as linked in emails.
func (s *site) movedPath(d digest.Digest, feed digest.FeedID) string {
	return "/moved/" + s.Signer.SignPair(digest.ForGoingBack, digest.InRound(int64(d.ID), d.LinkRound), int64(feed))
}

// openMoves returns the moves that can be undone, by the feed that the reader follows now.
func (s *site) openMoves(d digest.Digest, told []store.Move) map[digest.FeedID]move {
	open := make(map[digest.FeedID]move)
	for _, m := range s.moves(d, told) {
		open[m.at] = m
	}
	delete(open, 0)
	return open
}

// A movePage is the view behind the link of a notice about a move. If neither Open nor Back is set,
// there is nothing to undo.
type movePage struct {
	page.NamedPage
	move
	Open bool // the reader can undo the move
	Back bool // the reader follows the old address

	of digest.Digest
}

func (p movePage) MailedTo() digest.UserID { return p.of.UserID }

// movedPage shows a button and changes nothing, because link scanners open every link in an email.
func (s *site) movedPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.movePageOf(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.of, s.movedPath(p.of, p.FeedID))
	}
	return s.showMove(w, r, p, err)
}

// goBack undoes a move. It needs only the link, which names the digest and the feed.
func (s *site) goBack(w http.ResponseWriter, r *http.Request) error {
	p, err := s.movePageOf(r)
	if err == nil && p.Open {
		err = page.OrSpent(s.changeByLink(r, p.of.UserID, store.LinkUse{DigestID: p.of.ID},
			func(st *store.Store) error {
				return st.Subscriptions.UndoMove(r.Context(), p.of.ID, p.FeedID, s.Now())
			}), page.ErrSpentMove)
		p.Open, p.Back = false, true
	}
	return s.showMove(w, r, p, err)
}

func (s *site) showMove(w http.ResponseWriter, r *http.Request, p movePage, err error) error {
	title := catalogue.Key("Nothing to undo")
	switch {
	case p.Open:
		title = catalogue.Key("Use the old address again?")
	case p.Back:
		title = catalogue.Key("Old address restored")
	}
	return s.ShowPage(w, r, err, "moved", title, p)
}

// movePageOf returns the move of the link in a request. The link works as long as the notice is
// stored. If the reader has voided the link, it returns the digest and the feed with ErrOldLink.
func (s *site) movePageOf(r *http.Request) (movePage, error) {
	number, feed, ok := s.Signer.VerifyPair(digest.ForGoingBack, r.PathValue("token"))
	if !ok {
		return movePage{}, page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	v, err := s.Store.Subscriptions.MovesView(r.Context(), digest.DigestID(id))
	if err != nil {
		return movePage{}, page.OrSpent(err, page.ErrSpentMove)
	}
	if v.Digest.LinkRound != round {
		return movePage{move: move{Moved: render.Moved{FeedID: digest.FeedID(feed)}}, of: v.Digest}, page.ErrOldLink
	}
	moves := slices.DeleteFunc(s.moves(v.Digest, v.Moves), func(m move) bool { return m.FeedID != digest.FeedID(feed) })
	if len(moves) == 0 {
		return movePage{}, page.ErrSpentMove
	}
	p := movePage{NamedPage: page.Named(v.Digest), move: moves[len(moves)-1], of: v.Digest}
	p.Open, p.Back = p.at != 0, p.back
	return p, nil
}
