package main

import (
	"fmt"

	"digest"
	"digest/newsletter"
	"digest/store"
)

type newsletterPreviewCmd struct {
	reads
	slugArg
	HTML   bool          `name:"html" xor:"version" env:"-" help:"The HTML version."`
	Text   bool          `xor:"version" env:"-" help:"The text version (the default)."`
	Layout digest.Layout `type:"word" words:"headlines,excerpts,full" placeholder:"LAYOUT" env:"-" help:"Use another layout: headlines, excerpts or full."`
}

// Run prints the issue of the owner's next midnight and changes nothing.
func (c newsletterPreviewCmd) Run(a *app, st *store.Store) error {
	if err := a.noteFence(st); err != nil {
		return err
	}
	n, archive, letter, err := a.nextOf(st, c.Slug)
	if err != nil {
		return err
	}
	signer, err := a.signer(st)
	if err != nil {
		return err
	}
	m, err := a.editions(st, signer).Rehearse(a.soft, archive, n, letter, c.Layout, "")
	if err != nil {
		return err
	}
	return a.printMessage(m, c.HTML)
}

// nextOf returns a newsletter with its archive and the decisions about the next issue.
func (a *app) nextOf(st *store.Store, slug string) (n digest.Newsletter, archive digest.Digest,
	letter digest.NewsletterLetter, err error) {
	if n, err = st.Newsletters.NewsletterBySlug(a.soft, slug); err == nil {
		archive, letter, err = st.Newsletters.NextLetter(a.soft, n)
	}
	return n, archive, letter, err
}

type newsletterLetterCmd struct {
	slugArg
	Date    digest.Date `arg:"" optional:"" example:"2026-12-01" help:"The members' local date, such as 2026-12-01 (the next issue's)."`
	Subject *string     `placeholder:"TEXT" env:"-" help:"The subject of this issue; \"\" is the usual one."`
	Note    *string     `placeholder:"TEXT" env:"-" help:"A text above the posts; \"\" removes it."`
	Skip    *bool       `negatable:"" env:"-" help:"Skip this issue; its posts are in the next one."`
	Pull    []string    `placeholder:"URL" env:"-" help:"Remove the post with this address from this and all later issues."`
	Unpull  []string    `placeholder:"URL" env:"-" help:"Include the post again."`
}

type reportedLetter struct {
	Slug string `json:"slug"`
	newsletter.Letter
}

func (c newsletterLetterCmd) Run(a *app, st *store.Store) error {
	n, _, l, err := a.nextOf(st, c.Slug)
	if err == nil && !c.Date.IsZero() {
		l, err = st.Newsletters.NewsletterLetter(a.soft, n.ID, c.Date)
	}
	if err == nil && c.changes() {
		err = a.refusePastLetter(st, n, c.Date)
	}
	if err != nil {
		return err
	}
	set(&l.Subject, c.Subject)
	set(&l.Note, c.Note)
	set(&l.Skipped, c.Skip)
	if c.Subject != nil || c.Note != nil || c.Skip != nil {
		if err := st.Newsletters.SetNewsletterLetter(a.soft, l); err != nil {
			return err
		}
	}
	if err := c.pull(a, st, n); err != nil {
		return err
	}
	words := ""
	for _, said := range []struct {
		is   bool
		what string
	}{{l.Subject != "", fmt.Sprintf(", %q", plain(l.Subject))}, {l.Note != "", ", with a note"},
		{l.Skipped, ", skipped"}, {!l.ApprovedAt.IsZero(), ", approved"}} {
		if said.is {
			words += said.what
		}
	}
	return a.say(reportedLetter{n.Slug, newsletter.LetterJSON(l)}, "%s, issue of %s%s", n.Slug, l.LocalDate, words)
}

func (c newsletterLetterCmd) changes() bool {
	return c.Subject != nil || c.Note != nil || c.Skip != nil || len(c.Pull)+len(c.Unpull) > 0
}

// refusePastLetter returns an error for an issue that was already sent. The zero date means the next issue.
func (a *app) refusePastLetter(st *store.Store, n digest.Newsletter, date digest.Date) error {
	if date.IsZero() || !date.IsOver(a.now()) {
		return nil
	}
	waits, err := st.Newsletters.LetterWaits(a.soft, n.ID, date)
	if err == nil && !waits {
		err = digest.Errorf(digest.Conflict, "%s is over, and no issue of %s waits; name a later date", date, n.Slug)
	}
	return err
}

