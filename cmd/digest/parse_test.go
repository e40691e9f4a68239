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
	var out, said strings.Builder
	if status := run(t.Context(), t.Context(), []string{"parse", cut}, &out, &said); status != exitDone {
		t.Errorf("status %d: %s", status, said.String())
	}
	if !strings.Contains(out.String(), `"News", 0 posts`) || !strings.Contains(out.String(), "https://x.org/") ||
		!strings.Contains(said.String(), "ends before its first entry") {
		t.Errorf("%s\n%s", out.String(), said.String())
	}
	out.Reset()
	if status := run(t.Context(), t.Context(), []string{"parse", "--json", cut, nothing}, &out,
		&said); status != exitDone {
		t.Errorf("status %d: %s", status, said.String())
	}
	var all map[string]struct {
		Title   string
		Count   int
		Repairs []string
		Error   string
	}
	must(t, json.Unmarshal([]byte(out.String()), &all))
	if c := all[cut]; c.Title != "News" || c.Count != 0 || len(c.Repairs) != 1 || c.Error != "" ||
		all[nothing].Error == "" {
		t.Errorf("%+v", all)
	}
	if status := run(t.Context(), t.Context(), []string{"parse", nothing}, &out, &said); status != exitFailed {
		t.Errorf("status %d", status)
	}
}
