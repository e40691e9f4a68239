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
	"digest/store"
)

type newsletterCmd struct {
	Create  newsletterCreateCmd  `cmd:"" help:"Make a newsletter of feeds; its owner is a reader here."`
	List    newsletterListCmd    `cmd:"" help:"List the newsletters."`
	Show    newsletterShowCmd    `cmd:"" help:"One newsletter: what it is, who publishes it, its feeds, when the next letter comes."`
	Set     newsletterSetCmd     `cmd:"" help:"Change a newsletter, its feeds and its publishers."`
	Members newsletterMembersCmd `cmd:"" help:"List who has joined, or one member with their history."`
	Numbers newsletterNumbersCmd `cmd:"" help:"What happened by day: members, who joined and left, letters sent and come back, complaints."`
	Join    newsletterJoinCmd    `cmd:"" help:"Make somebody a member who has asked you for it."`
	Leave   newsletterLeaveCmd   `cmd:"" help:"Let a member leave who has asked you for it."`
	Import  newsletterImportCmd  `cmd:"" help:"Take in a list of members that another program has exported."`
	Export  newsletterExportCmd  `cmd:"" help:"Write the members, with the proofs of their consent, and whom it is not sent to, as one ZIP."`
	Preview newsletterPreviewCmd `cmd:"" help:"Print the letter that the owner's next midnight would bring."`
	Test    newsletterTestCmd    `cmd:"" help:"Mail the letter that the owner's next midnight would bring to a publisher."`
	Domain  newsletterDomainCmd  `cmd:"" help:"Let letters come from an address at the publisher's own domain; the DNS record to publish, and whether it is seen."`
	Letter  newsletterLetterCmd  `cmd:"" help:"Give the letter of a date a subject or a note, skip it, pull a post out."`
	Token   newsletterTokenCmd   `cmd:"" help:"List the tokens of programs that look after a newsletter, make one, or make one void."`
	Approve newsletterApproveCmd `cmd:"" help:"Approve a newsletter that a reader requested, or its new name; an email tells the owner."`
	Refuse  newsletterRefuseCmd  `cmd:"" help:"Refuse and remove a newsletter that a reader requested, or refuse its new name; an email tells the owner why."`
	Limit   newsletterLimitCmd   `cmd:"" help:"How many members a newsletter may have at once."`
	Hold    newsletterHoldCmd    `cmd:"" help:"Let nothing leave until it is released; what is due gathers."`
	Release newsletterReleaseCmd `cmd:"" help:"Let a newsletter that is held go on, or the letter of a date that waits for approval leave."`
	End     newsletterEndCmd     `cmd:"" help:"End a newsletter for all its members; the archive stays."`
	Remove  newsletterRemoveCmd  `cmd:"" help:"Remove a newsletter that has ended, with its archive."`
}

// A slugArg names a newsletter.
type slugArg struct {
	Slug string `arg:"" help:"The newsletter's name in addresses: /n/SLUG."`
}

