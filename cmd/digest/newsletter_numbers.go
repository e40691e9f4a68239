package main

import (
	"fmt"

	"digest"
	"digest/store"
)

type newsletterNumbersCmd struct {
	reads
	slugArg
	Days int `default:"366" from:"1" to:"7320" placeholder:"N" env:"-" help:"How many days back, by the owner's clock (${default})."`
}

// reportedDay is a day of a newsletter as JSON.
type reportedDay struct {
	Day        string `json:"day"`
	Members    int64  `json:"members"` // at its end
	Joined     int64  `json:"joined"`
	Left       int64  `json:"left"`
	Sent       int64  `json:"sent"`
	Bounced    int64  `json:"bounced"`
	Complained int64  `json:"complained"`
}

func reportDay(d digest.NewsletterDay) reportedDay {
	return reportedDay{d.Day.String(), d.Members, d.Joined, d.Left, d.Sent, d.Bounced, d.Complained}
}

// Run lists the days on which something happened, and as JSON all of them.
func (c newsletterNumbersCmd) Run(a *app, st *store.Store) error {
	n, err := st.NewsletterBySlug(a.soft, c.Slug)
	if err != nil {
		return err
	}
	days, err := st.NewsletterNumbers(a.soft, n, a.now(), c.Days)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(each(days, reportDay))
	}
	var busy []digest.NewsletterDay
	for _, d := range days {
		if !d.Quiet() {
			busy = append(busy, d)
		}
	}
	return printList(a, busy, "nothing has happened yet that is counted", func(d digest.NewsletterDay) string {
		return fmt.Sprintf("%s\t%s\t%d joined\t%d left\t%d sent\t%d came back\t%s", d.Day, digest.Counted(int(d.Members), "member"), d.Joined, d.Left, d.Sent, d.Bounced, digest.Counted(int(d.Complained), "complaint"))
	})
}
