package store_test

import (
	"errors"
	"testing"
)

// The key must not change, because other servers store it.
func TestActorKeyIsMadeOnce(t *testing.T) {
	each(t, func(w world) {
		wrong := errors.New("no key")
		if _, err := w.Feeds.ActorKey(w.ctx, func() ([]byte, error) { return nil, wrong }); !errors.Is(err, wrong) {
			w.Fatal(err)
		}
		for _, fresh := range []string{"first", "second"} {
			key := must(w.Feeds.ActorKey(w.ctx, func() ([]byte, error) { return []byte(fresh), nil }))
			want(w, "key", string(key), "first")
		}
	})
}
