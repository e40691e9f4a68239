package web

import (
	"errors"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/web/page"
)

// A condition describes the health of a feed in its reader's language and time zone. It is empty
// for a healthy feed.
type condition struct {
	Words   page.Sentences // empty if there is nothing to report
	Trouble bool           // it needs attention: it has failed for days, cannot recover or was never read
	Since   time.Time
}

// conditionOf describes the condition of f. again is the time of the next poll, or zero if none is
// planned.
func conditionOf(f digest.Feed, again, now time.Time, zone *time.Location) condition {
	// the address may be wrong
	c := condition{Since: f.FailingSince, Trouble: f.Errors > 0 && f.ParsedAt.IsZero()}
	asked := askedAgain(again, now, zone)
	switch ill := poller.Illness(f, now); {
	case f.State == digest.FeedGone:
		return condition{page.Sentences{catalogue.Key("The site says the feed is permanently gone.")}, true, f.GoneAt}
	case f.State == digest.FeedDead:
		c.Words = page.Sentences{troubleWords(ill, sinceDay(f.FirstErrorAt, now, zone)),
			catalogue.Key("We stopped checking.")}
		c.Trouble, c.Since = true, f.FirstErrorAt
	case f.State == digest.FeedTrial:
		c.Words, c.Trouble = append(page.Sentences{catalogue.Key("Not checked yet.")}, asked...), true
		if !f.FirstErrorAt.IsZero() {
			c.Words[0] = troubleWords(digest.Well, sinceDay(f.FirstErrorAt, now, zone))
		}
	case f.Errors > 0 && f.LastStatus == http.StatusUnauthorized:
		c.Words, c.Trouble = page.Sentences{reason{ill: catalogue.Illness(digest.NeedsPassword)}}, true
	case f.Errors > 0 && f.LastStatus == 0 && poller.IsNotPublic(errors.New(f.LastError)):
		c.Words, c.Trouble = page.Sentences{
			catalogue.AsSentence(catalogue.Key(
				"not allowed: the address is private; the operator can allow its network"))}, true
	case ill != digest.Well:
		c.Words, c.Trouble = append(page.Sentences{troubleWords(ill, sinceDay(f.FailingSince, now, zone))}, asked...),
			true
	case f.Errors > 0 && f.ParsedAt.IsZero():
		c.Words = append(page.Sentences{firstWords(poller.LastFailure(f), sinceDay(f.FailingSince, now, zone))},
			asked...)
	case f.Errors > 0:
		c.Words = append(page.Sentences{troubleWords(digest.Well, sinceDay(f.FailingSince, now, zone))}, asked...)
	case f.PostsWaiting > 0:
		c.Words = page.Sentences{catalogue.Key("The feed has more new posts than we store in one day. The others come tomorrow.")}
	case f.ParsedAt.IsZero():
		c.Words = append(page.Sentences{catalogue.Key("Not checked yet.")}, asked...)
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

// askedAgain returns a sentence with the time of the next poll, or nil if none is planned.
func askedAgain(at, now time.Time, zone *time.Location) page.Sentences {
	if at.IsZero() {
		return nil
	}
	if at.Before(now) {
		at = now
	}
	return page.Sentences{catalogue.Key("We’ll check again %s.").With(dayOrNight(at, now, zone))}
}

// A night begins and ends at these hours, for dayOrNight.
const (
	nightEnds   = 6
	nightBegins = 18
)

// dayOrNight names the day or the night of a future instant. The hours after midnight count as the
// night before, so at midnight a poll at 02:00 is still "tonight".
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
