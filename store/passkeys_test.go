package store_test

import (
	"bytes"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func TestPasskeys(t *testing.T) {
	each(t, func(w world) {
		ann, _ := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "UTC", noon))
		bob, _ := must2(w.Readers.AddUser(w.ctx, "bob@example.org", "UTC", noon))
		for _, fresh := range []string{"first", "second"} {
			handle := must(w.Sessions.Handle(w.ctx, ann.ID, []byte(fresh)))
			want(w, "handle", string(handle), "first")
		}
		found := must(w.Sessions.UserByHandle(w.ctx, []byte("first")))
		want(w, "found", found, ann)
		oneLine(w, err2(w.Sessions.UserByHandle(w.ctx, nil)), digest.NotFound)
		key := store.Passkey{UserID: ann.ID, CredentialID: []byte{0, 1}, Credential: "{}", SignCount: 3, Name: "Phone"}
		w.ok(w.Sessions.AddPasskey(w.ctx, key, noon))
		key.UserID = bob.ID
		oneLine(w, w.Sessions.AddPasskey(w.ctx, key, noon), digest.Conflict)
		list := must(w.Sessions.Passkeys(w.ctx, ann.ID))
		want(w, "kept", len(list) == 1 && bytes.Equal(list[0].CredentialID, []byte{0, 1}) &&
			list[0].SignCount == 3, true)
		w.ok(w.Sessions.UsePasskey(w.ctx, list[0], `{"a":1}`, 4, noon))
		oneLine(w, w.Sessions.UsePasskey(w.ctx, list[0], `{"a":1}`, 4, noon), digest.NotFound) // the same count
		for _, session := range []string{"here", "there"} {
			w.ok(w.Sessions.AddPasskeySession(w.ctx, []byte(session), list[0], noon, noon.Add(day)))
		}
		w.ok(w.Sessions.AddSession(w.ctx, []byte("by link"), ann.ID, noon, noon.Add(day)))
		oneLine(w, w.Sessions.RemovePasskey(w.ctx, bob.ID, list[0].ID, nil), digest.NotFound)
		w.ok(w.Sessions.RemovePasskey(w.ctx, ann.ID, list[0].ID, []byte("here")))
		w.holds("its sessions end", 2, `SELECT count(*) FROM sessions`)

		w.ok(w.Sessions.AddCeremony(w.ctx, []byte("c"), ann.ID, "asked", noon, noon.Add(time.Minute)))
		for _, wrong := range []struct {
			user digest.UserID
			now  time.Time
		}{{0, noon}, {bob.ID, noon}, {ann.ID, noon.Add(time.Minute)}} {
			oneLine(w, err2(w.Sessions.UseCeremony(w.ctx, []byte("c"), wrong.user, wrong.now)), digest.NotFound)
		}
		data := must(w.Sessions.UseCeremony(w.ctx, []byte("c"), ann.ID, noon))
		want(w, "asked", data, "asked")
		oneLine(w, err2(w.Sessions.UseCeremony(w.ctx, []byte("c"), ann.ID, noon)), digest.NotFound)
	})
}
