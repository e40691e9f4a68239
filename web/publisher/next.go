package publisher

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
	"digest/web/page"
)

// A nextPage previews the issue that the owner's next midnight would create, with the forms that change it.
type nextPage struct {
	publisher
	Letter digest.NewsletterLetter // as stored, or as typed
	Posts  []rehearsedPost
	Pulled []digest.Post
	View   letterView
	Frame  letterFrame
	To     string // recipient of a test email; "": this instance sends no email
}

type rehearsedPost struct {
	digest.Post
	Site string
}

// A letterView is how a publisher views an issue. Each field is one of the words in viewOf.
type letterView struct{ Layout, Screen, Colours string }

// viewOf reads the view from the query. The default replaces an unknown value.
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

// Query returns the view as a query string. It needs no escaping, because viewOf accepts only known words.
func (v letterView) Query() template.URL {
	return template.URL("layout=" + v.Layout + "&on=" + v.Screen + "&in=" + v.Colours)
}

// A viewLink links to another view of the same issue.
type viewLink struct {
	Name  catalogue.Key
	Query template.URL
	Here  bool
}

// Ways returns the links to other views: by layout, by screen and by colours.
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

type way struct {
	value string
	name  catalogue.Key
}

// links returns a link for each value of a part of the view. The other parts stay unchanged.
func (v *letterView) links(part *string, ways ...way) (all []viewLink) {
	here := *part
	for _, w := range ways {
		*part = w.value
		all = append(all, viewLink{w.name, v.Query(), *part == here})
	}
	*part = here
	return all
}

// A letterFrame is the iframe that shows an issue, with the links to other views.
type letterFrame struct {
	Page  string // address of the page with the iframe
	Shown string // address of the issue itself
	View  letterView
}

// allowFrame allows a page to contain an iframe of this site.
func allowFrame(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", page.ContentPolicy+"; frame-src 'self'")
}

func (s *Site) nextPage(me publisher) error {
	_, letter, err := s.Store.Newsletters.NextLetter(me.Ctx, me.Newsletter)
	if err != nil {
		return err
	}
	return s.showNext(nextPage{publisher: me, Letter: letter})
}

// showNext shows the preview with an issue as stored, or as typed.
func (s *Site) showNext(p nextPage) error {
	ctx, n := p.Ctx, p.Newsletter
	p.View = viewOf(p.Request, n)
	if s.Mails() {
		p.To = p.Email
	}
	refs, err := s.Store.Editions.WaitingPosts(ctx, n.ArchiveID)
	if err != nil {
		return err
	}
	pulled, err := s.Store.Newsletters.PulledPosts(ctx, n.ID)
	if err != nil {
		return err
	}
	if p.Pulled, err = s.Store.Editions.Posts(ctx, pulled[:min(len(pulled), mostPulledShown)]); err != nil {
		return err
	}
	if p.Posts, err = s.Rehearsed(p.Request, refs); err != nil {
		return err
	}
	p.Frame = letterFrame{Page: p.Path() + "/next", Shown: p.Path() + "/next/preview", View: p.View}
	allowFrame(p.W)
	return p.show(nil, "publisher/next", catalogue.Key("Next issue"), p)
}

const (
	mostPulledShown    = 20
	mostRehearsedShown = 300
)

// Rehearsed returns the posts of refs with the titles of their sites, at most mostRehearsedShown.
func (s *Site) Rehearsed(r *http.Request, refs []digest.PostRef) ([]rehearsedPost, error) {
	refs = refs[:min(len(refs), mostRehearsedShown)]
	var ids []digest.PostID
	var feeds []digest.FeedID
	for _, ref := range refs {
		ids, feeds = append(ids, ref.PostID), append(feeds, ref.FeedID)
	}
	posts, err := s.Store.Editions.Posts(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	labels, err := s.Store.Editions.FeedLabels(r.Context(), feeds)
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

// letterPolicy is the Content-Security-Policy of an issue in an iframe. It allows inline styles, which email needs,
// and blocks all other active content.
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

// nextShown serves the next issue itself, for the iframe.
func (s *Site) nextShown(me publisher) error {
	archive, letter, err := s.Store.Newsletters.NextLetter(me.Ctx, me.Newsletter)
	if err != nil {
		return err
	}
	view := viewOf(me.Request, me.Newsletter)
	m, err := s.Editions.Rehearse(me.Ctx, archive, me.Newsletter, letter, digest.Layout(view.Layout), me.Email)
	if err != nil {
		return err
	}
	return showLetter(me.W, view, m)
}

// showLetter sends the HTML or the plain text of an issue, for the iframe.
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
	_, _ = w.Write([]byte(shown)) // a publisher who disconnected is no error
	return nil
}

// setNext changes the subject and the note of the next issue, or skips it.
func (s *Site) setNext(me publisher) error {
	_, next, err := s.Store.Newsletters.NextLetter(me.Ctx, me.Newsletter)
	if err != nil {
		return err
	}
	typed := typedLetter(me.Request, next)
	p := nextPage{publisher: me, Letter: typed}
	if me.PostForm.Get("date") != next.LocalDate.String() {
		p.Letter.LocalDate, me.Status = next.LocalDate, http.StatusConflict
		me.Wrong = catalogue.Key("It’s past midnight, so that issue was already created. This is the next one.")
		return s.showNext(p)
	}
	err = s.Store.Newsletters.SetNewsletterLetter(me.Ctx, typed)
	if me.Refused(err, "") {
		return s.showNext(p)
	}
	return me.saved(err, "/next", "letter")
}

func typedLetter(r *http.Request, l digest.NewsletterLetter) digest.NewsletterLetter {
	l.Subject, l.Note = digest.OneLine(r.PostForm.Get("subject")),
		strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get("note"), "\r\n", "\n"))
	l.Skipped = r.PostForm.Get("skip") == "1"
	return l
}

// pullPost excludes a post from all issues that are not sent yet.
func (s *Site) pullPost(me publisher) error {
	refs, err := s.Store.Newsletters.UnsentPosts(me.Ctx, me.Newsletter, me.Now)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if ref.PostID == digest.PostID(me.PathID) {
			return me.saved(s.Store.Newsletters.PullPost(me.Ctx, me.Newsletter.ID, ref.PostID, me.Now), "/next",
				"pulled")
		}
	}
	return page.ErrNotFound
}

func (s *Site) unpullPost(me publisher) error {
	return me.saved(s.Store.Newsletters.UnpullPost(me.Ctx, me.Newsletter.ID, digest.PostID(me.PathID)), "/next",
		"unpulled")
}

// sendTest emails the next issue, as it is now, to the publisher who requested it.
func (s *Site) sendTest(me publisher) error {
	if !s.Mails() {
		return page.ErrNotFound
	}
	if now := me.Now; !s.Limits.Tests.Allow(me.Key(), now) {
		return page.ErrTooManyTests
	}
	archive, letter, err := s.Store.Newsletters.NextLetter(me.Ctx, me.Newsletter)
	if err != nil {
		return err
	}
	layout := digest.Layout(viewOf(me.Request, me.Newsletter).Layout)
	l, err := s.Editions.TestLetter(me.Ctx, archive, me.Newsletter, letter, layout,
		s.Outbox.NewsletterFrom(me.Newsletter), me.Email)
	if err != nil {
		return fmt.Errorf("writing a test letter: %w", err)
	}
	s.Outbox.Add(mailer.LetterRequest{Write: func(context.Context) (mailer.Letter, error) { return l, nil }})
	return me.saved(nil, "/next", "sent")
}
