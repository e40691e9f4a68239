package export

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"time"

	"digest"
	"digest/store"
)

type account struct {
	Address   string           `json:"address"`
	Since     time.Time        `json:"since"`
	TimeZone  string           `json:"time_zone"`
	Operator  bool             `json:"operator"`
	Language  string           `json:"language"` // "": the browser's language
	Direction digest.Direction `json:"direction_of_pages"`
	Shortcuts bool             `json:"single_keys"`
	Player    bool             `json:"sound_plays_here"`
	Theme     digest.Theme     `json:"theme"`
	TypeSize  digest.TypeSize  `json:"size_of_letters"`
	Digest    settings         `json:"digest"`
	Stays     []stay           `json:"stays"`
	Passkeys  []passkey        `json:"passkeys"`
	Sessions  []session        `json:"sessions"`
	NotMailed *notMailed       `json:"not_mailed"` // null: the address gets emails
	Imported  *imported        `json:"imported"`   // the latest import of feeds, for thirty days; null: none
	Left      []left           `json:"left_feeds"` // former subscriptions
	ByLinks   []byLink         `json:"changes_by_links"`
}

// byLink is a change that a link in an email made without a sign-in.
type byLink struct {
	At        time.Time          `json:"at"`
	EmailDate string             `json:"email_date"` // of the edition; "": unknown
	OneClick  bool               `json:"one_click"`
	Of        string             `json:"of"` // name of the digest, or title of the feed
	Setting   digest.LinkSetting `json:"setting"`
	Was       string             `json:"was"`
	Became    string             `json:"became"`
	UndoneAt  *time.Time         `json:"undone_at"`
}

func (e *Export) readByLinks(ctx context.Context) error {
	changes, err := e.store.Readers.LinkChanges(ctx, e.user.ID, time.Time{})
	e.account.ByLinks = make([]byLink, len(changes))
	for i, x := range changes {
		b := byLink{At: x.ChangedAt.UTC(), OneClick: x.OneClick, Of: x.Title, Setting: x.Setting,
			Was: x.OldValue, Became: x.NewValue, UndoneAt: known(x.UndoneAt)}
		if !x.EmailDate.IsZero() {
			b.EmailDate = x.EmailDate.String()
		}
		e.account.ByLinks[i] = b
	}
	return err
}

type left struct {
	URL     string   `json:"url"`
	Title   string   `json:"own_title"`
	Folder  string   `json:"folder"`
	Filters []string `json:"filters"`

	Only     []string `json:"only_filters"`
	NoShorts bool     `json:"no_shorts"`
}

func (e *Export) readLeft(ctx context.Context) error {
	feeds, err := e.store.Subscriptions.FormerFeeds(ctx, e.digest.ID)
	e.account.Left = make([]left, len(feeds))
	for i, f := range feeds {
		e.account.Left[i] = left{digest.PublicAddress(f.URL), f.Title, f.Folder, append([]string{}, f.Filters...),
			append([]string{}, f.Only...), f.NoShorts}
	}
	return err
}

type imported struct {
	At     time.Time       `json:"at"`
	Report json.RawMessage `json:"report"`
}

type settings struct {
	Name        string             `json:"name"`
	State       digest.DigestState `json:"state"`
	PausedUntil *time.Time         `json:"paused_until"`
	Days        string             `json:"days"`
	Mailed      bool               `json:"mailed"`
	MailAt      string             `json:"mail_at"` // in the reader's time zone
	Layout      digest.Layout      `json:"layout"`
	Images      digest.Images      `json:"images"`
	Threaded    bool               `json:"threaded"`
	Subject     string             `json:"subject"`
	Budget      int                `json:"reading_time"` // in minutes; 0: no limit
	Grouping    digest.Grouping    `json:"grouping"`
	WebLayout   digest.Layout      `json:"web_layout"`   // empty: as in emails
	WebGrouping digest.Grouping    `json:"web_grouping"` // empty: as in emails
	WebImages   digest.Images      `json:"web_images"`
	Headlines   string             `json:"headlines"`
	Editions    int                `json:"editions"` // number of editions so far
}

type notMailed struct {
	Reason digest.Reason `json:"reason"`
	Words  string        `json:"words"`
	Since  time.Time     `json:"since"`
}

func (e *Export) readAccount(ctx context.Context) error {
	u, d := e.user, e.digest
	e.account = account{
		Address: u.Email, Since: u.CreatedAt.UTC(), TimeZone: u.TimeZone, Operator: u.Operator,
		Language: u.Language, Direction: u.Direction, Shortcuts: u.Shortcuts, Player: u.Player,
		Theme: u.Theme, TypeSize: u.TypeSize,
		Digest: settings{
			Name: d.Name, State: d.State, PausedUntil: known(d.PausedUntil), Days: d.Cadence.String(),
			Mailed: d.Mailed, MailAt: digest.Clock(d.DeliverAt), Layout: d.Layout,
			Images:   d.Images,
			Threaded: d.Threaded, Subject: d.Subject(), Budget: d.Budget, Editions: d.Editions, Grouping: d.Grouping,
			WebLayout: d.WebLayout, WebGrouping: d.WebGrouping, WebImages: d.WebImages,
			Headlines: d.Arrangement.Headlines(),
		},
	}
	if err := e.readAccess(ctx); err != nil {
		return err
	}
	if err := e.readLeft(ctx); err != nil {
		return err
	}
	if err := e.readByLinks(ctx); err != nil {
		return err
	}
	if err := e.readImport(ctx); err != nil {
		return err
	}
	s, ok, err := e.store.Editions.Suppressed(ctx, u.Email)
	if ok {
		e.account.NotMailed = &notMailed{s.Reason, s.Evidence, s.CreatedAt.UTC()}
	}
	return err
}

