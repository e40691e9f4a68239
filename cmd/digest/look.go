package main

import (
	"time"

	"digest"
	"digest/store"
)

// lookFlags are what a reader may choose of their mail. An empty one changes nothing.
type lookFlags struct {
	DeliverAt string `placeholder:"HH:MM" help:"The hour the mail leaves, by the reader's clock; it is sealed at midnight all the same."`
	Days      string `placeholder:"DAYS" help:"daily, weekdays, or days such as mon,thu."`
	Layout    string `enum:"headlines,excerpts,full," default:"" placeholder:"LAYOUT" help:"headlines, excerpts or full (text)."`
	Images    string `enum:"off,linked,proxy," default:"" placeholder:"HOW" help:"Pictures in full text: off, linked, or proxy (shown, fetched by this instance)."`
	Threaded  *bool  `negatable:"" help:"Let mail programs show all editions as one conversation."`
}

// chosen is lookFlags once they are understood; nil changes nothing.
type chosen struct {
	deliverAt *time.Duration
	days      *digest.Weekdays
	look      func(*digest.Look)
}

func (f lookFlags) empty() bool {
	return f.DeliverAt == "" && f.Days == "" && f.Layout == "" && f.Images == "" && f.Threaded == nil
}

func (f lookFlags) understand() (c chosen, err error) {
	if f.DeliverAt != "" {
		clock, err := time.Parse("15:04", f.DeliverAt)
		if err != nil {
			return c, badSetting("DIGEST_DELIVER_AT", f.DeliverAt, "is not an hour of the day", "07:00")
		}
		c.deliverAt = new(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
	}
	if f.Days != "" {
		days, err := digest.ParseWeekdays(f.Days)
		if err != nil {
			return c, badSetting("DIGEST_DAYS", f.Days, "does not name days of the week", "daily, weekdays, or mon,thu")
		}
		c.days = &days
	}
	if f.Layout != "" || f.Images != "" || f.Threaded != nil {
		c.look = f.change
	}
	return c, nil
}

// change puts what was chosen into a look.
func (f lookFlags) change(l *digest.Look) {
	if f.Layout != "" {
		l.Layout = digest.Layout(f.Layout)
	}
	if f.Images != "" {
		l.Images = digest.Images(f.Images)
	}
	if f.Threaded != nil {
		l.Threaded = *f.Threaded
	}
}

// apply stores what was chosen for a digest.
func (c chosen) apply(a *app, st *store.Store, d digest.Digest) error {
	if c.deliverAt != nil {
		if err := st.SetDeliverAt(a.soft, d.ID, *c.deliverAt); err != nil {
			return err
		}
	}
	if c.days != nil {
		if err := st.SetWeekdays(a.soft, d.ID, *c.days, a.now()); err != nil {
			return err
		}
	}
	if c.look == nil {
		return nil
	}
	c.look(&d.Look)
	return st.SetLook(a.soft, d.ID, d.Look)
}

// clockOf writes the hour of a mail: 07:00.
func clockOf(d time.Duration) string {
	return time.Time{}.Add(d).Format("15:04")
}
