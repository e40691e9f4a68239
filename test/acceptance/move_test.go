package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"digest/store/storetest"
	"digest/test/tier"
)

// moved continues with another database. The program must refuse to run until the operator lifts the fence.
func (s *scene) moved(to string) {
	s.t.Helper()
	s.checkInTime(s.inbox.arrived(s.t))
	s.database = to
	s.house.Set("DIGEST_DATABASE=" + to)
	before := len(s.entries(0))
	for _, args := range [][]string{{"tick"}, {"--json", "tick"}, {"poll", s.sites[0].address()}} {
		o := s.try(s.t.Context(), append([]string{"--now", instant(s.now)}, args...)...)
		if o.status != 1 || !strings.Contains(o.stderr, "digest fence") ||
			strings.Count(strings.TrimSpace(o.stderr), "\n") > 0 {
			s.t.Errorf("digest %v before the release: exit status %d, %q", args, o.status, o.stderr)
		}
	}
	if n := len(s.entries(before)); n != 0 || len(s.inbox.arrived(s.t)) != 0 {
		s.t.Errorf("%d requests or mails before the release", n)
	}
	if shown := s.at(s.now, "fence"); !strings.Contains(shown, "fenced: this database was ") {
		s.t.Errorf("digest fence says %s", shown)
	}
	s.at(s.now, "fence", "release")
}

// TestMove moves an instance of thirty readers between the databases in the middle of days, once after a killed run
// left unfinished work. It uses copies in both directions, and an encrypted backup. No post is lost or repeated, and
// no site gets additional requests.
func TestMove(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	s := newScene(t, storetest.EmptySQLite(t), begin(), newSites(40)...)
	s.populate(15)
	for i, zone := range zones() {
		s.join(fmt.Sprintf("second%d@example.org", i), zone, i%4, 2+i%3)
	}
	r := newReaper(s, 20261123)
	r.hours(begin().Add(28*time.Hour), func(int) int { return 0 })

	s.set(begin().Add(29 * time.Hour)) // midnight in Auckland and Apia
	r.interrupt(6, "--now", instant(s.now), "tick")
	s.checkCopy(storetest.EmptyPostgres(t))
	s.set(s.now.Add(20 * time.Minute)) // when the leases of killed runs have expired
	s.tick(s.now)
	s.checkInTime(s.inbox.arrived(t))
	r.hours(begin().Add(51*time.Hour), func(int) int { return 0 })

	s.checkCopy(storetest.EmptySQLite(t))
	r.hours(begin().Add(74*time.Hour), func(int) int { return 0 })

	key, file := filepath.Join(s.Dir, "age.key"), filepath.Join(s.Dir, "all.backup")
	recipient := ageKey(t, key)
	s.at(s.now, "backup", file, "--recipient", recipient)
	there := storetest.EmptyPostgres(t)
	s.at(s.now, "--database", there, "restore", file, "--identity", key)
	s.moved(there)
	r.hours(begin().Add(96*time.Hour), func(int) int { return 0 })

	if r.killed == 0 {
		t.Error("no run was killed")
	}
	s.checkPromise()
	s.checkMessageIDs()
	s.checkGaps(r.deaths...)
}

func (s *scene) checkCopy(to string) {
	s.t.Helper()
	said := s.at(s.now, "copy", "--to", to)
	if !strings.Contains(said, "stop using ") || !strings.Contains(said, "all tables were compared and are equal") {
		s.t.Errorf("digest copy says %s", said)
	}
	s.moved(to)
}

// ageKey writes a private key like age-keygen, and returns the public key.
func ageKey(t *testing.T, file string) (recipient string) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# public key: "+key.Recipient().String()+"\n"+key.String()+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	return key.Recipient().String()
}
