package poller

import (
	"math"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestAdmit checks what is stored of polls with a quota of 1,000 KB for a feed and 2,000 KB for a reader's
// account. The first 64 KB count for no account.
func TestAdmit(t *testing.T) {
	const kb = 1000
	quota := Quota{Feed: 1000 * kb, Account: 2000 * kb}
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	post := func(day, size int) digest.IntakePost {
		return digest.IntakePost{Bytes: int64(size) * kb, Published: monday.AddDate(0, 0, day)}
	}
	edit := func(day, size int) digest.IntakePost { p := post(day, size); p.Edit = true; return p }
	old := func(day, size int) digest.IntakePost { p := post(day, size); p.Bare = kb; return p }
	posts := func(p ...digest.IntakePost) []digest.IntakePost { return p }
	for name, c := range map[string]struct {
		quota Quota
		in    digest.Intake
		want  string // a letter for each post: stored, bare, waits; then the fate of the document
		bytes int64  // in KB
		share int64  // in bytes
	}{
		"an honest day": {quota, digest.Intake{Posts: posts(post(0, 5), edit(0, 7), post(1, 10))}, "sss+", 22, 0},
		"all of it": {quota, digest.Intake{Posts: posts(post(0, 500), post(1, 500))}, "ss+", 1000,
			1000*kb - freeBytes},
		"the oldest waits": {quota, digest.Intake{Posts: posts(post(0, 400), post(1, 400), post(2, 400))}, "wss+", 800,
			800*kb - freeBytes},
		"the largest waits": {quota, digest.Intake{Posts: posts(post(0, 400), post(1, 1100), post(2, 400))}, "sws+",
			800, 800*kb - freeBytes},
		"without dates in the order of the document": {quota,
			digest.Intake{Posts: posts(digest.IntakePost{Bytes: 600 * kb}, digest.IntakePost{Bytes: 500 * kb})}, "sw+",
			600, 600*kb - freeBytes},
		"edits after what is new": {quota,
			digest.Intake{Posts: posts(edit(2, 500), post(0, 500), edit(1, 400))}, "ssw+", 1000, 1000*kb - freeBytes},
		"edits count": {quota,
			digest.Intake{Used: 900 * kb, Posts: posts(edit(0, 200), edit(1, 50))}, "ws+", 50, 50 * kb},
		"nothing is left": {quota,
			digest.Intake{Used: 1000 * kb, Posts: posts(post(0, 1), old(0, 1))}, "ww+", 0, 0},
		"the quota was made smaller": {quota, digest.Intake{Used: 5000 * kb, Posts: posts(post(0, 1))},
			"w+", 0, 0},
		"old ones without their content": {quota,
			digest.Intake{Posts: posts(old(0, 50), old(1, 30), post(2, 20))}, "bss+", 51, 0},
		"old ones as far as there is room": {quota,
			digest.Intake{Used: 998 * kb, Posts: posts(old(0, 50), old(1, 50), old(2, 50))}, "wbb+", 2, 2 * kb},

		"the account is used up": {quota,
			digest.Intake{Accounts: []int64{2000 * kb}, Posts: posts(post(0, 30), post(1, 40))}, "ws+", 40, 0},
		"and the little that is free too": {quota, digest.Intake{Used: 60 * kb, Accounts: []int64{2000 * kb},
			Posts: posts(post(0, 30), post(1, 5))}, "ws+", 5, 0},
		"beyond it": {quota, digest.Intake{Used: freeBytes, Accounts: []int64{3000 * kb},
			Posts: posts(post(0, 1))}, "w+", 0, 0},
		"another reader has room": {quota, digest.Intake{Accounts: []int64{2000 * kb, 0},
			Posts: posts(post(0, 300))}, "s+", 300, (300*kb - freeBytes) / 2},
		"nobody has": {quota, digest.Intake{Used: freeBytes,
			Accounts: []int64{2000 * kb, 1999 * kb}, Posts: posts(post(0, 3), post(1, 2))}, "ws+", 2, kb},

		"a document": {quota, digest.Intake{Body: 4000 * kb, Posts: posts(post(0, 30))}, "s+", 30,
			4030*kb - freeBytes},
		"beyond the account": {quota, digest.Intake{Body: 4000 * kb, Accounts: []int64{0}, Posts: posts(post(0, 30))},
			"s-", 30, 0},
		"within the account": {quota, digest.Intake{Body: 400 * kb, Accounts: []int64{0}}, "+", 0, 400*kb - freeBytes},
		"it does not grow":   {quota, digest.Intake{Used: 5000 * kb, Accounts: []int64{5000 * kb}}, "+", 0, 0},

		"no quotas": {Quota{}, digest.Intake{Used: 1 << 40, Body: 1 << 40, Accounts: []int64{1 << 40},
			Posts: posts(post(0, 1<<20), old(0, 1<<20))}, "ss+", 2 << 20, 0},
		"of feeds alone": {Quota{Feed: 1000 * kb}, digest.Intake{Accounts: []int64{1 << 40},
			Posts: posts(post(0, 900), old(0, 90), old(0, 90))}, "ssb+", 991, 0},
		"of accounts alone": {Quota{Account: 2000 * kb}, digest.Intake{Used: 1 << 40, Accounts: []int64{0},
			Posts: posts(post(0, 1900), post(1, 1900))}, "ws+", 1900, 1900 * kb},
	} {
		got := c.quota.Admit(c.in)
		if said := fates(got); said != c.want || got.Bytes != c.bytes*kb || got.Share != c.share {
			t.Errorf("%s: %s, %d KB, %d on account; want %s, %d KB, %d", name, said, got.Bytes/kb, got.Share, c.want,
				c.bytes, c.share)
		}
	}
}

func fates(a digest.Admission) string {
	var b strings.Builder
	for _, f := range a.Posts {
		b.WriteByte("wbs"[f])
	}
	b.WriteByte("-+"[map[bool]int{true: 1}[a.Body]])
	return b.String()
}

// TestNoQuotaOverflows holds that huge sizes do not overflow.
func TestNoQuotaOverflows(t *testing.T) {
	in := digest.Intake{Accounts: []int64{0, 0, 0}, Posts: []digest.IntakePost{{Bytes: 1}}}
	if got := fates((Quota{Feed: math.MaxInt64, Account: 1 << 53}).Admit(in)); got != "s+" {
		t.Errorf("got %s", got)
	}
}
