package store_test

import (
	"fmt"
	"testing"

	"digest"
	"digest/store"
)

// TestMemberLimit: a full newsletter accepts no members in any way and stores nothing of them. Members remain, and a
// member who leaves makes room.
func TestMemberLimit(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), w.feed("anna.example"))
		mo := w.member(n, "mo@example.org", "Europe/Paris")
		w.member(n, "li@example.org", "Europe/Paris")
		w.reader("ada", "Europe/Paris")
		w.ok(w.Newsletters.SetMemberLimit(w.ctx(), n.ID, 2))
		want(w.t, "less than none", digest.KindOf(w.Newsletters.SetMemberLimit(w.ctx(), n.ID, -1)), digest.Invalid)
		refused := func(email string) {
			w.t.Helper()
			_, _, err := w.Members.Join(w.ctx(), n.ID, store.Joining{Email: email, TimeZone: "UTC", Asked: true}, noon)
			want(w.t, email, digest.KindOf(err), digest.Conflict)
		}
		refused("new@example.org")
		refused("ada@example.org")
		_, err := w.Readers.UserByEmail(w.ctx(), "new@example.org")
		want(w.t, "an account of who could not join", digest.KindOf(err), digest.NotFound)
		_, created, err := w.Members.Join(w.ctx(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true},
			noon)
		w.ok(err)
		want(w.t, "a member joins again", created, false)

		w.ok(w.Newsletters.SetMemberLimit(w.ctx(), n.ID, 5))
		var list []store.Joining
		for i := range 6 {
			list = append(list, store.Joining{Email: fmt.Sprintf("p%d@example.org", i), TimeZone: "UTC"})
		}
		list = append(list, store.Joining{Email: "li@example.org", TimeZone: "UTC"})
		sum, err := w.Members.JoinAll(w.ctx(), n.ID, list, noon)
		w.ok(err)
		want(w.t, "of a list", sum, store.JoinCount{Joined: 3, Already: 1, NoRoom: 3})
		w.ok(w.Readers.SetDigestState(w.ctx(), mo.DigestID, digest.DigestLeft, noon))
		sum, err = w.Members.JoinAll(w.ctx(), n.ID, list, noon)
		w.ok(err)
		want(w.t, "of the list again", sum, store.JoinCount{Joined: 1, Already: 4, NoRoom: 2})
		w.ok(w.Newsletters.SetMemberLimit(w.ctx(), n.ID, 1))
		has, err := w.Newsletters.CountMembers(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "members of a newsletter that is limited later", has, 5)
		refused("mo@example.org")
	})
}
