package chart

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// Where things stand in the picture, in pixels from its top. Each panel has its
// name above it.
const (
	nameHeight = 22
	answersTop = nameHeight
	answersEnd = answersTop + 84
	bytesTop   = answersEnd + 14 + nameHeight
	bytesEnd   = bytesTop + 48
	timesTop   = bytesEnd + 14 + nameHeight
	timesEnd   = timesTop + 84
	axisText   = timesEnd + 16
	height     = axisText + 6
	leastMonth = 11.0 // percent of the width that a month's name needs
	leastScale = 16   // pixels between two numbers of a scale
	gapPart    = 0.28
	whole      = 100.0 // percent
)

// SVG draws the history. label names the picture for who cannot see it; the
// numbers themselves belong beside it, in a table.
func (h History) SVG(label string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" width="100%%" height="%d" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">`,
		height, html.EscapeString(label))
	h.months(&b)
	h.answers(&b)
	h.bytes(&b)
	h.times(&b)
	h.hover(&b)
	b.WriteString("</svg>")
	return b.String()
}

// left is where the i-th day begins, in percent of the width.
func (h History) left(i int) float64 { return whole * float64(i) / float64(len(h.Days)) }

// bar is where the i-th day's bar begins, and its width.
func (h History) bar(i int) (x, width float64) {
	day := whole / float64(len(h.Days))
	return h.left(i) + day*gapPart/2, day * (1 - gapPart)
}

// panel names a panel and draws its base line and its scale: most is what its
// greatest bar stands for.
func panel(b *strings.Builder, name, most string, top, end int) {
	fmt.Fprintf(b, `<text class="name" x="0" y="%d">%s</text><text class="scale" x="100%%" y="%d">%s</text>`, top-8, name, top-8, most)
	line(b, "grid", top)
	line(b, "base", end)
}

func line(b *strings.Builder, class string, y int) {
	fmt.Fprintf(b, `<line class="%s" x1="0" x2="100%%" y1="%d.5" y2="%[2]d.5"/>`, class, y)
}

// months draws a line where each month begins, and its name.
func (h History) months(b *strings.Builder) {
	for i := 0; i < len(h.Days); {
		end := i
		for end < len(h.Days) && h.Days[end].Date.Month() == h.Days[i].Date.Month() {
			end++
		}
		if i > 0 {
			fmt.Fprintf(b, `<line class="month" x1="%.2f%%" x2="%.2[1]f%%" y1="%d" y2="%d"/>`, h.left(i), answersTop, timesEnd)
		}
		if h.left(end)-h.left(i) >= leastMonth {
			fmt.Fprintf(b, `<text class="date" x="%.2f%%" y="%d">%s</text>`, h.left(i), axisText, h.Days[i].Date.Format("Jan"))
		}
		i = end
	}
}

// answers stacks each day's answers by kind.
func (h History) answers(b *strings.Builder) {
	most := 2 // one answer a day is a calm strip, not a wall
	for _, d := range h.Days {
		most = max(most, d.Polls())
	}
	panel(b, "Answers a day", fmt.Sprint(most), answersTop, answersEnd)
	for i, d := range h.Days {
		x, width := h.bar(i)
		below := 0
		for k, n := range d.Count {
			if n == 0 {
				continue
			}
			low, high := scaled(below, most, answersTop, answersEnd), scaled(below+n, most, answersTop, answersEnd)
			below += n
			rect(b, Kind(k).Class(), x, width, high, low-high)
		}
	}
}

// bytes draws each day's bytes as one bar.
func (h History) bytes(b *strings.Builder) {
	var most int64 = 1
	for _, d := range h.Days {
		most = max(most, d.Bytes)
	}
	panel(b, "Bytes a day", Size(most), bytesTop, bytesEnd)
	for i, d := range h.Days {
		if d.Bytes == 0 {
			continue
		}
		x, width := h.bar(i)
		tall := max(1, float64(bytesEnd-bytesTop)*float64(d.Bytes)/float64(most)) // what there is can be seen
		rect(b, "bytes", x, width, float64(bytesEnd)-tall, tall)
	}
}

func scaled(n, most, top, end int) float64 {
	return float64(end) - float64(end-top)*float64(n)/float64(most)
}

func rect(b *strings.Builder, class string, x, width, y, tall float64) {
	fmt.Fprintf(b, `<rect class="%s" x="%.2f%%" width="%.2f%%" y="%.1f" height="%.1f"/>`, class, x, width, y, tall)
}

// times draws each day's median as a dot and its spread as a line, on a scale
// of powers of ten: answers take from a few milliseconds to half a minute.
func (h History) times(b *strings.Builder) {
	t := h.Total()
	low, high := below(t.Fastest), above(t.Slowest)
	y := func(d time.Duration) float64 {
		part := math.Log10(max(d, low).Seconds()/low.Seconds()) / math.Log10(high.Seconds()/low.Seconds())
		return float64(timesEnd) - float64(timesEnd-timesTop)*part
	}
	panel(b, "Time to answer", Span(high), timesTop, timesEnd)
	var scale strings.Builder // above the dots
	for tens := time.Millisecond; tens < high; tens *= 10 {
		if at := y(tens); tens > low && at >= timesTop+leastScale && at <= timesEnd-leastScale/2 {
			line(b, "grid", int(at))
			fmt.Fprintf(&scale, `<text class="scale" x="100%%" y="%.0f">%s</text>`, at-3, Span(tens))
		}
	}
	for i, d := range h.Days {
		if d.Polls() == 0 {
			continue
		}
		middle := (h.left(i) + h.left(i+1)) / 2
		if d.Slowest > d.Fastest {
			fmt.Fprintf(b, `<line class="spread" x1="%.2f%%" x2="%.2[1]f%%" y1="%.1f" y2="%.1f"/>`, middle, y(d.Fastest), y(d.Slowest))
		}
		fmt.Fprintf(b, `<circle class="median" cx="%.2f%%" cy="%.1f" r="1.75"/>`, middle, y(d.Median))
	}
	b.WriteString(scale.String())
}

// below is the greatest of 1, 2, 5, 10 … ms that is less than d, and 1 ms at least.
func below(d time.Duration) time.Duration {
	last := time.Millisecond
	for step := range steps {
		if step >= d {
			break
		}
		last = step
	}
	return last
}

// above is the least of 1, 2, 5, 10 … ms that is d or more, and 10 ms at least.
func above(d time.Duration) time.Duration {
	for step := range steps {
		if step >= d && step >= 10*time.Millisecond {
			return step
		}
	}
	return d
}

// steps yields 1, 2, 5, 10 … ms up to a day.
func steps(yield func(time.Duration) bool) {
	for tens := time.Millisecond; tens < 24*time.Hour; tens *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if !yield(n * tens) {
				return
			}
		}
	}
}

// hover tells a day's numbers to who points at it.
func (h History) hover(b *strings.Builder) {
	for i, d := range h.Days {
		if d.Polls() == 0 {
			continue
		}
		fmt.Fprintf(b, `<rect class="day" x="%.2f%%" width="%.2f%%" y="%d" height="%d"><title>%s: %s; %s; %s</title></rect>`,
			h.left(i), h.left(i+1)-h.left(i), answersTop, timesEnd-answersTop,
			d.Date.Format("2 January"), d.Answers(), Size(d.Bytes), Span(d.Median))
	}
}
