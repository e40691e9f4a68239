package web

import (
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
	"digest/web/page"
)

// A whyPage explains the place of each post of an edition, and lists the posts that are not in it.
type whyPage struct {
	Path     string // of the edition
	Date     catalogue.Sayable
	Sites    []*whySite
	Filtered []heldPost
	Copies   []render.Copy
	Beyond   []whyMore // posts beyond the reader's limit for a site
	Mail     []whyMore // posts that the email leaves out
}

// Complete reports whether the edition and its email have all posts.
func (p whyPage) Complete() bool {
	return len(p.Filtered)+len(p.Copies)+len(p.Beyond)+len(p.Mail) == 0
}

type whySite struct {
	render.Section
	Why   catalogue.Sayable // of all posts of a folded site; otherwise nil
	Posts []whyPost
}

type whyPost struct {
	*render.Post
	Why catalogue.Sayable
}

// A whyMore is the number of posts of a site that are somewhere else.
type whyMore struct {
	Posts int
	Site  string
	Path  string // of these posts
}

// whyPage shows how an edition of the reader was made.
func (s *site) whyPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return page.ErrNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	d := me.Digest.Delivery(v.Edition)
	d.Language = s.LanguageOf(r, nil).Code
	e, err := s.Editions.Edition(r.Context(), d)
	if err != nil {
		return err
	}
	p := whyPage{Path: "/editions/" + date.String(), Date: e.Dateline(), Copies: e.Copies}
	p.addSites(&e)
	if err := s.addFiltered(r, me, &p, v.DueAt); err != nil {
		return err
	}
	err = s.addMail(r, me, &p, d)
	return s.ShowPage(w, r, err, "why", catalogue.Key("How this edition was made"), &p)
}

// addSites adds the posts of the edition, once for each site.
func (p *whyPage) addSites(e *render.Edition) {
	bySite := map[digest.FeedID]*whySite{}
	for i := range e.Sections {
		section := &e.Sections[i]
		site := bySite[section.Feed]
		if site == nil {
			site = &whySite{Section: *section}
			bySite[section.Feed], p.Sites = site, append(p.Sites, site)
		}
		for j, post := range append(section.Posts[:len(section.Posts):len(section.Posts)], section.Rest...) {
			why := e.Why(section, j)
			if section.Place(j).Reason == rank.Flooded {
				site.Why, why = why, nil
			}
			site.Posts = append(site.Posts, whyPost{post, why})
		}
		if section.Beyond > 0 {
			p.Beyond = append(p.Beyond, whyMore{section.Beyond, section.Title, p.siteAt(section.Feed)})
		}
	}
}

func (p *whyPage) siteAt(id digest.FeedID) string {
	return p.Path + "?site=" + strconv.FormatInt(int64(id), 10)
}

// addFiltered adds the posts that filters removed at the midnight of the edition.
func (s *site) addFiltered(r *http.Request, me page.Reader, p *whyPage, midnight time.Time) error {
	v, err := s.Store.Subscriptions.HeldView(r.Context(), me.Digest.ID, midnight.Add(time.Second), 1)
	if err != nil {
		return err
	}
	held := heldPage{}
	for _, h := range v.Posts {
		if h.DueAt.Equal(midnight) {
			held.add(h, ownTitles(v.Subscriptions), me.Digest.TimeZone)
		}
	}
	for _, day := range held.Days {
		p.Filtered = append(p.Filtered, day.Posts...)
	}
	return nil
}

// addMail adds the posts that the edition's email left out. It renders the email again, with the reader's settings of
// today.
func (s *site) addMail(r *http.Request, me page.Reader, p *whyPage, d digest.Delivery) error {
	if !me.Digest.Mailed || d.State == digest.EditionUnmailed {
		return nil
	}
	d.Look, d.Grouping, d.Email, d.Language = me.Digest.Look, me.Digest.Grouping, me.Email, me.Language
	left, err := s.Editions.OnlyOnWeb(r.Context(), d)
	for _, site := range p.Sites {
		if n := left[site.Feed]; n > 0 {
			p.Mail = append(p.Mail, whyMore{n, site.Title, p.siteAt(site.Feed)})
		}
	}
	return err
}
