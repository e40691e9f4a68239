package web

import (
	"fmt"
	"net/http"
	"time"

	"digest"
	"digest/poller"
)

// A condition is how a feed stands, in words for who reads it and by their clock. Of a feed that is well, however seldom
// it brings something, nothing is said.
type condition struct {
	Words   string // sentences; "": there is nothing to say
	Trouble bool   // it does not end by itself, or has lasted for days
	Since   time.Time
}

// conditionOf says how f stands. again is when it is asked next; zero: not as things stand.
func conditionOf(f digest.Feed, again, now time.Time, zone *time.Location) condition {
	c := condition{Since: f.FailingSince}
	asked := askedAgain(again, now, zone)
	switch ill := poller.Illness(f, now); {
	case f.State == digest.FeedGone:
		return condition{"Its site says that it is gone for good.", true, f.GoneAt}
	case f.State == digest.FeedDead:
		c.Words = troubleWords(ill, lasted(now.Sub(f.FirstErrorAt))) + " We no longer ask."
		c.Trouble, c.Since = true, f.FirstErrorAt
	case f.State == digest.FeedTrial:
		c.Words, c.Trouble = "It was given up; we try it once more.", true
	case f.Errors > 0 && f.LastStatus == http.StatusUnauthorized:
		c.Words, c.Trouble = "Its feed asks for a password.", true
	case ill != digest.Well:
		c.Words, c.Trouble = troubleWords(ill, lasted(now.Sub(f.FailingSince)))+asked, true
	case f.Errors > 0 && now.Sub(f.FailingSince) < 2*24*time.Hour:
		c.Words = "Could not be read " + dayOrNight(f.FailingSince, now, zone) + "." + asked
	case f.Errors > 0:
		c.Words = "Could not be read " + lasted(now.Sub(f.FailingSince)) + "." + asked
	case f.PostsWaiting > 0:
		c.Words = "It brought more than comes in in one day; the rest follows."
	case f.ParsedAt.IsZero():
		c.Words = "Not read yet." + asked
	}
	return c
}

// troubleWords says what a feed has been sick of for some time.
func troubleWords(i digest.Illness, lasted string) string {
	words := "Could not be read"
	switch i {
	case digest.PageInItsPlace:
		words = "A web page has stood in its place"
	case digest.NeedsPassword:
		words = "Has asked for a password"
	case digest.Refused:
		words = "Its site has not let us in"
	case digest.NotThere:
		words = "Has not been at its address"
	case digest.Limited:
		words = "Its site has asked us to wait"
	case digest.ServerFails:
		words = "Its site has reported errors"
	case digest.BadCertificate:
		words = "Its site’s certificate has not been valid"
	case digest.NoHost:
		words = "Its site has not been found"
	case digest.NoAnswer:
		words = "Has not answered"
	}
	return words + " " + lasted + "."
}

// lasted says how long something has lasted: "for 3 days", "for a week".
func lasted(d time.Duration) string {
	const day = 24 * time.Hour
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {7 * day, "week"}} {
		switch n := int((d + u.unit/7) / u.unit); {
		case n == 1:
			return "for a " + u.name
		case n > 1:
			return fmt.Sprintf("for %d %ss", n, u.name)
		}
	}
	if n := int((d + day/2) / day); n > 1 {
		return fmt.Sprintf("for %d days", n)
	}
	return "for a day"
}

// askedAgain is the sentence that says when a feed is asked next; "" if it is not.
func askedAgain(at, now time.Time, zone *time.Location) string {
	if at.IsZero() {
		return ""
	}
	if at.Before(now) {
		at = now
	}
	return " We ask again " + dayOrNight(at, now, zone) + "."
}

// nightEnds is the hour at which a night ends, and nightBegins that at which one begins.
const (
	nightEnds   = 6
	nightBegins = 18
)

// dayOrNight says on which day or in which night an instant is, as people say it: the night to Thursday is
// Wednesday's, so that at its midnight it is still "tonight".
func dayOrNight(at, now time.Time, zone *time.Location) string {
	local := at.In(zone)
	hour := local.Hour()
	night := hour < nightEnds || hour >= nightBegins
	on := digest.DateOf(local.Add(-nightEnds * time.Hour))
	days := digest.DateOf(now.In(zone).Add(-nightEnds * time.Hour)).Until(on)
	word := func(day, dark string) string {
		if night {
			return dark
		}
		return day
	}
	switch {
	case days == 0:
		return word("today", "tonight")
	case days == 1:
		return word("tomorrow", "tomorrow night")
	case days == -1:
		return word("yesterday", "last night")
	case days > -7 && days < 7:
		return "on " + on.Format("Monday") + word("", " night")
	case days > -300 && days < 300:
		return "on " + on.Format("2 January")
	}
	return "on " + on.Format("2 January 2006")
}
