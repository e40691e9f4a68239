package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/timezone"
)

// What is offered beside leaving: a pause, and fewer mails. Its forms stand on
// the page behind the unsubscribe link, whose token they carry; as all forms
// but one-click they are taken from this site only.

// The fields of those forms.
const (
	formFor  = "for"  // how long to pause: a key of pauses
	formDays = "days" // on which the digest is to appear, as digest.ParseWeekdays reads it
)

// pauseUntil gives the midnight that ends a pause: whole days in the reader's
// zone after today. A month from the 31st ends with the month.
func pauseUntil(how string, now time.Time, zone *time.Location) (time.Time, bool) {
	y, m, d := now.In(zone).Date()
	switch how {
	case "week":
		d += 7
	case "fortnight":
		d += 14
	case "month":
		last := time.Date(y, m+2, 0, 12, 0, 0, 0, time.UTC).Day()
		m, d = m+1, min(d, last)
	default:
		return time.Time{}, false
	}
	return timezone.NextMidnight(time.Date(y, m, d-1, 12, 0, 0, 0, zone), zone), true
}

// pauseDigest lets a digest rest for a while.
func (s *site) pauseDigest(w http.ResponseWriter, r *http.Request) error {
	d, err := s.formDigest(r)
	if err != nil || d.State == digest.DigestLeft {
		return s.orStopped(w, r, d, err)
	}
	zone, err := timezone.Load(d.TimeZone)
	if err != nil {
		return err
	}
	until, ok := pauseUntil(r.PostForm.Get(formFor), s.Now(), zone)
	if !ok {
		return errNoChoice
	}
	if err := s.Store.PauseDigest(r.Context(), d.ID, until, s.Now()); digest.KindOf(err) == digest.Conflict {
		d.State = digest.DigestLeft // meanwhile
		return s.showUnsubscribed(w, r, d)
	} else if err != nil {
		return err
	}
	return s.showChanged(w, r, d, "Paused")
}

// resumeDigest is the way back from a pause. It brings back nothing that was left.
func (s *site) resumeDigest(w http.ResponseWriter, r *http.Request) error {
	d, err := s.formDigest(r)
	if err != nil || d.State == digest.DigestLeft {
		return s.orStopped(w, r, d, err)
	}
	if err := s.Store.ResumeDigest(r.Context(), d.ID, s.Now()); err != nil {
		return err
	}
	return s.showChanged(w, r, d, "Welcome back")
}

// setDigestDays changes the days on which a digest appears, and is the way back from that.
func (s *site) setDigestDays(w http.ResponseWriter, r *http.Request) error {
	d, err := s.formDigest(r)
	if err != nil || d.State == digest.DigestLeft {
		return s.orStopped(w, r, d, err)
	}
	days, err := digest.ParseWeekdays(r.PostForm.Get(formDays))
	if err != nil {
		return errNoChoice
	}
	if err := s.Store.SetWeekdays(r.Context(), d.ID, days, s.Now()); err != nil {
		return err
	}
	return s.showChanged(w, r, d, "Changed")
}

// formDigest gives the digest whose form was posted.
func (s *site) formDigest(r *http.Request) (digest.Digest, error) {
	d, err := s.tokenDigest(r)
	if err != nil {
		return d, err
	}
	if err := r.ParseForm(); err != nil {
		return d, badForm(err)
	}
	return d, nil
}

// orStopped shows what there is to show of a digest that was left.
func (s *site) orStopped(w http.ResponseWriter, r *http.Request, d digest.Digest, err error) error {
	if err != nil {
		return err
	}
	return s.showUnsubscribed(w, r, d)
}

// showChanged says how a digest comes from now on; was is how it was before.
func (s *site) showChanged(w http.ResponseWriter, r *http.Request, was digest.Digest, title string) error {
	d, err := s.Store.Digest(r.Context(), was.ID)
	if err != nil {
		return err
	}
	view := s.viewOf(r, d)
	view.WasPaused = was.State == digest.DigestPaused
	if was.Weekdays != d.Weekdays {
		view.Before = daysView{was.Weekdays}
	}
	return s.show(w, r, http.StatusOK, "unsubscribe_changed", title, view)
}

