package store_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
)

// TestUpgradeWithoutHub migrates a database with subscribers of the former hub, and restores a backup of it.
func TestUpgradeWithoutHub(t *testing.T) {
	holds := func(w world) {
		w.holds("counters", 1, `SELECT count(*) FROM counters WHERE kind = 'post' AND n = 7`)
		w.holds("counters of the hub", 0, `SELECT count(*) FROM counters WHERE kind <> 'post'`)
		w.holds("hosts of hubs", 1, `SELECT count(*) FROM hub_hosts WHERE domain = 'hub.example'`)
		if _, err := w.Count(w.ctx, `SELECT count(*) FROM hub_subscriptions`); err == nil {
			w.Error("the table of subscribers remains")
		}
	}
	upgrade(t, 90, func(w world) {
		for _, statement := range []string{
			`INSERT INTO hub_subscriptions (newsletter_id, topic, callback, domain, home, secret, confirmed_at, expires_at,
				announced_at, delivered_at) VALUES (3, 't', 'c', 'd', 0, ?, 1, 1, 1, 1)`,
			`INSERT INTO hub_calls (newsletter_id, topic, callback, domain, home, kind, secret, next_at)
				VALUES (3, 't', 'c', 'd', 0, 'deliver', ?, 1)`,
			`INSERT INTO hub_domains (domain, doubted_until) VALUES ('d', 1)`,
			`INSERT INTO hub_hosts (domain) VALUES ('hub.example')`,
			`INSERT INTO counters (hour, kind, slot, n, requests, bytes) VALUES (0, 'hub delivered', 0, 5, 0, 0),
				(0, 'post', 0, 7, 0, 0)`,
		} {
			args := []any{[]byte("s")}[:strings.Count(statement, "?")]
			w.exec(statement, args...)
		}
		file, b := backUp(w, w.Store)
		want(w, "schema", b.Schema, 90)
		w.ok(w.Migrate(w.ctx))
		holds(w)
		storetest.EachEmpty(w.T, func(t *testing.T, to string) {
			if _, err := restore(t, to, bytes.NewReader(file.Bytes()), false); err != nil {
				t.Fatal(err)
			}
			s := storetest.Open(t, to)
			s.Policy = storetest.Policy(time.Hour)
			holds(newWorld(t, s))
		})
	})
}
