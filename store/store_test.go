package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestX(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
		u, d, err := s.AddUser(t.Context(), "Ada@Example.org", "Europe/Paris", now)
		t.Log(u, d, err)
		sec, err := s.Secret(t.Context())
		t.Log(sec, err)
		_ = digest.Feed{}
	})
}
