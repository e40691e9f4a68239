package acceptance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A ledger contains the conditions for a mail server's journal, whatever faults happened.
type ledger struct {
	due    map[string]map[string]time.Time // by reader and post: the midnight of its edition
	until  time.Time                       // later editions are ignored
	killed map[string]bool                 // runs
	mute   map[string]time.Time            // the time from which an address must get no mail
	back   map[string]bool                 // addresses with a bounce after the server stored the message
	keys   keyring
	sealed bool                // every message must be signed
	known  map[string]examined // by message
}

func newLedger() *ledger {
	return &ledger{due: map[string]map[string]time.Time{}, killed: map[string]bool{}, mute: map[string]time.Time{},
		back: map[string]bool{}, keys: keyring{}, known: map[string]examined{}}
}

// A judgement is the result for a journal.
type judgement struct {
	findings []string
	messages int // different ones
	twice    int // repeated ones
	failed   int // refused editions
	doubted  int // twice in doubt, and never arrived
}

func (j *judgement) find(format string, args ...any) {
	j.findings = append(j.findings, fmt.Sprintf(format, args...))
}

// A copy is a message in the journal.
type mailCopy struct {
	accepted
	letter
}

const (
	doubtful  = 15 * time.Minute         // waiting time of an edition in doubt
	shortest  = 5 * time.Minute * 9 / 10 // waiting time of a refused one, with jitter
	oneDay    = 24 * time.Hour
	mostDoubt = 2 // copies of one message
)

type examined struct {
	letter
	err error
}

// examine caches the result for each message.
func (l *ledger) examine(raw []byte) (letter, error) {
	e, ok := l.known[string(raw)]
	if !ok {
		e.letter, e.err = examine(raw, l.keys)
		l.known[string(raw)] = e
	}
	return e.letter, e.err
}

// judge compares a journal and the attempts with the ledger.
func (l *ledger) judge(journal []accepted, tries []attempt) (j judgement) {
	byID, order := map[string][]mailCopy{}, []string{}
	for _, a := range journal {
		p, err := l.examine(a.raw)
		if err != nil {
			j.find("%s: a message to %s is not whole: %v", instant(a.now), a.to, err)
		}
		if l.sealed && !p.signed {
			j.find("%s: the message %s to %s is not signed", instant(a.now), p.ID, a.to)
		}
		if p.To != a.to {
			j.find("%s: a mail to %s was addressed to %s", instant(a.now), p.To, a.to)
		}
		if since, ok := l.mute[a.to]; ok && !a.now.Before(since) {
			j.find("%s: %s got %q, and should have had nothing since %s", instant(a.now), a.to, p.Subject,
				instant(since))
		}
		if l.due[a.to] == nil {
			j.find("%s: a mail to %s, who is nobody", instant(a.now), a.to)
		}
		if byID[p.ID] == nil {
			order = append(order, p.ID)
		}
		byID[p.ID] = append(byID[p.ID], mailCopy{a, p})
	}
	j.messages = len(order)
	l.judgeCopies(&j, byID, order)
	l.judgePosts(&j, byID, order, tries)
	l.judgeTries(&j, tries)
	return j
}

// judgeCopies checks that a message is repeated only if there was no response, or its run was killed. Each killed
// connection excuses one copy.
func (l *ledger) judgeCopies(j *judgement, byID map[string][]mailCopy, order []string) {
	spent := map[string]string{} // by run and connection
	for _, id := range order {
		copies := byID[id]
		doubts := 1
		for i, again := range copies[1:] {
			j.twice++
			before := copies[i]
			code := codeOf(before.answer)
			denied := code >= 400
			if !denied {
				doubts++
			}
			if !denied && (!again.Date.Equal(before.Date) || again.to != before.to || again.Subject != before.Subject) {
				j.find("%s came again as another message: %q of %s to %s, then %q of %s to %s", id, before.Subject,
					instant(before.Date), before.to, again.Subject, instant(again.Date), again.to)
			}
			if gap := again.now.Sub(before.now); !denied && gap < doubtful {
				j.find("%s came again after %s", id, gap)
			}
			if code != 250 {
				continue
			}
			connection := fmt.Sprintf("%s, connection %d", before.run, before.conn)
			switch other := spent[connection]; {
			case !l.killed[before.run]:
				j.find("%s to %s came again though it was answered %q to %s, which lived", id, before.to, before.answer,
					connection)
			case other != "":
				j.find("%s to %s came again, and so did %s of the same killed %s", id, before.to, other, connection)
			}
			spent[connection] = id
		}
		if doubts > mostDoubt {
			j.find("%s to %s came %d times", id, copies[0].to, len(copies))
		}
	}
}

