package api

import (
	_ "embed"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/newsletter"
	"digest/web/page"
)

//go:embed openapi.json
var openAPI []byte

type apiNewsletter struct {
	Slug          string                 `json:"slug"`
	Page          string                 `json:"page"`
	Name          string                 `json:"name"`
	Description   string                 `json:"description"`
	Site          string                 `json:"site"`
	AddressLine   string                 `json:"address_line"`
	Header        string                 `json:"header"`
	Footer        string                 `json:"footer"`
	Subject       string                 `json:"subject_pattern"`
	Paper         string                 `json:"paper"`
	Ink           string                 `json:"ink"`
	Accent        string                 `json:"accent"`
	Logo          *apiLogo               `json:"logo"`
	FromName      string                 `json:"from_name"`
	WantedName    string                 `json:"wanted_name"`
	WantedFrom    string                 `json:"wanted_from_name"`
	ReplyTo       string                 `json:"reply_to"`
	Days          string                 `json:"days"`
	DeliverAt     string                 `json:"deliver_at"`
	Layout        digest.Layout          `json:"layout"`
	Images        digest.Images          `json:"images"`
	ApproveWithin int64                  `json:"approve_within"` // seconds
	CountClicks   bool                   `json:"count_clicks"`
	ReturnURLs    []string               `json:"return_urls"`
	State         digest.NewsletterState `json:"state"`
	HeldReason    string                 `json:"held_reason"`
	Members       int                    `json:"members"`
}

func (s *site) newsletterOf(r *http.Request, n digest.Newsletter) (apiNewsletter, error) {
	members, err := s.Store.Newsletters.CountMembers(r.Context(), n.ID)
	return apiNewsletter{
		Slug: n.Slug, Page: s.BaseURL + "/n/" + n.Slug, Name: n.Name, Description: n.Description, Site: n.SiteURL,
		AddressLine: n.AddressLine, Header: n.HeaderText, Footer: n.FooterText, Subject: n.SubjectPattern,
		Paper: n.Paper, Ink: n.Ink, Accent: n.Accent,
		Logo:     apiLogoOf(page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL}),
		FromName: n.FromName, WantedName: n.WantedName, WantedFrom: n.WantedFromName, ReplyTo: n.ReplyTo,
		Days: n.Cadence.String(), DeliverAt: page.ClockOf(n.DeliverAt), Layout: n.Layout,
		Images: n.Images, ApproveWithin: int64(n.ApproveWithin / time.Second), CountClicks: n.CountClicks,
		ReturnURLs: append([]string{}, n.ReturnAddresses()...),
		State:      n.State, HeldReason: n.HeldReason, Members: members,
	}, err
}

func (s *site) show(r *http.Request, me apiCaller) (int, any, error) {
	n, err := s.newsletterOf(r, me.Newsletter)
	return http.StatusOK, n, err
}

// An change is a change of a newsletter. Absent fields keep their values.
type apiChange struct {
	Name          *string   `json:"name"`
	Description   *string   `json:"description"`
	Site          *string   `json:"site"`
	AddressLine   *string   `json:"address_line"`
	Header        *string   `json:"header"`
	Footer        *string   `json:"footer"`
	Subject       *string   `json:"subject_pattern"`
	Paper         *string   `json:"paper"`
	Ink           *string   `json:"ink"`
	Accent        *string   `json:"accent"`
	FromName      *string   `json:"from_name"`
	ReplyTo       *string   `json:"reply_to"`
	Days          *string   `json:"days"`
	DeliverAt     *string   `json:"deliver_at"`
	Layout        *string   `json:"layout"`
	Images        *string   `json:"images"`
	ApproveWithin *int64    `json:"approve_within"` // seconds
	CountClicks   *bool     `json:"count_clicks"`
	ReturnURLs    *[]string `json:"return_urls"`
}

// apply returns n with the change. The store rejects what Newsletter.Check does not allow.
func (c apiChange) apply(n digest.Newsletter) (digest.Newsletter, error) {
	for value, to := range map[*string]*string{c.Name: &n.Name, c.Description: &n.Description, c.Site: &n.SiteURL,
		c.AddressLine: &n.AddressLine, c.Header: &n.HeaderText, c.Footer: &n.FooterText, c.Subject: &n.SubjectPattern,
		c.Paper: &n.Paper, c.Ink: &n.Ink, c.Accent: &n.Accent, c.FromName: &n.FromName, c.ReplyTo: &n.ReplyTo} {
		if value != nil {
			*to = *value
		}
	}
	if c.Layout != nil {
		n.Layout = digest.Layout(*c.Layout)
	}
	if c.Images != nil {
		n.Images = digest.Images(*c.Images)
	}
	if c.ApproveWithin != nil {
		n.ApproveWithin = time.Duration(min(max(*c.ApproveWithin, -1), int64(digest.MaxApproval/time.Second)+1)) *
			time.Second
	}
	if c.CountClicks != nil {
		n.CountClicks = *c.CountClicks
	}
	if c.ReturnURLs != nil {
		n.ReturnURLs = strings.Join(*c.ReturnURLs, "\n")
	}
	if c.DeliverAt != nil {
		clock, err := time.Parse("15:04", *c.DeliverAt)
		if err != nil {
			return n, apiError(http.StatusUnprocessableEntity, "deliver_at is an hour such as 07:00")
		}
		n.DeliverAt = time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	}
	if c.Days == nil {
		return n, nil
	}
	var err error
	if n.Cadence, err = digest.ParseCadence(*c.Days); err != nil {
		return n, apiError(http.StatusUnprocessableEntity, "days: "+err.Error())
	}
	return n, nil
}

func (s *site) change(r *http.Request, me apiCaller) (int, any, error) {
	var c apiChange
	if err := readJSON(r, &c); err != nil {
		return 0, nil, err
	}
	n, err := c.apply(me.Newsletter.Wanted())
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
