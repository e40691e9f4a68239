package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
)

// A condition is how a feed stands, in words for who reads it and by their clock. Of a feed that is well, however seldom
// it brings something, nothing is said.
type condition struct {
	Words   sentences // none: there is nothing to say
	Trouble bool      // it does not end by itself, has lasted for days, or nothing was ever read
	Since   time.Time
}

// sentences are said one after the other.
type sentences []catalogue.Sayable

// In says them.
func (all sentences) In(l *catalogue.Language) string {
	said := make([]string, len(all))
	for i, one := range all {
		said[i] = one.In(l)
	}
	return strings.Join(said, " ")
}

// String says them in English.
func (all sentences) String() string { return all.In(catalogue.English()) }

// conditionOf says how f stands. again is when it is asked next; zero: not as things stand.
func conditionOf(f digest.Feed, again, now time.Time, zone *time.Location) condition {
	c := condition{Since: f.FailingSince, Trouble: f.Errors > 0 && f.ParsedAt.IsZero()} // its address may be wrong
	asked := askedAgain(again, now, zone)
	switch ill := poller.Illness(f, now); {
	case f.State == digest.FeedGone:
		return condition{sentences{catalogue.Key("Its site says that it is gone for good.")}, true, f.GoneAt}
	case f.State == digest.FeedDead:
		c.Words = sentences{troubleWords(ill, lasted(now.Sub(f.FirstErrorAt))), catalogue.Key("We no longer ask.")}
		c.Trouble, c.Since = true, f.FirstErrorAt
	case f.State == digest.FeedTrial:
		c.Words, c.Trouble = sentences{catalogue.Key("It was given up; we try it once more.")}, true
	case f.Errors > 0 && f.LastStatus == http.StatusUnauthorized:
		c.Words, c.Trouble = sentences{catalogue.Key("Its feed asks for a password.")}, true
	case f.Errors > 0 && f.LastStatus == 0 && poller.IsNotPublic(errors.New(f.LastError)):
		c.Words, c.Trouble = sentences{catalogue.Key("Its address is not public; whoever runs this reader can allow its network.")}, true
	case ill != digest.Well:
		c.Words, c.Trouble = append(sentences{troubleWords(ill, lasted(now.Sub(f.FailingSince)))}, asked...), true
	case f.Errors > 0 && f.ParsedAt.IsZero():
		c.Words = append(sentences{firstWords(poller.LastFailure(f), lastedSince(f.FailingSince, now, zone))}, asked...)
	case f.Errors > 0:
		c.Words = append(sentences{catalogue.Key("Could not be read %s.").With(lastedSince(f.FailingSince, now, zone))}, asked...)
	case f.PostsWaiting > 0:
		c.Words = sentences{catalogue.Key("It brought more than comes in in one day; the rest follows.")}
	case f.ParsedAt.IsZero():
		c.Words = append(sentences{catalogue.Key("Not read yet.")}, asked...)
	}
	return c
}

// troubleWords says what a feed has been sick of for some time.
func troubleWords(i digest.Illness, lasted catalogue.Sayable) catalogue.Sayable {
	_, lasting := illnessWords(i)
	return lasting.With(lasted)
}

// firstWords says of a feed that was never read why not: its reader may have given another address than they meant.
func firstWords(i digest.Illness, since catalogue.Sayable) catalogue.Sayable {
	if now, _ := illnessWords(i); now != "" {
		return now
	}
	return troubleWords(i, since)
}

