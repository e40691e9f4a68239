package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"digest"
	"digest/internal/logo"
	"digest/newsletter"
	"digest/store"
)

type newsletterCmd struct {
	Create  newsletterCreateCmd  `cmd:"" help:"Create a newsletter from feeds."`
	List    newsletterListCmd    `cmd:"" help:"List the newsletters."`
	Show    newsletterShowCmd    `cmd:"" help:"Show a newsletter, its publishers, its feeds and the date of its next issue."`
	Set     newsletterSetCmd     `cmd:"" help:"Change a newsletter, its feeds and its publishers."`
	Members newsletterMembersCmd `cmd:"" help:"List the members, or show one member's history."`
	Numbers newsletterNumbersCmd `cmd:"" help:"Show daily numbers: members, joins, departures, issues sent, bounces and complaints."`
	Join    newsletterJoinCmd    `cmd:"" help:"Add a member at their request."`
	Leave   newsletterLeaveCmd   `cmd:"" help:"Remove a member at their request."`
	Import  newsletterImportCmd  `cmd:"" help:"Import a list of members from another service."`
	Export  newsletterExportCmd  `cmd:"" help:"Export members, proofs of consent and suppressed addresses as a ZIP file."`
	Preview newsletterPreviewCmd `cmd:"" help:"Print the next issue as it would be created now."`
	Test    newsletterTestCmd    `cmd:"" help:"Send a test email of the next issue to a publisher."`
	Domain  newsletterDomainCmd  `cmd:"" help:"Send issues from the publisher's domain; print and check its DNS record."`
	Letter  newsletterLetterCmd  `cmd:"" help:"Set the subject or note of an issue, skip it, or remove a post from it."`
	Token   newsletterTokenCmd   `cmd:"" help:"List, create or revoke a newsletter's access tokens."`
	Approve newsletterApproveCmd `cmd:"" help:"Approve a newsletter that a reader requested, or its new name; an email tells the owner."`
	Refuse  newsletterRefuseCmd  `cmd:"" help:"Reject and remove a newsletter that a reader requested, or reject its new name; an email tells the owner why."`
	Limit   newsletterLimitCmd   `cmd:"" help:"Limit the number of a newsletter's members."`
	Hold    newsletterHoldCmd    `cmd:"" help:"Put a newsletter on hold: send no issues until you run release; posts are kept."`
	Release newsletterReleaseCmd `cmd:"" help:"Resume a newsletter that is on hold, or approve the issue of a date."`
	End     newsletterEndCmd     `cmd:"" help:"End a newsletter for all its members; the archive stays."`
	Remove  newsletterRemoveCmd  `cmd:"" help:"Remove a newsletter that has ended, with its archive."`
}

type slugArg struct {
	Slug string `arg:"" help:"The newsletter's name in web addresses: /n/SLUG."`
}

func (s slugArg) slug() string { return s.Slug }

// newsletterFlags are the settings of a publisher. Missing flags change nothing.
type newsletterFlags struct {
	Name          *string        `placeholder:"NAME" env:"-" help:"The newsletter's name."`
	Description   *string        `placeholder:"TEXT" env:"-" help:"A short description for visitors; \"\" removes it."`
	Site          *string        `placeholder:"URL" env:"-" help:"The publisher's own site; \"\" removes it."`
	AddressLine   *string        `placeholder:"TEXT" env:"-" help:"The publisher and postal address in the footer of each issue; \"\" removes it."`
	Header        *string        `placeholder:"TEXT" env:"-" help:"A text above the posts of every issue; addresses with https:// become links; \"\" removes it."`
	Footer        *string        `placeholder:"TEXT" env:"-" help:"A text below the posts of every issue; \"\" removes it."`
	Subject       *string        `name:"subject-pattern" placeholder:"TEXT" env:"-" help:"The subject of issues, such as \"{name}: {title}\"; it can have {title}, {date} and {name}; \"\" is the usual subject."`
	Paper         *string        `placeholder:"#RRGGBB" env:"-" help:"The background colour of issues and public pages; \"\" is the default."`
	Ink           *string        `placeholder:"#RRGGBB" env:"-" help:"The colour of headlines and text."`
	Accent        *string        `placeholder:"#RRGGBB" env:"-" help:"The colour of site names and links."`
	Logo          *string        `placeholder:"FILE" env:"-" help:"A logo for issues and public pages: PNG, JPEG or GIF; \"\" removes it."`
	FromName      *string        `placeholder:"NAME" env:"-" help:"The sender's name; \"\" is the newsletter's name."`
	ReplyTo       *string        `name:"replies-to" placeholder:"ADDRESS" env:"-" help:"The address that receives replies; \"\" is the address of this instance."`
	ApproveWithin *time.Duration `placeholder:"6h" env:"-" help:"Wait at most this long for approval of an issue; 0: send without approval."`
	CountClicks   *bool          `negatable:"" env:"-" help:"Count how often posts are opened, but not by whom; headlines link through this instance."`
	ReturnURL     []string       `placeholder:"URL" env:"-" help:"Allowed return URL for a form on another site; repeat it for each URL."`
	DeliverAt     *time.Duration `type:"clock" example:"07:00" placeholder:"HH:MM" env:"-" help:"When to send issues, in each member's time zone."`
	Days          digest.Cadence `example:"daily, weekdays, mon,thu, or \"monthly on 15\"" placeholder:"DAYS" env:"-" help:"daily, weekdays, days such as sun, or once a month, such as \"monthly on 15\"; members may choose fewer days."`
	Layout        digest.Layout  `type:"word" words:"headlines,excerpts,full" placeholder:"LAYOUT" env:"-" help:"headlines, excerpts or full (text)."`
	Images        digest.Images  `type:"word" words:"off,linked,proxy" placeholder:"HOW" env:"-" help:"Pictures in full text: off, linked, or proxy (fetched by this instance, also shown with excerpts)."`
}

