package journey

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// evening is when the journey begins: it is 18:00 in Paris.
func evening() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }

func TestHarness(t *testing.T) {
	p := newPress(t)
	p.publish("harbour", "Harbour Notes", "en", post{"The ferry is late", "<p>It is the wind.</p>", evening().Add(-time.Hour)})
	h := newHouse(t, filepath.Join(t.TempDir(), "digest.db"))
	h.run("--now", "2026-11-20T17:00:00Z", "user", "add", "ann@example.org", "--time-zone", "Europe/Paris")
	h.run("--now", "2026-11-20T17:00:00Z", "subscribe", "ann@example.org", p.URL+"/harbour/")
	link := strings.TrimSpace(h.run("--now", "2026-11-20T17:00:00Z", "user", "sign-in", "ann@example.org"))
	h.at(evening())
	b := h.open()
	b.open("/")
	b.look("landing")
	b.open(link)
	b.press("Sign in")
	b.says("Your first edition is on its way")
	b.look("first")
	h.at(evening().Add(6*time.Hour + time.Minute))
	h.awaitLetter("ann@example.org", 0)
	b.open("/")
	b.says("The ferry is late")
	b.look("today")
	b.weigh("/")
}
