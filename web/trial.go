package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// A trialQuestion is the form that asks whether to keep a site after its trial.
type trialQuestion struct {
	Text any    // the question
	Path string // of the feed
	From string // address of the page to return to; "": the site's page
}

func trialChoices(t digest.Trial) []page.Choice {
	return page.Chosen([]page.Choice{
		{Value: "", Name: catalogue.Key("No")},
		{Value: digest.TrialStaysName, Name: catalogue.Key("Keep it if I don’t answer")},
		{Value: digest.TrialEndsName, Name: catalogue.Key("Unfollow it if I don’t answer")},
	}, t.TrialName())
}

// todayIn returns the date in a digest's zone.
func (s *site) todayIn(d digest.Digest) digest.Date {
	return digest.DateOf(s.Now().In(page.ZoneOr(d.TimeZone)))
}

// Trials returns the choices for a trial.
func (m feedMenu) Trials() []page.Choice { return trialChoices(m.Own.Trial) }

// Trials returns the choices for a trial of the feeds that the reader adds.
func (p feedsFindPage) Trials() []page.Choice { return trialChoices(digest.Trial{}) }

// Question returns the question about the trial of the site, or nil if no edition has asked it.
func (p feedPage) Question() *trialQuestion {
	if !p.Own.TrialAsked {
		return nil
	}
	return &trialQuestion{Text: render.TrialQuestion(p.Title, ""), Path: p.feedMenu.Path, From: p.From}
}

// keepFeed ends the trial of a feed that the reader keeps, and returns to the edition.
func (s *site) keepFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	own := sub.Subscription
	own.Trial = digest.Trial{}
	if err := s.Store.Subscriptions.SetSubscription(r.Context(), own); err != nil {
		return err
	}
	if from := fromOf(r); from != "" {
		return page.SeeOther(w, r, from)
	}
	return showChanged(w, r, nil, sub.Feed.ID, "changed")
}

// A trialPage is the page behind the links of the question about a trial in an email.
type trialPage struct {
	remediesPage
	Answer string // the link: keep, stop or back
}

// Question returns the question, or nil if it was answered.
func (p trialPage) Question() catalogue.Sayable {
	if !p.sub.TrialAsked || p.Done != "" {
		return nil
	}
	return render.TrialQuestion(titleOf(p.sub), "")
}

// trialPage shows buttons and changes nothing, because link scanners open every link in an email. It redirects readers
// who are signed in to the site's own page.
func (s *site) trialPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.trialOf(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.of, p.Feed)
	}
	if err == nil && p.Feed != "" {
		if u, err := s.SignedIn(r); err != nil || u.ID == p.of.UserID {
			if err != nil {
				return err
			}
			return page.SeeOther(w, r, p.Feed+"#trial-question")
		}
	}
	return s.showTrial(w, r, p, err)
}

func (s *site) trialOf(r *http.Request) (trialPage, error) {
	p, err := s.feedByLink(r, digest.ForTrial, "/trial/")
	return trialPage{p, r.PathValue("answer")}, err
}

func (s *site) showTrial(w http.ResponseWriter, r *http.Request, p trialPage, err error) error {
	return s.ShowPage(w, r, err, "trial", p.Title, p)
}

// answer returns a handler for a form behind the links.
func (s *site) answer(act func(*http.Request, *remediesPage) error) page.Handler {
	return byLink(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.trialOf(r)
		if err == nil {
			err = act(r, &p.remediesPage)
		}
		return s.showTrial(w, r, p, err)
	})
}

func (s *site) keepByLink(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	p.Done = "kept"
	own := p.sub.Subscription
	own.Trial = digest.Trial{}
	return s.change(r, p, 0, func(st *store.Store) error { return st.Subscriptions.SetSubscription(r.Context(), own) })
}