// illnessWords are what is said of an illness as it is now, "" where no more is known, and of how long it has lasted.
func illnessWords(i digest.Illness) (now, lasting catalogue.Key) {
	switch i {
	case digest.PageInItsPlace:
		return catalogue.Key("There is a web page at its address, and no feed."), catalogue.Key("A web page has stood in its place %s.")
	case digest.Unreadable:
		return catalogue.Key("What is at its address cannot be read as a feed."), catalogue.Key("Could not be read %s.")
	case digest.NeedsPassword:
		return catalogue.Key("Its feed asks for a password."), catalogue.Key("Has asked for a password %s.")
	case digest.Refused:
		return catalogue.Key("Its site does not let us in."), catalogue.Key("Its site has not let us in %s.")
	case digest.NotThere:
		return catalogue.Key("There is nothing at its address."), catalogue.Key("Has not been at its address %s.")
	case digest.Limited:
		return catalogue.Key("Its site asks us to wait."), catalogue.Key("Its site has asked us to wait %s.")
	case digest.ServerFails:
		return catalogue.Key("Its site reports an error."), catalogue.Key("Its site has reported errors %s.")
	case digest.BadCertificate:
		return catalogue.Key("Its site’s certificate is not valid."), catalogue.Key("Its site’s certificate has not been valid %s.")
	case digest.NoHost:
		return catalogue.Key("There is no site of that name."), catalogue.Key("Its site has not been found %s.")
	case digest.NoAnswer:
		return catalogue.Key("It does not answer."), catalogue.Key("Has not answered %s.")
	}
	return "", catalogue.Key("Could not be read %s.")
}

// lastedSince says since when something lasts: the day or night of it, later how long that is.
func lastedSince(since, now time.Time, zone *time.Location) catalogue.Sayable {
	if now.Sub(since) < 2*24*time.Hour {
		return dayOrNight(since, now, zone)
	}
	return lasted(now.Sub(since))
}

// lasted says how long something has lasted: "for 3 days", "for a week".
func lasted(d time.Duration) catalogue.Sayable {
	const day = 24 * time.Hour
	for _, u := range []struct {
		unit      time.Duration
		one, many catalogue.Key
	}{
		{365 * day, catalogue.Key("for a year"), catalogue.Key("for %d years")},
		{30 * day, catalogue.Key("for a month"), catalogue.Key("for %d months")},
		{7 * day, catalogue.Key("for a week"), catalogue.Key("for %d weeks")},
	} {
		switch n := int((d + u.unit/7) / u.unit); {
		case n == 1:
			return u.one
		case n > 1:
			return u.many.With(n)
		}
	}
	if n := int((d + day/2) / day); n > 1 {
		return catalogue.Key("for %d days").With(n)
	}
	return catalogue.Key("for a day")
}

// askedAgain is the sentence that says when a feed is asked next; none if it is not.
func askedAgain(at, now time.Time, zone *time.Location) sentences {
	if at.IsZero() {
		return nil
	}
	if at.Before(now) {
		at = now
	}
	return sentences{catalogue.Key("We ask again %s.").With(dayOrNight(at, now, zone))}
}

// nightEnds is the hour at which a night ends, and nightBegins that at which one begins.
const (
	nightEnds   = 6
	nightBegins = 18
)

// dayOrNight says on which day or in which night an instant is, as people say it: the night to Thursday is
// Wednesday's, so that at its midnight it is still "tonight".
func dayOrNight(at, now time.Time, zone *time.Location) catalogue.Sayable {
	local := at.In(zone)
	hour := local.Hour()
	night := hour < nightEnds || hour >= nightBegins
	on := digest.DateOf(local.Add(-nightEnds * time.Hour))
	days := digest.DateOf(now.In(zone).Add(-nightEnds * time.Hour)).Until(on)
	word := func(day, dark catalogue.Sayable) catalogue.Sayable {
		if night {
			return dark
		}
		return day
	}
	switch {
	case days == 0:
		return word(catalogue.Key("today"), catalogue.Key("tonight"))
	case days == 1:
		return word(catalogue.Key("tomorrow"), catalogue.Key("tomorrow night"))
	case days == -1:
		return word(catalogue.Key("yesterday"), catalogue.Key("last night"))
	case days > -7 && days < 7:
		return word(catalogue.Day("on Monday", on), catalogue.Day("on Monday night", on))
	case days > -300 && days < 300:
		return catalogue.Day("on 2 January", on)
	}
	return catalogue.Day("on 2 January 2006", on)
}
