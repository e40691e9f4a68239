package api

import (
	_ "embed"
	"net/http"
	"time"

	"digest"
	"digest/newsletter"
	"digest/web/page"
)

//go:embed openapi.json
var openAPI []byte

type apiNewsletter struct {
	Slug string `json:"slug"`
	Page string `json:"page"`
	newsletter.Texts
	Logo *apiLogo `json:"logo"`
	newsletter.Senders
	newsletter.Sending
	ReturnURLs []string               `json:"return_urls"`
	State      digest.NewsletterState `json:"state"`
	HeldReason string                 `json:"held_reason"`
	Members    int                    `json:"members"`
}

func (s *site) newsletterOf(r *http.Request, n digest.Newsletter) (apiNewsletter, error) {
	members, err := s.Store.Newsletters.CountMembers(r.Context(), n.ID)
	texts, senders, sending := newsletter.JSON(&n)
	return apiNewsletter{n.Slug, s.BaseURL + "/n/" + n.Slug, texts,
		apiLogoOf(page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL}), senders, sending,
		append([]string{}, n.ReturnAddresses()...), n.State, n.HeldReason, members}, err
}

func (s *site) show(r *http.Request, me apiCaller) (int, any, error) {
	n, err := s.newsletterOf(r, me.Newsletter)
	return http.StatusOK, n, err
}

// An apiChange is a change of a newsletter. Absent fields keep their values.
type apiChange struct {
	newsletter.Texts
	FromName *string `json:"from_name"`
	ReplyTo  *string `json:"reply_to"`
	newsletter.Sending
	ReturnURLs *[]string `json:"return_urls"`
}

// readChange returns n with the change in a request. The store rejects what Newsletter.Check does not allow.
func readChange(r *http.Request, n digest.Newsletter) (digest.Newsletter, error) {
	texts, _, was := newsletter.JSON(&n)
	c := apiChange{Texts: texts, FromName: &n.FromName, ReplyTo: &n.ReplyTo, Sending: was}
	err := readJSON(r, &c)
	if err != nil {
		return n, err
	}
	n.Layout, n.Images, n.CountClicks = c.Layout, c.Images, c.CountClicks
	n.ApproveWithin = time.Duration(min(max(c.ApproveWithin, -1), int64(digest.MaxApproval/time.Second)+1)) *
		time.Second
	if c.ReturnURLs != nil {
		n.ReturnURLs = digest.ReturnURLs(*c.ReturnURLs)
	}
	if c.DeliverAt != was.DeliverAt {
		if n.DeliverAt, err = digest.ParseClock(c.DeliverAt); err != nil {
			return n, apiError(http.StatusUnprocessableEntity, "deliver_at is an hour such as 07:00")
		}
	}
	if c.Days != was.Days {
		if n.Cadence, err = digest.ParseCadence(c.Days); err != nil {
			return n, apiError(http.StatusUnprocessableEntity, "days: "+err.Error())
		}
	}
	return n, nil
}

func (s *site) change(r *http.Request, me apiCaller) (int, any, error) {
	n, err := readChange(r, me.Newsletter.Wanted())
	if err == nil {
		err = s.ChangeNewsletter(r.Context(), me.Newsletter, n, false)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.showAgain(r, me)
}

// showAgain returns the newsletter as it is now stored.
func (s *site) showAgain(r *http.Request, me apiCaller) (int, any, error) {
	n, err := s.Store.Newsletters.Newsletter(r.Context(), me.Newsletter.ID)
	if err != nil {
		return 0, nil, err
	}
	me.Newsletter = n
	return s.show(r, me)
}

func (s *site) hold(r *http.Request, me apiCaller) (int, any, error) {
	if me.Newsletter.State != digest.NewsletterActive {
		return 0, nil, apiError(http.StatusConflict, "the newsletter is "+string(me.Newsletter.State)+
			"; only an active one can be put on hold")
	}
	if err := s.Store.Newsletters.ChangeNewsletterState(r.Context(), me.Newsletter, digest.NewsletterHeld,
		digest.HeldByPublisher,
		s.Now()); err != nil {
		return 0, nil, err
	}
	return s.showAgain(r, me)
}

func (s *site) release(r *http.Request, me apiCaller) (int, any, error) {
	if me.Newsletter.State != digest.NewsletterHeld || me.Newsletter.HeldReason != digest.HeldByPublisher {
		return 0, nil, apiError(http.StatusConflict,
			"the newsletter is not on hold, or only the operator can release it")
	}
	if err := s.Store.Newsletters.ChangeNewsletterState(r.Context(), me.Newsletter, digest.NewsletterActive, "",
		s.Now()); err != nil {
		return 0, nil, err
	}
	return s.showAgain(r, me)
}

// An apiDay contains the counts of one day in UTC.
type apiDay struct {
	Day        string `json:"day"`
	Joined     int64  `json:"joined"`
	Left       int64  `json:"left"`
	Sent       int64  `json:"sent"`
	Bounced    int64  `json:"bounced"`
	Complained int64  `json:"complained"`
}

// An days lists the days that have counts.
type apiDays struct {
	Days []apiDay `json:"days"`
}

// mostDays limits how far back the counts go.
const mostDays = 366

func (s *site) days(r *http.Request, me apiCaller) (int, any, error) {
	since := digest.DateOf(s.Now().UTC()).Plus(1 - newsletter.CountedDays)
	if given := r.URL.Query().Get("since"); given != "" {
		var err error
		if since, err = digest.ParseDate(given); err != nil {
			return 0, nil, apiError(http.StatusUnprocessableEntity, "since must be a date such as 2026-12-01")
		}
	}
	if first := digest.DateOf(s.Now().UTC()).Plus(-mostDays); since.Before(first) {
		since = first
	}
	days, err := s.Store.Newsletters.NewsletterDays(r.Context(), me.Newsletter.ID, since)
	answer := apiDays{Days: []apiDay{}}
	for _, d := range days {
		answer.Days = append(answer.Days, newAPIDay(d))
	}
	return http.StatusOK, answer, err
}

func newAPIDay(d newsletter.Day) apiDay {
	return apiDay{d.Day.String(), d.Joined, d.Left, d.Sent, d.Bounced, d.Complained}
}

type apiClicks struct {
	Post   int64  `json:"post"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Since  string `json:"since"` // day of the first click
	Clicks int64  `json:"clicks"`
}

func (s *site) listClicks(r *http.Request, me apiCaller) (int, any, error) {
	const most = 500
	all, err := s.Store.Newsletters.ClickCounts(r.Context(), me.Newsletter.ID, most)
	list := make([]apiClicks, len(all))
	for i, c := range all {
		list[i] = apiClicks{int64(c.Post), c.Title, c.URL, c.Since.String(), c.Clicks}
	}
	return http.StatusOK, map[string]any{"posts": list}, err
}
