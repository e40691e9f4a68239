package main

import (
	"strings"

	"digest"
	"digest/store"
	"digest/timezone"
)

// parseStay reads "ZONE FIRST..LAST", or "ZONE DAY" for one day.
func parseStay(s string) (digest.Stay, error) {
	bad := badSetting("DIGEST_STAY", s, "is not a zone and its days", "Asia/Tokyo 2026-10-03..2026-10-17")
	words := strings.Fields(s)
	if len(words) != 2 {
		return digest.Stay{}, bad
	}
	if _, err := timezone.Load(words[0]); err != nil {
		return digest.Stay{}, err
	}
	first, last, several := strings.Cut(words[1], "..")
	if !several {
		last = first
	}
	from, err := digest.ParseDate(first)
	if err != nil {
		return digest.Stay{}, bad
	}
	to, err := digest.ParseDate(last)
	if err != nil {
		return digest.Stay{}, bad
	}
	return digest.Stay{TimeZone: words[0], From: from, To: to}, nil
}

// dropStays takes all stays of a reader back.
func (a *app) dropStays(st *store.Store, user digest.UserID) error {
	stays, err := st.Stays(a.soft, user)
	if err != nil {
		return err
	}
	for _, stay := range stays {
		if err := st.RemoveStay(a.soft, user, stay.ID, a.now()); err != nil {
			return err
		}
	}
	return nil
}

// plan plans the stay that was given, if one was.
func (c userSetCmd) plan(a *app, st *store.Store, user digest.UserID) error {
	if c.Stay == "" {
		return nil
	}
	stay, err := parseStay(c.Stay)
	if err != nil {
		return err
	}
	stay.UserID = user
	_, err = st.AddStay(a.soft, stay, a.now())
	return err
}

// reportedStay is a stay as JSON.
type reportedStay struct {
	TimeZone string  `json:"time_zone"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Begun    bool    `json:"begun"`
	Home     *string `json:"home"` // of one that has begun: the zone to which they come back
}

func reportStays(stays []digest.Stay) []reportedStay {
	list := make([]reportedStay, len(stays))
	for i, s := range stays {
		list[i] = reportedStay{TimeZone: s.TimeZone, From: s.From.String(), To: s.To.String(), Begun: s.Begun}
		if s.Begun {
			list[i].Home = new(s.Home)
		}
	}
	return list
}

// stayWords tells where a reader will be, and when; empty: at home.
func stayWords(stays []digest.Stay) string {
	var words strings.Builder
	for _, s := range stays {
		if s.Begun {
			words.WriteString(", there until " + s.To.String() + ", then " + s.Home)
			continue
		}
		words.WriteString(", in " + s.TimeZone + " from " + s.From.String() + " to " + s.To.String())
	}
	return words.String()
}