// newsletterFlags are what a publisher may choose. What is not given changes nothing.
type newsletterFlags struct {
	Name          *string        `placeholder:"NAME" env:"-" help:"What it is called."`
	Description   *string        `placeholder:"TEXT" env:"-" help:"Some sentences for who may want to join; \"\" is none."`
	Site          *string        `placeholder:"URL" env:"-" help:"The publisher's own site; \"\" is none."`
	AddressLine   *string        `placeholder:"TEXT" env:"-" help:"Who publishes it and where they are reached by post, at the foot of each letter; \"\" is none."`
	Header        *string        `placeholder:"TEXT" env:"-" help:"Some sentences above the posts of every letter; addresses with https:// become links; \"\" is none."`
	Footer        *string        `placeholder:"TEXT" env:"-" help:"The same at the foot of every letter."`
	Paper         *string        `placeholder:"#RRGGBB" env:"-" help:"The colour behind letters and public pages; \"\" is the program's own."`
	Ink           *string        `placeholder:"#RRGGBB" env:"-" help:"The colour of headlines and text."`
	Accent        *string        `placeholder:"#RRGGBB" env:"-" help:"The colour of names and links."`
	Logo          *string        `placeholder:"FILE" env:"-" help:"A picture for letters and public pages: PNG, JPEG or GIF; \"\" takes it away."`
	FromName      *string        `placeholder:"NAME" env:"-" help:"The name that letters come from; \"\" is the newsletter's."`
	ReplyTo       *string        `name:"replies-to" placeholder:"ADDRESS" env:"-" help:"Where answers go; \"\" is this instance."`
	ApproveWithin *time.Duration `placeholder:"6h" env:"-" help:"Letters wait for approval, at the longest so long; 0: they do not."`
	CountClicks   *bool          `negatable:"" env:"-" help:"Count how often the posts of letters are opened, never by whom: headlines then lead to them by links of this instance."`
	CountReplies  *bool          `negatable:"" env:"-" help:"Count answers to letters: they go to an address of this instance too, which stores nothing else of them."`
	ReturnURL     []string       `placeholder:"URL" env:"-" help:"Where the form on another site may lead back to: the beginning of an address. All of them, each time."`
	DeliverAt     *time.Duration `type:"clock" example:"07:00" placeholder:"HH:MM" env:"-" help:"The hour letters leave, by each member's clock."`
	Days          digest.Cadence `example:"daily, weekdays, mon,thu, or \"monthly on 15\"" placeholder:"DAYS" env:"-" help:"daily, weekdays, days such as sun, or once a month, such as \"monthly on 15\"; members may choose what is no more often."`
	Layout        digest.Layout  `type:"word" words:"headlines,excerpts,full" placeholder:"LAYOUT" env:"-" help:"headlines, excerpts or full (text)."`
	Images        digest.Images  `type:"word" words:"off,linked,proxy" placeholder:"HOW" env:"-" help:"Pictures in full text, and above excerpts with proxy: off, linked, or proxy (shown, fetched by this instance)."`
}

// apply makes a newsletter what was chosen.
func (f newsletterFlags) apply(n digest.Newsletter) digest.Newsletter {
	n.Cadence, n.Layout, n.Images = cmp.Or(f.Days, n.Cadence), cmp.Or(f.Layout, n.Layout), cmp.Or(f.Images, n.Images)
	for chosen, to := range map[*string]*string{
		f.Name: &n.Name, f.Description: &n.Description, f.Site: &n.SiteURL, f.AddressLine: &n.AddressLine, f.FromName: &n.FromName, f.ReplyTo: &n.ReplyTo,
		f.Header: &n.HeaderText, f.Footer: &n.FooterText, f.Paper: &n.Paper, f.Ink: &n.Ink, f.Accent: &n.Accent,
	} {
		if chosen != nil {
			*to = *chosen
		}
	}
	if f.Name != nil { // what an operator types is approved
		n.WantedName = ""
	}
	if f.FromName != nil {
		n.WantedFromName = ""
	}
	if f.CountClicks != nil {
		n.CountClicks = *f.CountClicks
	}
	if f.CountReplies != nil {
		n.CountReplies = *f.CountReplies
	}
	if f.ApproveWithin != nil {
		n.ApproveWithin = *f.ApproveWithin
	}
	if f.DeliverAt != nil {
		n.DeliverAt = *f.DeliverAt
	}
	if f.ReturnURL != nil {
		n.ReturnURLs = digest.ReturnURLs(f.ReturnURL)
	}
	return n
}

// setLogo makes the file that was named the logo, or takes the logo away.
func (f newsletterFlags) setLogo(a *app, st *store.Store, id digest.NewsletterID) error {
	if f.Logo == nil {
		return nil
	}
	if *f.Logo == "" {
		return st.RemoveNewsletterLogo(a.soft, id)
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
	return st.SetNewsletterLogo(a.soft, id, l, picture, a.now())
}

type newsletterCreateCmd struct {
	slugArg
	Owner string   `required:"" placeholder:"EMAIL" env:"-" help:"A reader here, who publishes it."`
	Feed  []string `required:"" placeholder:"URL" env:"-" help:"A feed that it is made of, or the page that has one; repeat it for several."`
	newsletterFlags
}

// Run makes a newsletter. Nothing of it stays where none of its feeds can be read.
func (c newsletterCreateCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		u, _, err := a.reader(st, c.Owner)
		if err != nil {
			return err
		}
		n := c.apply(digest.Newsletter{
			Slug: c.Slug, Name: c.Slug, Cadence: digest.Daily, State: digest.NewsletterActive, MemberLimit: a.NewsletterMembers,
			Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
		})
		if n, err = st.AddNewsletter(a.soft, n, u.ID, a.now()); err != nil {
			return err
		}
		err = a.addFeeds(st, n, c.Feed)
		if err == nil {
			err = c.setLogo(a, st, n.ID)
		}
		if err != nil {
			return errors.Join(err, st.SetNewsletterState(a.soft, n.ID, digest.NewsletterEnded, "", a.now()), st.RemoveNewsletter(a.soft, n.ID))
		}
		return a.sayNewsletter(st, n.Slug)
	})
}

