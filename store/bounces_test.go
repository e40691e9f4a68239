package store_test

import (
	"testing"
	"time"

	"digest"
)

// bounced records a bounce and returns the reason of the suppression; empty: not suppressed.
func (w world) bounced(now time.Time, e digest.EditionID, kind digest.BounceKind) digest.Reason {
	w.Helper()
	s, suppressed := must2(w.Editions.RecordBounce(w.ctx, now,
		digest.Bounce{Edition: e, Kind: kind, Status: "5.1.1", Evidence: string(kind) + " of\r\n it"}))
	want(w, "a reason", suppressed, s.Reason != "")
	return s.Reason
}

func TestBounces(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(2)
		w.send(parisMidnight)
		list, err := w.Editions.Editions(w.ctx, ds[0].ID, 1)
		w.ok(err)
		e := list[0].ID
		want(w, "soft", w.bounced(noon, e, digest.SoftBounce), "")
		want(w, "hard", w.bounced(noon, e, digest.HardBounce), digest.ForHardBounce)
		s, _ := must2(w.Editions.Suppressed(w.ctx, "reader0@example.org"))
		want(w, "suppression", s, digest.Suppression{
			Email: "reader0@example.org", Reason: digest.ForHardBounce, Evidence: "hard of it", EditionID: e,
			CreatedAt: noon,
		})
		w.ok(w.Editions.Unsuppress(w.ctx, "reader0@example.org"))
		want(w, "told again: the operator has undone it", w.bounced(noon.Add(time.Hour), e, digest.HardBounce), "")
		want(w, "still active", w.again(ds[0]).State, digest.DigestActive)
		want(w, "a complaint", w.bounced(noon, e, digest.Complaint), digest.ForComplaint)
		want(w, "has left", w.again(ds[0]).State, digest.DigestLeft)
		want(w, "twice", w.bounced(noon, e, digest.Complaint), digest.ForComplaint)
		want(w, "the other", w.again(ds[1]).State, digest.DigestActive)
		w.holds("recorded, without the soft one that was undone", 2, `SELECT count(*) FROM bounces`)
		oneLine(w, err3(w.Editions.RecordBounce(w.ctx, noon, digest.Bounce{Edition: 999, Kind: digest.HardBounce})),
			digest.NotFound)
		if _, _, err = w.Editions.RecordBounce(w.ctx, noon,
			digest.Bounce{Edition: list[0].ID + 1, Kind: "odd"}); err == nil {
			w.Error("an odd kind was taken")
		}
		w.remove(ds[0].UserID, noon)
		w.holds("gone with the reader", 0, `SELECT count(*) FROM bounces`)
	})
}

// A complaint ends claimed editions, as leaving does.
func TestComplaintStopsWhatIsOnItsWay(t *testing.T) {
	each(t, func(w world) {
		w.released(1)
		e := w.claimEditions(parisMidnight, 1, "t")[0].ID
		w.bounced(parisMidnight, e, digest.Complaint)
		want(w, "no dot", len(w.dot(parisMidnight, "t", e)), 0)
		want(w, "over", w.edition(e).State, digest.EditionFailed)
	})
}

// MarkEditions records the bounce of a mark.
func TestBounceOfAMark(t *testing.T) {
	each(t, func(w world) {
		w.released(3)
		got := w.claimEditions(parisMidnight, 9, "t")
		w.dot(parisMidnight, "t", got[1].ID)
		w.mark(parisMidnight, "t", []digest.Mark{
			{ID: got[0].ID, State: digest.EditionFailed, Error: "550",
				Bounce: &digest.Bounce{Kind: digest.HardBounce, Status: "5.1.1", Evidence: "550 5.1.1 no such user"}},
			{ID: got[1].ID, State: digest.EditionExpired,
				Bounce: &digest.Bounce{Kind: digest.SoftBounce, Evidence: "452 full"}},
		}...)
		s, ok := must2(w.Editions.Suppressed(w.ctx, "reader0@example.org"))
		want(w, "suppressed", ok && s.EditionID == got[0].ID && s.Evidence == "550 5.1.1 no such user", true)
		w.holds("soft", 1, `SELECT count(*) FROM bounces WHERE kind = 'soft' AND email_key = 'reader1@example.org'`)
		w.mark(parisMidnight, "u",
			digest.Mark{ID: got[2].ID, State: digest.EditionFailed, Bounce: &digest.Bounce{Kind: digest.HardBounce}})
		_, ok = must2(w.Editions.Suppressed(w.ctx, "reader2@example.org"))
		want(w, "a mark without the lease says nothing", ok, false)
	})
}