// set sets a setting to the value of a flag, if the flag is there.
func set[T any](setting, flag *T) {
	if flag != nil {
		*setting = *flag
	}
}

func (f newsletterFlags) apply(n digest.Newsletter) digest.Newsletter {
	n.Cadence, n.Layout, n.Images = cmp.Or(f.Days, n.Cadence), cmp.Or(f.Layout, n.Layout), cmp.Or(f.Images, n.Images)
	for chosen, to := range map[*string]*string{
		f.Name: &n.Name, f.Description: &n.Description, f.Site: &n.SiteURL, f.AddressLine: &n.AddressLine,
		f.FromName: &n.FromName, f.ReplyTo: &n.ReplyTo,
		f.Header: &n.HeaderText, f.Footer: &n.FooterText, f.Subject: &n.SubjectPattern,
		f.Paper: &n.Paper, f.Ink: &n.Ink, f.Accent: &n.Accent,
	} {
		set(to, chosen)
	}
	if f.Name != nil { // an operator's names need no approval
		n.WantedName = ""
	}
	if f.FromName != nil {
		n.WantedFromName = ""
	}
	set(&n.CountClicks, f.CountClicks)
	set(&n.ApproveWithin, f.ApproveWithin)
	set(&n.DeliverAt, f.DeliverAt)
	if f.ReturnURL != nil {
		n.ReturnURLs = digest.ReturnURLs(f.ReturnURL)
	}
	return n
}

// setLogo sets the logo from the named file, or removes it.
func (f newsletterFlags) setLogo(a *app, st *store.Store, id digest.NewsletterID) error {
	if f.Logo == nil {
		return nil
	}
	if *f.Logo == "" {
		return st.Newsletters.RemoveNewsletterLogo(a.soft, id)
	}
	file, err := os.Open(*f.Logo)
	if err != nil {
		return fmt.Errorf("reading the logo: %w", err)
	}
	defer file.Close()
	picture, err := io.ReadAll(io.LimitReader(file, logo.MaxBytes+1))
	if err != nil {
		return fmt.Errorf("reading the logo: %w", err)
	}
	l, picture, err := logo.Make(picture)
	if err != nil {
		return err
	}
	return st.Newsletters.SetNewsletterLogo(a.soft, id, l, picture, a.now())
}

type newsletterCreateCmd struct {
	slugArg
	Owner string   `required:"" placeholder:"EMAIL" env:"-" help:"The reader who owns the newsletter."`
	Feed  []string `required:"" placeholder:"URL" env:"-" help:"A feed of the newsletter, or a page with a feed; repeat it for several."`
	newsletterFlags
}

// Run creates a newsletter. If one of its feeds cannot be added, it removes the newsletter again.
func (c newsletterCreateCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		u, _, err := a.reader(st, c.Owner)
		if err != nil {
			return err
		}
		n := c.apply(digest.Newsletter{
			Slug: c.Slug, Name: c.Slug, Cadence: digest.Daily, State: digest.NewsletterActive,
			MemberLimit: a.NewsletterMembers,
			Look:        digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
		})
		if n, err = st.Newsletters.AddNewsletter(a.soft, n, u.ID, a.now()); err != nil {
			return err
		}
		err = a.addFeeds(st, n, c.Feed)
		if err == nil {
			err = c.setLogo(a, st, n.ID)
		}
		if err != nil {
			return errors.Join(err, st.Newsletters.SetNewsletterState(a.soft, n.ID, digest.NewsletterEnded, "",
				a.now()), st.Newsletters.RemoveNewsletter(a.soft, n.ID))
		}
		return a.sayNewsletter(st, n.Slug)
	})
}

