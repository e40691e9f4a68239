package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// An appearancePage is the form for the look of emails and pages, and for the name and the order of editions.
type appearancePage struct {
	settingsFrame
	Typed   string // the name in the form
	Lead    pick   // choices of the lead site
	Folders []frontFolder
	Moved   string // the folder that was just moved
}

// A frontFolder is one of the reader's folders. Name is empty for the sites without a folder.
type frontFolder struct {
	Name        string
	First, Last bool
}

// Label returns the name of the folder for display.
func (f frontFolder) Label() any {
	if f.Name == "" {
		return catalogue.Key("Other sites")
	}
	return f.Name
}

// A pick is a list from which the reader chooses one value.
type pick struct {
	Name, Label any
	All         []choice
}

// A pair is a setting with one value for emails and one for the web.
type pair struct {
	Legend     catalogue.Key
	Email, Web pick
}

// Pairs returns the settings that emails and pages have in common.
func (f settingsFrame) Pairs() []pair {
	d := f.Digest
	of := func(legend catalogue.Key, name string, email, web []choice) pair {
		return pair{legend, pick{name, catalogue.Key("Email"), email}, pick{"web-" + name, catalogue.Key("Web"), web}}
	}
	same := []choice{{Name: catalogue.Key("Same as email")}}
	return []pair{
		of(catalogue.Key("Posts"), "layout", layoutsToChoose(d.Layout),
			chosen(append(same, layoutsToChoose("")...), string(d.WebLayout))),
		of(catalogue.Key("Pictures"), "images", picturesToChoose(d.Images),
			picturesToChoose(d.WebImages, digest.LinkedImages)),
		of(catalogue.Key("Folders"), "grouping", groupingsToChoose(d.Grouping),
			chosen(append(same, groupingsToChoose("")...), string(d.WebGrouping))),
	}
}

// Subject returns the choices of the email subject.
func (f settingsFrame) Subject() pick {
	return pick{"subject", catalogue.Key("Email subject"), chosen([]choice{
		{Value: digest.SubjectDate, Name: catalogue.Key("Date and number of posts")},
		{Value: digest.SubjectLead, Name: catalogue.Key("First headline")},
	}, f.Digest.Subject())}
}

// Theme returns the choices of colours of pages.
func (f settingsFrame) Theme() pick {
	return pick{"theme", catalogue.Key("Theme"), chosen([]choice{
		{Value: string(digest.AsDevice), Name: catalogue.Key("Same as device")},
		{Value: string(digest.LightTheme), Name: catalogue.Key("Light")},
		{Value: string(digest.DarkTheme), Name: catalogue.Key("Dark")},
	}, string(f.User.Theme))}
}

// Size returns the choices of text size of pages.
func (f settingsFrame) Size() pick {
	return pick{"size", catalogue.Key("Text size"), chosen([]choice{
		{Value: string(digest.Smaller), Name: catalogue.Key("Smaller")},
		{Value: string(digest.AsBrowser), Name: catalogue.Key("Browser default")},
		{Value: string(digest.Larger), Name: catalogue.Key("Larger")},
		{Value: string(digest.Largest), Name: catalogue.Key("Largest")},
	}, string(f.TypeSize))}
}

// Directions returns the choices of text direction of pages.
func (f settingsFrame) Directions() pick {
	return pick{"direction", catalogue.Key("Text direction"), chosen([]choice{
		{Value: string(digest.LeftToRight), Name: catalogue.Key("Follow the language")},
		{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
	}, string(f.User.Direction))}
}

// MostName returns the longest name in characters.
func (appearancePage) MostName() int { return maxDigestName }

func layoutsToChoose(l digest.Layout) []choice {
	return chosen([]choice{
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Excerpts")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text"),
			Hint: catalogue.Key("As much as the site provides and as fits in an email")},
	}, string(l))
}

// picturesToChoose returns the choices of how to show pictures, except those in without.
func picturesToChoose(i digest.Images, without ...digest.Images) []choice {
	all := chosen([]choice{
		{Value: string(digest.NoImages), Name: catalogue.Key("No pictures")},
		{Value: string(digest.LinkedImages), Name: catalogue.Key("Links only")},
		{Value: string(digest.ProxiedImages), Name: catalogue.Key("Pictures"),
			Hint: catalogue.Key("All pictures in full posts, one with each excerpt")},
	}, string(i))
	return slices.DeleteFunc(all, func(c choice) bool { return slices.Contains(without, digest.Images(c.Value)) })
}

func groupingsToChoose(g digest.Grouping) []choice {
	return chosen([]choice{
		{Value: string(digest.ByFolders), Name: catalogue.Key("Show folders")},
		{Value: string(digest.BySites), Name: catalogue.Key("Hide folders")},
	}, string(g))
}

func (s *site) appearancePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := appearancePage{settingsFrame: s.frame(r, me, "look", "up", "down"), Typed: me.Digest.Name}
	if p.Saved == "up" || p.Saved == "down" {
		p.Moved = r.URL.Query().Get("folder")
	}
	return s.showAppearance(w, r, http.StatusOK, p, "")
}

