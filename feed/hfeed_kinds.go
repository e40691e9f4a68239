package feed

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"digest/internal/microformats"
)

// Posts of an h-feed that are no entries: events, reviews and recipes. Their texts begin with the day and place of an
// event, the subject and rating of a review, and the ingredients of a recipe.

var otherPosts = []string{"h-event", "h-review", "h-recipe"}

func isEntry(item *microformats.Item) bool { return item.Is("h-entry") }

func isOtherPost(item *microformats.Item) bool { return slices.ContainsFunc(otherPosts, item.Is) }

// particulars writes the properties of events, reviews, recipes, replies to invitations and meals as HTML.
func particulars(item *microformats.Item) string {
	var b strings.Builder
	if item.Is("h-event") {
		b.WriteString(paragraphOfLines(eventSpan(item.First("start"), item.First("end")),
			places(item.Properties["location"])))
	}
	b.WriteString(paragraphOfLines(names(item.Properties["item"]), rating(item)))
	b.WriteString(paragraphOfLines(shown(item.Properties["rsvp"])))
	for _, name := range []string{"ate", "drank"} {
		b.WriteString(paragraphOfLines(names(item.Properties[name])))
	}
	if item.Is("h-recipe") {
		b.WriteString(recipe(item))
	}
	return b.String()
}

// paragraphOfLines returns a paragraph of the HTML lines that are not empty; "": all are.
func paragraphOfLines(lines ...string) string {
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	if len(lines) == 0 {
		return ""
	}
	return "<p>" + strings.Join(lines, "<br>") + "</p>"
}

func names(values []microformats.Value) string {
	var all []string
	for _, v := range few(values) {
		name, to := singleSpaced(v.Text), ""
		if v.Item != nil {
			to = firstThat(v.Item, "url", isWeb)
			name = firstOf(singleSpaced(v.Item.First("name")), name)
		} else if isWeb(name) {
			to = name
		}
		line := html.EscapeString(shorten(name, maxTitle))
		if to != "" && line != "" {
			line = `<a href="` + html.EscapeString(to) + `">` + line + `</a>`
		}
		if line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return strings.Join(all, ", ")
}

// shown writes a value as the page displays it.
func shown(values []microformats.Value) string {
	if len(values) == 0 {
		return ""
	}
	return html.EscapeString(shorten(singleSpaced(firstOf(values[0].Seen, values[0].Text)), maxTitle))
}

func places(values []microformats.Value) string {
	var all []string
	for _, v := range few(values) {
		line := names([]microformats.Value{v})
		if v.Item != nil {
			if address := postal(v.Item); address != "" && !strings.Contains(line, address) {
				line = strings.TrimPrefix(line+", "+address, ", ")
			}
		}
		if line != "" {
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "📍 " + strings.Join(all, "; ")
}

func postal(place *microformats.Item) string {
	if vs := place.Properties["adr"]; len(vs) > 0 && vs[0].Item != nil {
		place = vs[0].Item
	}
	var parts []string
	for _, name := range []string{"street-address", "extended-address", "postal-code", "locality", "region",
		"country-name"} {
		if part := html.EscapeString(shorten(singleSpaced(place.First(name)), maxTitle)); part != "" &&
			!slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// Patterns of dates in microformats.
var (
	withoutHour = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}$|^\d{4}-\d{3}$|^\d{8}$`)
	withZone    = regexp.MustCompile(`(\d)\s*(Z|[+-]\d\d)(?::?(\d\d))?$`)
)

// eventSpan writes the time of an event as HTML, in the time zone of its page.
func eventSpan(from, to string) string {
	const day, hour = "Monday 2 January 2006", "15:04"
	begin, zone := wallClock(from)
	end, _ := wallClock(to)
	if begin.IsZero() {
		return strongly(shorten(singleSpaced(from), maxTitle))
	}
	if withoutHour.MatchString(strings.TrimSpace(from)) {
		if end.Format(day) == begin.Format(day) || !end.After(begin) {
			return strongly(begin.Format(day))
		}
		return strongly(begin.Format(day) + " – " + end.Format(day))
	}
	switch line := begin.Format(day + ", " + hour); {
	case !end.After(begin):
		return strongly(line + zone)
	case withoutHour.MatchString(strings.TrimSpace(to)):
		return strongly(line + zone + " – " + end.Format(day))
	case end.Format(day) == begin.Format(day):
		return strongly(line + "–" + end.Format(hour) + zone)
	default:
		return strongly(line + " – " + end.Format(day+", "+hour) + zone)
	}
}

// wallClock reads a date without converting it to UTC, and returns its zone for display.
func wallClock(written string) (at time.Time, zone string) {
	written = strings.TrimSpace(written)
	if m := withZone.FindStringSubmatch(written); m != nil && strings.Contains(written, ":") {
		written = strings.TrimSpace(withZone.ReplaceAllString(written, "$1"))
		if zone = " (" + m[2] + ":" + firstOf(m[3], "00") + ")"; m[2] == "Z" || zone == " (+00:00)" {
			zone = " (UTC)"
		}
	}
	return parseDate(written), zone
}

func strongly(line string) string {
	if line == "" {
		return ""
	}
	return "<strong>" + html.EscapeString(line) + "</strong>"
}

// bestRating is the default of the best rating in a review (microformats.org/wiki/h-review).
const bestRating = "5"

// rating writes a rating such as 4/5, or the page's own text; "": none.
func rating(item *microformats.Item) string {
	value := singleSpaced(item.First("rating"))
	if value == "" {
		value = singleSpaced(item.First("average"))
	}
	best := firstOf(singleSpaced(item.First("best")), bestRating)
	given, err := strconv.ParseFloat(value, 64)
	most, errMost := strconv.ParseFloat(best, 64)
	if err != nil || errMost != nil || given > most {
		return html.EscapeString(shorten(value, maxTitle))
	}
	return html.EscapeString(value + "/" + best)
}

const mostIngredients = 100

func recipe(item *microformats.Item) string {
	var b strings.Builder
	b.WriteString(paragraphOfLines(shown(item.Properties["yield"]), shown(item.Properties["duration"])))
	ingredients := item.Properties["ingredient"]
	if len(ingredients) > 0 {
		b.WriteString("<ul>")
		for _, v := range ingredients[:min(len(ingredients), mostIngredients)] {
			b.WriteString("<li>" + html.EscapeString(singleSpaced(v.Text)) + "</li>")
		}
		b.WriteString("</ul>")
	}
	for _, v := range few(item.Properties["instructions"]) {
		b.WriteString(firstOf(v.HTML, paragraphs(v.Text)))
	}
	return b.String()
}
