package main

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/domains"
	"digest/newsletter"
	"digest/render"
	"digest/store"
)

func (a *app) domains(st *store.Store) (*domains.Registrar, error) {
	resolver, err := a.resolver()
	return &domains.Registrar{Store: st, Keys: a.keys(), Resolver: resolver, Now: a.clock, Log: a.log,
		Stopped: a.tellStopped(st)}, err
}

// tellStopped returns a function that emails the owner of a newsletter when its issues use the instance's address
// again.
func (a *app) tellStopped(st *store.Store) func(context.Context, digest.Newsletter, newsletter.Domain) error {
	return func(ctx context.Context, n digest.Newsletter, d newsletter.Domain) error {
		who, err := st.Newsletters.Publishers(ctx, n.ID)
		if err != nil || len(who) == 0 {
			return err
		}
		return a.mailOne(st, a.plainLetter(who[0].Email, a.stoppedWords(catalogue.Of(who[0].Language), n, d)))
	}
}

func (a *app) stoppedWords(l *catalogue.Language, n digest.Newsletter, d newsletter.Domain) render.LetterContent {
	return render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is sent from our address for now").With(n.Slug).In(l),
		Text: []string{
			catalogue.Key("The DNS record for sending from %s is not correct: %s.").With(d.Domain(),
				catalogue.RecordFinding(d.Finding)).In(l),
			catalogue.Key("Until the record is correct, we send your issues from our own address. We check the record again automatically. No issues are lost.").In(l),
		},
		Action: catalogue.Key("DNS record").In(l), URL: a.BaseURL + "/newsletters/" + n.Slug + "/domain",
		Aside: []string{catalogue.Key("If you no longer own %s, follow the link and choose “Use this site’s address”.").With(
			d.Domain()).In(l)},
	}
}

type newsletterDomainCmd struct {
	slugArg
	Address string `arg:"" optional:"" help:"The sender address at the publisher's domain; a new key replaces any earlier one."`
	Remove  bool   `help:"Send from the instance's address again, and delete the key."`
	Check   bool   `help:"Check the DNS record now."`
}

type reportedDomain struct {
	Slug      string     `json:"slug"`
	Address   string     `json:"address"`
	Signs     bool       `json:"signs"` // issues are sent from Address
	Finding   string     `json:"finding"`
	CheckedAt *time.Time `json:"checked_at"`
	SeenAt    *time.Time `json:"seen_at"`
	Name      string     `json:"name"`  // of the TXT record
	Value     string     `json:"value"` // of the TXT record
}

func (c newsletterDomainCmd) Run(a *app) error {
	if c.Remove && (c.Check || c.Address != "") || c.Check && c.Address != "" {
		return digest.Errorf(digest.Invalid, "name only one of: an address, --remove, --check")
	}
	return a.withStore(func(st *store.Store) error {
		n, err := st.Newsletters.NewsletterBySlug(a.soft, c.Slug)
		if err != nil {
			return err
		}
		if c.Remove {
			if err := st.Newsletters.RemoveNewsletterDomain(a.soft, n.ID); err != nil {
				return err
			}
			return a.say(map[string]any{"slug": n.Slug, "removed": true},
				"issues of %s now come from the instance's address; you can delete the DNS record", n.Slug)
		}
		r, err := a.domains(st)
		if err != nil {
			return err
		}
		d, err := c.change(a, st, r, n.ID)
		if err != nil {
			return err
		}
		return a.sayDomain(r, n, d)
	})
}

func (c newsletterDomainCmd) change(a *app, st *store.Store, r *domains.Registrar,
	id digest.NewsletterID) (newsletter.Domain, error) {
	if c.Address != "" {
		return r.Name(a.soft, id, c.Address)
	}
	d, err := st.Newsletters.NewsletterDomain(a.soft, id)
	if err == nil && c.Check {
		d, err = r.Look(a.soft, d)
	}
	return d, err
}

func (a *app) sayDomain(r *domains.Registrar, n digest.Newsletter, d newsletter.Domain) error {
	shown := reportedDomain{Slug: n.Slug, Address: d.FromAddress, Signs: d.Signs, Finding: d.Finding,
		CheckedAt: instant(d.CheckedAt), SeenAt: instant(d.SeenAt)}
	var err error
	if shown.Name, shown.Value, err = r.Record(d); err != nil {
		return err
	}
	state := "the record is not checked yet; issues come from the instance's address until it is visible"
	switch {
	case d.Signs && d.Finding == "":
		state = "issues come from this address and are signed"
	case d.Signs:
		state = "issues come from this address for now, but the record was not visible: " + d.Finding
	case d.Finding != "":
		state = "issues come from the instance's address: " + d.Finding
	}
	if d.Signs && d.Finding == "" {
		return a.say(shown, "%s: %s; %s", n.Slug, d.FromAddress, state)
	}
	return a.say(shown, "%s: %s; %s\n\npublish this TXT record:\n\n  name:  %s\n  value: %s\n\nas a line of a zone file:\n\n  %s\n\n%s", n.Slug, d.FromAddress, plain(state),
		shown.Name, shown.Value, zoneLine(shown.Name, shown.Value),
		fmt.Sprintf("no other record is needed: bounces go to the instance, and DMARC uses the signature; then run: digest newsletter domain %s --check", n.Slug))
}
