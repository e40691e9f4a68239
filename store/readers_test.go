package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestReaders lists readers by state and by a part of their address, a few at a time.
func TestReaders(t *testing.T) {
	each(t, func(w world) {
		ann, bob, cleo, dora := w.reader("ann"), w.reader("bob", "Asia/Tokyo"), w.reader("cleo", "UTC"),
			w.reader("dora", "UTC")
		until := noon.Add(3 * day)
		w.pause(bob, until, noon)
		w.pause(cleo, time.Time{}, noon)
		w.setState(dora, digest.DigestLeft, noon)
		w.ok(w.Operator.SetOperator(w.ctx, ann.UserID, true))
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: "CLEO@example.org", Reason: digest.ForComplaint,
			CreatedAt: noon}))
		eve := w.reader("eve", "UTC")
		w.exec(`UPDATE users SET member_only = 1 WHERE id = ?`, eve.UserID)
		w.setState(eve, digest.DigestLeft, noon)

		names := func(q store.ReaderQuery) string {
			t.Helper()
			if q.Most == 0 {
				q.Most = 10
			}
			found := must(w.Operator.Readers(w.ctx, q))
			var names []string
			for _, u := range found {
				name, _, _ := strings.Cut(u.Email, "@")
				names = append(names, name)
			}
			return strings.Join(names, " ")
		}
		for _, tt := range []struct {
			what string
			q    store.ReaderQuery
			want string
		}{
			{"all", store.ReaderQuery{}, "ann bob cleo dora eve"},
			{"the first", store.ReaderQuery{Most: 2}, "ann bob"},
			{"the next", store.ReaderQuery{Most: 2, After: bob.UserID}, "cleo dora"},
			{"active", store.ReaderQuery{State: digest.DigestActive}, "ann"},
			{"paused", store.ReaderQuery{State: digest.DigestPaused}, "bob cleo"},
			{"paused, later", store.ReaderQuery{State: digest.DigestPaused, After: bob.UserID}, "cleo"},
			{"left", store.ReaderQuery{State: digest.DigestLeft}, "dora"},
			{"members", store.ReaderQuery{State: digest.DigestLeft, Member: true}, "eve"},
			{"a part", store.ReaderQuery{Part: "O@EX"}, "cleo"},
			{"a part of those in a state", store.ReaderQuery{Part: "o", State: digest.DigestPaused}, "bob cleo"},
			{"no wildcard", store.ReaderQuery{Part: "%"}, ""},
		} {
			want(w, tt.what, names(tt.q), tt.want)
		}

		found := must(w.Operator.Readers(w.ctx, store.ReaderQuery{Most: 3}))
		want(w, "ann runs it", found[0].Operator, true)
		want(w, "bob is back", found[1].PausedUntil, until)
		want(w, "cleo is suppressed", found[2].Suppressed && !found[1].Suppressed, true)
		want(w, "cleo is not back", found[2].PausedUntil.IsZero(), true)
	})
}

// TestUnconfirmed lists addresses that wait for confirmation, each once.
func TestUnconfirmed(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		for hash, email := range map[string]string{"1": "ann@example.org", "2": "Cleo@example.org",
			"3": "cleo@example.org", "4": "bob@example.org", "5": "late@example.org"} {
			expires := noon.Add(day)
			if email == "late@example.org" {
				expires = noon.Add(time.Hour)
			}
			w.ok(w.Sessions.AddSignUp(w.ctx, []byte(hash), store.SignUp{Email: email, TimeZone: "UTC"}, noon,
				expires))
		}
		list := func(part, after string, most int) string {
			t.Helper()
			found := must(w.Operator.Unconfirmed(w.ctx, part, after, most, noon.Add(2*time.Hour)))
			var all []string
			for _, u := range found {
				all = append(all, strings.ToLower(u.Email))
				want(w, "ends", u.ExpiresAt, noon.Add(day))
			}
			return strings.Join(all, " ")
		}
		want(w, "all", list("", "", 10), "bob@example.org cleo@example.org")
		want(w, "the first", list("", "", 1), "bob@example.org")
		want(w, "the next", list("", "Bob@example.org", 10), "cleo@example.org")
		want(w, "a part", list("CL", "", 10), "cleo@example.org")
	})
}

// TestDropOperator: the last operator stays.
func TestDropOperator(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann", "UTC"), w.reader("bob", "UTC")
		w.ok(w.Operator.SetOperator(w.ctx, ann.UserID, true))
		oneLine(w, w.Operator.DropOperator(w.ctx, ann.UserID), digest.Conflict)
		w.ok(w.Operator.SetOperator(w.ctx, bob.UserID, true))
		w.ok(w.Operator.DropOperator(w.ctx, ann.UserID))
		oneLine(w, w.Operator.DropOperator(w.ctx, bob.UserID), digest.Conflict)
		w.holds("operators", 1, `SELECT count(*) FROM users WHERE operator = 1`)
	})
}
