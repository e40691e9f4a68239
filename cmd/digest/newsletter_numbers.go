package main

import (
	"fmt"

	"digest"
	"digest/newsletter"
	"digest/store"
)

type newsletterNumbersCmd struct {
	reads
	slugArg
	Posts bool `env:"-" help:"Show how often posts were opened, if the newsletter counts it."`
	Days  int  `default:"366" from:"1" to:"7320" placeholder:"N" env:"-" help:"The number of days to show (${default})."`
}

type reportedDay struct {
	Day        string `json:"day"`
	Members    int64  `json:"members"` // at the end of the day
	Joined     int64  `json:"joined"`
	Left       int64  `json:"left"`
	Sent       int64  `json:"sent"`
	Bounced    int64  `json:"bounced"`
	Complained int64  `json:"complained"`
}

func reportDay(d newsletter.Day) reportedDay {
	return reportedDay{d.Day.String(), d.Members, d.Joined, d.Left, d.Sent, d.Bounced, d.Complained}
}

// Run lists the days with events; the JSON has all days.
func (c newsletterNumbersCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if c.Posts {
		return a.listClicks(st, n)
	}
	days, err := st.Newsletters.NewsletterNumbers(a.soft, n, a.now(), c.Days)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(each(days, reportDay))
	}
	var busy []newsletter.Day
	for _, d := range days {
		if !d.Quiet() {
			busy = append(busy, d)
		}
	}
	return printList(a, busy, "nothing to count has happened yet", func(d newsletter.Day) string {
		return fmt.Sprintf("%s\t%s\t%d joined\t%d left\t%d sent\t%d bounced\t%s", d.Day,
			digest.Counted(int(d.Members), "member"), d.Joined, d.Left, d.Sent, d.Bounced,
			digest.Counted(int(d.Complained), "complaint"))
	})
}

type reportedClicks struct {
	Title  string `json:"title"`
	URL    string `json:"url"`
	Since  string `json:"since"`
	Clicks int64  `json:"clicks"`
}

func (a *app) listClicks(st *store.Store, n digest.Newsletter) error {
	const most = 500
	all, err := st.Newsletters.ClickCounts(a.soft, n.ID, most)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(each(all, func(c newsletter.ClickCount) reportedClicks {
			return reportedClicks{c.Title, c.URL, c.Since.String(), c.Clicks}
		}))
	}
	none := "nobody has opened a post yet"
	if !n.CountClicks {
		none = "not counted; see: digest newsletter set " + n.Slug + " --count-clicks"
	}
	return printList(a, all, none, func(c newsletter.ClickCount) string {
		return fmt.Sprintf("%d\tsince %s\t%s\t%s", c.Clicks, c.Since, plain(c.Title), plain(c.URL))
	})
}
