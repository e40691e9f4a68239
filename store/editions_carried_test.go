package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

// An expired edition is carried by the next one, also over several days, and only once.
func TestCarry(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "1")
		want(w, "the 20th", w.hour(parisMidnight), 2)
		w.sendTo(parisMidnight, bob)
		second := parisMidnight.Add(day)
		w.record(parisMidnight.Add(time.Hour), f, posts(parisMidnight.Add(time.Hour), "2"))
		waiting := must(w.Editions.WaitingPosts(w.ctx, ada.ID))
		want(w, "while it may still be sent", w.marked(waiting), "2")
		want(w, "the 21st", w.hour(second), 2)
		want(w, "ada's", w.shown(ada), "2026-11-20 1; 2026-11-21 +1 2")
		want(w, "bob's", w.shown(bob), "2026-11-20 1; 2026-11-21 2")
		w.sendTo(second, bob)
		w.recoverDead(second.Add(20 * time.Hour))
		waiting = must(w.Editions.WaitingPosts(w.ctx, ada.ID))
		want(w, "what is lost so far", w.marked(waiting), "+1 +2")

		third := second.Add(day)
		want(w, "the 22nd: no news, and yet an edition", w.hour(third), 1)
		all := "2026-11-20 1; 2026-11-21 +1 2; 2026-11-22 +1 +2"
		want(w, "also what was carried", w.shown(ada), all)
		want(w, "numbered", w.again(ada).Editions, 3)
		want(w, "once more at the same midnight", w.hour(third), 0)
		w.send(third)
		want(w, "it has arrived", w.hour(third.Add(day)), 0)
		w.record(third.Add(25*time.Hour), f, posts(third.Add(25*time.Hour), "3"))
		w.hour(third.Add(2 * day))
		want(w, "never twice, and nothing sealed changes", w.shown(ada), all+"; 2026-11-24 3")
		w.holds("states", 2, `SELECT count(*) FROM editions WHERE digest_id = ? AND state = 'expired'`, ada.ID)
		w.holds("errors", 2, `SELECT count(*) FROM editions WHERE error = 'not delivered in time'`)
	})
}

// sendTo sends the due edition of one reader and gives the others back.
func (w world) sendTo(now time.Time, d digest.Digest) {
	w.Helper()
	for _, e := range w.claimEditions(now, 1000, "send") {
		if e.DigestID == d.ID {
			w.dot(now, "send", e.ID)
			w.mark(now, "send", digest.Mark{ID: e.ID, State: digest.EditionSent})
		}
	}
	w.ok(w.Editions.GiveBackEditions(w.ctx, "send"))
}

// If an edition that carries others fails, or is in doubt twice, the posts that it carried do not appear again.
func TestCarryEnds(t *testing.T) {
	for _, end := range []digest.EditionState{digest.EditionFailed, digest.EditionUnconfirmed, digest.EditionSent} {
		t.Run(string(end), func(t *testing.T) {
			each(t, func(w world) {
				d := w.released(1)[0]
				second := parisMidnight.Add(day)
				want(w, "carries", w.hour(second), 1)
				e := w.claimEditions(second, 9, "t")[0]
				w.mark(second, "t", digest.Mark{ID: e.ID, State: end})
				want(w, "not again", w.hour(second.Add(day)), 0)
				want(w, "all", w.shown(d), "2026-11-20 p; 2026-11-21 +p")
			})
		})
	}
}