// pull removes posts from issues, or includes them again. It finds them by their addresses among the posts that were
// not sent.
func (c newsletterLetterCmd) pull(a *app, st *store.Store, n digest.Newsletter) error {
	if len(c.Pull)+len(c.Unpull) == 0 {
		return nil
	}
	refs, err := st.Newsletters.UnsentPosts(a.soft, n, a.now())
	if err != nil {
		return err
	}
	pulled, err := st.Newsletters.PulledPosts(a.soft, n.ID)
	if err != nil {
		return err
	}
	posts, err := st.Editions.Posts(a.soft, append(each(refs, func(r digest.PostRef) digest.PostID { return r.PostID }),
		pulled...))
	if err != nil {
		return err
	}
	byURL := make(map[string]digest.PostID, len(posts))
	for _, p := range posts {
		byURL[p.URL] = p.ID
	}
	for _, change := range []struct {
		urls []string
		do   func(digest.PostID) error
	}{
		{c.Pull, func(id digest.PostID) error { return st.Newsletters.PullPost(a.soft, n.ID, id, a.now()) }},
		{c.Unpull, func(id digest.PostID) error { return st.Newsletters.UnpullPost(a.soft, n.ID, id) }},
	} {
		for _, url := range change.urls {
			id, ok := byURL[url]
			if !ok {
				return digest.Errorf(digest.NotFound,
					"no post at %s waits for an issue; see: digest newsletter preview %s", plain(url), n.Slug)
			}
			if err := change.do(id); err != nil {
				return err
			}
		}
	}
	return nil
}

type newsletterHoldCmd struct {
	slugArg
	Reason string `default:"by the operator" placeholder:"TEXT" env:"-" help:"The reason that the publisher sees."`
}

func (c newsletterHoldCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	switch n.State {
	case digest.NewsletterEnded:
		return digest.Errorf(digest.Conflict, "%s has ended", n.Slug)
	case digest.NewsletterPending:
		return digest.Errorf(digest.Conflict, "%s waits for approval, and digest sends nothing", n.Slug)
	}
	if err := st.Newsletters.ChangeNewsletterState(a.soft, n, digest.NewsletterHeld, c.Reason, a.now()); err != nil {
		return err
	}
	return a.sayNewsletter(st, n.Slug)
}

type newsletterReleaseCmd struct {
	slugArg
	Date digest.Date `arg:"" optional:"" example:"2026-12-01" help:"The date of an issue that waits for approval."`
}

// Run releases a newsletter, or approves the issue of a date.
func (c newsletterReleaseCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if err := a.refusePastLetter(st, n, c.Date); err != nil {
		return err
	}
	if !c.Date.IsZero() {
		waited, err := st.Newsletters.ApproveNewsletterLetter(a.soft, n.ID, c.Date, a.now())
		if err != nil {
			return err
		}
		return a.say(map[string]any{"slug": n.Slug, "date": c.Date.String(), "waited": waited},
			"%s, issue of %s: %s waited and can be sent now", n.Slug, c.Date, digest.Counted(waited, "copy"))
	}
	switch n.State {
	case digest.NewsletterEnded:
		return digest.Errorf(digest.Conflict, "%s has ended; make a new one", n.Slug)
	case digest.NewsletterPending:
		return digest.Errorf(digest.Conflict, "%s waits for approval: digest newsletter approve %s", n.Slug, n.Slug)
	}
	if err := st.Newsletters.ChangeNewsletterState(a.soft, n, digest.NewsletterActive, "", a.now()); err != nil {
		return err
	}
	return a.sayNewsletter(st, n.Slug)
}

type newsletterEndCmd struct{ slugArg }

func (c newsletterEndCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if err := st.Newsletters.SetNewsletterState(a.soft, n.ID, digest.NewsletterEnded, "", a.now()); err != nil {
		return err
	}
	return a.sayNewsletter(st, n.Slug)
}

type newsletterRemoveCmd struct{ slugArg }

func (c newsletterRemoveCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if err := st.Newsletters.RemoveNewsletter(a.soft, n.ID); err != nil {
		return err
	}
	return a.say(map[string]any{"slug": n.Slug, "removed": true}, "removed %s, its archive and its data about members",
		n.Slug)
}
