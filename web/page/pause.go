package page

import (
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
)

// FarthestPause is how many days ahead the form lets a pause end. calendar.CheckPause allows more.
const FarthestPause = 366

// DayBegins returns the first instant of a date in a zone, or an error text if the zone skips that date.
func DayBegins(d digest.Date, zone *time.Location) (at time.Time, wrong catalogue.Sayable) {
	at = calendar.Begins(d, zone)
	if !calendar.Exists(d, zone) {
		return at, catalogue.Key("%s doesn’t exist in that time zone. Choose the next day.").With(SaidDay(d))
	}
	return at, nil
}
