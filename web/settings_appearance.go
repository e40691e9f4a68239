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
	"digest/web/page"
)

// An appearancePage is the form for the look of emails and pages, and for the name and the order of editions.
type appearancePage struct {
	*page.Visit
	Folders []frontFolder
	Moved   string         // the folder that was just moved
	Tried   *leadRehearsal // what would have led; nil if it was not tried
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

// lookFields describes the look of emails and pages, and parses it. Missing fields keep their values. It returns the
// subject of emails, what headlines open, and the reading time.
func lookFields(v *page.Visit) (subject, headlines, budget string) {
	d, same := &v.Digest, []page.Choice{{Name: catalogue.Key("Same as email")}}
	groupings := []page.Choice{
		{Value: string(digest.ByFolders), Name: catalogue.Key("Show folders")},
		{Value: string(digest.BySites), Name: catalogue.Key("Hide folders")},
	}
	subject, headlines = d.Subject(), d.Arrangement.Headlines()
	budget = strconv.Itoa(d.Budget)
	var budgets []page.Choice
	for _, n := range digest.Budgets() {
		budgets = append(budgets, page.Choice{Value: strconv.Itoa(n), Name: catalogue.Key("%d minutes").With(n)})
	}
	budgets[0].Name = catalogue.Key("No limit")
	for _, list := range []struct {
		name  string
		value *string
		all   []page.Choice
	}{
		{"layout", (*string)(&d.Layout), page.LayoutsToChoose()},
		{"images", (*string)(&d.Images), page.PicturesToChoose()},
		{"grouping", (*string)(&d.Grouping), groupings},
		{"web-layout", (*string)(&d.WebLayout), append(same, page.LayoutsToChoose()...)},
		{"web-images", (*string)(&d.WebImages), slices.Delete(page.PicturesToChoose(), 1, 2)},
		{"web-grouping", (*string)(&d.WebGrouping), append(same, groupings...)},
		{"headlines", &headlines, []page.Choice{
			{Value: digest.OpensAuthor, Name: catalogue.Key("The author’s page")},
			{Value: digest.OpensText, Name: catalogue.Key("The text here, where a post has one")},
		}},
		{"subject", &subject, []page.Choice{
			{Value: digest.SubjectLead, Name: catalogue.Key("Leading headline")},
			{Value: digest.SubjectDate, Name: catalogue.Key("Date and number of posts")},
		}},
		{"reading-time", &budget, budgets},
		{"theme", (*string)(&v.Theme), []page.Choice{
			{Value: string(digest.AsDevice), Name: catalogue.Key("Same as device")},
			{Value: string(digest.LightTheme), Name: catalogue.Key("Light")},
			{Value: string(digest.DarkTheme), Name: catalogue.Key("Dark")},
		}},
		{"size", (*string)(&v.TypeSize), []page.Choice{
			{Value: string(digest.Smaller), Name: catalogue.Key("Smaller")},
			{Value: string(digest.AsBrowser), Name: catalogue.Key("Browser default")},
			{Value: string(digest.Larger), Name: catalogue.Key("Larger")},
			{Value: string(digest.Largest), Name: catalogue.Key("Largest")},
		}},
		{"direction", (*string)(&v.Direction), []page.Choice{
			{Value: string(digest.LeftToRight), Name: catalogue.Key("Follow the language")},
			{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
		}},
	} {
		v.AddChoice(page.SelectKind, list.name, list.value, list.all)
	}
	v.AddCheck("threaded", &d.Threaded, "layout")
	v.AddCheck("shortcuts", &v.Shortcuts, "direction")
	v.AddCheck("player", &v.Player, "direction")
	return subject, headlines, budget
}

// appearancePage shows the form, and saves all of it, whichever of its buttons was pressed. The buttons preview, try
// and back save nothing.
func (s *site) appearancePage(v *page.Visit) error {
	name := v.Digest.Name
	v.AddText(page.LineKind, "name", &name, page.MaxDigestName)
	subject, headlines, budget := lookFields(v)
	p := appearancePage{Visit: v, Moved: v.URL.Query().Get("folder")}
	var err error
	switch {
	case !v.Posted():
	case v.PostForm.Has("back"):
		v.Status = http.StatusOK
	case v.PostForm.Has("try"):
		v.Status = http.StatusOK
		if p.Tried, err = s.tryLead(v); err != nil {
			return err
		}
	default:
		if err := s.setAppearance(v, name, subject, headlines, budget); err != nil || v.OK() {
			return err
		}
		v.Status = http.StatusBadRequest
	}
	front, err := s.Store.Readers.FrontPageView(v.Ctx, v.Digest.ID)
	for i, name := range front.Folders {
		p.Folders = append(p.Folders, frontFolder{name, i == 0, i == len(front.Folders)-1})
	}
	sites, lead := sitesToLead(front.Subscriptions)
	v.AddChoice(page.SelectKind, "feed", &lead, sites)
	return v.Show(err, "settings_appearance", catalogue.Key("Appearance"), p)
}

// sitesToLead returns the choices of the lead site by title, after the choice "First site", and the present one.
func sitesToLead(subs []store.SubscriptionInfo) (sites []page.Choice, lead string) {
	subs = slices.SortedFunc(slices.Values(subs), func(a, b store.SubscriptionInfo) int {
		return digest.CompareNames(page.Shortened(titleOf(a)), page.Shortened(titleOf(b)))
	})
	sites, lead = []page.Choice{{Value: "0", Name: catalogue.Key("Chosen automatically")}}, "0"
	for _, sub := range subs {
		id := strconv.FormatInt(int64(sub.FeedID), 10)
		if !sub.Paused || sub.Leads {
			sites = append(sites, page.Choice{Value: id, Name: page.Shortened(titleOf(sub))})
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
func (s *site) setAppearance(v *page.Visit, name, subject, headlines, budget string) error {
	form, id, d := v.PostForm, v.Digest.ID, v.Digest
	named, leads, moves := form.Has("name"), form.Has("feed"), form.Has("move")
	if err := page.HasAny(form, "layout", "web-layout", "direction", "name", "feed", "move"); err != nil {
		return err
	}
	if v.MemberOnly && (named || leads || moves) {
		return page.ErrMembersOnly
	}
	lead, noLead := strconv.ParseInt(form.Get("feed"), 10, 64)
	by, noWay := placesOf(form.Get("move"))
	var noBudget error
	d.Budget, noBudget = strconv.Atoi(budget)
	if leads && noLead != nil || moves && noWay != nil || noBudget != nil ||
		!slices.Contains([]string{"", digest.SubjectDate, digest.SubjectLead}, subject) ||
		!slices.Contains([]string{"", digest.OpensAuthor, digest.OpensText}, headlines) ||
		cmp.Or(d.Look.Check(), d.Arrangement.Check(), v.Pages.Check()) != nil {
		return page.ErrBadForm
	}
	name, wrong := page.NameOfForm(page.TooLongName, name, page.MaxDigestName)
	if wrong != nil {
		v.Fields()["name"].Value = name
		v.Reject("name", wrong)
		return nil
	}
	if form.Has("preview") {
		return s.previewLook(v, d)
	}
	d.DateSubject, d.ReadHere = subject == digest.SubjectDate, headlines == digest.OpensText
	var err error
	save := func(has bool, do func() error) {
		if has && err == nil {
			err = do()
		}
	}
	save(leads, func() error { return s.Store.Readers.SetLead(v.Ctx, id, digest.FeedID(lead)) }) // may be rejected
	save(true, func() error { return s.Store.Readers.SetLook(v.Ctx, id, d.Look) })
	save(true, func() error { return s.Store.Readers.SetArrangement(v.Ctx, id, d.Arrangement) })
	save(true, func() error { return s.Store.Readers.SetPages(v.Ctx, v.ID, v.Pages) })
	save(named, func() error { return s.Store.Readers.SetDigestName(v.Ctx, id, name) })
	folder, word := v.Form.Get("folder"), "look"
	if moves {
		save(true, func() error { return s.Store.Readers.MoveFolder(v.Ctx, id, folder, by) })
		word = map[bool]string{true: "up", false: "down"}[by < 0] + "&folder=" + url.QueryEscape(folder)
	}
	return v.SeeSaved(err, "/settings/appearance", word)
}

// setWeb saves the form of the former page /settings/pages/edition, whose fields have the names of email fields.
func (s *site) setWeb(v *page.Visit) error {
	form := url.Values{}
	for name, values := range v.PostForm {
		form["web-"+name] = values
	}
	v.PostForm = form
	return s.appearancePage(v)
}