// A daysView is a set of days for templates.
type daysView struct{ digest.Weekdays }

// Words says when a digest with these days comes: "every day", "on Saturdays".
func (v daysView) Words() string {
	switch v.Weekdays {
	case digest.EveryDay:
		return "every day"
	case digest.Workdays:
		return "Monday to Friday"
	}
	names := strings.Split(daysOf(v.Weekdays), ", ")
	for i := range names {
		names[i] += "s"
	}
	if last := len(names) - 1; last > 0 {
		return "on " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "on " + names[0]
}

// Daily reports whether it is all of them.
func (v daysView) Daily() bool { return v.Weekdays == digest.EveryDay }

// Workdays reports whether it is Monday to Friday.
func (v daysView) Workdays() bool { return v.Weekdays == digest.Workdays }

// Weekly gives the choices of one day a week, Monday first; the day that it is,
// or else Saturday, is chosen.
func (v daysView) Weekly() []dayChoice {
	chosen := digest.Weekdays(1 << time.Saturday)
	var all []dayChoice
	for i := range 7 {
		d := time.Weekday((i + 1) % 7)
		if v.Weekdays == 1<<d {
			chosen = v.Weekdays
		}
		all = append(all, dayChoice{Name: d.String(), Value: digest.Weekdays(1 << d).String()})
	}
	for i := range all {
		all[i].Chosen = all[i].Value == chosen.String()
	}
	return all
}

// A dayChoice is one day of the week in a form.
type dayChoice struct {
	Name, Value string
	Chosen      bool
}

// describePause fills in what a view says of times, by the reader's clock:
// until when it rests, and which edition is the next.
func (v *unsubscribeView) describePause(d digest.Digest, now time.Time) {
	v.Days = daysView{d.Weekdays}
	zone, err := timezone.Load(d.TimeZone)
	if err != nil || d.State == digest.DigestLeft {
		return
	}
	v.Zone = strings.ReplaceAll(d.TimeZone, "_", " ")
	next := d.NextDueAt
	if d.State == digest.DigestPaused {
		if d.PausedUntil.IsZero() {
			return
		}
		next = timezone.NextOn(d.PausedUntil.Add(-time.Second), zone, d.Weekdays.Has) // the midnight that ends it counts
		v.Until = dayOf(d.PausedUntil, now, zone)
	}
	v.Next = dayOf(next, now, zone)
}

// dayOf names a day near enough to do without its year, or else with it.
func dayOf(t, now time.Time, zone *time.Location) string {
	if t.Sub(now) > 300*24*time.Hour {
		return t.In(zone).Format("Monday 2 January 2006")
	}
	return t.In(zone).Format("Monday 2 January")
}

// pauseText is how a form carries a pause, to the way back: "paused", or with
// the time at which it ends.
func pauseText(d digest.Digest) string {
	if d.State != digest.DigestPaused {
		return ""
	}
	if d.PausedUntil.IsZero() {
		return string(digest.DigestPaused)
	}
	return string(digest.DigestPaused) + " " + strconv.FormatInt(d.PausedUntil.Unix(), 10)
}

// mostCarried bounds how long a pause that a form carries may go on.
const mostCarried = 400 * 24 * time.Hour

// readPause reads what pauseText wrote. A pause that is over meanwhile is none.
func readPause(text string, now time.Time) (until time.Time, paused bool) {
	word, end, dated := strings.Cut(text, " ")
	if word != string(digest.DigestPaused) {
		return time.Time{}, false
	}
	if !dated {
		return time.Time{}, true
	}
	seconds, err := strconv.ParseInt(end, 10, 64)
	until = time.Unix(seconds, 0)
	if err != nil || !until.After(now) || until.Sub(now) > mostCarried {
		return time.Time{}, false
	}
	return until, true
}
