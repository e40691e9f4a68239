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

// A MemberImport is a list of members on its way into a newsletter: those join whose consent
// it proves, and those are left alone who have left. It may be interrupted, and run again.
type MemberImport struct {
	Store      *store.Store
	Newsletter digest.Newsletter
	TimeZone   string                 // of those whose list does not tell it; "": the owner's
	Ask        bool                   // those whose consent it does not prove are asked by a letter each
	DryRun     bool                   // it is counted, and nothing is changed
	Now        func() time.Time       // when they join
	OnUnread   func(*members.Problem) // is told of each row that cannot be used; may be nil

	MemberCount

	boxes    map[string]int // spellings of each mailbox that the list has proven
	suppress []digest.NewsletterSuppression
	join     []store.Joining
	ask      []store.Joining
}

// A MemberCount is what became of the people of a list.
type MemberCount struct {
	Proven      int // whose consent the list proves
	Joined      int // of these, who were no members
	Already     int // who were
	Refused     int // who have left, or to whom it must not be sent
	NoRoom      int // for whom the newsletter has no room: they did not join, and would by the same list later
	Suppressed  int // whom the list says to leave alone
	Unproven    int // whose consent nothing proves: they did not join
	Unconfirmed int // who never confirmed to the other program
	Unread      int // rows that could not be used

	AskedBefore int // who were asked elsewhere, as the list says, and were not known here

	Asks store.AskCount // of the unproven
}

// A MemberLine says of how many people of a list something holds.
type MemberLine struct {
	What digest.Words
	N    int
}

// Lines says what became of a list, or, where it was only read, what it holds.
func (c MemberCount) Lines(dryRun bool) (all []MemberLine) {
	lines := []MemberLine{{digest.Words("joined"), c.Joined}, {digest.Words("already members"), c.Already},
		{digest.Words("unsubscribed earlier, not added again"), c.Refused}}
	if dryRun {
		lines = []MemberLine{{digest.Words("with proof of consent"), c.Proven}}
	}
	unasked := c.Unproven - c.Asks.Queued - c.Asks.Known - c.Asks.Barred
	for _, line := range append(lines, MemberLine{digest.Words("not added: the newsletter is full"), c.NoRoom},
		MemberLine{digest.Words("skipped, as the list says"), c.Suppressed},
		MemberLine{digest.Words("will get an email to confirm"), c.Asks.Queued},
		MemberLine{digest.Words("asked earlier, not asked again"), c.Asks.Known},
		MemberLine{digest.Words("not asked: already members, or suppressed"), c.Asks.Barred},
		MemberLine{digest.Words("not added: no proof of consent"), unasked},
		MemberLine{digest.Words("asked elsewhere, not asked again here"), c.AskedBefore},
		MemberLine{digest.Words("never confirmed, skipped"), c.Unconfirmed},
		MemberLine{digest.Words("unreadable rows"), c.Unread}) {
		if line.N > 0 {
			all = append(all, line)
		}
	}
	return all
}

const importedAtOnce = 200 // people

// Run goes through a list. Whoever must be left alone comes first in it.
func (i *MemberImport) Run(ctx context.Context, list *members.List) error {
	if i.TimeZone == "" {
		archive, err := i.Store.Digest(ctx, i.Newsletter.ArchiveID)
		if err != nil {
			return err
		}
		i.TimeZone = archive.TimeZone
	}
	if !i.DryRun {
		var err error
		if i.AskedBefore, err = i.Store.NoteAsked(ctx, i.Newsletter.ID, list.Asked, i.Now()); err != nil {
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

// read reads what a list says of one person.
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

// mostSpellings bounds the addresses of one mailbox whose consent a list can prove. Nobody has more.
const mostSpellings = 3

// firstSpellings reports whether an address is among the first of its mailbox in the list.
func (i *MemberImport) firstSpellings(email string) bool {
	if i.boxes == nil {
		i.boxes = make(map[string]int)
	}
	box := allowance.Mailbox(email)
	i.boxes[box]++
	return i.boxes[box] <= mostSpellings
}

// joining is how somebody of a list joins.
func (i *MemberImport) joining(list *members.List, row members.Row) store.Joining {
	j := store.Joining{Email: row.Email, TimeZone: cmp.Or(row.TimeZone, i.TimeZone), Proof: row.Proof,
		JoinedAt: row.JoinedAt, Cadence: row.Cadence, Paused: row.Paused}
	j.Form = cmp.Or(j.Form, list.System+": "+row.File)
	return j
}

// flush stores what was read.
func (i *MemberImport) flush(ctx context.Context) error {
	suppress, join, ask := i.suppress, i.join, i.ask
	i.suppress, i.join, i.ask = i.suppress[:0], i.join[:0], i.ask[:0]
	if i.DryRun {
		return nil
	}
	if _, err := i.Store.SuppressInNewsletter(ctx, i.Newsletter.ID, suppress, i.Now()); err != nil {
		return err
	}
	n, err := i.Store.JoinAll(ctx, i.Newsletter.ID, join, i.Now())
	i.Joined += n.Joined
	i.Already += n.Already
	i.Refused += n.Suppressed
	i.NoRoom += n.NoRoom
	if err != nil {
		return err
	}
	asks, err := i.Store.QueueAsks(ctx, i.Newsletter.ID, ask, i.Now())
	i.Asks.Queued += asks.Queued
	i.Asks.Known += asks.Known
	i.Asks.Barred += asks.Barred
	return err
}
