package web

import (
	"context"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
)

// A publisherNextPage is the rehearsal of a newsletter: what its owner's next midnight would bring, as it would
// look, with what may still be decided of it.
type publisherNextPage struct {
	publisherFrame
	Letter digest.NewsletterLetter // as it was decided, or typed
	Posts  []rehearsedPost
	Pulled []digest.Post
	View   letterView
	Frame  letterFrame
	To     string // whom a test is mailed to; "": no mail is sent here
}

// A rehearsedPost is one that the next letter would hold.
type rehearsedPost struct {
	digest.Post
	Site string
}

// A letterView says how a letter is looked at: each is one of a few words.
type letterView struct{ Layout, Screen, Colours string }

// viewOf reads how a letter is to be looked at; what is no choice is the first one.
func viewOf(r *http.Request, n digest.Newsletter) letterView {
	q := r.URL.Query()
	one := func(name, first string, others ...string) string {
		for _, other := range others {
			if q.Get(name) == other {
				return other
			}
		}
		return first
	}
	layout := string(n.Layout)
	return letterView{
		one("layout", layout, string(digest.FullText), string(digest.Excerpts), string(digest.Headlines)),
		one("on", "phone", "desk", "text"), one("in", "light", "dark"),
	}
}

// Query is the view as part of an address: nothing in it was typed by anybody (viewOf).
func (v letterView) Query() template.URL {
	return template.URL("layout=" + v.Layout + "&on=" + v.Screen + "&in=" + v.Colours)
}

// A viewLink leads to the same letter, looked at in another way.
type viewLink struct {
	Name  catalogue.Key
	Query template.URL
	Here  bool
}

// Ways are those in which it can be looked at: by layout, by screen, by colours.
func (v letterView) Ways() [][]viewLink {
	return [][]viewLink{
		v.links(&v.Layout, way{string(digest.FullText), catalogue.Key("Full text")},
			way{string(digest.Excerpts), catalogue.Key("Excerpts")},
			way{string(digest.Headlines), catalogue.Key("Headlines")}),
		v.links(&v.Screen, way{"phone", catalogue.Key("Phone")}, way{"desk", catalogue.Key("Desktop")},
			way{"text", catalogue.Key("Plain text")}),
		v.links(&v.Colours, way{"light", catalogue.Key("Light")}, way{"dark", catalogue.Key("Dark")}),
	}
}

// A way is a value of a part of the view, and what it is called.
type way struct {
	value string
	name  catalogue.Key
}

// links leads to each value of a part of the view, which the others keep.
func (v *letterView) links(part *string, ways ...way) (all []viewLink) {
	here := *part
	for _, w := range ways {
		*part = w.value
		all = append(all, viewLink{w.name, v.Query(), *part == here})
	}
	*part = here
	return all
}

// A letterFrame is the frame in which a letter is looked at, with the ways to look at it.
type letterFrame struct {
	Page  string // address of the page that it is part of
	Shown string // address of the letter itself
	View  letterView
}

// allowFrame lets a page have a frame with another one of this site in it.
func allowFrame(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", contentPolicy+"; frame-src 'self'")
}

// nextPage shows the rehearsal.
func (s *site) nextPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	_, letter, err := s.Store.NextLetter(r.Context(), me.Newsletter)
	if err != nil {
		return err
	}
	return s.showNext(w, r, http.StatusOK,
		publisherNextPage{publisherFrame: s.publisherFrame(r, me, "letter", "pulled", "unpulled", "sent"),
			Letter: letter})
}

// showNext shows the rehearsal with a letter as it was decided, or typed.
func (s *site) showNext(w http.ResponseWriter, r *http.Request, status int, p publisherNextPage) error {
	ctx, n := r.Context(), p.Newsletter
	p.View = viewOf(r, n)
	if s.mails() {
		p.To = p.Email
	}
	refs, err := s.Store.WaitingPosts(ctx, n.ArchiveID)
	if err != nil {
		return err
	}
	pulled, err := s.Store.PulledPosts(ctx, n.ID)
	if err != nil {
		return err
	}
	if p.Pulled, err = s.Store.Posts(ctx, pulled[:min(len(pulled), mostPulledShown)]); err != nil {
		return err
	}
	if p.Posts, err = s.rehearsed(r, refs); err != nil {
		return err
	}
	p.Frame = letterFrame{Page: p.Path() + "/next", Shown: p.Path() + "/next/preview", View: p.View}
	allowFrame(w)
	return s.show(w, r, status, "publisher_next", titled(catalogue.Key("Next issue"), n.Name), p)
}

const (
	mostPulledShown    = 20
	mostRehearsedShown = 300
)