// TestUndelivered: if an edition does not reach its reader, the next one shows its posts, once. It lists the posts of
// an edition that was refused or may have arrived, and a notice links to that edition. If the next edition is refused
// too, the one after shows only its own posts.
func TestUndelivered(t *testing.T) {
	mark := func(state digest.EditionState, bounce digest.BounceKind) func(world, digest.Delivery) {
		return func(w world, e digest.Delivery) {
			m := digest.Mark{ID: e.ID, State: state}
			if bounce != "" {
				m.Bounce = &digest.Bounce{Kind: bounce}
			}
			w.dot(parisMidnight, "t", e.ID)
			w.mark(parisMidnight, "t", m)
		}
	}
	report := func(kind digest.BounceKind) func(world, digest.Delivery) {
		return func(w world, e digest.Delivery) {
			mark(digest.EditionSent, "")(w, e)
			w.bounced(parisMidnight.Add(time.Hour), e.ID, kind)
		}
	}
	const whole, list, none = "+p q", "-p q (2026-11-20)", "q"
	for name, c := range map[string]struct {
		end  func(world, digest.Delivery)
		want string // posts of the next edition, and its notices
	}{
		"sent":            {mark(digest.EditionSent, ""), none},
		"refused":         {mark(digest.EditionFailed, ""), list},
		"refused, full":   {mark(digest.EditionFailed, digest.SoftBounce), list},
		"never confirmed": {mark(digest.EditionUnconfirmed, ""), "-p q (2026-11-20?)"},
		"in doubt twice": {func(w world, e digest.Delivery) { mark(digest.EditionInDoubt, "")(w, e); doubt(w) },
			"-p q (2026-11-20?)"},
		"expired":              {mark(digest.EditionExpired, ""), whole},
		"nobody there":         {mark(digest.EditionFailed, digest.HardBounce), none},
		"refused by report":    {report(digest.RefusedBounce), list},
		"mailbox full, report": {report(digest.SoftBounce), list},
		"nobody there, report": {report(digest.HardBounce), none},
		"refused, sent again": {
			func(w world, e digest.Delivery) { mark(digest.EditionFailed, "")(w, e); w.resend(e.ID) }, none},
		"refused, left and back": {func(w world, e digest.Delivery) {
			mark(digest.EditionFailed, "")(w, e)
			w.ok(w.Readers.SetDigestState(w.ctx, e.DigestID, digest.DigestLeft, parisMidnight))
			w.ok(w.Readers.SetDigestState(w.ctx, e.DigestID, digest.DigestActive, parisMidnight))
		}, none},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				d := w.released(1)[0]
				c.end(w, w.claimEditions(parisMidnight, 1, "t")[0])
				second, third := parisMidnight.Add(day), parisMidnight.Add(2*day)
				f := must(w.Feeds.FeedByURL(w.ctx, "https://f.example/feed"))
				w.record(second.Add(-time.Hour), f, posts(second.Add(-time.Hour), "q"))
				w.hour(second)
				want(w, "next edition", w.brought(d), c.want)
				for _, e := range w.claimEditions(second, 9, "t") {
					w.mark(second, "t", digest.Mark{ID: e.ID, State: digest.EditionFailed})
				}
				if strings.Contains(c.want, "-") {
					w.hour(third)
					want(w, "the one after", w.brought(d), "-q (2026-11-21)")
				}
			})
		})
	}
}

// doubt makes the only edition in doubt again.
func doubt(w world) {
	w.Helper()
	for _, e := range w.claimEditions(parisMidnight.Add(time.Hour), 1, "t") {
		w.dot(parisMidnight.Add(time.Hour), "t", e.ID)
	}
	w.recoverDead(parisMidnight.Add(2 * time.Hour))
}

func (w world) resend(id digest.EditionID) {
	w.Helper()
	w.ok(w.Editions.ResendEdition(w.ctx, id, parisMidnight))
	w.send(parisMidnight)
}

// brought describes a digest's latest edition. It marks carried posts with +, listed ones with -, and adds the dates of
// the editions that a notice names.
func (w world) brought(d digest.Digest) string {
	w.Helper()
	latest := w.latest(d)
	e := []digest.Delivery{{Edition: latest}}
	refs := must(w.Editions.EditionPosts(w.ctx, e))
	told := must(w.Editions.Notices(w.ctx, e))
	var said []string
	for _, r := range refs[latest.ID] {
		sign := ""
		switch {
		case r.Listed:
			sign = "-"
		case r.Carried:
			sign = "+"
		}
		said = append(said, sign+w.identities([]digest.PostRef{r}))
	}
	for _, n := range told[latest.ID] {
		said = append(said, fmt.Sprintf("(%s%s)", n.LocalDate, map[bool]string{n.Unconfirmed: "?"}[true]))
	}
	return strings.Join(said, " ")
}

