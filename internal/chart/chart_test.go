package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"digest/internal/catalogue"
	"digest/internal/chart"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration, k chart.Kind, bytes int64, took time.Duration) chart.Poll {
	return chart.Poll{At: noon.Add(-d), Kind: k, Bytes: bytes, Took: took}
}

const day = 24 * time.Hour

func TestDays(t *testing.T) {
	h := chart.New([]chart.Poll{
		ago(0, chart.Unchanged, 0, 100*time.Millisecond),
		// Midnight belongs to the new day.
		ago(12*time.Hour, chart.Changed, 2000, 300*time.Millisecond),
		ago(12*time.Hour+time.Second, chart.Broken, 10, 200*time.Millisecond),   // the day before
		ago(89*day+12*time.Hour, chart.Silent, 0, 30*time.Second),               // the first midnight
		ago(89*day+12*time.Hour+time.Second, chart.Refused, 99, 99*time.Second), // before the first
		ago(-12*time.Hour, chart.Refused, 99, 99*time.Second),                   // of tomorrow
		ago(0, chart.Kind(99), 99, 99*time.Second),
	}, noon, 90)
	if len(h.Days) != 90 || !h.Days[0].Date.Equal(time.Date(2026, 8, 23, 0, 0, 0, 0, time.UTC)) ||
		!h.Days[89].Date.Equal(noon.Truncate(day)) {
		t.Fatalf("%d days from %v to %v", len(h.Days), h.Days[0].Date, h.Days[len(h.Days)-1].Date)
	}
	for i, want := range map[int]string{0: "no usable response (1)", 1: "", 88: "server error (1)",
		89: "unchanged (1), new content (1)"} {
		if got := catalogue.English().Text(h.Days[i].Answers()); got != want {
			t.Errorf("day %d: %q, want %q", i, got, want)
		}
	}
	today := h.Days[89]
	if today.Bytes != 2000 || today.Fastest != 100*time.Millisecond || today.Median != 100*time.Millisecond ||
		today.Slowest != 300*time.Millisecond {
		t.Errorf("today is %+v", today)
	}
	total := h.Total()
	if total.Polls() != 4 || total.Bytes != 2010 || total.Slowest != 30*time.Second ||
		total.Fastest != 100*time.Millisecond || total.Median != 200*time.Millisecond {
		t.Errorf("in all %+v", total)
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 4249: "4,249 B", 9999: "9,999 B", 10_000: "10 KB",
		130_400: "130 KB", 999_499: "999 KB", 999_500: "1.0 MB", 25_000_000: "25 MB", 2_500_000_000: "2.5 GB",
		3_000_000_000_000: "3,000 GB"} {
		if got := chart.Size(n).String(); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0 ms", 85*time.Millisecond + 400*time.Microsecond: "85 ms",
		999*time.Millisecond + 600*time.Microsecond: "1.0 s", 1234 * time.Millisecond: "1.2 s",
		9960 * time.Millisecond: "10 s", 30 * time.Second: "30 s"} {
		if got := chart.Span(d).String(); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// shapes counts the elements of a picture by name and class. It fails for a malformed picture.
func shapes(t testing.TB, svg string) map[string]int {
	t.Helper()
	n := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := e.Name.Local
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "class":
				name += "." + a.Value
			case "href":
				if !strings.HasPrefix(a.Value, "#") {
					t.Errorf("%s leads to %s", name, a.Value)
				}
				continue
			case "style", "onload":
				t.Errorf("%s has %s", name, a.Name.Local)
			case "id", "aria-labelledby":
				continue
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || strings.Contains(a.Value, "-") &&
				a.Name.Local != "aria-label" {
				t.Errorf("%s has %s=%q", name, a.Name.Local, a.Value)
			}
		}
		n[name]++
	}
}

func TestPicture(t *testing.T) {
	var polls []chart.Poll
	for i := range 90 {
		k := chart.Unchanged
		switch {
		case i >= 40 && i < 47:
			k = chart.Broken
		case i == 10:
			k = chart.Limited
		}
		polls = append(polls, ago(time.Duration(i)*day, k, int64(i%2*500), time.Duration(50+i)*time.Millisecond))
	}
	polls = append(polls, ago(time.Hour, chart.Changed, 20_000, time.Second))
	svg := chart.New(polls, noon, 90).SVG(catalogue.English(), `"<Blog>"`)
	got := shapes(t, svg)
	for shape, want := range map[string]int{
		"rect.unchanged": 82, "rect.broken": 7, "rect.limited": 1, "rect.changed": 1, "rect.refused": 0,
		"rect.bytes": 46, "circle.median": 90, "line.spread": 1, "rect.day": 90, "title": 90,
		"line.month": 3, "text.date": 3, "text.name": 3,
	} {
		if got[shape] != want {
			t.Errorf("%d of %s, want %d", got[shape], shape, want)
		}
	}
	if !strings.Contains(svg, `aria-label="&#34;&lt;Blog&gt;&#34;"`) ||
		!strings.Contains(svg, "<title>20 November: unchanged (1), new content (1); 20 KB; 50 ms</title>") {
		t.Error("the picture does not say what it shows")
	}
	if len(svg) > 60<<10 {
		t.Errorf("a picture of %d bytes", len(svg))
	}
}

// TestOddPictures checks pictures of no data, of zeros and of extremes.
func TestOddPictures(t *testing.T) {
	for name, h := range map[string]chart.History{
		"no days":  {},
		"no polls": chart.New(nil, noon, 90),
		"zeros":    chart.New([]chart.Poll{ago(0, chart.Unchanged, 0, 0)}, noon, 90),
		"negative": chart.New([]chart.Poll{ago(0, chart.Unchanged, -5, -time.Second)}, noon, 1),
		"extremes": chart.New([]chart.Poll{ago(0, chart.Changed, 1<<62, 1<<62), ago(time.Minute, chart.Changed, 1, 1)},
			noon, 1),
		"crowded": chart.New(make([]chart.Poll, 3000), time.Time{}, 90),
	} {
		t.Run(name, func(t *testing.T) { shapes(t, h.SVG(catalogue.English(), "x")) })
	}
}

// FuzzSVG checks that every history makes a well-formed picture.
func FuzzSVG(f *testing.F) {
	f.Add(int64(0), 0, int64(0), int64(0), 90)
	f.Add(noon.Unix(), 3, int64(1<<40), int64(time.Hour), 1)
	f.Fuzz(func(t *testing.T, at int64, kind int, bytes, took int64, n int) {
		n = min(max(n, 0), 400)
		h := chart.New([]chart.Poll{{At: time.Unix(at, 0), Kind: chart.Kind(kind), Bytes: bytes,
			Took: time.Duration(took)}}, noon, n)
		shapes(t, h.SVG(catalogue.English(), fmt.Sprint(at)))
	})
}
