package doctor

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/mailer"
)

// FuzzRecords reads what anyone may publish under a name.
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
		value, "v=DKIM1; p=", "v=DMARC1; p=reject; sp=none; adkim=s; rua=mailto:a@example.org", "v=DMARC1;;p=none", "=;=", "p",
		"v=spf1", "v=spf1 mx -all", "V=SPF1  ?all exp=x", "# version 2026b\n", "2026b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, record string) {
		if tags, ok := parseTags(record); ok {
			for name, value := range tags {
				if name == "" || strings.Contains(name+value, ";") || strings.TrimSpace(value) != value {
					t.Errorf("tag %q=%q", name, value)
				}
			}
		}
		if p, ok := parsePolicy(record, true); ok && !isAsked(p.asks) {
			t.Errorf("policy %q", p.asks)
		}
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

// holds looks for a key without reading tags.
func holds(record string, key digest.DKIMKey) bool {
	_, value, _ := mailer.DKIMRecord(key)
	_, public, _ := strings.Cut(value, "p=")
	return strings.Contains(strings.Join(strings.Fields(record), ""), public[:40])
}
