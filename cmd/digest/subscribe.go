package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"digest"
	"digest/calendar"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
)

type subscribeCmd struct {
	Email string   `arg:""`
	URL   []string `arg:"" name:"url" help:"Addresses of feeds, of pages that have one, or of accounts: https://bsky.app/profile/NAME, @NAME.bsky.social, @NAME@HOST of the fediverse."`

	Boosts  bool   `help:"Include an account's boosts or reposts."`
	Replies bool   `help:"Include an account's replies to others."`
	RollUp  string `type:"word" words:"sun,mon,tue,wed,thu,fri,sat,none" placeholder:"DAY" env:"-" help:"A weekly roll-up: the posts of the week come together in the edition of this day, such as sun; none ends it."`
	Trial   string `type:"word" words:"stays,ends,none" placeholder:"THEN" env:"-" help:"A trial: after 14 days an edition asks whether to keep the site; without an answer it stays, or ends. none makes it no trial."`

	User         string `placeholder:"NAME" env:"-" help:"The username of a private feed (HTTP Basic)."`
	PasswordFile string `placeholder:"FILE" env:"-" help:"A file with the password of a private feed on its first line."`
	BearerFile   string `placeholder:"FILE" env:"-" help:"A file with the bearer token of a private feed on its first line."`
	Secret       bool   `env:"-" help:"The feed's address is secret; never display it."`
}

// credential reads the credential for the feeds; usually it is empty.
func (c subscribeCmd) credential(ctx context.Context) (own digest.Credential, err error) {
	own = digest.Credential{User: c.User, Hidden: c.Secret}
	if (c.User == "") != (c.PasswordFile == "") {
		return own, wrongLine("use --user NAME and --password-file FILE together")
	}
	if c.User != "" && c.BearerFile != "" {
		return own, wrongLine("use --user with --password-file, or --bearer-file, not both")
	}
	if own.Password, err = firstLine(ctx, c.PasswordFile); err == nil {
		own.Token, err = firstLine(ctx, c.BearerFile)
	}
	return own, err
}

const mostSecret = 1 << 20

// firstLine returns the first line of a file, or "" without a name.
func firstLine(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	content, err := readFile(ctx, name, mostSecret)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fmt.Errorf("%s: its first line is empty; write the password or the token there", name)
	}
	return line, nil
}

// Run subscribes a reader to the feed behind each address. One bad address does not stop the others.
func (c subscribeCmd) Run(a *app) error {
	credential, err := c.credential(a.soft)
	if err != nil {
		return err
	}
	return a.withPolls(func(st *store.Store) error {
		_, d, err := a.reader(st, c.Email)
		if err != nil {
			return err
		}
		subscriber := a.subscriber(st)
		var failed []error
		for _, address := range c.URL {
			credential.Address = address
			if err := a.subscribe(subscriber, c, d, credential); err != nil {
				failed = append(failed, err)
			}
			if a.soft.Err() != nil {
				break
			}
		}
		return joinLines(failed)
	})
}

func (c subscribeCmd) extras() (extras digest.Extra) {
	if c.Boosts {
		extras |= digest.Repeat
	}
	if c.Replies {
		extras |= digest.Reply
	}
	return extras
}

// onto returns a subscription with the settings of the command line.
func (c subscribeCmd) onto(own digest.Subscription, today digest.Date) digest.Subscription {
	own.Extras |= c.extras()
	if c.RollUp != "" {
		own.RollUp, _ = digest.ParseRollUp(strings.TrimPrefix(c.RollUp, "none"))
	}
	if c.Trial != "" {
		own.Trial, _ = own.Named(strings.TrimPrefix(c.Trial, "none"), today)
	}
	return own
}

