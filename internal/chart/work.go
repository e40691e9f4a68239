package chart

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// An Hour is what was done in one hour.
type Hour struct {
	At       time.Time // when it begins
	Count    [kinds]int
	Bytes    int64
	Editions int // made
	Sent     int // mails that a server took
	Failed   int // mails that were given up
}

// Polls counts an hour's polls.
func (h Hour) Polls() int { return Day{Count: h.Count}.Polls() }

// Answers says in words what an hour's polls brought, as a day's does.
func (h Hour) Answers() string { return Day{Count: h.Count}.Answers() }

// Work is a row of hours without gaps, the oldest first.
type Work struct {
	Hours []Hour
}

// NewWork makes n empty hours that end with the hour of now.
func NewWork(now time.Time, n int) Work {
	w := Work{Hours: make([]Hour, n)}
	for i := range w.Hours {
		w.Hours[i].At = now.UTC().Truncate(time.Hour).Add(time.Duration(i-n+1) * time.Hour)
	}
	return w
}

// Hour gives the hour that begins at an instant, nil for one that is not there.
func (w Work) Hour(at time.Time) *Hour {
	if len(w.Hours) == 0 {
		return nil
	}
	i := int(at.Sub(w.Hours[0].At) / time.Hour)
	if i < 0 || i >= len(w.Hours) || !w.Hours[i].At.Equal(at) {
		return nil
	}
	return &w.Hours[i]
}

// Total sums up all hours.
func (w Work) Total() Hour {
	var t Hour
	for _, h := range w.Hours {
		for k, n := range h.Count {
			t.Count[k] += n
		}
		t.Bytes += h.Bytes
		t.Editions += h.Editions
		t.Sent += h.Sent
		t.Failed += h.Failed
	}
	return t
}

// Where the panels of the work stand, as those of a history.
const (
	pollsTop   = nameHeight
	pollsEnd   = pollsTop + 72
	loadTop    = pollsEnd + 14 + nameHeight
	loadEnd    = loadTop + 40
	mailTop    = loadEnd + 14 + nameHeight
	mailEnd    = mailTop + 72
	hoursText  = mailEnd + 16
	workHeight = hoursText + 6
)

// SVG draws the work. label names the picture for who cannot see it.
func (w Work) SVG(label string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart work" width="100%%" height="%d" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">`,
		workHeight, html.EscapeString(label))
	w.midnights(&b)
	w.polls(&b)
	w.load(&b)
	w.mail(&b)
	w.hover(&b)
	b.WriteString("</svg>")
	return b.String()
}

func (w Work) left(i int) float64 { return whole * float64(i) / float64(len(w.Hours)) }

func (w Work) bar(i int) (x, width float64) {
	hour := whole / float64(len(w.Hours))
	return w.left(i) + hour*gapPart/2, hour * (1 - gapPart)
}

// midnights draws a line at each midnight, and names its day; so are the noons.
func (w Work) midnights(b *strings.Builder) {
	for i, h := range w.Hours {
		name := h.At.Format("15:04")
		switch h.At.Hour() {
		case 0:
			name = h.At.Format("Mon 2")
			if i > 0 {
				fmt.Fprintf(b, `<line class="month" x1="%.2f%%" x2="%.2[1]f%%" y1="%d" y2="%d"/>`, w.left(i), pollsTop, mailEnd)
			}
		case 12:
		default:
			continue
		}
		if w.left(i) <= whole-leastMonth {
			fmt.Fprintf(b, `<text class="date" x="%.2f%%" y="%d">%s</text>`, w.left(i), hoursText, name)
		}
	}
}

// polls stacks each hour's polls by what came of them.
func (w Work) polls(b *strings.Builder) {
	most := 2
	for _, h := range w.Hours {
		most = max(most, h.Polls())
	}
	panel(b, "Polls an hour", fmt.Sprint(most), pollsTop, pollsEnd)
	for i, h := range w.Hours {
		x, width := w.bar(i)
		s := stack{b, x, width, 0, most, pollsTop, pollsEnd}
		for k, n := range h.Count {
			s.add(Kind(k).Class(), n)
		}
	}
}

// A stack is a bar of several parts.
type stack struct {
	b         *strings.Builder
	x, width  float64
	below     int
	most      int
	top, foot int
}

func (s *stack) add(class string, n int) {
	if n <= 0 {
		return
	}
	low, high := scaled(s.below, s.most, s.top, s.foot), scaled(s.below+n, s.most, s.top, s.foot)
	s.below += n
	rect(s.b, class, s.x, s.width, high, low-high)
}

func (w Work) load(b *strings.Builder) {
	var most int64 = 1
	for _, h := range w.Hours {
		most = max(most, h.Bytes)
	}
	panel(b, "Bytes an hour", Size(most), loadTop, loadEnd)
	for i, h := range w.Hours {
		if h.Bytes <= 0 {
			continue
		}
		x, width := w.bar(i)
		tall := max(1, float64(loadEnd-loadTop)*float64(h.Bytes)/float64(most))
		rect(b, "bytes", x, width, float64(loadEnd)-tall, tall)
	}
}

// mail stacks each hour's mails, and marks how many editions were made.
func (w Work) mail(b *strings.Builder) {
	most := 2
	for _, h := range w.Hours {
		most = max(most, h.Editions, h.Sent+h.Failed)
	}
	panel(b, "Editions and mail an hour", fmt.Sprint(most), mailTop, mailEnd)
	for i, h := range w.Hours {
		x, width := w.bar(i)
		s := stack{b, x, width, 0, most, mailTop, mailEnd}
		s.add("sent", h.Sent)
		s.add("failed", h.Failed)
		if h.Editions > 0 {
			rect(b, "editions", w.left(i), whole/float64(len(w.Hours)), scaled(h.Editions, most, mailTop, mailEnd)-1, 2)
		}
	}
}

// Mail says in words what became of an hour's editions; empty for none.
func (h Hour) Mail() string {
	var parts []string
	if h.Editions > 0 {
		parts = append(parts, counted(h.Editions, "edition")+" made")
	}
	if h.Sent > 0 {
		parts = append(parts, counted(h.Sent, "mail")+" sent")
	}
	if h.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d given up", h.Failed))
	}
	return strings.Join(parts, ", ")
}

// Quiet reports whether nothing was done.
func (h Hour) Quiet() bool {
	return h.Polls() == 0 && h.Editions == 0 && h.Sent == 0 && h.Failed == 0
}

// hover tells an hour's numbers to who points at it.
func (w Work) hover(b *strings.Builder) {
	for i, h := range w.Hours {
		if h.Quiet() {
			continue
		}
		said := []string{}
		for _, part := range []string{h.Answers(), h.Mail()} {
			if part != "" {
				said = append(said, part)
			}
		}
		fmt.Fprintf(b, `<rect class="day" x="%.2f%%" width="%.2f%%" y="%d" height="%d"><title>%s UTC: %s</title></rect>`,
			w.left(i), w.left(i+1)-w.left(i), pollsTop, mailEnd-pollsTop, h.At.Format("2 January, 15:04"), strings.Join(said, "; "))
	}
}
