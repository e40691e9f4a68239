package web

import (
	"net/http"
	"slices"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// A frontPage asks how the reader's editions are arranged: their name, the order of the folders, and which site leads.
type frontPage struct {
	settingsFrame
	Typed    string // the name in the form
	Folders  []frontFolder
	Sites    []choice // that may lead
	Arranged bool     // there is an order to choose
}

// A frontFolder is a folder among those of the reader; its name is empty for the feeds of none.
type frontFolder struct {
	Name        string
	First, Last bool
}

// MostName is how many characters the name may have.
func (frontPage) MostName() int { return maxDigestName }

func (s *site) frontPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.showFront(w, r, http.StatusOK, me, frontPage{settingsFrame: s.frame(r, me, "name", "order", "lead"), Typed: me.Digest.Name})
}

func (s *site) showFront(w http.ResponseWriter, r *http.Request, status int, me reader, p frontPage) error {
	v, err := s.Store.FrontPageView(r.Context(), me.Digest.ID)
	for i, name := range v.Folders {
		p.Folders = append(p.Folders, frontFolder{name, i == 0, i == len(v.Folders)-1})
	}
	p.Arranged = len(v.Folders) > 1
	p.Sites = sitesToLead(v.Subscriptions)
	return orShow(err, func() error { return s.show(w, r, status, "settings_front", catalogue.Key("Front page"), p) })
}

// sitesToLead are those of which one can lead, by title; the first choice is none of them.
func sitesToLead(subs []store.SubscriptionInfo) []choice {
	subs = slices.SortedFunc(slices.Values(subs), func(a, b store.SubscriptionInfo) int {
		return digest.CompareNames(shortened(titleOf(a)), shortened(titleOf(b)))
	})
	sites := []choice{{Value: "0", Name: catalogue.Key("The first section")}}
	for _, sub := range subs {
		if !sub.Paused || sub.Leads {
			sites = append(sites, choice{Value: strconv.FormatInt(int64(sub.FeedID), 10), Name: shortened(titleOf(sub)), Chosen: sub.Leads})
		}
	}
	return sites
}

// setName names the reader's editions.
func (s *site) setName(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := hasAll(r.PostForm, "name"); err != nil {
		return err
	}
	name, wrong := nameOfForm(tooLongName, r.PostForm.Get("name"), maxDigestName)
	if wrong != nil {
		p := frontPage{settingsFrame: s.frame(r, me), Typed: name}
		p.Wrong = wrong
		return s.showFront(w, r, http.StatusBadRequest, me, p)
	}
	return showSaved(w, r, s.Store.SetDigestName(r.Context(), me.Digest.ID, name), "/settings/front", "name")
}

// moveFolder lets a folder change places with its neighbour, or stand so many places further down, or up, where it was dragged.
func (s *site) moveFolder(w http.ResponseWriter, r *http.Request, me reader) error {
	by := 1
	switch way := r.PostForm.Get("move"); way {
	case "up":
		by = -1
	case "down":
	default:
		var err error
		if by, err = strconv.Atoi(way); err != nil {
			return errNoChoice
		}
	}
	return showSaved(w, r, s.Store.MoveFolder(r.Context(), me.Digest.ID, r.PostForm.Get("folder"), by), "/settings/front", "order")
}

// setLead lets one site lead.
func (s *site) setLead(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := strconv.ParseInt(r.PostForm.Get("feed"), 10, 64)
	if err != nil {
		return errNoChoice
	}
	return showSaved(w, r, s.Store.SetLead(r.Context(), me.Digest.ID, digest.FeedID(id)), "/settings/front", "lead")
}