// judgePosts checks that every post arrives, in one message.
func (l *ledger) judgePosts(j *judgement, byID map[string][]mailCopy, order []string, tries []attempt) {
	had := map[string]string{} // message by reader and post
	for _, id := range order {
		c := byID[id][0]
		for url := range c.posts {
			if other := had[c.to+url]; other != "" && !l.carried(byID[other], c) {
				j.find("%s has %s twice: in %s and %s", c.to, url, other, id)
			}
			had[c.to+url] = id
			if at, ok := l.due[c.to][url]; ok && c.now.Before(at) {
				j.find("%s had %s before %s", c.to, url, instant(at))
			}
		}
	}
	failed, doubted := map[string]bool{}, map[string]bool{}
	for reader, posts := range l.due {
		for url, at := range posts {
			if had[reader+url] != "" || at.After(l.until) || l.silenced(reader, at) {
				continue
			}
			edition := reader + instant(at)
			switch refused, doubts := l.excuse(reader, at, tries); {
			case refused:
				failed[edition] = true
			case doubts >= 2:
				doubted[edition] = true
			default:
				j.find("%s never had %s, which was due at %s", reader, url, instant(at))
			}
		}
	}
	j.failed, j.doubted = len(failed), len(doubted)
}

func (l *ledger) silenced(reader string, at time.Time) bool {
	since, ok := l.mute[reader]
	return ok && since.Before(at.Add(oneDay)) // it may have waited
}

// carried reports whether a later message may repeat the posts of an earlier one: it bounced, was refused after the
// server stored it, or its fate was unknown for a day.
func (l *ledger) carried(earlier []mailCopy, later mailCopy) bool {
	return slices.ContainsFunc(earlier, func(c mailCopy) bool {
		unknown := c.answer == "" || l.killed[c.run]
		return l.back[c.to] || codeOf(c.answer) >= 400 || unknown && later.now.Sub(c.now) > 15*time.Hour
	})
}

// excuse returns whether the server refused an edition that did not arrive, and the number of doubts.
func (l *ledger) excuse(reader string, at time.Time, tries []attempt) (refused bool, doubts int) {
	for _, a := range tries {
		// a killed poll delays its posts by a day
		if a.to != reader || a.now.Before(at) || !a.now.Before(at.Add(2*oneDay)) {
			continue
		}
		if a.code >= 500 {
			refused = true
		}
		if a.reached == inBody || a.dot && (a.code == 0 || l.killed[a.run]) { // it may not have recorded the response
			doubts++
		}
	}
	return refused, doubts
}

// judgeTries checks that temporary refusals delay the next attempt, and that no attempt is made for mute addresses.
func (l *ledger) judgeTries(j *judgement, tries []attempt) {
	last := map[string]attempt{}
	for _, a := range tries {
		if a.to == "" {
			continue
		}
		if since, ok := l.mute[a.to]; ok && a.now.After(since) {
			j.find("%s: the server was asked for %s, who may have nothing since %s", instant(a.now), a.to,
				instant(since))
		}
		before, ok := last[a.to]
		if gap := a.now.Sub(before.now); ok && before.reached != atMAIL && before.code/100 == 4 && before.code != 421 &&
			gap < shortest {
			j.find("%s: %s was tried again %s after %q", instant(a.now), a.to, gap, before.reply)
		}
		last[a.to] = a
	}
}

// tell returns the findings, shortened.
func (j judgement) tell() string {
	const most = 12
	shown := j.findings[:min(most, len(j.findings))]
	return fmt.Sprintf("%d findings:\n%s", len(j.findings), strings.Join(shown, "\n"))
}
