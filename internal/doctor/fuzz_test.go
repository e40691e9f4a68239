package doctor

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/mailer"
)

// FuzzRecords checks DNS records that anyone may publish.
func FuzzRecords(f *testing.F) {
	key, err := mailer.NewDKIMKey("example.org", "", time.Unix(1_790_000_000, 0))
	if err != nil {
		f.Fatal(err)
	}
	_, value, err := mailer.DKIMRecord(key)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		value, "v=DKIM1; p=", "=;=", "p",
		"v=spf1", "v=spf1 mx -all", "V=SPF1  ?all exp=x", "# version 2026b\n", "2026b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, record string) {
		if found := judgeKey(key, []string{record}); found.Status != Wrong && !holds(record, key) {
			t.Errorf("taken for our key: %q", record)
		}
		for _, r := range spfRecords([]string{record}) {
			refusesAll(r)
		}
		if r := releaseOf(record); r != "" && len(r) != 5 {
			t.Errorf("release %q", r)
		}
	})
}

// holds reports whether a record contains a key, without parsing its tags.
func holds(record string, key digest.DKIMKey) bool {
	_, value, _ := mailer.DKIMRecord(key)
	_, public, _ := strings.Cut(value, "p=")
	return strings.Contains(strings.Join(strings.Fields(record), ""), public[:40])
}
