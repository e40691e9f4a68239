package allowance

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A mailbox simulates an address that gets emails of one kind.
type mailbox struct {
	kind  Kind
	had   []Letter
	until []time.Time // when the link of each email expires
}

func (m *mailbox) ask(asker string, now time.Time) bool {
	if m.next(asker, now).After(now) {
		return false
	}
	life := Life(m.kind, m.had, asker, now, time.Hour)
	m.had, m.until = append(m.had, Letter{Kind: m.kind, At: now, Asker: asker}), append(m.until, now.Add(life))
	return true
}

func (m *mailbox) next(asker string, now time.Time) time.Time {
	next := Next(m.kind, m.had, asker, now)
	if m.kind.IsStrangers() {
		next = latest(next, ForBox(m.kind, m.had, now))
	}
	return next
}

// use answers all emails, as following one of the links does.
func (m *mailbox) use() {
	for i := range m.had {
		m.had[i].Answered = true
	}
}

// works returns how long the link in the latest unanswered email still works.
func (m *mailbox) works(now time.Time) time.Duration {
	if n := len(m.had); n > 0 && !m.had[n-1].Answered {
		return m.until[n-1].Sub(now)
	}
	return 0
}

// TestSieges requests emails to one address every minute for three days. It checks that the number of emails and the
// wait for the next one are limited.
func TestSieges(t *testing.T) {
	for _, c := range []struct {
		kind              Kind
		networks          int
		first, later      int // maximum emails on the first day, and on each later one
		longest           time.Duration
		reader            string // who requests emails as well
		readerWaits, link time.Duration
	}{
		{SignIn, 1, 14, 10, 4 * time.Hour, "the reader's", time.Hour, 45 * time.Minute},
		{SignIn, 2, 24, 18, 4 * time.Hour, "the reader's", time.Hour, 45 * time.Minute},
		{SignIn, 3, 33, 24, 4 * time.Hour, "the reader's", time.Hour, 45 * time.Minute},
		{SignIn, 5000, 34, 24, time.Hour, "the reader's", time.Hour, 45 * time.Minute},
		{KnownSignIn, 1, 19, 12, 2 * time.Hour, "another browser", 0, 45 * time.Minute},
		{SignUp, 5000, 6, 4, 8 * time.Hour, "the newcomer's", 8 * time.Hour, 45 * time.Minute},
	} {
		t.Run(fmt.Sprintf("%s, %d networks", c.kind, c.networks), func(t *testing.T) {
			m := mailbox{kind: c.kind}
			last, longest, days := noon, time.Duration(0), [3]int{}
			for minute := range 3 * 24 * 60 {
				now := noon.Add(time.Duration(minute) * time.Minute)
				asker := fmt.Sprint(minute % c.networks)
				if m.ask(asker, now) {
					days[minute/(24*60)]++
					longest, last = max(longest, now.Sub(last)), now
				} else if left := m.works(now); left < c.link {
					t.Fatalf("minute %d: refused, and the link in the mail works for %s more", minute, left)
				}
				if wait := m.next(c.reader, now).Sub(now); wait > c.readerWaits {
					t.Fatalf("minute %d: the reader waits for %s", minute, wait)
				}
			}
			if days[0] > c.first || days[1] > c.later || days[2] > c.later || longest > c.longest {
				t.Errorf("letters on each day: %v, at most %s apart", days, longest)
			}
		})
	}
}

// TestAnsweredLettersKeepNobodyWaiting checks that a reader who used a link gets another one immediately, even after
// many requests by strangers.
func TestAnsweredLettersKeepNobodyWaiting(t *testing.T) {
	m := mailbox{kind: SignIn}
	for i := range 600 {
		m.ask(fmt.Sprint(i), noon.Add(time.Duration(i)*time.Minute))
	}
	now := noon.Add(600 * time.Minute)
	m.use()
	if !m.ask("the reader's", now) {
		t.Fatal("refused after the link was used")
	}
	if m.ask("the reader's", now) || m.ask("another", now.Add(time.Minute)) {
		t.Error("two at once")
	}
}

// TestRefusalsLeaveALink sends random requests from random networks and sometimes uses links. It checks that nobody is
// refused without a working link.
func TestRefusalsLeaveALink(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, kind := range []Kind{SignIn, KnownSignIn} {
			m, now := mailbox{kind: kind}, noon
			networks := 1 + r.IntN(30)
			for range 500 {
				now = now.Add(time.Duration(r.ExpFloat64() * float64(10*time.Minute)))
				if kind == KnownSignIn {
					networks = 1
				}
				if asker := fmt.Sprint(r.IntN(networks)); !m.ask(asker, now) && m.works(now) < 30*time.Minute {
					t.Fatalf("seed %d, %s: refused with a link that works for %s", seed, kind, m.works(now))
				}
				if r.IntN(20) == 0 {
					m.use()
				}
			}
		}
	}
}

func TestTable(t *testing.T) {
	at := func(minutes ...int) (had []Letter) {
		for _, m := range minutes {
			had = append(had, Letter{At: noon.Add(time.Duration(m) * time.Minute), Asker: "a"})
		}
		return had
	}
	for _, c := range []struct {
		what  string
		kind  Kind
		had   []Letter
		asker string
		wait  time.Duration
		life  time.Duration
	}{
		{"the first", SignIn, nil, "a", 0, 2 * time.Hour},
		{"at once again", SignIn, at(0), "a", 2 * time.Minute, 2 * time.Hour},
		{"after two minutes", SignIn, at(-2), "a", 0, 2 * time.Hour},
		{"the fourth", SignIn, at(-4, -2, 0), "b", 15 * time.Minute, 2 * time.Hour},
		{"the fifth of one network", SignIn, at(-60, -50, -30, 0), "a", time.Hour, 2 * time.Hour},
		{"the fifth, of another network", SignIn, at(-60, -50, -30, 0), "b", 15 * time.Minute, 2 * time.Hour},
		{"the eighth of one network", SignIn, at(-500, -400, -300, -200, -180, -160, -140), "a", 0, 5 * time.Hour},
		{"those of yesterday", SignIn, at(-1440, -1441, -1442, -1443), "a", 0, 2 * time.Hour},
		{"of a clock ten minutes fast", SignIn, at(10), "a", 0, 2 * time.Hour},
		{"of a clock a minute fast", SignIn, at(1), "a", 3 * time.Minute, 2 * time.Hour},
		{"a browser beside another", KnownSignIn, at(-1, 0, 0, 0, 0, 0, 0, 0, 0), "b", 0, 3 * time.Hour},
		{"a second sign-up", SignUp, at(-14), "b", time.Minute, 24 * time.Hour},
		{"a fourth sign-up", SignUp, at(-40, -20, 0), "b", 8 * time.Hour, 24 * time.Hour},
		{"a change of passkeys", Passkeys, at(0, 0, 0, 0), "a", 0, time.Hour},
		{"a ninth", Passkeys, at(0, 0, 0, 0, 0, 0, 0, 0), "a", 15 * time.Minute, time.Hour},
	} {
		usual := time.Hour
		if c.kind == SignUp {
			usual = Day
		}
		if wait := max(0, Next(c.kind, c.had, c.asker, noon).Sub(noon)); wait != c.wait {
			t.Errorf("%s: waits %s, want %s", c.what, wait, c.wait)
		}
		if life := Life(c.kind, c.had, c.asker, noon, usual); life != c.life {
			t.Errorf("%s: works for %s, want %s", c.what, life, c.life)
		}
	}
}