// addFeeds makes feeds part of a newsletter. One bad address stops the others.
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

// Run lists the newsletters.
func (newsletterListCmd) Run(a *app, st *store.Store) error {
	all, err := st.Newsletters(a.soft)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(each(all, reportNewsletter))
	}
	return printList(a, all, "no newsletters; see: digest newsletter create --help", func(n store.NewsletterInfo) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", n.Slug, plain(n.Name), n.State, digest.Counted(n.Members, "member"), n.Owner)
	})
}

// reportedNewsletter is a newsletter as JSON.
type reportedNewsletter struct {
	Slug          string     `json:"slug"`
	Name          string     `json:"name"`
	Description   string     `json:"description"`
	Site          string     `json:"site"`
	AddressLine   string     `json:"address_line"`
	Header        string     `json:"header"`
	Footer        string     `json:"footer"`
	Paper         string     `json:"paper"` // such as #fbf9f4; "": the program's own
	Ink           string     `json:"ink"`
	Accent        string     `json:"accent"`
	FromName      string     `json:"from_name"`
	WantedName    string     `json:"wanted_name"` // waits for approval; "": none does
	WantedFrom    string     `json:"wanted_from_name"`
	ReplyTo       string     `json:"reply_to"`
	Owner         string     `json:"owner"`
	State         string     `json:"state"`
	HeldReason    string     `json:"held_reason"`
	Members       int        `json:"members"`
	Days          string     `json:"days"`
	DeliverAt     string     `json:"deliver_at"` // by each member's clock
	Layout        string     `json:"layout"`
	Images        string     `json:"images"`
	ApproveWithin int64      `json:"approve_within"` // seconds
	CountClicks   bool       `json:"count_clicks"`
	CountReplies  bool       `json:"count_replies"`
	MemberLimit   int        `json:"member_limit"` // 0: as many as come
	CreatedAt     *time.Time `json:"created_at"`
}

func reportNewsletter(n store.NewsletterInfo) reportedNewsletter {
	return reportedNewsletter{
		Slug: n.Slug, Name: n.Name, Description: n.Description, Site: n.SiteURL, AddressLine: n.AddressLine, Header: n.HeaderText, Footer: n.FooterText,
		Paper: n.Paper, Ink: n.Ink, Accent: n.Accent, FromName: n.FromName, WantedName: n.WantedName, WantedFrom: n.WantedFromName,
		ReplyTo: n.ReplyTo, Owner: n.Owner, State: string(n.State), HeldReason: n.HeldReason, Members: n.Members,
		Days: n.Cadence.String(), DeliverAt: clockOf(n.DeliverAt), Layout: string(n.Layout), Images: string(n.Images),
		ApproveWithin: seconds(n.ApproveWithin), CountClicks: n.CountClicks, CountReplies: n.CountReplies, MemberLimit: n.MemberLimit, CreatedAt: instant(n.CreatedAt),
	}
}

// newsletterInfo is a newsletter as a list of them shows it.
func (a *app) newsletterInfo(st *store.Store, slug string) (store.NewsletterInfo, error) {
	all, err := st.Newsletters(a.soft)
	for _, n := range all {
		if n.Slug == slug {
			return n, nil
		}
	}
	if err == nil {
		_, err = st.NewsletterBySlug(a.soft, slug)
	}
	return store.NewsletterInfo{}, err
}

