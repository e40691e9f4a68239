package store_test

import (
	"testing"

	"digest"
)

func TestOperatorLink(t *testing.T) {
	each(t, func(w world) {
		ann, _, err := w.Readers.AddUser(w.ctx, "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		for _, hash := range []string{"1", "2", "3"} { // each start prints one
			stored := must(w.Operator.SetOperatorLink(w.ctx, []byte(hash), noon.Add(day)))
			want(w, "stored", stored, true)
		}
		for hash, ok := range map[string]bool{"1": false, "2": false, "3": true} {
			want(w, hash, must(w.Operator.OperatorLink(w.ctx, []byte(hash), noon)), ok)
		}
		want(w, "a day later", must(w.Operator.OperatorLink(w.ctx, []byte("3"), noon.Add(day))), false)
		for _, hash := range []string{"1", "9"} {
			oneLine(w, err2(w.Operator.UseOperatorLink(w.ctx, []byte(hash), "eve@example.org", "UTC", noon)),
				digest.NotFound)
		}
		_, err = w.Operator.UseOperatorLink(w.ctx, []byte("3"), "eve@example.org", "Nowhere/At_All", noon)
		oneLine(w, err, digest.Invalid) // the link still works
		u := must(w.Operator.UseOperatorLink(w.ctx, []byte("3"), "ANN@example.org", "UTC", noon))
		ann.Operator = true
		want(w, "whoever is there already", u, ann)
		oneLine(w, err2(w.Operator.UseOperatorLink(w.ctx, []byte("3"), "eve@example.org", "UTC", noon)),
			digest.NotFound)
		stored := must(w.Operator.SetOperatorLink(w.ctx, []byte("4"), noon.Add(day)))
		want(w, "stored beside an operator", stored, false)
		w.holds("links", 0, `SELECT count(*) FROM operator_links`)
	})
}

func TestOtherOperators(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann"), w.reader("bob")
		w.ok(w.Operator.SetOperator(w.ctx, ann.UserID, true))
		for user, others := range map[digest.UserID]int{ann.UserID: 0, bob.UserID: 1} {
			want(w, "others", must(w.Operator.OtherOperators(w.ctx, user)), others)
		}
	})
}
