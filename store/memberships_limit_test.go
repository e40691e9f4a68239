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
		n := w.newsletter("anna-writes", w.reader("anna"), w.feed("anna.example"))
		mo := w.member(n, "mo@example.org", "Europe/Paris")
		w.member(n, "li@example.org", "Europe/Paris")
		w.reader("ada")
		w.ok(w.Newsletters.SetMemberLimit(w.ctx, n.ID, 2))
		oneLine(w, w.Newsletters.SetMemberLimit(w.ctx, n.ID, -1), digest.Invalid)
		refused := func(email string) {
			w.Helper()
			_, _, err := w.Members.Join(w.ctx, n.ID, store.Joining{Email: email, TimeZone: "UTC", Asked: true}, noon)
			want(w, email, digest.KindOf(err), digest.Conflict)
		}
		refused("new@example.org")
		refused("ada@example.org")
		oneLine(w, err2(w.Readers.UserByEmail(w.ctx, "new@example.org")), digest.NotFound)
		_, created := must2(w.Members.Join(w.ctx, n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true},
			noon))
		want(w, "a member joins again", created, false)

		w.ok(w.Newsletters.SetMemberLimit(w.ctx, n.ID, 5))
		var list []store.Joining
		for i := range 6 {
			list = append(list, store.Joining{Email: fmt.Sprintf("p%d@example.org", i), TimeZone: "UTC"})
		}
		list = append(list, store.Joining{Email: "li@example.org", TimeZone: "UTC"})
		sum := must(w.Members.JoinAll(w.ctx, n.ID, list, noon))
		want(w, "of a list", sum, store.JoinCount{Joined: 3, Already: 1, NoRoom: 3})
		w.ok(w.Readers.SetDigestState(w.ctx, mo.DigestID, digest.DigestLeft, noon))
		sum = must(w.Members.JoinAll(w.ctx, n.ID, list, noon))
		want(w, "of the list again", sum, store.JoinCount{Joined: 1, Already: 4, NoRoom: 2})
		w.ok(w.Newsletters.SetMemberLimit(w.ctx, n.ID, 1))
		want(w, "members of a newsletter that is limited later", must(w.Newsletters.CountMembers(w.ctx, n.ID)), 5)
		refused("mo@example.org")
	})
}