// TestSoftBounces sends an edition a day to one reader. The letters are the results of the days:
//
//	s  soft bounce, reported now
//	l  soft bounce, reported two days later
//	.  no bounce
//	x  expired with a soft bounce
//	f  expired with a full mailbox
//	r  refused for policy
//	-  no edition
//
// The address must be suppressed at the end of the days and not before.
func TestSoftBounces(t *testing.T) {
	for _, test := range []struct {
		days       string
		suppressed bool
	}{
		{"ssssssss", true},
		{"sssssss", false},    // six days from the first to the last
		{"s-----s-", false},   // four editions: the next edition carries a bounced one
		{"ss---sss", true},    // six, over seven days
		{"s.ssssss", false},   // one was delivered
		{"ss.ssssssss", true}, // then eight in a row
		{"xxxxxxxx", true},    // no server accepted any
		{"sssssss..s", false},
		{"sssssss.s", true},   // the second last may still bounce
		{"sslsslss", true},    // late reports
		{"sssssssss.", false}, // delivered before the end
		{"xsxsxsxs", true},
		{"ffffffffn", true},   // a full mailbox until each expired
		{"rrrrrrrrrr", false}, // policy does not count
		{"rsrsrsrsrs", true},  // five soft ones in between
		{"s......s.s.s", false},
	} {
		t.Run(test.days, func(t *testing.T) {
			each(t, func(w world) {
				_, f := w.follows()
				var late []digest.EditionID
				midnight, suppressed := parisMidnight, 0
				for i, c := range test.days {
					if c != '-' {
						w.record(midnight.Add(-time.Hour), f, posts(midnight.Add(-time.Hour), midnight.String()))
					}
					w.hour(midnight)
					for _, id := range late {
						w.bounced(midnight.Add(time.Minute), id, digest.SoftBounce)
					}
					late = nil
					for _, e := range w.claimEditions(midnight, 9, "t") {
						if c == 'f' {
							w.mark(midnight, "t", digest.Mark{ID: e.ID, State: digest.EditionReady,
								Reply: "452 4.2.2 over quota", NextAt: midnight.Add(time.Hour)})
							continue
						}
						w.dot(midnight, "t", e.ID)
						m := digest.Mark{ID: e.ID, State: digest.EditionSent}
						if c == 'x' {
							m = digest.Mark{ID: e.ID, State: digest.EditionFailed,
								Bounce: &digest.Bounce{Kind: digest.SoftBounce}}
						}
						w.mark(midnight, "t", m)
						switch c {
						case 'r':
							w.bounced(midnight.Add(time.Minute), e.ID, digest.RefusedBounce)
						case 's', '-':
							w.bounced(midnight.Add(time.Minute), e.ID, digest.SoftBounce)
						case 'l':
							late = append(late, e.ID)
						}
					}
					if _, ok, err := w.Editions.Suppressed(w.ctx, "ada@example.org"); err != nil {
						w.Fatal(err)
					} else if ok && suppressed == 0 {
						suppressed = i + 1
					}
					midnight = midnight.Add(day)
				}
				want(w, "suppressed on the last day", suppressed == len(test.days), test.suppressed)
			})
		})
	}
}
