package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParseEndedEarly checks that a feed that ends before its first entry is printed with its title and a warning. One
// without a title is an error.
func TestParseEndedEarly(t *testing.T) {
	dir := t.TempDir()
	cut, nothing := filepath.Join(dir, "cut.xml"), filepath.Join(dir, "nothing.xml")
	for file, body := range map[string]string{
		cut:     "<rss><channel><title>News</title><link>https://x.org/</link><item><title>On",
		nothing: "<rss><channel><ti"} {
		must(t, os.WriteFile(file, []byte(body), 0o600))
	}
	if status, out, said := ran(t, "parse", cut); status != exitDone || !strings.Contains(out, `"News", 0 posts`) ||
		!strings.Contains(out, "https://x.org/") || !strings.Contains(said, "ends before its first entry") {
		t.Errorf("status %d: %s\n%s", status, out, said)
	}
	status, out, said := ran(t, "parse", "--json", cut, nothing)
	if status != exitDone {
		t.Errorf("status %d: %s", status, said)
	}
	var all map[string]struct {
		Title   string
		Count   int
		Repairs []string
		Error   string
	}
	must(t, json.Unmarshal([]byte(out), &all))
	if c := all[cut]; c.Title != "News" || c.Count != 0 || len(c.Repairs) != 1 || c.Error != "" ||
		all[nothing].Error == "" {
		t.Errorf("%+v", all)
	}
	if status, _, _ := ran(t, "parse", nothing); status != exitFailed {
		t.Errorf("status %d", status)
	}
}
