package chart

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// A plot is a picture with one column for each day or hour, and panels below each other.
type plot struct {
	strings.Builder
	columns int
	panels  []panel
}

// A panel is a part of a plot's height, from its top to its base line, in pixels from the top of the picture. Its name
// is above it.
type panel struct{ top, end int }

// Heights are in pixels, and widths in percent of the picture's width.
const (
	nameHeight = 22
	panelGap   = 14
	axisHeight = 22 // below the last panel
	axisText   = 16 // from the last panel down to the base line of the text
	leastScale = 16 // between two numbers of a scale
	leastLabel = 11.0
	gapPart    = 0.28 // of a column, between bars
	whole      = 100.0
)

// newPlot starts a plot with panels of some heights. label describes the picture for screen readers; a table beside it
// should have the numbers.
func newPlot(class, label string, columns int, heights ...int) *plot {
	p := &plot{columns: columns}
	bottom := -panelGap
	for _, tall := range heights {
		top := bottom + panelGap + nameHeight
		bottom = top + tall
		p.panels = append(p.panels, panel{top, bottom})
	}
	fmt.Fprintf(p, `<svg class="%s" width="100%%" height="%d" role="img" aria-label="%s" xmlns="http://www.w3.org/2000/svg">`,
		class, bottom+axisHeight, html.EscapeString(label))
	return p
}

func (p *plot) svg() string {
	p.WriteString("</svg>")
	return p.String()
}

func (p *plot) top() int    { return p.panels[0].top }
func (p *plot) bottom() int { return p.panels[len(p.panels)-1].end }

// left returns the beginning of the i-th column in percent of the width.
func (p *plot) left(i int) float64 { return whole * float64(i) / float64(p.columns) }

// panel draws the name, the base line and the scale of the n-th panel. most is the number of its greatest bar.
func (p *plot) panel(n int, name, most string) panel {
	at := p.panels[n]
	fmt.Fprintf(p, `<text class="name" x="0" y="%d">%s</text><text class="scale" x="100%%" y="%d">%s</text>`, at.top-8,
		html.EscapeString(name), at.top-8, html.EscapeString(most))
	p.line("grid", at.top)
	p.line("base", at.end)
	return at
}

func (p *plot) line(class string, y int) {
	fmt.Fprintf(p, `<line class="%s" x1="0" x2="100%%" y1="%d.5" y2="%[2]d.5"/>`, class, y)
}

func (p *plot) parting(i int) {
	fmt.Fprintf(p, `<line class="month" x1="%.2f%%" x2="%.2[1]f%%" y1="%d" y2="%d"/>`, p.left(i), p.top(), p.bottom())
}

func (p *plot) date(i int, text string) {
	fmt.Fprintf(p, `<text class="date" x="%.2f%%" y="%d">%s</text>`, p.left(i), p.bottom()+axisText,
		html.EscapeString(text))
}

func (p *plot) rect(class string, x, width, y, tall float64) {
	fmt.Fprintf(p, `<rect class="%s" x="%.2f%%" width="%.2f%%" y="%.1f" height="%.1f"/>`, class, x, width, y, tall)
}

func (p *plot) bar(i int, class string, y, tall float64) {
	column := whole / float64(p.columns)
	p.rect(class, p.left(i)+column*gapPart/2, column*(1-gapPart), y, tall)
}

// scaled returns the height of a number in a panel.
func (at panel) scaled(n, most int64) float64 {
	return float64(at.end) - float64(at.end-at.top)*float64(n)/float64(most)
}

func (p *plot) stack(at panel, i, most int, classes []string, numbers []int) {
	below := 0
	for k, n := range numbers {
		if n <= 0 {
			continue
		}
		low, high := at.scaled(int64(below), int64(most)), at.scaled(int64(below+n), int64(most))
		below += n
		p.bar(i, classes[k], high, low-high)
	}
}

// answers draws a panel of the responses by kind; count returns the numbers of a column.
func (p *plot) answers(n int, name string, count func(i int) Count) {
	most := 2 // a single response is half as high as the panel
	for i := range p.columns {
		most = max(most, count(i).Polls())
	}
	var classes []string
	for _, k := range Kinds() {
		classes = append(classes, k.Class())
	}
	at := p.panel(n, name, fmt.Sprint(most))
	for i := range p.columns {
		c := count(i)
		p.stack(at, i, most, classes, c[:])
	}
}

func (p *plot) bytes(l *catalogue.Language, n int, name string, bytes func(i int) int64) {
	var most int64 = 1
	for i := range p.columns {
		most = max(most, bytes(i))
	}
	at := p.panel(n, name, Size(most).In(l))
	for i := range p.columns {
		if b := bytes(i); b > 0 {
			tall := max(1, float64(at.end-at.top)*float64(b)/float64(most)) // visible if there are any bytes
			p.bar(i, "bytes", float64(at.end)-tall, tall)
		}
	}
}

func (p *plot) hover(i int, text string) {
	fmt.Fprintf(p, `<rect class="day" x="%.2f%%" width="%.2f%%" y="%d" height="%d"><title>%s</title></rect>`,
		p.left(i), p.left(i+1)-p.left(i), p.top(), p.bottom()-p.top(), html.EscapeString(text))
}