// addFeeds adds feeds to a newsletter. It stops at the first bad address.
func (a *app) addFeeds(st *store.Store, n digest.Newsletter, addresses []string) error {
	subscriber := a.subscriber(st)
	for _, address := range addresses {
		if _, err := subscriber.SubscribeNewsletter(a.soft, n, address); err != nil {
			return err
		}
	}
	return nil
}

type newsletterListCmd struct{ reads }

func (newsletterListCmd) Run(a *app, st *store.Store) error {
	all, err := st.Newsletters.Newsletters(a.soft)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(each(all, reportNewsletter))
	}
	return printList(a, all, "no newsletters; see: digest newsletter create --help",
		func(n store.NewsletterInfo) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", n.Slug, plain(n.Name), n.State,
				digest.Counted(n.Members, "member"),
				n.Owner)
		})
}

type reportedNewsletter struct {
	Slug string `json:"slug"`
	newsletter.Texts
	newsletter.Senders
	Owner      string                 `json:"owner"`
	State      digest.NewsletterState `json:"state"`
	HeldReason string                 `json:"held_reason"`
	Members    int                    `json:"members"`
	newsletter.Sending
	MemberLimit int        `json:"member_limit"` // 0: no limit
	CreatedAt   *time.Time `json:"created_at"`
}

func reportNewsletter(n store.NewsletterInfo) reportedNewsletter {
	texts, senders, sending := newsletter.JSON(&n.Newsletter)
	return reportedNewsletter{n.Slug, texts, senders, n.Owner, n.State, n.HeldReason, n.Members, sending,
		n.MemberLimit, instant(n.CreatedAt)}
}

func (a *app) newsletterInfo(st *store.Store, slug string) (store.NewsletterInfo, error) {
	all, err := st.Newsletters.Newsletters(a.soft)
	for _, n := range all {
		if n.Slug == slug {
			return n, nil
		}
	}
	if err == nil {
		_, err = st.Newsletters.NewsletterBySlug(a.soft, slug)
	}
	return store.NewsletterInfo{}, err
}

func (a *app) sayNewsletter(st *store.Store, slug string) error {
	n, err := a.newsletterInfo(st, slug)
	if err != nil {
		return err
	}
	archive, err := st.Readers.Digest(a.soft, n.ArchiveID)
	if err != nil {
		return err
	}
	state := string(n.State)
	if n.HeldReason != "" {
		state += " (" + n.HeldReason + ")"
	}
	members := digest.Counted(n.Members, "member")
	if n.MemberLimit > 0 {
		members += fmt.Sprintf(" of %d at most", n.MemberLimit)
	}
	return a.say(reportNewsletter(n), "%s: %s, %s, %s, %s%s", n.Slug, plain(n.Name), plain(state), members, n.Cadence,
		a.nextLetter(n.Newsletter, archive))
}

func (a *app) nextLetter(n digest.Newsletter, archive digest.Digest) string {
	if n.State != digest.NewsletterActive {
		return ""
	}
	return "; next issue " + inZone(archive.NextDueAt, archive.TimeZone) + " in the owner's time zone"
}

type newsletterShowCmd struct {
	reads
	slugArg
}

type shownNewsletter struct {
	reportedNewsletter
	Page       string              `json:"page"`
	NextAt     *time.Time          `json:"next_letter_at"` // in the owner's time zone
	Publishers []reportedPublisher `json:"publishers"`
	Feeds      []reportedSource    `json:"feeds"`
	ReturnURLs []string            `json:"return_urls"`
	Logo       string              `json:"logo"` // address; "": none

	Asks        newsletter.AskCounts `json:"asks"`         // confirmation requests to imported people
	AsksStopped string               `json:"asks_stopped"` // why sending of requests stopped; "": it did not
}

type reportedPublisher struct {
	Email string `json:"email"`
	Role  string `json:"role"`
}

type reportedSource struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

