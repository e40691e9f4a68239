package render

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"digest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samples returns the editions of the golden files.
func samples() map[string]Edition {
	noticed := typical()
	noticed.Notices = said("You may have missed posts from Small Compilers on Thursday 19 November, " +
		"09:10–23:50. Look for them on its website.")
	return map[string]Edition{
		"single":  page(sampleSite{"The Harbour Log", "https://harbour.example/", "en-GB", harbour().posts[:1]}),
		"short":   page(harbour(), kitchen()),
		"typical": noticed,
		"empty":   page(),
		"late":    lately(),
		"notes":   onlyNotes(),
		"moved":   moved(),

		"headlines": headlines(),
		"full":      rich(digest.NoImages),
		"linked":    rich(digest.LinkedImages),
		"proxied":   rich(digest.ProxiedImages),
		"scripts":   scripts(),
		"threaded":  threaded(),
		"folders":   folders(),

		"bound":           away(digest.Excerpts),
		"bound-headlines": away(digest.Headlines),
		"bound-full":      away(digest.FullText),
		"displayed":       displayed(digest.Excerpts),
		"displayed-lines": displayed(digest.Headlines),
	}
}

func TestGolden(t *testing.T) {
	for name, p := range samples() {
		t.Run(name, func(t *testing.T) {
			m := mailOf(t, p)
			golden(t, name+".html", m.HTML)
			golden(t, name+".txt", m.Text)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got; go test -update writes it anew):\n%s", name, diff)
	}
}

// TestDraw writes the large editions to the artefact directory (go test -artifacts), for viewing in a browser.
func TestDraw(t *testing.T) {
	for name, n := range map[string]int{"hundred.html": 100, "twohundred.html": 200, "huge.html": 500} {
		m := mailOf(t, large(n))
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(m.HTML), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %d shown, %d omitted", name, len(m.HTML), m.Shown, m.Omitted)
	}
}
