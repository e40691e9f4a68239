package web

import (
	"cmp"
	"net/http"

	"digest"
	"digest/internal/catalogue"
)

// A pagesPage asks how the pages are, and how editions look on them.
type pagesPage struct{ settingsFrame }

// Directions are those in which pages can run.
func (p pagesPage) Directions() []choice {
	return chosen([]choice{
		{Value: string(digest.LeftToRight), Name: catalogue.Key("As the language runs")},
		{Value: string(digest.RightToLeft), Name: catalogue.Key("Right to left")},
	}, string(p.Direction))
}

// Themes are the colours that pages can have.
func (p pagesPage) Themes() []choice {
	return chosen([]choice{
		{Value: string(digest.AsDevice), Name: catalogue.Key("As your device is"), Hint: catalogue.Key("light or dark, also where it changes in the evening")},
		{Value: string(digest.LightTheme), Name: catalogue.Key("Light")},
		{Value: string(digest.DarkTheme), Name: catalogue.Key("Dark")},
	}, string(p.Theme))
}

// Sizes are those that letters can have.
func (p pagesPage) Sizes() []choice {
	return chosen([]choice{
		{Value: string(digest.Smaller), Name: catalogue.Key("Smaller")},
		{Value: string(digest.AsBrowser), Name: catalogue.Key("As your browser has them")},
		{Value: string(digest.Larger), Name: catalogue.Key("Larger")},
		{Value: string(digest.Largest), Name: catalogue.Key("Largest")},
	}, string(p.TypeSize))
}

// Layouts are the ways of setting an edition on pages.
func (p pagesPage) Layouts() []choice {
	as := []choice{{Name: catalogue.Key("As in the mail")}}
	return chosen(append(as, layoutsToChoose("")...), string(p.Digest.WebLayout))
}

// Pictures say whether pages show any.
func (p pagesPage) Pictures() []choice {
	return chosen([]choice{
		{Value: string(digest.ProxiedImages), Name: catalogue.Key("Pictures"), Hint: catalogue.Key("fetched by this site, so that no other learns that you read")},
		{Value: string(digest.NoImages), Name: catalogue.Key("No pictures"), Hint: catalogue.Key("their descriptions")},
	}, string(p.Digest.WebImages))
}

// Groupings are the ways of putting sites together on pages.
func (p pagesPage) Groupings() []choice {
	as := []choice{{Name: catalogue.Key("As in the mail")}}
	return chosen(append(as, groupingsToChoose("")...), string(p.Digest.WebGrouping))
}

func groupingsToChoose(g digest.Grouping) []choice {
	return chosen([]choice{
		{Value: string(digest.ByFolders), Name: catalogue.Key("By folders"), Hint: catalogue.Key("the sites of a folder together, under its name")},
		{Value: string(digest.BySites), Name: catalogue.Key("By sites alone"), Hint: catalogue.Key("all of them by their names")},
	}, string(g))
}

func (s *site) pagesPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_pages", catalogue.Key("Pages"), pagesPage{s.frame(r, me, "pages", "edition")})
}

func (s *site) setPages(w http.ResponseWriter, r *http.Request, me reader) error {
	form := r.PostForm
	err := s.Store.SetPages(r.Context(), me.ID, digest.Pages{
		Direction: digest.Direction(form.Get("direction")), Shortcuts: form.Get("shortcuts") == "on", Player: form.Get("player") == "on",
		Theme: cmp.Or(digest.Theme(form.Get("theme")), me.Theme), TypeSize: cmp.Or(digest.TypeSize(form.Get("size")), me.TypeSize),
	})
	if digest.KindOf(err) == digest.Invalid {
		return errNoChoice
	}
	return showSaved(w, r, err, "/settings/pages", "pages")
}

// setPagesEdition sets how editions look on pages.
func (s *site) setPagesEdition(w http.ResponseWriter, r *http.Request, me reader) error {
	err := s.Store.SetArrangement(r.Context(), me.Digest.ID, digest.Arrangement{
		Grouping: me.Digest.Grouping, WebLayout: digest.Layout(r.PostForm.Get("layout")),
		WebGrouping: digest.Grouping(r.PostForm.Get("grouping")), WebImages: digest.Images(r.PostForm.Get("images")),
	})
	if digest.KindOf(err) == digest.Invalid {
		return errNoChoice
	}
	return showSaved(w, r, err, "/settings/pages", "edition")
}
