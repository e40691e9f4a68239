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
		return condition{sentences{catalogue.Key("Its site says it’s permanently gone.")}, true, f.GoneAt}
	case f.State == digest.FeedDead:
		c.Words = sentences{troubleWords(ill, sinceDay(f.FirstErrorAt, now, zone)),
			catalogue.Key("We stopped checking.")}
		c.Trouble, c.Since = true, f.FirstErrorAt
	case f.State == digest.FeedTrial:
		c.Words, c.Trouble = append(sentences{catalogue.Key("Not checked yet.")}, asked...), true
		if !f.FirstErrorAt.IsZero() {
			c.Words[0] = troubleWords(digest.Well, sinceDay(f.FirstErrorAt, now, zone))
		}
	case f.Errors > 0 && f.LastStatus == http.StatusUnauthorized:
		c.Words, c.Trouble = sentences{reason{ill: catalogue.Illness(digest.NeedsPassword)}}, true
	case f.Errors > 0 && f.LastStatus == 0 && poller.IsNotPublic(errors.New(f.LastError)):
		c.Words, c.Trouble = sentences{
			catalogue.AsSentence(catalogue.Key(
				"not allowed: the address is private; the operator can allow its network"))}, true
	case ill != digest.Well:
		c.Words, c.Trouble = append(sentences{troubleWords(ill, sinceDay(f.FailingSince, now, zone))}, asked...), true
	case f.Errors > 0 && f.ParsedAt.IsZero():
		c.Words = append(sentences{firstWords(poller.LastFailure(f), sinceDay(f.FailingSince, now, zone))}, asked...)
	case f.Errors > 0:
		c.Words = append(sentences{troubleWords(digest.Well, sinceDay(f.FailingSince, now, zone))}, asked...)
	case f.PostsWaiting > 0:
		c.Words = sentences{catalogue.Key("It reached its daily limit. The rest follows tomorrow.")}
	case f.ParsedAt.IsZero():
		c.Words = append(sentences{catalogue.Key("Not checked yet.")}, asked...)
	}
	return c
}

// A reason explains why a feed cannot be read: "The site doesn’t respond (since 13 November)."
type reason struct {
	ill   catalogue.Sayable
	since catalogue.Sayable // nil: omitted
}

// In returns the sentence.
func (r reason) In(l *catalogue.Language) string {
	if r.since == nil {
		return l.Sentence(r.ill)
	}
	return l.Sentence(catalogue.Key("%s (%s)").With(r.ill, catalogue.Key("since %s").With(r.since)))
}

// troubleWords explains why a feed cannot be read, with the day of the first failure.
func troubleWords(i digest.Illness, since catalogue.Sayable) catalogue.Sayable {
	ill := catalogue.Illness(i)
	if ill == nil {
		return catalogue.Key("We haven’t been able to read this feed since %s.").With(since)
	}
	return reason{ill, since}
}

// firstWords explains why a feed was never read. Its reader may have entered a wrong address.
func firstWords(i digest.Illness, since catalogue.Sayable) catalogue.Sayable {
	if ill := catalogue.Illness(i); ill != nil {
		return reason{ill: ill}
	}
	return troubleWords(i, since)
}

// sinceDay returns the date of since, with the year if it is 300 days ago or more.
func sinceDay(since, now time.Time, zone *time.Location) catalogue.Sayable {
	on := digest.DateOf(since.In(zone))
	if digest.DateOf(now.In(zone)).Until(on) > -300 {
		return catalogue.Day("2 January", on)
	}
	return catalogue.Day("2 January 2006", on)
}

// askedAgain is the sentence that says when a feed is asked next; none if it is not.
func askedAgain(at, now time.Time, zone *time.Location) sentences {
	if at.IsZero() {
		return nil
	}
	if at.Before(now) {
		at = now
	}
	return sentences{catalogue.Key("We’ll check again %s.").With(dayOrNight(at, now, zone))}
}

// nightEnds is the hour at which a night ends, and nightBegins that at which one begins.
const (
	nightEnds   = 6
	nightBegins = 18
)

// dayOrNight says on which day or in which night a coming instant is, as people say it: the night to Thursday is
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
	case days < 7:
		return word(catalogue.Day("on Monday", on), catalogue.Day("on Monday night", on))
	case days < 300:
		return catalogue.Day("on 2 January", on)
	}
	return catalogue.Day("on 2 January 2006", on)
}
