package web

import (
	"net/http"

	"digest"
)

// A mailPage asks how the mail is set.
type mailPage struct {
	settingsFrame
	Suppressed bool // nothing is mailed to the address
}

// Layouts are the ways of setting a mail.
func (p mailPage) Layouts() []choice { return layoutsToChoose(p.Digest.Layout) }

// Pictures are the ways of showing pictures.
func (p mailPage) Pictures() []choice { return picturesToChoose(p.Digest.Images) }

// Subjects are what the subject of a mail can say.
func (p mailPage) Subjects() []choice {
	return chosen([]choice{
		{Value: digest.SubjectDate, Name: "The date, and how much there is"},
		{Value: digest.SubjectLead, Name: "The headline of the first post", Hint: "the one that leads the edition"},
	}, p.Digest.Subject())
}

func layoutsToChoose(l digest.Layout) []choice {
	return chosen([]choice{
		{Value: string(digest.Headlines), Name: "Headlines", Hint: "one line a post"},
		{Value: string(digest.Excerpts), Name: "Headlines and excerpts", Hint: "with the first sentences"},
		{Value: string(digest.FullText), Name: "Full text", Hint: "as much as the site gives, and as a mail can hold"},
	}, string(l))
}

func picturesToChoose(i digest.Images) []choice {
	return chosen([]choice{
		{Value: string(digest.NoImages), Name: "No pictures", Hint: "their descriptions"},
		{Value: string(digest.LinkedImages), Name: "Links to pictures"},
		{Value: string(digest.ProxiedImages), Name: "Pictures", Hint: "fetched by this site, so that no other learns that you read"},
	}, string(i))
}

func (s *site) mailPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := mailPage{settingsFrame: s.frame(r, me, "look", "mailed")}
	var err error
	_, p.Suppressed, err = s.Store.Suppressed(r.Context(), me.Email)
	return s.showPage(w, r, err, "settings_mail", "Mail", p)
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
	err := s.Store.SetLook(r.Context(), me.Digest.ID, look)
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
		{Value: "yes", Name: "By mail, and here"},
		{Value: "no", Name: "Here only", Hint: "nothing is mailed; editions are made all the same"},
	}, way)
}

func (s *site) setMailed(w http.ResponseWriter, r *http.Request, me reader) error {
	way := r.PostForm.Get("mailed")
	if way != "yes" && way != "no" {
		return errNoChoice
	}
	return showSaved(w, r, s.Store.SetMailed(r.Context(), me.Digest.ID, way == "yes", s.Now()), "/settings/mail", "mailed")
}
