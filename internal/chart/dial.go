package chart

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"

	"digest/internal/catalogue"
)

// Quarters is the number of quarter-hours in a day.
const Quarters = 96

// A Slot counts the readers whose day begins in one quarter-hour of the UTC day.
type Slot struct {
	Readers int // whose midnight it is
	Feeds   int // polled for them
}

// A Place has its midnight at an instant of the UTC day.
type Place struct {
	Name string
	At   time.Duration // since 00:00 UTC
}

// A Dial is the face of a 24-hour clock in UTC. Places are around it, at their midnights. Outward bars show the readers
// whose days begin then, and inward bars the feeds that are polled for them. The hand points to the place that has
// midnight now, which is in the middle of the night half.
type Dial struct {
	Slots  [Quarters]Slot
	Now    time.Time
	Places []Place // most important first; those without space are omitted
}

// The dimensions of the face, in units of the picture, which scales to the width of its page.
const (
	faceSize    = 720
	faceCentre  = faceSize / 2
	faceRim     = 357.0
	bezelOuter  = 352.0
	bezelInner  = 312.0
	bezelMiddle = (bezelOuter + bezelInner) / 2
	numerals    = 282.0
	readersEnd  = 263.0
	readersFrom = 181.0
	feedsFrom   = 171.0
	feedsEnd    = 112.0
	handFrom    = 100.0
	barPart     = 0.72 // of a quarter-hour
	fewest      = 4    // the number for which a bar has full length, if no larger number exists
)

// The widths of names of places, in units. A phone's face is half as wide as a desktop's.
const (
	wideLetter  = 17 * 0.54
	phoneLetter = 27 * 0.54
	betweenName = 8.0
)

