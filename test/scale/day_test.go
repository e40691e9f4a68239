package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"digest/store/storetest"
)

// TestMain makes the test binary the worker that a day starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		main()
		os.Exit(0)
	}
	storetest.Main(m)
}

// TestDay runs a midnight on both databases, with fixed and running clocks, sites with and without TLS, and signed or
// unsigned mail. Every digest must be done, each feed polled once, and the report complete.
func TestDay(t *testing.T) {
	const readers, feeds = 200, 6 // each on its own host
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		d := day{database: database, workers: 2, midnights: 1, out: filepath.Join(t.TempDir(), "day.json"),
			port: freePort(t)}
		ca := filepath.Join(t.TempDir(), "ca.pem")
		s := size{readers: readers, each: 5, feeds: feeds, port: d.port, zone: "Europe/Berlin", tls: true}
		ok(t, fill(t.Context(), database, s))
		serveSites(t, d.port, ca)
		d.ca, d.sign, d.late = ca, true, 2*time.Minute
		for i, running := range []bool{false, true} {
			d.running = running
			ok(t, d.run(t.Context()))
			text, err := os.ReadFile(d.out)
			ok(t, err)
			var r report
			ok(t, json.Unmarshal(text, &r))
			m := r.total()
			if m.Digests != readers || m.Editions < readers/2 || m.Sent != m.Editions || m.FailedMail != 0 ||
				m.Failed != 0 || m.ProgramCPU <= 0 {
				t.Errorf("running %t: %s", running, r)
			}
			if m.Polled != feeds {
				t.Errorf("running %t: %d polls of %d feeds", running, m.Polled, feeds)
			}
			if night := firstDay().AddDate(0, 0, i); r.Midnights[0].At.Before(night) || running && m.LastEdition < 60 {
				t.Errorf("running %t: %s", running, r)
			}
		}
	})
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	ok(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func serveSites(t *testing.T, port int, ca string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- serve(ctx, port, ca) }()
	t.Cleanup(func() {
		stop()
		ok(t, <-ended)
	})
	for ctx.Err() == nil {
		if _, err := os.Stat(ca); err == nil {
			return
		}
		select {
		case err := <-ended:
			t.Fatal(fmt.Errorf("the sites ended: %w", err))
		case <-time.After(10 * time.Millisecond):
		}
	}
}
