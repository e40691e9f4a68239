package store_test

import (
	"testing"

	"digest"
)

func TestOperatorLink(t *testing.T) {
	each(t, func(w world) {
		ann, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		for _, hash := range []string{"1", "2", "3"} { // each start prints one
			stored, err := w.Operator.SetOperatorLink(w.ctx(), []byte(hash), noon.Add(day))
			w.ok(err)
			want(w.t, "stored", stored, true)
		}
		for hash, ok := range map[string]bool{"1": false, "2": false, "3": true} {
			got, err := w.Operator.OperatorLink(w.ctx(), []byte(hash), noon)
			w.ok(err)
			want(w.t, hash, got, ok)
		}
		late, err := w.Operator.OperatorLink(w.ctx(), []byte("3"), noon.Add(day))
		w.ok(err)
		want(w.t, "a day later", late, false)
		for _, hash := range []string{"1", "9"} {
			_, err = w.Operator.UseOperatorLink(w.ctx(), []byte(hash), "eve@example.org", "UTC", noon)
			oneLine(w.t, err, digest.NotFound)
		}
		_, err = w.Operator.UseOperatorLink(w.ctx(), []byte("3"), "eve@example.org", "Nowhere/At_All", noon)
		oneLine(w.t, err, digest.Invalid) // the link still works
		u, err := w.Operator.UseOperatorLink(w.ctx(), []byte("3"), "ANN@example.org", "UTC", noon)
		w.ok(err)
		ann.Operator = true
		want(w.t, "whoever is there already", u, ann)
		_, err = w.Operator.UseOperatorLink(w.ctx(), []byte("3"), "eve@example.org", "UTC", noon)
		oneLine(w.t, err, digest.NotFound)
		stored, err := w.Operator.SetOperatorLink(w.ctx(), []byte("4"), noon.Add(day))
		w.ok(err)
		want(w.t, "stored beside an operator", stored, false)
		w.holds("links", 0, `SELECT count(*) FROM operator_links`)
	})
}

func TestOtherOperators(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.ok(w.Operator.SetOperator(w.ctx(), ann.UserID, true))
		for user, others := range map[digest.UserID]int{ann.UserID: 0, bob.UserID: 1} {
			n, err := w.Operator.OtherOperators(w.ctx(), user)
			w.ok(err)
			want(w.t, "others", n, others)
		}
	})
}
