package chart_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"digest/internal/catalogue"
	"digest/internal/chart"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// world returns a dial with a few readers at 12:41 UTC.
func world() chart.Dial {
	d := chart.Dial{Now: noon.Add(41 * time.Minute), Places: []chart.Place{
		{Name: "London", At: 0}, {Name: "New York", At: 5 * time.Hour}, {Name: "Tokyo", At: 15 * time.Hour},
		{Name: "Delhi", At: 18*time.Hour + 30*time.Minute}, {Name: "Paris", At: 23 * time.Hour},
		{Name: "Berlin", At: 23 * time.Hour},
		{Name: "Los Angeles & <all>", At: 8 * time.Hour}, {Name: "Denver", At: 7 * time.Hour},
	}}
	d.Slots[92] = chart.Slot{Readers: 400, Feeds: 90}
	d.Slots[20] = chart.Slot{Readers: 100, Feeds: 50}
	d.Slots[73] = chart.Slot{Readers: 1, Feeds: 1}
	return d
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	lines := strings.ReplaceAll(got, "><", ">\n<") + "\n"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines != string(want) {
		t.Errorf("%s is another picture; look at it with -update, and at what git says", path)
	}
}

func TestDial(t *testing.T) {
	svg := world().SVG(catalogue.English(), "The world's midnights", `one < two & "three"`)
	got := shapes(t, svg)
	for shape, want := range map[string]int{
		"path.readers": 3, "path.feeds": 3, "path.slot": 3, "path.hand": 1, "text.numeral": 8, "text.numeral minor": 16,
		"text.place": 5, "text.place minor": 1, "desc": 1, "title": 4,
	} {
		if got[shape] != want {
			t.Errorf("%d of %s, want %d", got[shape], shape, want)
		}
	}
	for _, said := range []string{
		`role="img" aria-labelledby="dial-title dial-description"`, `one &lt; two &amp; &#34;three&#34;</desc>`,
		">Los Angeles &amp; &lt;all&gt;<", ">12:41<", "<title>18:15 UTC: 1 reader, 1 feed</title>",
		"<title>23:00 UTC: 400 readers, 90 feeds</title>",
	} {
		if !strings.Contains(svg, said) {
			t.Errorf("it does not say %q", said)
		}
	}
	if strings.Contains(svg, "Berlin") {
		t.Error("Berlin is written over Paris")
	}
	golden(t, "dial.svg", svg)
}

// TestOddDials checks a dial without readers, and one with readers in every quarter-hour.
func TestOddDials(t *testing.T) {
	full := chart.Dial{Now: noon}
	for i := range full.Slots {
		full.Slots[i] = chart.Slot{Readers: i * i * 1000, Feeds: 1 << 40}
		full.Places = append(full.Places,
			chart.Place{Name: strings.Repeat("x", i%20), At: time.Duration(i) * 15 * time.Minute})
	}
	for name, d := range map[string]chart.Dial{"nobody": {}, "full": full} {
		t.Run(name, func(t *testing.T) {
			svg := d.SVG(catalogue.English(), "x", "y")
			shapes(t, svg)
			if len(svg) > 60<<10 {
				t.Errorf("a picture of %d bytes", len(svg))
			}
		})
	}
}

func TestWork(t *testing.T) {
	w := chart.NewWork(noon.Add(41*time.Minute), 48)
	if len(w.Hours) != 48 || !w.Hours[47].At.Equal(noon) || w.Hour(noon.Add(time.Hour)) != nil ||
		w.Hour(noon.Add(-48*time.Hour)) != nil || (chart.Work{}).Hour(noon) != nil {
		t.Fatalf("hours from %v to %v", w.Hours[0].At, w.Hours[47].At)
	}
	h := w.Hour(noon)
	h.Count[chart.Unchanged], h.Count[chart.Broken], h.Bytes, h.Editions, h.Sent, h.Failed = 40, 2, 70_000, 9, 8, 1
	w.Hour(noon.Add(-20 * time.Hour)).Sent = 1
	svg := w.SVG(catalogue.English(), `"work"`)
	got := shapes(t, svg)
	for shape, want := range map[string]int{
		"rect.unchanged": 1, "rect.broken": 1, "rect.bytes": 1, "rect.sent": 2, "rect.failed": 1, "rect.editions": 1,
		"rect.day":   2,
		"line.month": 2, "text.date": 3, "text.name": 3,
	} {
		if got[shape] != want {
			t.Errorf("%d of %s, want %d", got[shape], shape, want)
		}
	}
	if !strings.Contains(svg,
		"<title>20 Nov 12:00 UTC: unchanged (40), server error (2); editions created (9), emails sent (8), emails "+
			"failed (1)</title>") {
		t.Error("the hour does not say what it did")
	}
	total := w.Total()
	if total.Sent != 9 || total.Polls() != 42 || total.Quiet() ||
		catalogue.English().Text(total.Mail()) != "editions created (9), emails sent (9), emails failed (1)" {
		t.Errorf("in all %+v", total)
	}
	golden(t, "work.svg", svg)
	shapes(t, chart.Work{}.SVG(catalogue.English(), "x"))
}
