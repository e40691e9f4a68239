package microformats

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// date returns the value of a dt-* property. A time without a day gets the day of the item's previous date.
func (p *parser) date(n *html.Node, in *open) string {
	text := joinDate(p.parts(n, in, true), in.date)
	if text == "" {
		text = p.stated(n)
		if t, ok := clock(strings.Trim(text, space)); ok && in.date != "" {
			text = in.date + " " + t
		}
	}
	if m := dayForm.FindString(text); m != "" {
		in.date = m
	}
	return text
}

func (p *parser) stated(n *html.Node) string {
	switch n.DataAtom {
	case atom.Time, atom.Ins, atom.Del:
		if has(n, "datetime") {
			return attr(n, "datetime")
		}
	case atom.Abbr, atom.Data, atom.Input:
		if s, ok := said(n); ok {
			return s
		}
	}
	return p.text(n, true)
}

// The parts of a date in the value class pattern.
var (
	dayForm   = regexp.MustCompile(`^\d{4}-(?:\d{3}|\d{2}(?:-\d{2})?)\b`)
	clockForm = regexp.MustCompile(
		`^(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?\s*(?:([aApP])\.?[mM]\.?)?\s*([zZ]|[+-]\d{1,2}(?::?\d{2})?)?$`)
	zoneForm = regexp.MustCompile(`^(?:[zZ]|[+-]\d{1,2}(?::?\d{2})?)$`)
)

// joinDate joins the parts of a date: a day, a time and a zone in any order. The first of each counts. day is the day
// for a time without one.
func joinDate(parts []string, day string) string {
	found, time, zone := "", "", ""
	for _, part := range parts {
		part = strings.Trim(part, space)
		d := dayForm.FindString(part)
		rest := strings.TrimLeft(strings.TrimPrefix(part, d), " tT")
		switch t, ok := clock(rest); {
		case d != "" && ok && found == "" && time == "":
			return part // a whole date
		case d != "" && rest == "":
			if found == "" {
				found = d
			}
		case zoneForm.MatchString(part):
			if zone == "" {
				zone = plainZone(part)
			}
		case ok && time == "":
			time = t
		}
	}
	if found == "" && time != "" {
		found = day
	}
	return strings.TrimSpace(found + " " + time + zone)
}

// clock parses a time of day, with an optional zone: "7:30pm" is "19:30".
func clock(s string) (string, bool) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[4] == "" || len(m[1]) == 1 && m[4] == "" {
		return "", false
	}
	hour := int(m[1][0] - '0')
	if len(m[1]) == 2 {
		hour = 10*hour + int(m[1][1]-'0')
	}
	switch strings.ToLower(m[4]) {
	case "p":
		hour = hour%12 + 12
	case "a":
		hour %= 12
	}
	t := string([]byte{byte('0' + hour/10), byte('0' + hour%10)}) + ":" + m[2]
	if m[2] == "" {
		t += "00"
	}
	if m[3] != "" {
		t += ":" + m[3]
	}
	return t + plainZone(m[5]), hour < 25
}

// plainZone formats a zone without a colon, and with a capital Z.
func plainZone(s string) string { return strings.ToUpper(strings.Replace(s, ":", "", 1)) }