func (a *app) subscribe(subscriber *subscribe.Subscriber, c subscribeCmd, d digest.Digest,
	credential digest.Credential) (err error) {
	zone, err := calendar.Zone(d.TimeZone)
	if err != nil {
		return err
	}
	var f digest.Feed
	var created bool
	var others []poller.Candidate
	today := digest.DateOf(a.now().In(zone))
	own := c.onto(digest.Subscription{DigestID: d.ID}, today)
	if credential.IsEmpty() {
		f, others, created, err = subscriber.SubscribeFirst(a.soft, own, credential.Address)
	} else {
		f, created, err = subscriber.SubscribePrivate(a.soft, own, credential)
	}
	if err == nil {
		own, err = a.change(subscriber.Store, c, d, f, today)
	}
	if err != nil && poller.IsNotPublic(err) {
		return fmt.Errorf("%w; see DIGEST_ALLOW_NETWORKS", err)
	}
	if err != nil {
		return err
	}
	title := cmp.Or(f.Title, digest.PublicAddress(f.URL))
	if !created {
		title += " (was subscribed already)"
	}
	if f.State == digest.FeedDead || f.State == digest.FeedGone {
		title += fmt.Sprintf(" (%s: digest had stopped polling it, and tries it again)", f.State)
	}
	a.showOthers(others)
	return a.say(reportedSubscription{digest.WithoutCredentials(f.URL), f.Title, created, own.RollUp.Name(),
		own.TrialName(), each(others, reportOffer)}, "%s", plain(title))
}

// change returns a subscription. If it existed before, it first sets the settings of the command line.
func (a *app) change(st *store.Store, c subscribeCmd, d digest.Digest, f digest.Feed,
	today digest.Date) (digest.Subscription, error) {
	was, err := st.Subscriptions.SubscriptionSince(a.soft, d.ID, f.ID)
	own := c.onto(was.Subscription, today)
	if err == nil && own != was.Subscription {
		err = st.Subscriptions.SetSubscription(a.soft, own)
	}
	return own, err
}

// reportedSubscription is a subscription as JSON, with other feeds that the page offers.
type reportedSubscription struct {
	URL     string          `json:"url"`
	Title   string          `json:"title"`
	Created bool            `json:"created"`
	RollUp  string          `json:"roll_up,omitempty"`
	Trial   string          `json:"trial,omitempty"` // what happens without an answer: stays or ends
	Others  []reportedOffer `json:"others,omitempty"`
}

type reportedOffer struct {
	URL   string   `json:"url"`
	Title string   `json:"title"`
	Facts []string `json:"facts,omitempty"`
}

func reportOffer(c poller.Candidate) reportedOffer {
	return reportedOffer{digest.WithoutCredentials(c.URL), c.Title, factsOf(c)}
}

func factsOf(c poller.Candidate) (all []string) {
	for _, fact := range c.Facts() {
		all = append(all, fmt.Sprint(fact))
	}
	return all
}

func (a *app) showOthers(others []poller.Candidate) {
	if a.json || len(others) == 0 {
		return
	}
	fmt.Fprintln(a.stderr, "digest: the page offers other feeds too; to subscribe to one, use its own address")
	for _, c := range others {
		facts := ""
		if all := factsOf(c); len(all) > 0 {
			facts = " (" + plain(strings.Join(all, ", ")) + ")"
		}
		fmt.Fprintf(a.stderr, "digest:   %s  %s%s\n", plain(digest.WithoutCredentials(c.URL)),
			plain(digest.Shortened(c.Title, mostTitle)), facts)
	}
}

const mostTitle = 100

type unsubscribeCmd struct {
	readerArg
	URL string `arg:"" name:"url"`
}

func (c unsubscribeCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	f, err := a.subscribedAt(st, d.ID, c.URL)
	if err != nil {
		return err
	}
	if err := st.Subscriptions.Unsubscribe(a.soft, d.ID, f.ID); err != nil {
		return err
	}
	return a.say(map[string]any{"email": u.Email, "url": digest.WithoutCredentials(f.URL), "subscribed": false},
		"%s no longer subscribes to %s", u.Email, plain(digest.PublicAddress(f.URL)))
}
