package poller

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"digest"
)

// TestAdmit checks what is stored of polls with a quota of 1,000 KB for a feed and 2,000 KB for a reader's
// account. The first 64 KB count for no account.
func TestAdmit(t *testing.T) {
	const kb, free = 1000, freeBytes
	both := Quota{Feed: 1000 * kb, Account: 2000 * kb}
	for name, c := range map[string]struct {
		quota Quota
		in    string // see intake
		want  string // a letter for each post: stored, bare, waits; then the fate of the document
		bytes int64  // in KB
		share int64  // in bytes
	}{
		"an honest day":                         {both, "0:5 0:7edit 1:10", "sss+", 22, 0},
		"all of it":                             {both, "0:500 1:500", "ss+", 1000, 1000*kb - free},
		"the oldest waits":                      {both, "0:400 1:400 2:400", "wss+", 800, 800*kb - free},
		"the largest waits":                     {both, "0:400 1:1100 2:400", "sws+", 800, 800*kb - free},
		"without dates in the document's order": {both, "-:600 -:500", "sw+", 600, 600*kb - free},
		"edits after what is new":               {both, "2:500edit 0:500 1:400edit", "ssw+", 1000, 1000*kb - free},
		"edits count":                           {both, "used=900 0:200edit 1:50edit", "ws+", 50, 50 * kb},
		"nothing is left":                       {both, "used=1000 0:1 0:1old", "ww+", 0, 0},
		"the quota was made smaller":            {both, "used=5000 0:1", "w+", 0, 0},
		"old ones without their content":        {both, "0:50old 1:30old 2:20", "bss+", 51, 0},
		"old ones as far as there is room":      {both, "used=998 0:50old 1:50old 2:50old", "wbb+", 2, 2 * kb},
		"the account is used up":                {both, "account=2000 0:30 1:40", "ws+", 40, 0},
		"and the little that is free too":       {both, "used=60 account=2000 0:30 1:5", "ws+", 5, 0},
		"beyond it":                             {both, "used=free account=3000 0:1", "w+", 0, 0},
		"room of another":                       {both, "account=2000 account=0 0:300", "s+", 300, (300*kb - free) / 2},
		"nobody has":                            {both, "used=free account=2000 account=1999 0:3 1:2", "ws+", 2, kb},
		"a document":                            {both, "body=4000 0:30", "s+", 30, 4030*kb - free},
		"beyond the account":                    {both, "body=4000 account=0 0:30", "s-", 30, 0},
		"within the account":                    {both, "body=400 account=0", "+", 0, 400*kb - free},
		"it does not grow":                      {both, "used=5000 account=5000", "+", 0, 0},
		"no quotas": {Quota{}, "used=1000000000 body=1000000000 account=1000000000 0:1000000 0:1000000old", "ss+",
			2_000_000, 0},
		"of feeds alone": {Quota{Feed: 1000 * kb}, "account=1000000000 0:900 0:90old 0:90old", "ssb+", 991, 0},
		"of accounts alone": {Quota{Account: 2000 * kb}, "used=1000000000 account=0 0:1900 1:1900", "ws+", 1900,
			1900 * kb},
	} {
		got := c.quota.Admit(intake(c.in))
		if said := fates(got); said != c.want || got.Bytes != c.bytes*kb || got.Share != c.share {
			t.Errorf("%s: %s, %d KB, %d on account; want %s, %d KB, %d", name, said, got.Bytes/kb, got.Share, c.want,
				c.bytes, c.share)
		}
	}
}

// intake reads an intake such as "used=900 account=0 0:400 1:50edit 2:50old -:10": sizes in KB, and posts with their
// days. An old post may be stored without its content in 1 KB.
func intake(text string) (in digest.Intake) {
	const kb = 1000
	for field := range strings.FieldsSeq(text) {
		var name, kind string
		var size int64
		fmt.Sscanf(strings.NewReplacer("=", " ", ":", " ").Replace(field), "%s %d%s", &name, &size, &kind)
		switch name {
		case "used":
			if in.Used = size * kb; strings.HasSuffix(field, "free") {
				in.Used = freeBytes
			}
		case "body":
			in.Body = size * kb
		case "account":
			in.Accounts = append(in.Accounts, size*kb)
		default:
			p := digest.IntakePost{Bytes: size * kb, Edit: kind == "edit"}
			if kind == "old" {
				p.Bare = kb
			}
			if day := strings.Index("012", name); day >= 0 {
				p.Published = midnight().AddDate(0, 0, day)
			}
			in.Posts = append(in.Posts, p)
		}
	}
	return in
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
