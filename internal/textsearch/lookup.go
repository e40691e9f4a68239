package textsearch

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"digest"
)

// A Lookup is a search for words in posts of some sites and days, or with links to a site.
type Lookup struct {
	Query             // without terms: any words
	Sites []string    // hosts or titles, any of which matches
	Links string      // site that the posts link to
	From  digest.Date // first day; zero: any
	Until digest.Date // day after the last; zero: any

	Text string // typed text without the first site and the days, which have separate form fields
}

// The keys before a colon in a search.
const (
	siteKey   = "site"
	linksKey  = "links"
	afterKey  = "after"
	beforeKey = "before"
)

// maxLookup is the maximum length of a search in characters, with sites and days. For the words alone it is maxTyped.
const maxLookup = 1200

// ParseLookup parses a search like Parse, with the keys "site:example.org", "links:example.org", "after:2026-11-20" and
// "before:2026". A year or a month means its first day. "after:" includes the day, and "before:" excludes it. Errors
// are digest.Invalid and say what to do.
func ParseLookup(typed string) (l Lookup, err error) {
	if utf8.RuneCountInString(typed) > maxLookup {
		return l, digest.Refuse(digest.Invalid,
			"This search is too long; use at most %d characters. A few words from the post are enough.", maxTyped)
	}
	var text, wordsOnly []string
	for _, p := range joined(split(typed)) {
		isField, err := l.read(p)
		if err != nil {
			return l, err
		}
		if !isField {
			text = append(text, p.source())
		}
		if p.key == "" {
			wordsOnly = append(wordsOnly, p.source())
		}
	}
	l.Text = strings.Join(text, " ")
	if !l.From.IsZero() && !l.Until.IsZero() && !l.From.Before(l.Until) {
		return l, digest.Refuse(digest.Invalid, "The start date (%s) must be earlier than the end date (%s).", l.From,
			l.Until)
	}
	if len(wordsOnly) > 0 || len(l.Sites) == 0 && l.Links == "" && l.From.IsZero() && l.Until.IsZero() {
		l.Query, err = Parse(strings.Join(wordsOnly, " "))
	}
	return l, err
}

// read reads a part with a key. isField says that the form has a field for it.
func (l *Lookup) read(p part) (isField bool, err error) {
	if p.key == "" {
		return false, nil
	}
	if p.exclude {
		return false, digest.Refuse(digest.Invalid,
			"You can’t put a minus before “%s:”. Name the sites and dates you want instead.", p.key)
	}
	value := digest.OneLine(p.text)
	switch p.key {
	case siteKey:
		if value == "" {
			return false, digest.Refuse(digest.Invalid,
				"“site:” needs a site, such as example.org or \"The name of a feed\"")
		}
		l.Sites = append(l.Sites, value)
		return len(l.Sites) == 1, nil
	case linksKey:
		if value == "" || l.Links != "" && l.Links != value {
			return false, digest.Refuse(digest.Invalid, "“links:” needs one site, such as example.org")
		}
		l.Links = value
		return false, nil
	}
	day, err := parseDay(value)
	if err != nil {
		return false, digest.Refuse(digest.Invalid, "%s: needs a date such as 2026-11-20, 2026-11 or 2026", p.key)
	}
	switch {
	case p.key == afterKey && (l.From.IsZero() || l.From.Before(day)):
		l.From = day
	case p.key == beforeKey && (l.Until.IsZero() || day.Before(l.Until)):
		l.Until = day
	}
	return true, nil
}

var errNoDay = errors.New("no day")

func parseDay(typed string) (digest.Date, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, typed); err == nil && t.Year() > 0 {
			return digest.DateOf(t), nil
		}
	}
	return digest.Date{}, errNoDay
}

// joined finds the keys among the parts, and joins each with its value: the text after the colon, also in quotes or
// after a space.
func joined(parts []part) (all []part) {
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		key, value, ok := strings.Cut(p.text, ":")
		key = strings.ToLower(key)
		if p.quoted || !ok || !slices.Contains([]string{siteKey, linksKey, afterKey, beforeKey}, key) {
			all = append(all, p)
			continue
		}
		p.key, p.text = key, value
		if value == "" && i+1 < len(parts) && !parts[i+1].exclude &&
			(parts[i+1].quoted || !strings.Contains(parts[i+1].text, ":")) {
			i++
			p.text = parts[i].text
		}
		all = append(all, p)
	}
	return all
}

// source returns a part as it can be typed.
func (p part) source() string {
	text := p.text
	if p.key != "" {
		return Field(p.key, text)
	}
	if p.quoted {
		text = `"` + text + `"`
	}
	if p.exclude {
		text = "-" + text
	}
	return text
}

// Closed closes an open quote at the end of a search, so that text can be appended.
func Closed(typed string) string {
	typed = strings.TrimSpace(typed)
	if strings.Count(strings.Map(straight, typed), `"`)%2 != 0 {
		typed += `"`
	}
	return typed
}

// Field returns a key with its value as it is typed. A value with spaces gets quotes.
func Field(key, value string) string {
	value = digest.OneLine(strings.ReplaceAll(strings.Map(straight, value), `"`, " "))
	if strings.Contains(value, " ") {
		value = `"` + value + `"`
	}
	return key + ":" + value
}

// A Site is a feed with the names that its reader may use.
type Site struct {
	Title string
	Hosts []string // of its pages and of the feed
}

// SitesNamed returns the indices of the sites with a name: those with this title or host, or a subdomain of it. Without
// such a site, it returns those with the name's words in their titles.
func SitesNamed(name string, sites []Site) []int {
	words, host := phrase(name), hostTyped(name)
	places := func(is func(Site) bool) (found []int) {
		for i, s := range sites {
			if is(s) {
				found = append(found, i)
			}
		}
		return found
	}
	found := places(func(s Site) bool {
		return strings.EqualFold(digest.OneLine(s.Title), name) || words != "" && phrase(s.Title) == words ||
			slices.ContainsFunc(s.Hosts, func(of string) bool {
				of = hostTyped(of)
				return host != "" && (of == host || strings.HasSuffix(of, "."+host))
			})
	})
	if len(found) == 0 && words != "" {
		found = places(func(s Site) bool { return strings.Contains(" "+phrase(s.Title)+" ", " "+words+" ") })
	}
	return found
}

// hostTyped returns the host of an address or of a host name; "" for other text.
func hostTyped(typed string) string {
	if _, after, ok := strings.Cut(typed, "://"); ok {
		typed = after
	}
	host, _, _ := strings.Cut(typed, "/")
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, " ") {
		return ""
	}
	return strings.Trim(host, ".")
}
