package export

import (
	"cmp"
	"context"
	"io"
	"time"

	"digest"
	"digest/store"
)

// account is what is known of a reader, as account.json has it.
type account struct {
	Address   string     `json:"address"`
	Since     time.Time  `json:"since"`
	TimeZone  string     `json:"time_zone"`
	Operator  bool       `json:"operator"`
	Direction string     `json:"direction_of_pages"`
	Shortcuts bool       `json:"single_keys"`
	Digest    settings   `json:"digest"`
	NotMailed *notMailed `json:"not_mailed"` // null: the address is mailed
}

// settings is how a digest comes.
type settings struct {
	Name        string     `json:"name"`
	State       string     `json:"state"`
	PausedUntil *time.Time `json:"paused_until"`
	Days        string     `json:"days"`
	MailAt      string     `json:"mail_at"` // by the reader's clock
	Layout      string     `json:"layout"`
	Images      string     `json:"images"`
	Threaded    bool       `json:"threaded"`
	Editions    int        `json:"editions"` // it has had
}

// notMailed is why nothing is mailed to the address.
type notMailed struct {
	Reason string    `json:"reason"`
	Words  string    `json:"words"`
	Since  time.Time `json:"since"`
}

func (e *Export) readAccount(ctx context.Context) error {
	u, d := e.user, e.digest
	e.account = account{
		Address: u.Email, Since: u.CreatedAt.UTC(), TimeZone: u.TimeZone, Operator: u.Operator,
		Direction: string(u.Direction), Shortcuts: u.Shortcuts,
		Digest: settings{
			Name: d.Name, State: string(d.State), PausedUntil: known(d.PausedUntil), Days: d.Weekdays.String(),
			MailAt: time.Time{}.Add(d.DeliverAt).Format("15:04"), Layout: string(d.Layout), Images: string(d.Images),
			Threaded: d.Threaded, Editions: d.Editions,
		},
	}
	s, ok, err := e.store.Suppressed(ctx, u.Email)
	if ok {
		e.account.NotMailed = &notMailed{string(s.Reason), s.Evidence, s.CreatedAt.UTC()}
	}
	return err
}

// known is a time for JSON: null if there is none.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

func (e *Export) writeAccount(_ context.Context, w io.Writer) error { return writeJSON(w, e.account) }

// subscription is one feed of a reader, as feeds.json has it.
type subscription struct {
	URL      string `json:"url"`
	Site     string `json:"site"`
	Title    string `json:"title"`
	OwnTitle string `json:"own_title"`
	Folder   string `json:"folder"`
	Display  string `json:"display"` // empty: as the digest
}

func (e *Export) writeFeeds(_ context.Context, w io.Writer) error {
	list := []subscription{}
	for _, s := range e.taken {
		list = append(list, subscription{s.Feed.URL, s.Feed.SiteURL, s.Feed.Title, s.Title, s.Folder, string(s.Display)})
	}
	return writeJSON(w, list)
}

// titleOf is what a reader calls a feed.
func titleOf(s store.SubscriptionInfo) string { return cmp.Or(s.Title, s.Feed.Title, s.Feed.URL) }

// issue is one edition, as editions.json has it.
type issue struct {
	Date   string     `json:"date"`
	Number int        `json:"number"`
	MadeAt time.Time  `json:"midnight"`
	Page   string     `json:"page"`
	Mail   string     `json:"mail"` // what became of it
	SentAt *time.Time `json:"sent_at"`
	Reply  string     `json:"reply"` // of the server that took it
	Error  string     `json:"error"`
}

func (e *Export) writeEditions(_ context.Context, w io.Writer) error {
	list := []issue{}
	for _, x := range e.editions {
		list = append(list, issue{x.LocalDate.String(), x.Number, x.DueAt.UTC(), pageName(x), string(x.State), known(x.SentAt), x.Reply, x.Error})
	}
	return writeJSON(w, list)
}

// pageName is the file of an edition.
func pageName(e digest.Edition) string { return "editions/" + e.LocalDate.String() + ".html" }
