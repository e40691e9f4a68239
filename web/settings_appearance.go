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
	*visit
	Lead    field // choices of the lead site
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

// A pair is a setting with one value for emails and one for the web.
type pair struct {
	Legend     catalogue.Key
	Email, Web field
}

// Pairs returns the settings that emails and pages have in common.
func (v *visit) Pairs() []pair {
	d := v.Digest
	of := func(legend catalogue.Key, name string, email, web []choice) pair {
		return pair{legend, listField(name, catalogue.Key("Email"), email),
			listField("web-"+name, catalogue.Key("Web"), web)}
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
func (v *visit) Subject() field {
	return listField("subject", catalogue.Key("Email subject"), chosen([]choice{
		{Value: digest.SubjectDate, Name: catalogue.Key("Date and number of posts")},
		{Value: digest.SubjectLead, Name: catalogue.Key("First headline")},
	}, v.Digest.Subject()))
}

// Theme returns the choices of colours of pages.
func (v *visit) Theme() field {
	return listField("theme", catalogue.Key("Theme"), chosen([]choice{
		{Value: string(digest.AsDevice), Name: catalogue.Key("Same as device")},
		{Value: string(digest.LightTheme), Name: catalogue.Key("Light")},
		{Value: string(digest.DarkTheme), Name: catalogue.Key("Dark")},
	}, string(v.User.Theme)))
}

// Size returns the choices of text size of pages.
func (v *visit) Size() field {
	return listField("size", catalogue.Key("Text size"), chosen([]choice{
		{Value: string(digest.Smaller), Name: catalogue.Key("Smaller")},
		{Value: string(digest.AsBrowser), Name: catalogue.Key("Browser default")},
		{Value: string(digest.Larger), Name: catalogue.Key("Larger")},
		{Value: string(digest.Largest), Name: catalogue.Key("Largest")},
	}, string(v.TypeSize)))
}

// Directions returns the choices of text direction of pages.
func (v *visit) Directions() field {
	return listField("direction", catalogue.Key("Text direction"), chosen([]choice{
		{Value: string(digest.LeftToRight), Name: catalogue.Key("Follow the language")},
		{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
	}, string(v.User.Direction)))
}

// listField returns a field with a list of choices.
func listField(name string, label catalogue.Key, all []choice) field {
	return field{Name: name, Label: label, Kind: selectKind, Choices: all}
}

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

func (s *site) appearancePage(v *visit) error {
	name := v.Digest.Name
	v.text(lineKind, "name", &name, maxDigestName)
	return s.showAppearance(v, "")
}

// showAppearance shows the page. lead is the site chosen in the form; "" selects the present lead site.
func (s *site) showAppearance(v *visit, lead string) error {
	p := appearancePage{visit: v, Moved: v.URL.Query().Get("folder")}
	front, err := s.Store.FrontPageView(v.Context(), v.Digest.ID)
	for i, name := range front.Folders {
		p.Folders = append(p.Folders, frontFolder{name, i == 0, i == len(front.Folders)-1})
	}
	p.Lead = listField("feed", catalogue.Key("Lead site"), sitesToLead(front.Subscriptions))
	if lead != "" {
		p.Lead.Choices = chosen(p.Lead.Choices, lead)
	}
	return v.show(err, "settings_appearance", catalogue.Key("Appearance"), p)
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
func (s *site) setAppearance(v *visit) error {
	form, ctx, id := v.PostForm, v.Context(), v.Digest.ID
	named, leads, moves := form.Has("name"), form.Has("feed"), form.Has("move")
	if err := hasAny(form, "layout", "web-layout", "direction", "name", "feed", "move"); err != nil {
		return err
	}
	if v.MemberOnly && (named || leads || moves) {
		return errMembersOnly
	}
	lead, noLead := strconv.ParseInt(form.Get("feed"), 10, 64)
	by, noWay := placesOf(form.Get("move"))
	if err := v.choose(form); err != nil || leads && noLead != nil || moves && noWay != nil {
		return errBadForm
	}
	name, wrong := nameOfForm(tooLongName, form.Get("name"), maxDigestName)
	if wrong != nil {
		v.text(lineKind, "name", &name, maxDigestName)
		v.fields["name"].Value = name
		v.wrong("name", wrong)
		v.status = http.StatusBadRequest
		return s.showAppearance(v, form.Get("feed"))
	}
	var err error
	save := func(has bool, do func() error) {
		if has && err == nil {
			err = do()
		}
	}
	save(leads, func() error { return s.Store.SetLead(ctx, id, digest.FeedID(lead)) }) // may be rejected
	save(true, func() error { return s.Store.SetLook(ctx, id, v.Digest.Look) })
	save(true, func() error { return s.Store.SetArrangement(ctx, id, v.Digest.Arrangement) })
	save(true, func() error { return s.Store.SetPages(ctx, v.ID, v.Pages) })
	save(named, func() error { return s.Store.SetDigestName(ctx, id, name) })
	folder, word := v.Form.Get("folder"), "look"
	if moves {
		save(true, func() error { return s.Store.MoveFolder(ctx, id, folder, by) })
		word = map[bool]string{true: "up", false: "down"}[by < 0] + "&folder=" + url.QueryEscape(folder)
	}
	return v.saved(err, "/settings/appearance", word)
}

// setWeb saves the form of the former page /settings/pages/edition, whose fields have the names of email fields.
func (s *site) setWeb(v *visit) error {
	form := url.Values{}
	for name, values := range v.PostForm {
		form["web-"+name] = values
	}
	v.PostForm = form
	return s.setAppearance(v)
}