// sayNewsletter says how a newsletter stands.
func (a *app) sayNewsletter(st *store.Store, slug string) error {
	n, err := a.newsletterInfo(st, slug)
	if err != nil {
		return err
	}
	archive, err := st.Digest(a.soft, n.ArchiveID)
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

// nextLetter tells when the owner's next letter comes.
func (a *app) nextLetter(n digest.Newsletter, archive digest.Digest) string {
	if n.State != digest.NewsletterActive {
		return ""
	}
	return "; next letter " + inZone(archive.NextDueAt, archive.TimeZone) + " by the owner's clock"
}

type newsletterShowCmd struct {
	reads
	slugArg
}

// shownNewsletter is one newsletter as JSON.
type shownNewsletter struct {
	reportedNewsletter
	Page       string              `json:"page"`
	NextAt     *time.Time          `json:"next_letter_at"` // by the owner's clock
	Publishers []reportedPublisher `json:"publishers"`
	Feeds      []reportedSource    `json:"feeds"`
	ReturnURLs []string            `json:"return_urls"`
	Logo       string              `json:"logo"` // its address; "": none

	Hub         int              `json:"hub_subscriptions"` // programs that are told of its letters
	Asks        digest.AskCounts `json:"asks"`              // people of imported lists
	AsksStopped string           `json:"asks_stopped"`      // why nobody else is asked; "": they are
}

type reportedPublisher struct {
	Email string `json:"email"`
	Role  string `json:"role"`
}

type reportedSource struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Run shows one newsletter.
func (c newsletterShowCmd) Run(a *app, st *store.Store) error {
	n, err := a.newsletterInfo(st, c.Slug)
	if err != nil {
		return err
	}
	s := shownNewsletter{reportedNewsletter: reportNewsletter(n), Page: a.BaseURL + "/n/" + n.Slug, ReturnURLs: n.ReturnAddresses()}
	if n.Logo.Exists() {
		s.Logo = s.Page + "/look/" + n.LogoFile
	}
	archive, err := st.Digest(a.soft, n.ArchiveID)
	if err != nil {
		return err
	}
	if n.State == digest.NewsletterActive {
		s.NextAt = instant(archive.NextDueAt)
	}
	if s.Hub, err = st.HubSubscriptions(a.soft, n.ID, a.now()); err != nil {
		return err
	}
	if s.Asks, s.AsksStopped, err = st.AskCounts(a.soft, n.ID, a.now()); err != nil {
		return err
	}
	who, err := st.Publishers(a.soft, n.ID)
	if err != nil {
		return err
	}
	s.Publishers = each(who, func(p store.Publisher) reportedPublisher { return reportedPublisher{p.Email, string(p.Role)} })
	feeds, err := st.Subscriptions(a.soft, n.ArchiveID)
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
		fmt.Fprintln(a.stdout, "page: "+s.Page)
		if s.Hub > 0 {
			fmt.Fprintln(a.stdout, digest.Counted(s.Hub, "program")+" subscribed at the hub")
		}
		a.sayAsks(s.Asks, s.AsksStopped)
		for _, text := range [...][2]string{{"description", n.Description}, {"site", n.SiteURL}, {"address line", n.AddressLine}, {"from", n.FromName}, {"name that waits for approval", n.WantedName}, {"from, waits for approval", n.WantedFromName}, {"answers go to", n.ReplyTo},
			{"header", n.HeaderText}, {"footer", n.FooterText}, {"paper", n.Paper}, {"ink", n.Ink}, {"accent", n.Accent}, {"logo", s.Logo}} {
			if text[1] != "" {
				fmt.Fprintln(a.stdout, text[0]+": "+plain(text[1]))
			}
		}
		if err := printTable(a, "publishers", s.Publishers, func(p reportedPublisher) string { return p.Email + "\t" + p.Role }); err != nil {
			return err
		}
		return printTable(a, "feeds", s.Feeds, func(f reportedSource) string { return plain(f.Title) + "\t" + plain(f.URL) })
	})
}

type newsletterSetCmd struct {
	slugArg
	Rename     string   `placeholder:"SLUG" env:"-" help:"Another name in addresses; links to the old one lead nowhere."`
	AddFeed    []string `placeholder:"URL" env:"-" help:"Make a feed part of it."`
	RemoveFeed []string `placeholder:"URL" env:"-" help:"Take a feed out."`
	Owner      string   `placeholder:"EMAIL" env:"-" help:"Hand it over to another reader; who owned it becomes an editor."`
	Editor     []string `placeholder:"EMAIL" env:"-" help:"Let a reader edit it."`
	NoEditor   []string `placeholder:"EMAIL" env:"-" help:"Let a reader edit it no more."`
	newsletterFlags
}

// Run changes a newsletter.
func (c newsletterSetCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		n, err := st.NewsletterBySlug(a.soft, c.Slug)
		if err != nil {
			return err
		}
		n = c.apply(n)
		n.Slug = cmp.Or(c.Rename, n.Slug)
		if err := st.SetNewsletter(a.soft, n, a.now()); err != nil {
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
				err = st.RemoveNewsletterFeed(a.soft, n.ID, f.ID)
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
				err = st.SetRole(a.soft, id, u.ID, role, a.now())
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
