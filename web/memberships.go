package web

import (
	"net/http"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type membershipsPage struct {
	Memberships []membership
	Begins      bool // the reader has no digest yet and may create one
}

type membership struct {
	page.NewsletterName
	Days    page.DaysView
	Left    bool
	Letters []receivedLetter   // latest issues
	Leave   string             // path of the page to unsubscribe, pause or get fewer issues
	Shared  []store.SharedFeed // feeds of the newsletter that the reader also follows
}

func (s *site) membershipsPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	all, err := s.Store.Members.Memberships(r.Context(), me.ID)
	if err != nil {
		return err
	}
	of, err := s.latestLetters(r, me)
	if err != nil {
		return err
	}
	shared, err := s.Store.Members.SharedFeeds(r.Context(), me.ID)
	if err != nil {
		return err
	}
	both := make(map[digest.DigestID][]store.SharedFeed)
	for _, f := range shared {
		both[f.Membership] = append(both[f.Membership], f)
	}
	p := membershipsPage{Begins: me.MemberOnly && s.SignUp == page.SignUpOpen}
	for _, m := range all {
		n, err := s.Store.Newsletters.Newsletter(r.Context(), m.NewsletterID)
		if err != nil {
			return err
		}
		d, err := s.Store.Readers.Digest(r.Context(), m.DigestID)
		if err != nil {
			return err
		}
		p.Memberships = append(p.Memberships, membership{page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL},
			page.DaysView{Cadence: d.Cadence},
			d.State == digest.DigestLeft, of[m.DigestID], s.UnsubscribePath(d), both[m.DigestID]})
	}
	return s.Show(w, r, http.StatusOK, "memberships", catalogue.Key("Your newsletters"), p)
}

// setShared sets whether the posts of a newsletter's feed also appear in the reader's own editions.
func (s *site) setShared(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	membership, err := strconv.ParseInt(r.PostForm.Get("membership"), 10, 64)
	feed, bad := strconv.ParseInt(r.PostForm.Get("feed"), 10, 64)
	if err != nil || bad != nil || !r.PostForm.Has("once") {
		return page.ErrBadForm
	}
	set := s.Store.Members.ReadInBoth
	if r.PostForm.Get("once") == "1" {
		set = s.Store.Members.ReadInLetter
	}
	return page.SeeSaved(w, r, set(r.Context(), me.ID, digest.DigestID(membership), digest.FeedID(feed)),
		"/memberships",
		"feed")
}

// latestLetters returns the latest issues of each newsletter, by the digest of the membership.
func (s *site) latestLetters(r *http.Request, me page.Reader) (map[digest.DigestID][]receivedLetter, error) {
	const most, each = 300, 5
	all, err := s.lettersBetween(r, me, digest.Date{}, farDate(), most)
	of := make(map[digest.DigestID][]receivedLetter)
	for _, l := range all {
		if len(of[l.DigestID]) < each {
			of[l.DigestID] = append(of[l.DigestID], l)
		}
	}
	return of, err
}

// forOwnDigest protects pages that need a digest from readers who only joined newsletters. The
// operator decides whether they may create a digest.
func (s *site) forOwnDigest(h page.ReaderHandler) page.ReaderHandler {
	return func(w http.ResponseWriter, r *http.Request, me page.Reader) error {
		if !me.MemberOnly {
			return h(w, r, me)
		}
		if r.Method == http.MethodGet && (r.URL.Path == "/" || r.URL.Path == "/editions") {
			return s.membershipsPage(w, r, me)
		}
		return page.ErrMembersOnly
	}
}
