package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"digest"
	"digest/mailer"
	"digest/store"
	"digest/timezone"
	"digest/web"
)

type userCmd struct {
	Add    userAddCmd    `cmd:"" help:"Add a confirmed reader with one daily digest."`
	List   userListCmd   `cmd:"" help:"List the readers."`
	Set    userSetCmd    `cmd:"" help:"Change a reader's time zone, or pause and resume their digest."`
	Remove userRemoveCmd `cmd:"" help:"Remove a reader and all that is theirs."`
	SignIn userSignInCmd `cmd:"" help:"Print a link that signs the reader in, once."`
}

type userAddCmd struct {
	Email    string `arg:""`
	TimeZone string `required:"" placeholder:"ZONE" help:"IANA name, such as Europe/Paris."`
	lookFlags
}

// Run adds a reader.
func (c userAddCmd) Run(a *app) error {
	address, err := parseEmail(c.Email)
	if err != nil {
		return err
	}
	if _, err := timezone.Load(c.TimeZone); err != nil {
		return err
	}
	chosen, err := c.understand()
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		u, d, err := st.AddUser(a.soft, address, c.TimeZone, a.now())
		if err != nil {
			return err
		}
		if err := chosen.apply(a, st, d); err != nil {
			return err
		}
		info, err := a.info(st, u.Email)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(reported(info))
		}
		fmt.Fprintf(a.stdout, "added %s; the first edition comes at %s%s\n", u.Email, inZone(info.Digest.NextDueAt, u.TimeZone), habits(info))
		return nil
	})
}

// parseEmail takes a bare address only: what is stored is what is mailed.
func parseEmail(s string) (string, error) {
	address, err := mailer.Recipient(s)
	if err != nil {
		return "", &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf("%v; an example: reader@example.org", err)}
	}
	return digest.NormalEmail(address), nil
}

// user finds the reader of an address, in whichever form it is written.
func (a *app) user(st *store.Store, email string) (digest.User, error) {
	if normal, err := parseEmail(email); err == nil {
		email = normal
	}
	return st.UserByEmail(a.soft, email)
}

// inZone shows an instant as the reader's clock does.
func inZone(t time.Time, zone string) string {
	loc, err := timezone.Load(zone)
	if err != nil {
		loc = time.UTC
	}
	return t.In(loc).Format("2006-01-02 15:04 MST")
}

// reportedUser is a reader as JSON.
type reportedUser struct {
	Email         string     `json:"email"`
	TimeZone      string     `json:"time_zone"`
	State         string     `json:"state"`
	NextDueAt     *time.Time `json:"next_due_at"`
	Subscriptions int        `json:"subscriptions"`
	Editions      int        `json:"editions"`
	DeliverAt     string     `json:"deliver_at"` // by the reader's clock
	Days          string     `json:"days"`
	Layout        string     `json:"layout"`
	Images        string     `json:"images"`
	Threaded      bool       `json:"threaded"`
	PausedUntil   *time.Time `json:"paused_until"`
	Suppressed    *string    `json:"suppressed"` // why the address is not mailed
	Operator      bool       `json:"operator"`
	Mailed        bool       `json:"mailed"`

	Stays []reportedStay `json:"stays"`
}

func reported(u store.UserInfo) reportedUser {
	d := u.Digest
	next := instant(d.NextDueAt)
	if d.State != digest.DigestActive {
		next = nil
	}
	r := reportedUser{
		Email: u.Email, TimeZone: u.TimeZone, State: string(d.State), NextDueAt: next,
		Subscriptions: u.Subscriptions, Editions: d.Editions,
		DeliverAt: clockOf(d.DeliverAt), Days: d.Weekdays.String(),
		Layout: string(d.Layout), Images: string(d.Images), Threaded: d.Threaded,
		PausedUntil: instant(d.PausedUntil), Operator: u.Operator,
		Mailed: d.Mailed, Stays: reportStays(u.Stays),
	}
	if u.Suppressed != nil {
		r.Suppressed = new(string(u.Suppressed.Reason))
	}
	return r
}

// habits tells what is unusual in how a reader has their mail; empty: nothing.
func habits(u store.UserInfo) string {
	var words string
	d := u.Digest
	if d.Weekdays != digest.EveryDay {
		words += ", on " + d.Weekdays.String()
	}
	if d.DeliverAt != 0 {
		words += ", mailed at " + clockOf(d.DeliverAt)
	}
	if d.Layout == digest.Headlines {
		words += ", headlines"
	}
	if d.Layout == digest.FullText {
		words += ", full text, pictures " + string(d.Images)
	}
	if d.Threaded {
		words += ", threaded"
	}
	if u.Operator {
		words += ", operator"
	}
	if !d.Mailed {
		words += ", web only"
	}
	words += stayWords(u.Stays)
	if u.Suppressed != nil {
		words += ", not mailed: the address is suppressed (" + string(u.Suppressed.Reason) + ")"
	}
	return words
}

// instant is how times stand in JSON: UTC, null for never.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

type userListCmd struct{}

// Run lists the readers.
func (userListCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		users, err := st.Users(a.soft)
		if err != nil {
			return err
		}
		if a.json {
			list := make([]reportedUser, len(users))
			for i, u := range users {
				list[i] = reported(u)
			}
			return a.printJSON(list)
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, u := range users {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s%s\n", u.Email, u.TimeZone, u.Digest.State,
				count(u.Subscriptions, "feed"), count(u.Digest.Editions, "edition"), nextEdition(u.User, u.Digest, "next "), habits(u))
		}
		return w.Flush()
	})
}

// nextEdition tells when the next edition comes; a digest at rest has none.
func nextEdition(u digest.User, d digest.Digest, before string) string {
	if d.State == digest.DigestPaused && !d.PausedUntil.IsZero() {
		return "back on " + inZone(d.PausedUntil, u.TimeZone)
	}
	if d.State != digest.DigestActive {
		return "no next edition"
	}
	return before + inZone(d.NextDueAt, u.TimeZone)
}

// reader finds a user and their digest.
func (a *app) reader(st *store.Store, email string) (digest.User, digest.Digest, error) {
	u, err := a.user(st, email)
	if err != nil {
		return u, digest.Digest{}, err
	}
	d, err := st.DigestOf(a.soft, u.ID)
	return u, d, err
}

type userRemoveCmd struct {
	Email string `arg:""`
}

// Run removes a reader.
func (c userRemoveCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		u, err := a.user(st, c.Email)
		if err != nil {
			return err
		}
		if err := st.RemoveUser(a.soft, u.ID); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"email": u.Email, "removed": true})
		}
		fmt.Fprintf(a.stdout, "removed %s and all that was theirs\n", u.Email)
		return nil
	})
}

type userSignInCmd struct {
	Email string `arg:""`
}

// Run prints a sign-in link.
func (c userSignInCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		u, err := a.user(st, c.Email)
		if err != nil {
			return err
		}
		link, err := web.SignInLink(a.soft, st, a.baseURL, u.ID, a.now())
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]string{"url": link})
		}
		fmt.Fprintln(a.stdout, link)
		return nil
	})
}