// SVG draws the history with words of a language. label describes the picture for screen readers.
func (h History) SVG(l *catalogue.Language, label string) string {
	p := newPlot("chart", label, len(h.Days), 84, 48, 84)
	months(p, l, leastLabel, func(i int) digest.Date { return digest.DateOf(h.Days[i].Date) })
	p.answers(0, catalogue.Key("Responses").In(l), func(i int) Count { return h.Days[i].Count })
	p.bytes(l, 1, catalogue.Key("Bytes").In(l), func(i int) int64 { return h.Days[i].Bytes })
	h.times(l, p)
	for i, d := range h.Days {
		if d.Polls() > 0 {
			p.hover(i, catalogue.Key("%s: %s; %s; %s").With(catalogue.Time("2 January", d.Date), d.Answers(),
				Size(d.Bytes), Span(d.Median)).In(l))
		}
	}
	return p.svg()
}

// months draws a line at the beginning of each month, and its name if there is space. Months narrower than least get no
// name. day returns the date of a column.
func months(p *plot, l *catalogue.Language, least float64, day func(i int) digest.Date) {
	free := 0.0
	for i := 0; i < p.columns; {
		end := i
		for end < p.columns && day(end).Month == day(i).Month {
			end++
		}
		if i > 0 {
			p.parting(i)
		}
		if at := p.left(i); p.left(end)-at >= least && at >= free && whole-at >= leastLabel {
			p.date(i, catalogue.Day("Jan", day(i)).In(l))
			free = at + leastLabel
		}
		i = end
	}
}

// times draws each day's median as a dot and its range as a line. The scale is logarithmic, because responses take from
// milliseconds to half a minute.
func (h History) times(l *catalogue.Language, p *plot) {
	t := h.Total()
	low, high := scale(t.Fastest, t.Slowest)
	at := p.panel(2, catalogue.Key("Response time").In(l), Span(high).In(l))
	y := func(d time.Duration) float64 {
		part := math.Log10(max(d, low).Seconds()/low.Seconds()) / math.Log10(high.Seconds()/low.Seconds())
		return float64(at.end) - float64(at.end-at.top)*part
	}
	var scale strings.Builder // drawn above the dots
	for tens := time.Millisecond; tens < high; tens *= 10 {
		if level := y(tens); tens > low && level >= float64(at.top+leastScale) &&
			level <= float64(at.end-leastScale/2) {
			p.line("grid", int(level))
			fmt.Fprintf(&scale, `<text class="scale" x="100%%" y="%.0f">%s</text>`, level-3,
				html.EscapeString(Span(tens).In(l)))
		}
	}
	for i, d := range h.Days {
		if d.Polls() == 0 {
			continue
		}
		middle := (p.left(i) + p.left(i+1)) / 2
		if d.Slowest > d.Fastest {
			fmt.Fprintf(p, `<line class="spread" x1="%.2f%%" x2="%.2[1]f%%" y1="%.1f" y2="%.1f"/>`, middle,
				y(d.Fastest), y(d.Slowest))
		}
		fmt.Fprintf(p, `<circle class="median" cx="%.2f%%" cy="%.1f" r="1.75"/>`, middle, y(d.Median))
	}
	p.WriteString(scale.String())
}

// scale returns the range of a panel from the steps 1, 2, 5, 10 … ms. low is the greatest step below fastest, and high
// the least step that slowest does not exceed.
func scale(fastest, slowest time.Duration) (low, high time.Duration) {
	low, high = time.Millisecond, slowest
	for tens := time.Millisecond; tens < 24*time.Hour; tens *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			step := n * tens
			if step < fastest {
				low = step
			}
			if step >= max(slowest, 10*time.Millisecond) {
				return low, step
			}
		}
	}
	return low, high
}

// SVG draws the work with words of a language. label describes the picture for screen readers.
func (w Work) SVG(l *catalogue.Language, label string) string {
	p := newPlot("chart work", label, len(w.Hours), 72, 40, 72)
	w.midnights(l, p)
	p.answers(0, catalogue.Key("Polls").In(l), func(i int) Count { return w.Hours[i].Count })
	p.bytes(l, 1, catalogue.Key("Bytes").In(l), func(i int) int64 { return w.Hours[i].Bytes })
	w.mail(l, p)
	for i, h := range w.Hours {
		if !h.Quiet() {
			said := strings.Trim(l.Text(h.Answers())+"; "+l.Text(h.Mail()), "; ")
			p.hover(i, catalogue.Key("%s UTC: %s").With(catalogue.Time("2 Jan 15:04", h.At), said).In(l))
		}
	}
	return p.svg()
}

func (w Work) midnights(l *catalogue.Language, p *plot) {
	for i, h := range w.Hours {
		name := h.At.Format("15:04")
		switch h.At.Hour() {
		case 0:
			name = catalogue.Time("2 Jan", h.At).In(l)
			if i > 0 {
				p.parting(i)
			}
		case 12:
		default:
			continue
		}
		if p.left(i) <= whole-leastLabel {
			p.date(i, name)
		}
	}
}

func (w Work) mail(l *catalogue.Language, p *plot) {
	most := 2
	for _, h := range w.Hours {
		most = max(most, h.Editions, h.Sent+h.Failed)
	}
	at := p.panel(2, catalogue.Key("Editions and email").In(l), fmt.Sprint(most))
	for i, h := range w.Hours {
		p.stack(at, i, most, []string{"sent", "failed"}, []int{h.Sent, h.Failed})
		if h.Editions > 0 {
			p.rect("editions", p.left(i), whole/float64(p.columns), at.scaled(int64(h.Editions), int64(most))-1, 2)
		}
	}
}
