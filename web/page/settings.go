package page

import (
	"time"

	"digest/internal/catalogue"
)

// Schedule returns the days of editions and the hour of emails: "every day at 07:00".
func (v *Visit) Schedule() catalogue.Message {
	if !v.Digest.Mailed {
		return v.Days().Words()
	}
	return catalogue.Key("%s at %s").With(v.Days().Words(),
		catalogue.Time("15:04", time.Time{}.Add(v.Digest.DeliverAt)))
}

// LanguageName returns the name of the language of pages and emails.
func (v *Visit) LanguageName() string { return v.PageLanguage().Name }

// Coming returns when the next edition appears.
func (v *Visit) Coming() catalogue.Message {
	switch next := v.Next(); {
	case v.Left():
		return catalogue.Key("You’re unsubscribed and get no editions.").With()
	case next == nil:
		return catalogue.Key("No new editions until you resume it.").With()
	case !v.Digest.NextDueAt.After(v.Now):
		return catalogue.Key("We’re making the edition of %s now.").With(next)
	default:
		return catalogue.Key("Your next edition is on %s.").With(next)
	}
}

// Languages returns the choices, each in its own language.
func (v *Visit) Languages() []Choice {
	all := []Choice{{Name: catalogue.Key("Browser default"), Hint: catalogue.Key("Emails are in English.")}}
	for _, l := range catalogue.All() {
		all = append(all, Choice{Value: l.Code, Name: l.Name})
	}
	return Chosen(all, v.User.Language)
}

// Budgets returns the choices of storage on a device, in MB.
func (v *Visit) Budgets() []int { return []int{25, 50, 100, 250} }

// Date returns the day of t in the reader's time zone.
func (v *Visit) Date(t time.Time) catalogue.Moment {
	return catalogue.Time("2 January 2006", t.In(v.Zone()))
}

// Ways returns the choices of delivery.
func (v *Visit) Ways() []Choice {
	return Chosen([]Choice{
		{Value: "yes", Name: catalogue.Key("Email and web")},
		{Value: "no", Name: catalogue.Key("Web only")},
	}, map[bool]string{true: "yes", false: "no"}[v.Digest.Mailed])
}