func (c newsletterShowCmd) Run(a *app, st *store.Store) error {
	n, err := a.newsletterInfo(st, c.Slug)
	if err != nil {
		return err
	}
	s := shownNewsletter{reportedNewsletter: reportNewsletter(n), Page: a.BaseURL + "/n/" +
		n.Slug, ReturnURLs: n.ReturnAddresses()}
	if n.Logo.Exists() {
		s.Logo = s.Page + "/look/" + n.LogoFile
	}
	archive, err := st.Readers.Digest(a.soft, n.ArchiveID)
	if err != nil {
		return err
	}
	if n.State == digest.NewsletterActive {
		s.NextAt = instant(archive.NextDueAt)
	}
	if s.Asks, s.AsksStopped, err = st.Members.AskCounts(a.soft, n.ID, a.now()); err != nil {
		return err
	}
	who, err := st.Newsletters.Publishers(a.soft, n.ID)
	if err != nil {
		return err
	}
	s.Publishers = each(who,
		func(p store.Publisher) reportedPublisher { return reportedPublisher{p.Email, string(p.Role)} })
	feeds, err := st.Subscriptions.Subscriptions(a.soft, n.ArchiveID)
	if err != nil {
		return err
	}
	s.Feeds = each(feeds, func(f store.SubscriptionInfo) reportedSource {
		return reportedSource{digest.WithoutCredentials(f.Feed.URL), cmp.Or(f.Title, f.Feed.Title)}
	})
	return a.show(s, func() error {
		if err := a.sayNewsletter(st, n.Slug); err != nil {
			return err
		}
		a.println("page: " + s.Page)
		a.sayAsks(s.Asks, s.AsksStopped)
		for _, text := range [...][2]string{{"description", n.Description}, {"site", n.SiteURL},
			{"address line", n.AddressLine}, {"from", n.FromName}, {"name that waits for approval", n.WantedName},
			{"from, waits for approval", n.WantedFromName}, {"replies go to", n.ReplyTo},
			{"header", n.HeaderText}, {"footer", n.FooterText}, {"subject", n.SubjectPattern}, {"paper", n.Paper},
			{"ink", n.Ink}, {"accent", n.Accent}, {"logo", s.Logo}} {
			if text[1] != "" {
				a.println(text[0] + ": " + plain(text[1]))
			}
		}
		if err := printTable(a, "publishers", s.Publishers, func(p reportedPublisher) string {
			return p.Email + "\t" +
				p.Role
		}); err != nil {
			return err
		}
		return printTable(a, "feeds", s.Feeds, func(f reportedSource) string {
			return plain(f.Title) + "\t" +
				plain(f.URL)
		})
	})
}

type newsletterSetCmd struct {
	slugArg
	Rename     string   `placeholder:"SLUG" env:"-" help:"Change the name in web addresses; old links stop working."`
	AddFeed    []string `placeholder:"URL" env:"-" help:"Add a feed."`
	RemoveFeed []string `placeholder:"URL" env:"-" help:"Remove a feed."`
	Owner      string   `placeholder:"EMAIL" env:"-" help:"Make another reader the owner; the previous owner becomes an editor."`
	Editor     []string `placeholder:"EMAIL" env:"-" help:"Make a reader an editor."`
	NoEditor   []string `placeholder:"EMAIL" env:"-" help:"Remove an editor."`
	newsletterFlags
}

func (c newsletterSetCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		n, err := st.Newsletters.NewsletterBySlug(a.soft, c.Slug)
		if err != nil {
			return err
		}
		n = c.apply(n)
		n.Slug = cmp.Or(c.Rename, n.Slug)
		if err := st.Newsletters.SetNewsletter(a.soft, n, a.now()); err != nil {
			return err
		}
		if err := c.setLogo(a, st, n.ID); err != nil {
			return err
		}
		if err := c.setRoles(a, st, n.ID); err != nil {
			return err
		}
		if err := a.addFeeds(st, n, c.AddFeed); err != nil {
			return err
		}
		for _, address := range c.RemoveFeed {
			f, err := a.subscribedAt(st, n.ArchiveID, address)
			if err == nil {
				err = st.Newsletters.RemoveNewsletterFeed(a.soft, n.ID, f.ID)
			}
			if err != nil {
				return err
			}
		}
		return a.sayNewsletter(st, n.Slug)
	})
}

func (c newsletterSetCmd) setRoles(a *app, st *store.Store, id digest.NewsletterID) error {
	set := func(role digest.Role, emails ...string) error {
		for _, email := range emails {
			u, _, err := a.reader(st, email)
			if err == nil {
				err = st.Newsletters.SetRole(a.soft, id, u.ID, role, a.now())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if c.Owner != "" {
		if err := set(digest.RoleOwner, c.Owner); err != nil {
			return err
		}
	}
	if err := set(digest.RoleEditor, c.Editor...); err != nil {
		return err
	}
	return set(digest.RoleNone, c.NoEditor...)
}
