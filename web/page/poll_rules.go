package page

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// StatusPath returns the address of a feed's public status page, or "" for a private feed.
func StatusPath(f digest.Feed) string {
	if digest.PublicAddress(f.URL) != f.URL {
		return ""
	}
	return "/status?url=" + url.QueryEscape(f.URL)
}

// ShownURL returns an address without user and password. Its query may be a key, so it stays only if the visitor
// entered the address (named).
func ShownURL(address string, named bool) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if u.User == nil && (named || u.RawQuery == "") {
		return address, nil
	}
	if u.User != nil {
		u.User = url.User("...")
	}
	if !named && u.RawQuery != "" {
		u.RawQuery = "..."
	}
	return u.String(), nil
}

// RulesOf describes the rules that limit how often this feed is polled, in words for the site's owner. It omits rules
// for all feeds.
func RulesOf(f digest.Feed) []catalogue.Sayable {
	var rules []catalogue.Sayable
	add := func(is bool, rule catalogue.Key, args ...any) {
		if is {
			rules = append(rules, rule.With(args...))
		}
	}
	add(f.MoveUndone, catalogue.Key(
		"We ignore permanent redirects to another site, because this feed moved before and was moved back."))
	add(f.DocInterval > 0, catalogue.Key("The feed (ttl, sy:updatePeriod) requires %s between two requests."),
		Roughly(f.DocInterval))
	add(f.SkipHours != 0, catalogue.Key("The feed (skipHours) allows no requests in these hours (UTC): %s."),
		hoursOf(f.SkipHours))
	add(f.SkipDays != 0, catalogue.Key("The feed (skipDays) allows no requests on %s (UTC)."), daysOf(f.SkipDays))
	add(f.OwnInterval > 0, catalogue.Key("We wait at least %s between two fetches of a feed."), Roughly(f.OwnInterval))
	add(f.HostInterval > 0, catalogue.Key(
		"The site’s owner or our operator requires at least %s between two requests to this host."),
		Roughly(f.HostInterval))
	add(f.BusyInterval > 0, catalogue.Key(
		"We fetch it every %s for now, because it lists few posts and we missed some."), Roughly(f.BusyInterval))
	return append(rules, askedHow(f)...)
}

// askedHow describes the cost of polling an unchanged document, if it is known.
func askedHow(f digest.Feed) []catalogue.Sayable {
	switch {
	case f.ParsedAt.IsZero():
		return nil
	case f.ETag == "" && f.LastModified == "":
		return []catalogue.Sayable{
			catalogue.Key("It sends no ETag or Last-Modified, so every request downloads the whole document.")}
	case f.Conditional == digest.Lies:
		return []catalogue.Sayable{
			catalogue.Key("It has returned 304 for a changed document, so we download the whole document until its ETag changes.")}
	case f.Conditional == digest.Works && f.ByDate:
		return []catalogue.Sayable{
			catalogue.Key("Its ETag changes in transit, so we send only If-Modified-Since. It returns 304 when nothing is new.")}
	case f.Conditional == digest.Works:
		return []catalogue.Sayable{
			catalogue.Key("We send its ETag and Last-Modified back, and it returns 304 when nothing is new.")}
	case f.Conditional == digest.Useless && f.Head == digest.Works:
		return []catalogue.Sayable{
			catalogue.Key("It doesn’t return 304, so we send HEAD, and GET only when HEAD shows a change.")}
	case f.Conditional == digest.Useless:
		return []catalogue.Sayable{
			catalogue.Key("It sends an ETag or Last-Modified but never returns 304, so every request downloads the whole feed.")}
	}
	return nil
}

// Roughly describes a duration in whole minutes, or in whole hours from two hours on.
func Roughly(d time.Duration) catalogue.Message {
	if d >= 2*time.Hour {
		return Period(d.Round(time.Hour))
	}
	return Period(max(d.Round(time.Minute), time.Minute))
}

// hoursOf formats a set of hours as ranges: "0–5, 12, 22–23".
func hoursOf(set uint32) string {
	var parts []string
	for h := 0; h < 24; h++ {
		if set&(1<<h) == 0 {
			continue
		}
		end := h
		for end < 23 && set&(1<<(end+1)) != 0 {
			end++
		}
		if end == h {
			parts = append(parts, fmt.Sprint(h))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", h, end))
		}
		h = end
	}
	return strings.Join(parts, ", ")
}

// daysOf lists a set of days, Monday first.
func daysOf(set digest.Weekdays) catalogue.Sayable {
	var names []catalogue.Sayable
	for _, d := range catalogue.Week() {
		if set.Has(d) {
			names = append(names, catalogue.Weekday(d))
		}
	}
	return catalogue.Listed(names)
}
