package web

import (
	"cmp"
	"net/http"

	"digest"
	"digest/internal/catalogue"
)

// A mailPage asks how the mail is set.
type mailPage struct {
	settingsFrame
	Suppressed bool // nothing is mailed to the address
}

// Layouts are the ways of setting a mail.
func (p mailPage) Layouts() []choice { return layoutsToChoose(p.Digest.Layout) }

// Groupings are the ways of putting sites together.
func (p mailPage) Groupings() []choice { return groupingsToChoose(p.Digest.Grouping) }

// Pictures are the ways of showing pictures.
func (p mailPage) Pictures() []choice { return picturesToChoose(p.Digest.Images) }

// Subjects are what the subject of a mail can say.
func (p mailPage) Subjects() []choice {
	return chosen([]choice{
		{Value: digest.SubjectDate, Name: catalogue.Key("The date, and how much there is")},
		{Value: digest.SubjectLead, Name: catalogue.Key("The headline of the first post"), Hint: catalogue.Key("the one that leads the edition")},
	}, p.Digest.Subject())
}

func layoutsToChoose(l digest.Layout) []choice {
	return chosen([]choice{
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines"), Hint: catalogue.Key("one line a post")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Headlines and excerpts"), Hint: catalogue.Key("with the first sentences")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text"), Hint: catalogue.Key("as much as the site gives, and as a mail can hold")},
	}, string(l))
}

func picturesToChoose(i digest.Images) []choice {
	return chosen([]choice{
		{Value: string(digest.NoImages), Name: catalogue.Key("No pictures"), Hint: catalogue.Key("their descriptions")},
		{Value: string(digest.LinkedImages), Name: catalogue.Key("Links to pictures"), Hint: catalogue.Key("in full texts")},
		{Value: string(digest.ProxiedImages), Name: catalogue.Key("Pictures"), Hint: catalogue.Key("in full texts, and one above each excerpt; fetched by this site, so that no other learns that you read")},
	}, string(i))
}

func (s *site) mailPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := mailPage{settingsFrame: s.frame(r, me, "look", "mailed")}
	var err error
	_, p.Suppressed, err = s.Store.Suppressed(r.Context(), me.Email)
	return s.showPage(w, r, err, "settings_mail", catalogue.Key("Mail"), p)
}

func (s *site) setMail(w http.ResponseWriter, r *http.Request, me reader) error {
	look := digest.Look{
		Layout: digest.Layout(r.PostForm.Get("layout")), Images: digest.Images(r.PostForm.Get("images")),
		Threaded: r.PostForm.Get("threaded") == "on",
	}
	switch r.PostForm.Get("subject") {
	case digest.SubjectDate, "":
	case digest.SubjectLead:
		look.LeadSubject = true
	default:
		return errNoChoice
	}
	arrangement := me.Digest.Arrangement
	arrangement.Grouping = cmp.Or(digest.Grouping(r.PostForm.Get("grouping")), arrangement.Grouping)
	err := cmp.Or(look.Check(), arrangement.Check()) // neither is stored unless both are good
	if err == nil {
		err = s.Store.SetLook(r.Context(), me.Digest.ID, look)
	}
	if err == nil {
		err = s.Store.SetArrangement(r.Context(), me.Digest.ID, arrangement)
	}
	if digest.KindOf(err) == digest.Invalid {
		return errNoChoice
	}
	return showSaved(w, r, err, "/settings/mail", "look")
}

// Ways are those in which an edition comes.
func (p mailPage) Ways() []choice {
	way := "no"
	if p.Digest.Mailed {
		way = "yes"
	}
	return chosen([]choice{
		{Value: "yes", Name: catalogue.Key("By mail, and here")},
		{Value: "no", Name: catalogue.Key("Here only"), Hint: catalogue.Key("nothing is mailed; editions are made all the same")},
	}, way)
}

func (s *site) setMailed(w http.ResponseWriter, r *http.Request, me reader) error {
	way := r.PostForm.Get("mailed")
	if way != "yes" && way != "no" {
		return errNoChoice
	}
	return showSaved(w, r, s.Store.SetMailed(r.Context(), me.Digest.ID, way == "yes", s.Now()), "/settings/mail", "mailed")
}
