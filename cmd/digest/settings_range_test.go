package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"digest"
)

func ranges(t *testing.T) map[string]*kong.Flag {
	t.Helper()
	var c cli
	if _, _, err := parseArgs(&c, []string{"config"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	flags := map[string]*kong.Flag{}
	for _, f := range c.model.Flags {
		switch f.Target.Interface().(type) {
		case time.Duration, byteSize, int, digest.Rate:
			flags[settingOf(f.Name)] = f
		}
	}
	return flags
}

// TestRanges checks that a setting accepts the ends of its range, its default, and 0 if that has a meaning. It rejects
// values beyond.
func TestRanges(t *testing.T) {
	tests := map[string]struct{ good, bad string }{
		"DIGEST_POLL_WINDOW":         {"0 1m 6h 15m", "59s 6h1s 1ms"},
		"DIGEST_RELEASE_DEADLINE":    {"1s 12h 30m", "0 999ms 12h1s"},
		"DIGEST_HOST_INTERVAL":       {"0 0s 10ms 2s 10m", "10m1s 1h"},
		"DIGEST_POLL_GAP":            {"1m 1h 7d", "0 59s 8d"},
		"DIGEST_FETCH_TIMEOUT":       {"1s 30s 1h", "0 1ms 999ms 1h1s"},
		"DIGEST_FEED_SIZE":           {"10MB 32MB 64MB", "0 32 9MB 65MB 1GB"},
		"DIGEST_KEEP":                {"7d 400d 36500d 168h", "0 10m 167h 6d 36501d"},
		"DIGEST_FEED_QUOTA":          {"0 64KB 4MB 1TB", "4 63KB 65535 2TB"},
		"DIGEST_ACCOUNT_QUOTA":       {"0 1MB 64MB 1TB", "64 1023KB 2TB"},
		"DIGEST_DATABASE_ALARM":      {"0 100MB 20GB 1000TB", "20 99MB 1001TB"},
		"DIGEST_REQUESTS":            {"1 20 10000", "0 -1 10001"},
		"DIGEST_NEWSLETTER_MEMBERS":  {"0 1 10000000", "-1 10000001"},
		"DIGEST_FENCE":               {"1h 36h 120h 365d", "0 1m 59m 366d"},
		"DIGEST_MAIL_CONNECTIONS":    {"1 4 1000", "0 1001"},
		"DIGEST_MAIL_RATE":           {"0 1/h 24/d 100/m 1000/s", "1/d 23/d 1001/s"},
		"DIGEST_MAIL_PER_CONNECTION": {"1 50 1000", "0 1001"},
		"DIGEST_DOMAIN_CONNECTIONS":  {"0 1 1000", "-1 1001"},
		"DIGEST_DOMAIN_RATE":         {"0 1/h 60/m 1000/s", "1/d 100000/s"},
	}
	flags := ranges(t)
	for name, tt := range tests {
		f := flags[name]
		if f == nil {
			t.Errorf("%s is not a setting with a range", name)
			continue
		}
		for _, value := range strings.Fields(tt.good + " " + f.Default) {
			var c cli
			_, _, err := parseArgs(&c, []string{"config", "--" + f.Name + "=" + value}, io.Discard)
			if err != nil || c.wrong != nil {
				t.Errorf("%s=%s is refused: %v, %v", name, value, err, c.wrong)
			}
		}
		for _, value := range strings.Fields(tt.bad) {
			var c cli
			_, _, err := parseArgs(&c, []string{"config", "--" + f.Name + "=" + value}, io.Discard)
			if err != nil || c.wrong == nil {
				t.Errorf("%s=%s is taken: %v", name, value, err)
				continue
			}
			said := c.wrong.Error()
			for _, want := range []string{
				fmt.Sprintf("%s=%q ", name, value), f.Tag.Get("from") + " to " + f.Tag.Get("to"), "; an example: ",
			} {
				if !strings.Contains(said, want) {
					t.Errorf("%s=%s: %q does not say %q", name, value, said, want)
				}
			}
		}
	}
	for name := range flags {
		if _, known := tests[name]; !known {
			t.Errorf("%s has no row here", name)
		}
	}
}

// TestEverySettingHasARange checks that every numeric setting declares a range, which its help shows.
func TestEverySettingHasARange(t *testing.T) {
	for name, f := range ranges(t) {
		bounds := rangeOf(f.Tag)
		if bounds == "" {
			t.Errorf("%s has no range", name)
		} else if !strings.HasSuffix(f.Help, " F"+bounds[1:]+".") {
			t.Errorf("the help of %s does not end with its range: %s", name, f.Help)
		}
	}
	n := reflect.TypeFor[settings]().NumField() + reflect.TypeFor[mailSettings]().NumField()
	if have := len(ranges(t)); have < n/4 {
		t.Errorf("only %d of %d settings are numbers", have, n)
	}
}

// TestRangeHints checks that the error for a wrong unit suggests the right spelling.
func TestRangeHints(t *testing.T) {
	tests := []struct{ setting, want string }{
		{"keep=10m", "10m is 10 minutes: for 10 months write 300d"},
		{"keep=1m", "1m is 1 minute: for 1 month write 30d"},
		{"keep=3mo", "for 3 months write 90d"},
		{"keep=2w", "for 2 weeks write 14d"},
		{"keep=1y", "for 1 year write 365d"},
		{"keep=400", "400 has no unit: write 400h or 400d"},
		{"keep=0", ""},
		{"keep=forever", ""},
		{"keep=999999y", ""},
		{"fetch-timeout=90m", ""},
		{"release-deadline=30", "30 has no unit: write 30s or 30m"},
		{"feed-quota=4", "4 is 4 bytes: write 4MB"},
		{"feed-quota=4m", "write 4MB"},
		{"feed-quota=1b", "1b is 1 byte: write 1MB"},
		{"database-alarm=20", "20 is 20 bytes: write 20GB"},
		{"database-alarm=much", ""},
	}
	for _, tt := range tests {
		var c cli
		if _, _, err := parseArgs(&c, []string{"config", "--" + tt.setting}, io.Discard); err != nil || c.wrong == nil {
			t.Errorf("%s is taken: %v", tt.setting, err)
			continue
		}
		said, _, _ := strings.Cut(c.wrong.Error(), "; an example: ")
		if _, hint, _ := strings.Cut(said, "; "); hint != tt.want {
			t.Errorf("%s: %q suggests %q, want %q", tt.setting, said, hint, tt.want)
		}
	}
}