// rehearsed gives the posts of a letter with their sites.
func (s *site) rehearsed(r *http.Request, refs []digest.PostRef) ([]rehearsedPost, error) {
	refs = refs[:min(len(refs), mostRehearsedShown)]
	var ids []digest.PostID
	var feeds []digest.FeedID
	for _, ref := range refs {
		ids, feeds = append(ids, ref.PostID), append(feeds, ref.FeedID)
	}
	posts, err := s.Store.Posts(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	labels, err := s.Store.FeedLabels(r.Context(), feeds)
	if err != nil {
		return nil, err
	}
	titles := make(map[digest.FeedID]string, len(labels))
	for _, l := range labels {
		titles[l.FeedID] = l.Title
	}
	all := make([]rehearsedPost, len(posts))
	for i, p := range posts {
		all[i] = rehearsedPost{p, titles[p.FeedID]}
	}
	return all, nil
}

// letterPolicy is for a letter that is shown in a frame of our own page: mail has its styles
// within, and whatever else is in it does nothing.
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

// nextShown is the letter itself, for the frame of the rehearsal.
func (s *site) nextShown(w http.ResponseWriter, r *http.Request, me publisher) error {
	archive, letter, err := s.Store.NextLetter(r.Context(), me.Newsletter)
	if err != nil {
		return err
	}
	view := viewOf(r, me.Newsletter)
	m, err := s.Editions.Rehearse(r.Context(), archive, me.Newsletter, letter, digest.Layout(view.Layout), me.Email)
	if err != nil {
		return err
	}
	return showLetter(w, view, m)
}

// showLetter sends a letter for the frame in which it is looked at.
func showLetter(w http.ResponseWriter, view letterView, m render.Message) error {
	shown := strings.Replace(m.HTML, "<head>", `<head><base target="_blank">`, 1)
	if view.Screen == "text" {
		shown = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>` +
			html.EscapeString(m.Subject) +
			`</title><pre style="margin:1rem;white-space:pre-wrap;font-size:.9rem;overflow-wrap:anywhere">` +
			html.EscapeString(m.Text) + `</pre>`
	}
	h := w.Header()
	h.Set("Content-Security-Policy", letterPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(shown)))
	_, _ = w.Write([]byte(shown)) // a publisher who has left is no error of ours
	return nil
}

// setNext changes the subject and the note of the next letter, or skips it.
func (s *site) setNext(w http.ResponseWriter, r *http.Request, me publisher) error {
	_, next, err := s.Store.NextLetter(r.Context(), me.Newsletter)
	if err != nil {
		return err
	}
	typed := typedLetter(r, next)
	p := publisherNextPage{publisherFrame: s.publisherFrame(r, me), Letter: typed}
	if r.PostForm.Get("date") != next.LocalDate.String() {
		p.Letter.LocalDate, p.Wrong = next.LocalDate,
			catalogue.Key("It’s past midnight, so that issue was already created. This is the next one.")
		return s.showNext(w, r, http.StatusConflict, p)
	}
	wrong, err := asSaid(s.Store.SetNewsletterLetter(r.Context(), typed))
	if wrong != nil {
		p.Wrong = wrong
		return s.showNext(w, r, http.StatusUnprocessableEntity, p)
	}
	return showSaved(w, r, err, me.Path()+"/next", "letter")
}

// typedLetter is a letter with what a form says of it.
func typedLetter(r *http.Request, l digest.NewsletterLetter) digest.NewsletterLetter {
	l.Subject, l.Note = digest.OneLine(r.PostForm.Get("subject")),
		strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get("note"), "\r\n", "\n"))
	l.Skipped = r.PostForm.Get("skip") == "1"
	return l
}

// pullPost leaves a post out of all letters that are still to come.
func (s *site) pullPost(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	refs, err := s.Store.UnsentPosts(r.Context(), me.Newsletter, s.Now())
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if ref.PostID == digest.PostID(id) {
			return showSaved(w, r, s.Store.PullPost(r.Context(), me.Newsletter.ID, ref.PostID, s.Now()), me.Path()+
				"/next", "pulled")
		}
	}
	return errNotFound
}

// unpullPost lets it in again.
func (s *site) unpullPost(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	return showSaved(w, r, s.Store.UnpullPost(r.Context(), me.Newsletter.ID, digest.PostID(id)), me.Path()+
		"/next", "unpulled")
}

// sendTest mails the next letter, as it stands, to the publisher who asks for it.
func (s *site) sendTest(w http.ResponseWriter, r *http.Request, me publisher) error {
	if !s.mails() {
		return errNotFound
	}
	if now := s.Now(); !s.limits.tests.allow(me.key(), now) {
		return errTooManyTests
	}
	archive, letter, err := s.Store.NextLetter(r.Context(), me.Newsletter)
	if err != nil {
		return err
	}
	layout := digest.Layout(viewOf(r, me.Newsletter).Layout)
	l, err := s.Editions.TestLetter(r.Context(), archive, me.Newsletter, letter, layout,
		s.Outbox.NewsletterFrom(me.Newsletter), me.Email)
	if err != nil {
		return fmt.Errorf("writing a test letter: %w", err)
	}
	s.Outbox.Add(mailer.LetterRequest{Write: func(context.Context) (mailer.Letter, error) { return l, nil }})
	return showSaved(w, r, nil, me.Path()+"/next", "sent")
}
