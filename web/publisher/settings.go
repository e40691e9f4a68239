package publisher

import (
	"context"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

type settingsPage struct {
	publisher
	page.CadenceField
	Colours      digest.Colours // as typed
	OwnAddresses bool           // the newsletter can have its own sender address
}

type colourField struct {
	Name       string
	Label      catalogue.Key
	Value, Own string
}

// ColourFields returns the fields of the newsletter's colours.
func (p settingsPage) ColourFields() []colourField {
	c, own := p.Colours, digest.OwnColours()
	return []colourField{
		{"paper", catalogue.Key("Background"), c.Paper, own.Paper}, {"ink", catalogue.Key("Headlines and text"), c.Ink,
			own.Ink}, {"accent", catalogue.Key("Site names and links"), c.Accent, own.Accent},
	}
}

func approvalsToChoose() []page.Choice {
	all := []page.Choice{{Value: "0", Name: catalogue.Key("Send automatically")}}
	for h := 1; h <= int(digest.MaxApproval/time.Hour); h++ {
		all = append(all, page.Choice{Value: strconv.Itoa(h),
			Name: catalogue.Key("Wait up to %d hours for my approval, then send").With(h)})
	}
	return all
}

func (s *Site) settingsPage(me publisher) error {
	n := me.Newsletter.Wanted()
	hours := me.letterFields(&n)
	p := settingsPage{me, page.NewCadenceField(n.Cadence, n.DeliverAt), n.Colours, s.Domains != nil}
	if me.Posted() {
		wait, err := strconv.Atoi(hours)
		if err != nil || wait < 0 {
			return page.ErrBadForm
		}
		n.ApproveWithin = time.Duration(wait) * time.Hour
		p.CadenceField, n.Cadence, n.DeliverAt, me.Wrong, err = page.ReadCadence(me.Request)
		if err == nil && me.OK() {
			err = s.ChangeNewsletter(me.Ctx, me.Newsletter, n, me.Operator)
		}
		if me.OK() && !me.Refused(err, "") {
			return me.saved(err, "/settings", "settings")
		}
	}
	return me.show(nil, "publisher/settings", catalogue.Key("Settings"), p)
}

// letterFields describes the settings of a newsletter and parses them. It returns the hours of the approval.
func (me publisher) letterFields(n *digest.Newsletter) (hours string) {
	me.AddText(page.LineKind, "name", &n.Name, 60)
	me.AddText(page.AreaKind, "description", &n.Description, 2000)
	me.AddText(page.CodeKind, "site", &n.SiteURL, 200)
	me.Fields()["site"].Sample = "https://"
	me.AddText(page.LineKind, "address", &n.AddressLine, 200)
	me.AddText(page.LineKind, "subject", &n.SubjectPattern, 150)
	me.Refused(digest.CheckSubject(n.SubjectPattern), "subject")
	me.AddText(page.AreaKind, "header", &n.HeaderText, 500)
	me.AddText(page.AreaKind, "footer", &n.FooterText, 500)
	n.HeaderText, n.FooterText = digest.OneLine(n.HeaderText), digest.OneLine(n.FooterText)
	me.AddText(page.LineKind, "from", &n.FromName, 60)
	me.AddText(page.EmailKind, "reply", &n.ReplyTo, 200)
	me.AddChoice(page.RadioKind, "layout", (*string)(&n.Layout), page.LayoutsToChoose())
	me.AddChoice(page.RadioKind, "images", (*string)(&n.Images), page.PicturesToChoose())
	me.AddCheck("clicks", &n.CountClicks)
	me.AddText(page.CodesKind, "returns", &n.ReturnURLs, 4000)
	hours = strconv.Itoa(int(n.ApproveWithin / time.Hour))
	me.AddChoice(page.SelectKind, "approve", &hours, approvalsToChoose())
	if form := me.PostForm; me.Posted() {
		n.ReturnURLs = digest.ReturnURLs(strings.Fields(n.ReturnURLs))
		n.Colours = digest.Colours{Paper: form.Get("paper"), Ink: form.Get("ink"), Accent: form.Get("accent")}.Tidy()
	}
	return hours
}

// ChangeNewsletter stores a newsletter. If the operator approves newsletters, changed names of an approved newsletter
// wait for approval too, and an email informs DIGEST_CONTACT.
func (s *Site) ChangeNewsletter(ctx context.Context, was, n digest.Newsletter, byOperator bool) error {
	n.WantedName, n.WantedFromName = "", ""
	if s.Publishing == page.PublishingAsk && was.State != digest.NewsletterPending && !byOperator {
		n = n.WithNames(was)
	}
	err := s.Store.Newsletters.SetNewsletter(ctx, n, s.Now())
	if err != nil || !n.NamesWait() || was.NamesWait() || !s.Limits.Rounds.Allow("names of "+n.Slug, s.Now()) {
		return err
	}
	if waiting, err := s.Store.Newsletters.CountPending(ctx); err != nil ||
		waiting > 1 { // with more, an email was sent already
		return err
	}
	s.tellOperatorOfNames(ctx, n)
	return nil
}

// holdNewsletter stops all sending of the newsletter until its owner releases it.
func (s *Site) holdNewsletter(me publisher) error {
	if me.Newsletter.State != digest.NewsletterActive {
		return page.ErrBadForm
	}
	err := s.Store.Newsletters.ChangeNewsletterState(me.Ctx, me.Newsletter, digest.NewsletterHeld,
		digest.HeldByPublisher, me.Now)
	return me.saved(err, "", "held")
}

// releaseNewsletter ends a hold that the owner started.
func (s *Site) releaseNewsletter(me publisher) error {
	if !me.HeldByOwner() {
		return page.ErrHeldByOthers
	}
	err := s.Store.Newsletters.ChangeNewsletterState(me.Ctx, me.Newsletter, digest.NewsletterActive, "", me.Now)
	return me.saved(err, "", "released")
}

// HeldByOwner reports whether the owner put the newsletter on hold.
func (p publisher) HeldByOwner() bool {
	return p.Held() && p.Newsletter.HeldReason == digest.HeldByPublisher
}