// Editions that expire by a mark or during a claim are carried too.
func TestCarryHoweverItExpired(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(2)
		got := w.claimEditions(parisMidnight, 1, "t")
		w.mark(parisMidnight, "t", digest.Mark{ID: got[0].ID, State: digest.EditionExpired, Error: "451 later"})
		want(w, "too late", len(w.claimEditions(parisMidnight.Add(20*time.Hour), 9, "t")), 0)
		want(w, "both", w.hour(parisMidnight.Add(day)), 2)
		for _, d := range ds {
			want(w, "carried", w.shown(d), "2026-11-20 p; 2026-11-21 +p")
		}
		want(w, "a better error stays", w.edition(got[0].ID).Error, "451 later")
	})
}

func TestCarriedNotices(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.die(f, noon)
		w.hour(parisMidnight)
		want(w, "for the notice alone", w.hour(parisMidnight.Add(day)), 1)
		want(w, "told again", w.editionNotices(ada), "2026-11-20 dead f.example; 2026-11-21 dead f.example")
		w.recoverDead(parisMidnight.Add(2 * day))
		want(w, "and waits, once", len(must(w.Editions.WaitingNotices(w.ctx, ada.ID))), 1)
	})
}

// pruneHard prunes everything that may be deleted.
func (w world) pruneHard(now time.Time) {
	w.Helper()
	for {
		n := w.pruneOnce(now, time.Hour, 2)
		if n == 0 {
			return
		}
	}
}

// Prune runs while weeks pass between two editions.
func TestPruneSparesWhatIsToBeCarried(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.setCadence(ada, 1<<time.Sunday, noon)
		w.posted(f, "p")
		w.record(noon.Add(60*day), f, nil, "other") // the document no longer contains it
		sunday := w.again(ada).NextDueAt
		w.hour(sunday)
		for week, wanted := range []string{
			"2026-11-22 p",
			"2026-11-22 p; 2026-11-29 +p",
			"2026-11-22 p; 2026-11-29 +p; 2026-12-06 +p",
			"2026-11-22 p; 2026-11-29 +p; 2026-12-06 +p; 2027-02-14 +p", // no worker ran for ten weeks
		} {
			if week == 3 {
				sunday = sunday.Add(9 * 7 * day)
			}
			w.pruneHard(sunday)
			if week > 0 {
				want(w, "made", w.hour(sunday), 1)
			}
			w.pruneHard(sunday.Add(2 * day))
			want(w, "on its way", w.shown(ada), wanted)
			w.recoverDead(sunday.Add(7*day - time.Hour))
			w.pruneHard(sunday.Add(7*day - time.Hour))
			want(w, "to be carried", w.shown(ada), wanted)
			sunday = sunday.Add(7 * day)
		}
		w.hour(sunday)
		w.send(sunday)
		w.setState(ada, digest.DigestPaused, sunday)
		w.pruneHard(sunday.Add(400 * day))
		w.holds("editions", 0, `SELECT count(*) FROM editions`)
		w.holds("carried", 0, `SELECT count(*) FROM carried_posts`)
		w.holds("posts", 0, `SELECT count(*) FROM posts`)
	})
}

func TestWhoLeavesHasNothingCarried(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		now := parisMidnight.Add(21 * time.Hour)
		w.recoverDead(now)
		w.setState(d, digest.DigestLeft, now)
		w.setState(d, digest.DigestActive, now.Add(time.Hour))
		want(w, "nothing", w.hour(parisMidnight.Add(day)), 0)
		list := w.latest(d)
		want(w, "it ended", fmt.Sprint(list.State, " ", list.Error), "failed unsubscribed")
	})
}