// SVG draws the dial with words of a language. title and description are for screen readers; a table beside the picture
// should have the numbers.
func (d Dial) SVG(l *catalogue.Language, title, description string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="dial" viewBox="0 0 %d %[1]d" role="img" aria-labelledby="dial-title dial-description" xmlns="http://www.w3.org/2000/svg">`, faceSize)
	fmt.Fprintf(&b, `<title id="dial-title">%s</title><desc id="dial-description">%s</desc>`, html.EscapeString(title),
		html.EscapeString(description))
	d.face(&b)
	d.bars(&b)
	d.places(&b)
	d.hand(&b)
	d.hover(l, &b)
	b.WriteString("</svg>")
	return b.String()
}

// turn returns the angle of an instant of the day, clockwise from the top.
func turn(at time.Duration) float64 { return 2 * math.Pi * at.Hours() / 24 }

func spot(angle, radius float64) string {
	return fmt.Sprintf("%.1f %.1f", faceCentre+radius*math.Sin(angle), faceCentre-radius*math.Cos(angle))
}

// sector returns the path of a part of a ring between two angles that are less than half a turn apart.
func sector(from, to, inner, outer float64) string {
	return fmt.Sprintf("M%sA%.1f %.1[2]f 0 0 1 %sL%sA%.1f %.1[5]f 0 0 0 %sZ",
		spot(from, outer), outer, spot(to, outer), spot(to, inner), inner, spot(from, inner))
}

func shape(b *strings.Builder, class, path string) {
	fmt.Fprintf(b, `<path class="%s" d="%s"/>`, class, path)
}

func ring(b *strings.Builder, class string, radius float64) {
	fmt.Fprintf(b, `<circle class="%s" cx="%d" cy="%[2]d" r="%.1f"/>`, class, faceCentre, radius)
}

func (d Dial) now() float64 {
	t := d.Now.UTC()
	return turn(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
}

// face draws the fixed parts and the night half. Several layers make soft dusk and dawn.
func (d Dial) face(b *strings.Builder) {
	for _, hours := range []float64{6.4, 6.1, 5.8, 5.5, 5.2, 4.9} {
		half, now := 2*math.Pi*hours/24, d.now()
		for _, from := range []float64{now - half, now} {
			shape(b, "night", sector(from, from+half, bezelInner, bezelOuter))
		}
	}
	ring(b, "rim strong", faceRim)
	ring(b, "rim", bezelOuter)
	ring(b, "rim", bezelInner)
	ring(b, "base", (readersFrom+feedsFrom)/2)
	var hours, quarters strings.Builder
	for i := range Quarters {
		to, end := &quarters, bezelInner-4
		if i%4 == 0 {
			to, end = &hours, bezelInner-9
		}
		angle := turn(time.Duration(i) * 15 * time.Minute)
		fmt.Fprintf(to, "M%sL%s", spot(angle, bezelInner), spot(angle, end))
	}
	shape(b, "quarters", quarters.String())
	shape(b, "hours", hours.String())
	for h := range 24 {
		class := "numeral"
		if h%3 != 0 {
			class = "numeral minor"
		}
		x, y, _ := strings.Cut(spot(turn(time.Duration(h)*time.Hour), numerals), " ")
		fmt.Fprintf(b, `<text class="%s" x="%s" y="%s" dy=".35em">%d</text>`, class, x, y, h)
	}
}

// bars draws the bars of readers and feeds. Their lengths grow with the square root of their numbers, so that one
// reader is visible beside thousands.
func (d Dial) bars(b *strings.Builder) {
	mostReaders, mostFeeds := fewest, fewest
	for _, s := range d.Slots {
		mostReaders, mostFeeds = max(mostReaders, s.Readers), max(mostFeeds, s.Feeds)
	}
	half := math.Pi / Quarters * barPart
	for i, s := range d.Slots {
		angle := turn(time.Duration(i) * 15 * time.Minute)
		if s.Feeds > 0 {
			tall := (feedsFrom - feedsEnd) * root(s.Feeds, mostFeeds)
			shape(b, "feeds", sector(angle-half, angle+half, feedsFrom-tall, feedsFrom))
		}
		if s.Readers > 0 {
			tall := (readersEnd - readersFrom) * root(s.Readers, mostReaders)
			shape(b, "readers", sector(angle-half, angle+half, readersFrom, readersFrom+tall))
		}
	}
}

func root(n, most int) float64 { return math.Sqrt(float64(n) / float64(most)) }

// A named is a place whose name has enough space.
type named struct {
	Place
	angle float64
	wide  bool // only on a large face
}

// roomy returns the places whose names have enough space: first those that fit on a small face, then more for a large
// face.
func (d Dial) roomy() (all []named) {
	for _, wide := range []bool{false, true} {
		letter := phoneLetter
		if wide {
			letter = wideLetter
		}
		for _, p := range d.Places {
			n := named{p, turn(p.At), wide}
			if n.fits(all, letter) {
				all = append(all, n)
			}
		}
	}
	return all
}

// fits reports whether a name overlaps none of the others.
func (n named) fits(others []named, letter float64) bool {
	for _, o := range others {
		apart := math.Abs(math.Remainder(n.angle-o.angle, 2*math.Pi)) * bezelMiddle
		if apart < letter*float64(len([]rune(n.Name))+len([]rune(o.Name)))/2+betweenName {
			return false
		}
	}
	return true
}

func (d Dial) places(b *strings.Builder) {
	const circle = `<path id="dial-%s" class="along" d="M%sA%.1f %.1[3]f 0 1 %d %sA%.1[3]f %.1[3]f 0 1 %[4]d %[2]s"/>`
	fmt.Fprintf(b, circle, "over", spot(math.Pi, bezelMiddle), bezelMiddle, 1, spot(0, bezelMiddle))
	fmt.Fprintf(b, circle, "under", spot(0, bezelMiddle), bezelMiddle, 0, spot(math.Pi, bezelMiddle))
	for _, p := range d.roomy() {
		angle := math.Remainder(p.angle, 2*math.Pi) // from -π to π
		along, way := bezelMiddle*(angle+math.Pi), "over"
		if math.Abs(angle) > math.Pi/2+0.01 {
			along, way = bezelMiddle*math.Mod(2*math.Pi-p.angle, 2*math.Pi), "under"
		}
		class := "place"
		if p.wide {
			class = "place minor"
		}
		fmt.Fprintf(b, `<text class="%s" dy=".35em"><textPath href="#dial-%s" startOffset="%.1f">%s</textPath></text>`,
			class, way, along, html.EscapeString(p.Name))
		x, y, _ := strings.Cut(spot(p.angle, bezelInner), " ")
		fmt.Fprintf(b, `<circle class="mark%s" cx="%s" cy="%s" r="3.5"/>`, strings.TrimPrefix(class, "place"), x, y)
	}
}

func (d Dial) hand(b *strings.Builder) {
	angle := d.now()
	shape(b, "hand", "M"+spot(angle, handFrom)+"L"+spot(angle, bezelInner))
	x, y, _ := strings.Cut(spot(angle, bezelInner), " ")
	fmt.Fprintf(b, `<circle class="point" cx="%s" cy="%s" r="6"/>`, x, y)
	fmt.Fprintf(b, `<text class="clock" x="%d" y="%[1]d" dy=".2em">%s</text><text class="zone" x="%[1]d" y="%[1]d" dy="2.5em">UTC</text>`,
		faceCentre, d.Now.UTC().Format("15:04"))
}

// hover adds the numbers of each bar as a tooltip.
func (d Dial) hover(l *catalogue.Language, b *strings.Builder) {
	half := math.Pi / Quarters
	for i, s := range d.Slots {
		if s.Readers == 0 && s.Feeds == 0 {
			continue
		}
		at := time.Duration(i) * 15 * time.Minute
		fmt.Fprintf(b, `<path class="slot" d="%s"><title>%s</title></path>`,
			sector(turn(at)-half, turn(at)+half, handFrom, bezelInner),
			html.EscapeString(catalogue.Key("%s UTC: %s, %s").With(ClockTime(at),
				catalogue.Key("%d readers").With(s.Readers), catalogue.Key("%d feeds").With(s.Feeds)).In(l)))
	}
}

// ClockTime formats a time of day: "18:15".
func ClockTime(at time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(at.Hours()), int(at.Minutes())%60)
}
