package store_test

import (
	"net/url"
	"sync"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// A worker that is stopped in the middle of a transaction, or whose machine sleeps, holds its locks for a minute at
// most.
func TestAStoppedWorkerHoldsUpNobody(t *testing.T) {
	address := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, address))
	w.ok(w.Write(w.ctx, func(_ func(string) error, text func(string) string) error {
		want(t, "limit", text(`SHOW idle_in_transaction_session_timeout`), "1min")
		want(t, "compiled", text(`SHOW jit`), "off")
		return nil
	}))

	u := must(url.Parse(address))
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "100")
	q.Set("jit", "on")
	u.RawQuery = q.Encode()
	w.ok(storetest.Open(t, u.String()).Write(w.ctx, func(_ func(string) error, text func(string) string) error {
		want(t, "compiled as the address says", text(`SHOW jit`), "on")
		return nil
	}))
	stopped := storetest.Open(t, u.String())
	holds, goes := make(chan bool), make(chan bool)
	var worker sync.WaitGroup
	worker.Go(func() { stop(t, stopped, holds, goes) })
	<-holds
	w.ok(w.Editions.SetLimits(w.ctx, noon, "a.example", digest.Limits{Connections: 2}))
	close(goes)
	worker.Wait()
	l := must(w.Editions.Lane(w.ctx, "a.example"))
	want(t, "as the other left it", l.Connections, 2)
}

// stop holds a lane until goes is closed. Its commit must then fail.
func stop(t *testing.T, s *store.Store, holds, goes chan bool) {
	err := s.Write(t.Context(), func(exec func(string) error, _ func(string) string) error {
		if err := exec(`INSERT INTO lanes (name, connections) VALUES ('a.example', 1)`); err != nil {
			return err
		}
		close(holds)
		<-goes
		return nil
	})
	if err == nil || !store.IsAway(err) {
		t.Errorf("a transaction that was ended gives %v", err)
	}
}
