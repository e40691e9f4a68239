package subscribe

import (
	"cmp"
	"context"
	"errors"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/members"
	"digest/store"
)

// A MemberImport imports a list of members into a newsletter. People join if the list proves their consent.
// Import skips people who unsubscribed earlier. It is safe to interrupt an import and run it again.
type MemberImport struct {
	Store      *store.Store
	Newsletter digest.Newsletter
	TimeZone   string                 // for people without a time zone in the list; "": the owner's
	Ask        bool                   // send a confirmation request to people without proof of consent
	DryRun     bool                   // count, and change nothing
	Now        func() time.Time       // returns the time of joining
	OnUnread   func(*members.Problem) // called for each unreadable row; may be nil

	MemberCount

	boxes    map[string]int // number of proven addresses in the list by mailbox
	suppress []digest.NewsletterSuppression
	join     []store.Joining
	ask      []store.Joining
}

// A MemberCount counts the outcomes of an import.
type MemberCount struct {
	Proven      int // with proof of consent in the list
	Joined      int // joined now, of the proven
	Already     int // were members before, of the proven
	Refused     int // unsubscribed earlier, or suppressed
	NoRoom      int // did not join because the newsletter is full; a later import of the list can add them
	Suppressed  int // suppressed by the list
	Unproven    int // did not join for lack of proof
	Unconfirmed int // never confirmed to the other program
	Unread      int // unreadable rows

	AskedBefore int // asked elsewhere according to the list, and new here

	Asks store.AskCount // confirmation requests to the unproven
}

// A MemberLine is one line of an import's report: a description and a number of people.
type MemberLine struct {
	What digest.Words
	N    int
}

// Lines returns the report of an import, without lines whose number is 0. After a dry run it has the number
// of proven people in place of the outcomes.
func (c MemberCount) Lines(dryRun bool) (all []MemberLine) {
	lines := []MemberLine{{digest.Words("joined"), c.Joined}, {digest.Words("already members"), c.Already},
		{digest.Words("unsubscribed earlier, not added again"), c.Refused}}
	if dryRun {
		lines = []MemberLine{{digest.Words("with proof of consent"), c.Proven}}
	}
	unasked := c.Unproven - c.Asks.Queued - c.Asks.Known - c.Asks.Barred
	for _, line := range append(lines, MemberLine{digest.Words("not added: the newsletter is full"), c.NoRoom},
		MemberLine{digest.Words("skipped: marked as suppressed in the list"), c.Suppressed},
		MemberLine{digest.Words("will get an email to confirm"), c.Asks.Queued},
		MemberLine{digest.Words("already asked to confirm, not asked again"), c.Asks.Known},
		MemberLine{digest.Words("not asked: members, former members or suppressed addresses"), c.Asks.Barred},
		MemberLine{digest.Words("not added: no proof of consent"), unasked},
		MemberLine{digest.Words("already asked to confirm on the previous site, not asked again"), c.AskedBefore},
		MemberLine{digest.Words("skipped: never confirmed"), c.Unconfirmed},
		MemberLine{digest.Words("unreadable rows"), c.Unread}) {
		if line.N > 0 {
			all = append(all, line)
		}
	}
	return all
}

const importedAtOnce = 200 // people

// Run imports a list. The list yields its suppressions before its members.
func (i *MemberImport) Run(ctx context.Context, list *members.List) error {
	if i.TimeZone == "" {
		archive, err := i.Store.Readers.Digest(ctx, i.Newsletter.ArchiveID)
		if err != nil {
			return err
		}
		i.TimeZone = archive.TimeZone
	}
	if !i.DryRun {
		var err error
		if i.AskedBefore, err = i.Store.Members.NoteAsked(ctx, i.Newsletter.ID, list.Asked, i.Now()); err != nil {
			return err
		}
	}
	for row, err := range list.Rows() {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if problem, ok := errors.AsType[*members.Problem](err); ok {
			i.Unread++
			if i.OnUnread != nil {
				i.OnUnread(problem)
			}
			continue
		}
		if err == nil {
			err = i.read(ctx, list, row)
		}
		if err != nil {
			return err
		}
	}
	return i.flush(ctx)
}

func (i *MemberImport) read(ctx context.Context, list *members.List, row members.Row) error {
	action := row.Action()
	if action == members.Join && !i.firstSpellings(row.Email) {
		action = members.Ask
	}
	switch action {
	case members.Suppress:
		i.Suppressed++
		i.suppress = append(i.suppress, row.Suppression())
	case members.Ask:
		i.Unproven++
		if i.Ask {
			i.ask = append(i.ask, i.joining(list, row))
		}
	case members.Ignore:
		i.Unconfirmed++
	case members.Join:
		i.Proven++
		i.join = append(i.join, i.joining(list, row))
	}
	if len(i.suppress)+len(i.join)+len(i.ask) < importedAtOnce {
		return nil
	}
	return i.flush(ctx)
}

// mostSpellings is the number of addresses of one mailbox that a list can prove. Nobody has more.
const mostSpellings = 3

// firstSpellings counts an address and reports whether it is within mostSpellings of its mailbox.
func (i *MemberImport) firstSpellings(email string) bool {
	if i.boxes == nil {
		i.boxes = make(map[string]int)
	}
	box := allowance.Mailbox(email)
	i.boxes[box]++
	return i.boxes[box] <= mostSpellings
}

func (i *MemberImport) joining(list *members.List, row members.Row) store.Joining {
	j := store.Joining{Email: row.Email, TimeZone: cmp.Or(row.TimeZone, i.TimeZone), Proof: row.Proof,
		JoinedAt: row.JoinedAt, Cadence: row.Cadence, Paused: row.Paused}
	j.Form = cmp.Or(j.Form, list.System+": "+row.File)
	return j
}

// flush stores the collected rows. In a dry run it only drops them.
func (i *MemberImport) flush(ctx context.Context) error {
	suppress, join, ask := i.suppress, i.join, i.ask
	i.suppress, i.join, i.ask = i.suppress[:0], i.join[:0], i.ask[:0]
	if i.DryRun {
		return nil
	}
	if _, err := i.Store.Members.SuppressInNewsletter(ctx, i.Newsletter.ID, suppress, i.Now()); err != nil {
		return err
	}
	n, err := i.Store.Members.JoinAll(ctx, i.Newsletter.ID, join, i.Now())
	i.Joined += n.Joined
	i.Already += n.Already
	i.Refused += n.Suppressed
	i.NoRoom += n.NoRoom
	if err != nil {
		return err
	}
	asks, err := i.Store.Members.QueueAsks(ctx, i.Newsletter.ID, ask, i.Now())
	i.Asks.Queued += asks.Queued
	i.Asks.Known += asks.Known
	i.Asks.Barred += asks.Barred
	return err
}