// showAppearance shows the page. lead is the site chosen in the form; "" selects the present lead site.
func (s *site) showAppearance(w http.ResponseWriter, r *http.Request, status int, p appearancePage, lead string) error {
	v, err := s.Store.FrontPageView(r.Context(), p.Digest.ID)
	for i, name := range v.Folders {
		p.Folders = append(p.Folders, frontFolder{name, i == 0, i == len(v.Folders)-1})
	}
	p.Lead = pick{"feed", catalogue.Key("Lead site"), sitesToLead(v.Subscriptions)}
	if lead != "" {
		p.Lead.All = chosen(p.Lead.All, lead)
	}
	return orShow(err, func() error {
		return s.show(w, r, status, "settings_appearance", catalogue.Key("Appearance"),
			p)
	})
}

// sitesToLead returns the choices of the lead site by title, after the choice "First site".
func sitesToLead(subs []store.SubscriptionInfo) []choice {
	subs = slices.SortedFunc(slices.Values(subs), func(a, b store.SubscriptionInfo) int {
		return digest.CompareNames(shortened(titleOf(a)), shortened(titleOf(b)))
	})
	sites := []choice{{Value: "0", Name: catalogue.Key("First site in your order")}}
	for _, sub := range subs {
		if !sub.Paused || sub.Leads {
			sites = append(sites, choice{Value: strconv.FormatInt(int64(sub.FeedID), 10), Name: shortened(titleOf(sub)),
				Chosen: sub.Leads})
		}
	}
	return sites
}

// choose copies the fields of the form into the reader, and stores nothing. Missing fields stay unchanged.
func (me *reader) choose(form url.Values) error {
	d, subject := &me.Digest, form.Get("subject")
	if form.Has("layout") {
		d.Look = digest.Look{
			Layout: digest.Layout(form.Get("layout")), Images: digest.Images(form.Get("images")),
			Threaded: form.Get("threaded") == "on", LeadSubject: subject == digest.SubjectLead,
		}
		d.Grouping = cmp.Or(digest.Grouping(form.Get("grouping")), d.Grouping)
	}
	if form.Has("web-layout") {
		d.WebLayout, d.WebImages = digest.Layout(form.Get("web-layout")), digest.Images(form.Get("web-images"))
		d.WebGrouping = digest.Grouping(form.Get("web-grouping"))
	}
	if form.Has("direction") {
		me.Pages = digest.Pages{
			Direction: digest.Direction(form.Get("direction")), Shortcuts: form.Get("shortcuts") == "on",
			Player:   form.Get("player") == "on",
			Theme:    cmp.Or(digest.Theme(form.Get("theme")), me.Theme),
			TypeSize: cmp.Or(digest.TypeSize(form.Get("size")), me.TypeSize),
		}
	}
	if !slices.Contains([]string{"", digest.SubjectDate, digest.SubjectLead}, subject) ||
		cmp.Or(d.Look.Check(), d.Arrangement.Check(), me.Pages.Check()) != nil {
		return errBadForm
	}
	return nil
}

// placesOf returns by how many places a folder moves down.
func placesOf(way string) (int, error) {
	switch way {
	case "up":
		return -1, nil
	case "down":
		return 1, nil
	}
	return strconv.Atoi(way) // the number of a drag
}

// setAppearance saves the whole form, whichever of its buttons was pressed.
func (s *site) setAppearance(w http.ResponseWriter, r *http.Request, me reader) error {
	form, ctx, id := r.PostForm, r.Context(), me.Digest.ID
	named, leads, moves := form.Has("name"), form.Has("feed"), form.Has("move")
	if err := hasAny(form, "layout", "web-layout", "direction", "name", "feed", "move"); err != nil {
		return err
	}
	if me.MemberOnly && (named || leads || moves) {
		return errMembersOnly
	}
	lead, noLead := strconv.ParseInt(form.Get("feed"), 10, 64)
	by, noWay := placesOf(form.Get("move"))
	if err := me.choose(form); err != nil || leads && noLead != nil || moves && noWay != nil {
		return errBadForm
	}
	name, wrong := nameOfForm(tooLongName, form.Get("name"), maxDigestName)
	if wrong != nil {
		p := appearancePage{settingsFrame: s.frame(r, me), Typed: name}
		p.Wrong = wrong
		return s.showAppearance(w, r, http.StatusBadRequest, p, form.Get("feed"))
	}
	var err error
	save := func(has bool, do func() error) {
		if has && err == nil {
			err = do()
		}
	}
	save(leads, func() error { return s.Store.SetLead(ctx, id, digest.FeedID(lead)) }) // may be rejected
	save(true, func() error { return s.Store.SetLook(ctx, id, me.Digest.Look) })
	save(true, func() error { return s.Store.SetArrangement(ctx, id, me.Digest.Arrangement) })
	save(true, func() error { return s.Store.SetPages(ctx, me.ID, me.Pages) })
	save(named, func() error { return s.Store.SetDigestName(ctx, id, name) })
	folder, word := r.Form.Get("folder"), "look"
	if moves {
		save(true, func() error { return s.Store.MoveFolder(ctx, id, folder, by) })
		word = map[bool]string{true: "up", false: "down"}[by < 0] + "&folder=" + url.QueryEscape(folder)
	}
	return showSaved(w, r, err, "/settings/appearance", word)
}

// setWeb saves the form of the former page /settings/pages/edition, whose fields have the names of email fields.
func (s *site) setWeb(w http.ResponseWriter, r *http.Request, me reader) error {
	form := url.Values{}
	for name, values := range r.PostForm {
		form["web-"+name] = values
	}
	r.PostForm = form
	return s.setAppearance(w, r, me)
}