func (e *Export) readImport(ctx context.Context) error {
	l, err := e.store.Subscriptions.ListImport(ctx, e.digest.ID)
	if digest.KindOf(err) == digest.NotFound {
		return nil
	}
	if err == nil && json.Valid([]byte(l.Report)) {
		e.account.Imported = &imported{l.ImportedAt.UTC(), json.RawMessage(l.Report)}
	}
	return err
}

type stay struct {
	From     string `json:"from"`
	To       string `json:"to"`
	TimeZone string `json:"time_zone"`
	Begun    bool   `json:"begun"`
}

// passkey is a passkey without its public key.
type passkey struct {
	Name   string     `json:"name"`
	Added  time.Time  `json:"added_at"`
	UsedAt *time.Time `json:"used_at"`
}

type session struct {
	Began   *time.Time `json:"began_at"`
	Ends    time.Time  `json:"ends_at"`
	Passkey bool       `json:"with_passkey"`
}

func (e *Export) readAccess(ctx context.Context) error {
	a := &e.account
	a.Stays, a.Passkeys, a.Sessions = []stay{}, []passkey{}, []session{}
	stays, err := e.store.Readers.Stays(ctx, e.user.ID)
	if err != nil {
		return err
	}
	for _, s := range stays {
		a.Stays = append(a.Stays, stay{s.From.String(), s.To.String(), s.TimeZone, s.Begun})
	}
	passkeys, err := e.store.Sessions.Passkeys(ctx, e.user.ID)
	if err != nil {
		return err
	}
	for _, p := range passkeys {
		a.Passkeys = append(a.Passkeys, passkey{p.Name, p.CreatedAt.UTC(), known(p.UsedAt)})
	}
	sessions, err := e.store.Sessions.Sessions(ctx, e.user.ID, e.now)
	for _, s := range sessions {
		a.Sessions = append(a.Sessions, session{known(s.BeganAt), s.EndsAt.UTC(), s.Passkey})
	}
	return err
}

type filter struct {
	Kind  digest.FilterKind `json:"kind"` // empty: hides posts with the words
	Words string            `json:"words"`
	Feed  string            `json:"feed"` // address of the feed; empty: all feeds
	Since time.Time         `json:"since"`
}

func (e *Export) writeFilters(_ context.Context, w io.Writer) error {
	urls := map[digest.FeedID]string{}
	for _, s := range e.subscriptions() {
		urls[s.FeedID] = digest.PublicAddress(s.Feed.URL)
	}
	list := []filter{}
	for _, f := range e.filters {
		list = append(list, filter{f.Kind, f.Words, urls[f.FeedID], f.CreatedAt.UTC()})
	}
	return writeJSON(w, list)
}

// known converts a time for JSON: null for zero.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

func (e *Export) writeAccount(_ context.Context, w io.Writer) error { return writeJSON(w, e.account) }

type subscription struct {
	URL      string        `json:"url"`
	Site     string        `json:"site"`
	Title    string        `json:"title"`
	OwnTitle string        `json:"own_title"`
	Folder   string        `json:"folder"`
	Display  digest.Layout `json:"display"` // empty: as the digest
	Most     int           `json:"most"`    // maximum posts in an edition; 0: no limit
	RollUp   string        `json:"roll_up"` // the day on which its posts come together, such as "sun"; empty: every day
	Boosts   bool          `json:"boosts"`
	Replies  bool          `json:"replies"`
	Paused   bool          `json:"resting"`
}

func (e *Export) writeFeeds(_ context.Context, w io.Writer) error {
	list := []subscription{}
	for i, s := range e.subscriptions() {
		list = append(list, subscription{digest.PublicAddress(s.Feed.URL), s.Feed.SiteURL, s.Feed.Title, s.Title,
			s.Folder, s.Display, s.Most, s.RollUp.Name(),
			s.Extras&digest.Repeat != 0, s.Extras&digest.Reply != 0, i >= len(e.active)})
	}
	return writeJSON(w, list)
}

func titleOf(s store.SubscriptionInfo) string {
	return cmp.Or(s.Title, s.Feed.Title, digest.PublicAddress(s.Feed.URL))
}

type edition struct {
	Date   string              `json:"date"`
	Number int                 `json:"number"`
	MadeAt time.Time           `json:"midnight"`
	Page   string              `json:"page"`
	Mail   digest.EditionState `json:"mail"` // state of its email
	SentAt *time.Time          `json:"sent_at"`
	Reply  string              `json:"reply"` // of the server that accepted it
	Error  string              `json:"error"`
}

func (e *Export) writeEditions(_ context.Context, w io.Writer) error {
	list := []edition{}
	for _, x := range e.editions {
		list = append(list, edition{
			x.LocalDate.String(), x.Number, x.DueAt.UTC(), pageName(x), x.State, known(x.SentAt), x.Reply,
			x.Error,
		})
	}
	return writeJSON(w, list)
}

func pageName(e digest.Edition) string { return "editions/" + e.LocalDate.String() + ".html" }
