package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

type publisherSettingsPage struct {
	publisherFrame
	cadenceField
	Typed digest.Newsletter
	Hours []choice // choices of how long an issue waits for approval
}

// Layouts returns the choices of layout.
func (p publisherSettingsPage) Layouts() []choice { return layoutsToChoose(p.Typed.Layout) }

// Pictures returns the choices of how to show pictures.
func (p publisherSettingsPage) Pictures() []choice { return picturesToChoose(p.Typed.Images) }

type colourField struct {
	Name       string
	Label      catalogue.Key
	Value, Own string
}

// ColourFields returns the fields of the newsletter's colours.
func (p publisherSettingsPage) ColourFields() []colourField {
	c, own := p.Typed.Colours, digest.OwnColours()
	return []colourField{
		{"paper", catalogue.Key("Background"), c.Paper, own.Paper}, {"ink", catalogue.Key("Headlines and text"), c.Ink,
			own.Ink}, {"accent", catalogue.Key("Names and links"), c.Accent, own.Accent},
	}
}

func (s *site) publisherSettingsPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	n := me.Newsletter.Wanted()
	p := publisherSettingsPage{s.publisherFrame(r, me, "settings"), newCadenceField(n.Cadence, n.DeliverAt), n,
		approvalsToChoose(n.ApproveWithin)}
	return s.show(w, r, http.StatusOK, "publisher_settings", titled(catalogue.Key("Settings"), n.Name), p)
}

func approvalsToChoose(wait time.Duration) []choice {
	all := []choice{{Value: "0", Name: catalogue.Key("Send automatically"), Chosen: wait == 0}}
	for h := 1; h <= int(digest.MaxApproval/time.Hour); h++ {
		all = append(all, choice{Value: strconv.Itoa(h),
			Name:   catalogue.Key("Wait up to %d hours for my approval, then send").With(h),
			Chosen: wait == time.Duration(h)*time.Hour})
	}
	return all
}

func (s *site) setNewsletter(w http.ResponseWriter, r *http.Request, me publisher) error {
	n, form := me.Newsletter, r.PostForm
	field, cadence, at, wrong, err := readCadence(r)
	if err != nil {
		return err
	}
	hours, err := strconv.Atoi(form.Get("approve"))
	if err != nil || hours < 0 {
		return errBadForm
	}
	n.Name, n.AddressLine, n.FromName = digest.OneLine(form.Get("name")), digest.OneLine(form.Get("address")),
		digest.OneLine(form.Get("from"))
	n.Description = strings.TrimSpace(strings.ReplaceAll(form.Get("description"), "\r\n", "\n"))
	n.HeaderText, n.FooterText = digest.OneLine(form.Get("header")), digest.OneLine(form.Get("footer"))
	n.Colours = digest.Colours{Paper: form.Get("paper"), Ink: form.Get("ink"), Accent: form.Get("accent")}.Tidy()
	n.SiteURL, n.ReplyTo = strings.TrimSpace(form.Get("site")), strings.TrimSpace(form.Get("reply"))
	n.ReturnURLs = digest.ReturnURLs(strings.Fields(form.Get("returns")))
	n.Layout, n.Images, n.Cadence, n.DeliverAt = digest.Layout(form.Get("layout")), digest.Images(form.Get("images")),
		cadence, at
	n.ApproveWithin, n.CountClicks = time.Duration(hours)*time.Hour, form.Get("clicks") == "1"
	p := publisherSettingsPage{s.publisherFrame(r, me), field, n, approvalsToChoose(n.ApproveWithin)}
	if p.Wrong = wrong; wrong == nil {
		var said catalogue.Sayable
		if said, err = asSaid(s.changeNewsletter(r.Context(), me.Newsletter, n, me.Operator)); said != nil {
			p.Wrong = said
		}
	}
	if p.Wrong != nil {
		return s.show(w, r, http.StatusUnprocessableEntity, "publisher_settings",
			titled(catalogue.Key("Settings"), me.Newsletter.Name), p)
	}
	return showSaved(w, r, err, me.Path()+"/settings", "settings")
}

// changeNewsletter stores a newsletter. If the operator approves newsletters, changed names of an approved newsletter
// wait for approval too, and an email informs DIGEST_CONTACT.
func (s *site) changeNewsletter(ctx context.Context, was, n digest.Newsletter, byOperator bool) error {
	n.WantedName, n.WantedFromName = "", ""
	if s.Publishing == PublishingAsk && was.State != digest.NewsletterPending && !byOperator {
		n = n.WithNames(was)
	}
	err := s.Store.SetNewsletter(ctx, n, s.Now())
	if err != nil || !n.NamesWait() || was.NamesWait() || !s.limits.rounds.allow("names of "+n.Slug, s.Now()) {
		return err
	}
	if waiting, err := s.Store.CountPending(ctx); err != nil || waiting > 1 { // with more, an email was sent already
		return err
	}
	s.tellOperatorOfNames(ctx, n)
	return nil
}

// holdNewsletter stops all sending of the newsletter until its owner releases it.
func (s *site) holdNewsletter(w http.ResponseWriter, r *http.Request, me publisher) error {
	if me.Newsletter.State != digest.NewsletterActive {
		return errBadForm
	}
	err := s.Store.ChangeNewsletterState(r.Context(), me.Newsletter, digest.NewsletterHeld, digest.HeldByPublisher,
		s.Now())
	return showSaved(w, r, err, me.Path(), "held")
}

// releaseNewsletter ends a hold that the owner started.
func (s *site) releaseNewsletter(w http.ResponseWriter, r *http.Request, me publisher) error {
	if !me.HeldByOwner() {
		return errHeldByOthers
	}
	err := s.Store.ChangeNewsletterState(r.Context(), me.Newsletter, digest.NewsletterActive, "", s.Now())
	return showSaved(w, r, err, me.Path(), "released")
}

// HeldByOwner reports whether the owner put the newsletter on hold.
func (p publisher) HeldByOwner() bool {
	return p.Held() && p.Newsletter.HeldReason == digest.HeldByPublisher
}
