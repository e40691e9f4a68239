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

func layoutsToChoose() []choice {
	return []choice{
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Excerpts")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text"),
			Hint: catalogue.Key("As much text as the feed provides. Emails shorten long posts.")},
	}
}

func picturesToChoose() []choice {
	return []choice{
		{Value: string(digest.NoImages), Name: catalogue.Key("No pictures")},
		{Value: string(digest.LinkedImages), Name: catalogue.Key("Links only")},
		{Value: string(digest.ProxiedImages), Name: catalogue.Key("Pictures"),
			Hint: catalogue.Key("All pictures in full posts, one with each excerpt")},
	}
}

// lookFields describes the look of emails and pages, and parses it. Missing fields keep their values. It returns the
// subject of emails.
func (v *visit) lookFields() (subject string) {
	d, same := &v.Digest, []choice{{Name: catalogue.Key("Same as email")}}
	groupings := []choice{
		{Value: string(digest.ByFolders), Name: catalogue.Key("Show folders")},
		{Value: string(digest.BySites), Name: catalogue.Key("Hide folders")},
	}
	subject = d.Subject()
	for _, list := range []struct {
		name  string
		value *string
		all   []choice
	}{
		{"layout", (*string)(&d.Layout), layoutsToChoose()},
		{"images", (*string)(&d.Images), picturesToChoose()},
		{"grouping", (*string)(&d.Grouping), groupings},
		{"web-layout", (*string)(&d.WebLayout), append(same, layoutsToChoose()...)},
		{"web-images", (*string)(&d.WebImages), slices.Delete(picturesToChoose(), 1, 2)},
		{"web-grouping", (*string)(&d.WebGrouping), append(same, groupings...)},
		{"subject", &subject, []choice{
			{Value: digest.SubjectLead, Name: catalogue.Key("Leading headline")},
			{Value: digest.SubjectDate, Name: catalogue.Key("Date and number of posts")},
		}},
		{"theme", (*string)(&v.Theme), []choice{
			{Value: string(digest.AsDevice), Name: catalogue.Key("Same as device")},
			{Value: string(digest.LightTheme), Name: catalogue.Key("Light")},
			{Value: string(digest.DarkTheme), Name: catalogue.Key("Dark")},
		}},
		{"size", (*string)(&v.TypeSize), []choice{
			{Value: string(digest.Smaller), Name: catalogue.Key("Smaller")},
			{Value: string(digest.AsBrowser), Name: catalogue.Key("Browser default")},
			{Value: string(digest.Larger), Name: catalogue.Key("Larger")},
			{Value: string(digest.Largest), Name: catalogue.Key("Largest")},
		}},
		{"direction", (*string)(&v.Direction), []choice{
			{Value: string(digest.LeftToRight), Name: catalogue.Key("Follow the language")},
			{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
		}},
	} {
		v.oneOf(selectKind, list.name, list.value, list.all)
	}
	v.check("threaded", &d.Threaded, "layout")
	v.check("shortcuts", &v.Shortcuts, "direction")
	v.check("player", &v.Player, "direction")
	return subject
}

// appearancePage shows the form, and saves all of it, whichever of its buttons was pressed.
func (s *site) appearancePage(v *visit) error {
	name := v.Digest.Name
	v.text(lineKind, "name", &name, maxDigestName)
	subject := v.lookFields()
	if v.posted() {
		if err := s.setAppearance(v, name, subject); err != nil || v.ok() {
			return err
		}
		v.status = http.StatusBadRequest
	}
	p := appearancePage{visit: v, Moved: v.URL.Query().Get("folder")}
	front, err := s.Store.Readers.FrontPageView(v.ctx, v.Digest.ID)
	for i, name := range front.Folders {
		p.Folders = append(p.Folders, frontFolder{name, i == 0, i == len(front.Folders)-1})
	}
	sites, lead := sitesToLead(front.Subscriptions)
	v.oneOf(selectKind, "feed", &lead, sites)
	return v.show(err, "settings_appearance", catalogue.Key("Appearance"), p)
}

// sitesToLead returns the choices of the lead site by title, after the choice "First site", and the present one.
func sitesToLead(subs []store.SubscriptionInfo) (sites []choice, lead string) {
	subs = slices.SortedFunc(slices.Values(subs), func(a, b store.SubscriptionInfo) int {
		return digest.CompareNames(shortened(titleOf(a)), shortened(titleOf(b)))
	})
	sites, lead = []choice{{Value: "0", Name: catalogue.Key("First site in your order")}}, "0"
	for _, sub := range subs {
		id := strconv.FormatInt(int64(sub.FeedID), 10)
		if !sub.Paused || sub.Leads {
			sites = append(sites, choice{Value: id, Name: shortened(titleOf(sub))})
		}
		if sub.Leads {
			lead = id
		}
	}
	return sites, lead
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

// setAppearance saves the form, or shows at the name that it is too long.
func (s *site) setAppearance(v *visit, name, subject string) error {
	form, id, d := v.PostForm, v.Digest.ID, v.Digest
	named, leads, moves := form.Has("name"), form.Has("feed"), form.Has("move")
	if err := hasAny(form, "layout", "web-layout", "direction", "name", "feed", "move"); err != nil {
		return err
	}
	if v.MemberOnly && (named || leads || moves) {
		return errMembersOnly
	}
	lead, noLead := strconv.ParseInt(form.Get("feed"), 10, 64)
	by, noWay := placesOf(form.Get("move"))
	if leads && noLead != nil || moves && noWay != nil ||
		!slices.Contains([]string{"", digest.SubjectDate, digest.SubjectLead}, subject) ||
		cmp.Or(d.Look.Check(), d.Arrangement.Check(), v.Pages.Check()) != nil {
		return errBadForm
	}
	name, wrong := nameOfForm(tooLongName, name, maxDigestName)
	if wrong != nil {
		v.fields["name"].Value = name
		v.wrong("name", wrong)
		return nil
	}
	d.DateSubject = subject == digest.SubjectDate
	var err error
	save := func(has bool, do func() error) {
		if has && err == nil {
			err = do()
		}
	}
	save(leads, func() error { return s.Store.Readers.SetLead(v.ctx, id, digest.FeedID(lead)) }) // may be rejected
	save(true, func() error { return s.Store.Readers.SetLook(v.ctx, id, d.Look) })
	save(true, func() error { return s.Store.Readers.SetArrangement(v.ctx, id, d.Arrangement) })
	save(true, func() error { return s.Store.Readers.SetPages(v.ctx, v.ID, v.Pages) })
	save(named, func() error { return s.Store.Readers.SetDigestName(v.ctx, id, name) })
	folder, word := v.Form.Get("folder"), "look"
	if moves {
		save(true, func() error { return s.Store.Readers.MoveFolder(v.ctx, id, folder, by) })
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
	return s.appearancePage(v)
}
