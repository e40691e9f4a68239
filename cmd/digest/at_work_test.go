package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"digest/store"
	"digest/store/storetest"
)

// TestOtherTimeOnALiveDatabase checks that a command with --now changes nothing in a database that a process uses by
// the real clock, unless --force is set.
func TestOtherTimeOnALiveDatabase(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"SQLite": storetest.EmptySQLite,
		"PostgreSQL": storetest.EmptyPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("DIGEST_DATABASE", database(t))
			do := func(line string, want int) {
				t.Helper()
				if said := complaint(t, line, want); want != exitDone && !strings.Contains(said, "--force") {
					t.Errorf("%s says %s", line, said)
				}
			}
			do("user add ann@example.org --time-zone UTC", exitDone)
			st := storetest.Open(t, os.Getenv("DIGEST_DATABASE"))
			host, err := os.Hostname()
			must(t, err)
			over := exec.Command("true")
			if err := over.Run(); err != nil {
				t.Skip("no other process can be run:", err)
			}
			const nextYear = " --now 2027-11-20T00:00:00Z"
			for _, test := range []struct {
				who    string
				worker store.Worker
				want   int
			}{
				{"another process", store.Worker{Host: host, PID: os.Getpid(), At: time.Now()}, exitFailed},
				{"one of another machine",
					store.Worker{Host: "other.example", PID: 1, At: time.Now().Add(-time.Minute)}, exitFailed},
				{"one that was killed", store.Worker{Host: host, PID: over.ProcessState.Pid(), At: time.Now()},
					exitDone},
				{"one that was killed elsewhere",
					store.Worker{Host: "other.example", PID: 1, At: time.Now().Add(-10 * time.Minute)}, exitDone},
			} {
				test.worker.ID = "somebody"
				must(t, st.AtWork(t.Context(), test.worker))
				t.Log(test.who)
				for _, line := range []string{"tick", "user add bob@example.org --time-zone UTC",
					"user remove bob@example.org"} {
					do(line+nextYear, test.want)
				}
				do("user list"+nextYear, exitDone)
				do("tick", exitDone)
			}
			must(t, st.AtWork(t.Context(),
				store.Worker{ID: "somebody", Host: "other.example", PID: 1, At: time.Now()}))
			do("tick --force"+nextYear, exitDone)
			must(t, st.LeaveWork(t.Context(), "somebody"))
			do("tick"+nextYear, exitDone)
			if left, err := st.Workers(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("still at work: %v, %v; a tick that ends says so", left, err)
			}
		})
	}
}
