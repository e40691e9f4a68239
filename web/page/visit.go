package page

import (
	"context"
	"html/template"
	"net/http"
	"strings"

	"digest/internal/catalogue"
)

// A Visit is the request of a signed-in reader for a page with forms, and the response. The templates of settings,
// publisher and operator pages show it.
type Visit struct {
	*http.Request
	Reader
	OwnDigest
	Title   any    // heading of the page: catalogue.Sayable, or text; nil: the title of the page
	Saved   string // the query parameter SavedWord, from any visitor
	Wrong   any    // why nothing was changed, for the notice of the page; nil: no error of the whole form
	Ctx     context.Context
	PathID  int64 // the {id} of the path; 0: none
	Status  int   // of the page
	fields  map[string]*field
	focused bool // a field has the focus
	W       http.ResponseWriter
	site    *Site
}

// AsReader makes a handler of h, like ForReader.
func (s *Site) AsReader(h func(*Visit) error) Handler {
	return s.ForReader(func(w http.ResponseWriter, r *http.Request, me Reader) error {
		var pathID int64
		if r.PathValue("id") != "" {
			var err error
			if pathID, err = PathKey(r); err != nil {
				return err
			}
		}
		v := Visit{Request: r, Reader: me, OwnDigest: s.OwnDigest(me.Digest), Saved: r.URL.Query().Get(SavedWord),
			Ctx: r.Context(), PathID: pathID, Status: http.StatusOK, fields: map[string]*field{}, W: w, site: s}
		if v.Posted() {
			v.Status = http.StatusUnprocessableEntity
		}
		return h(&v)
	})
}

// AsOperator makes a handler of h, like ForOperator.
func (s *Site) AsOperator(h func(*Visit) error) Handler {
	return s.AsReader(func(v *Visit) error {
		if !v.Operator {
			return ErrNotFound
		}
		return h(v)
	})
}

// Posted reports whether a form was posted.
func (v *Visit) Posted() bool { return v.Method == http.MethodPost }

// OK reports whether a form was posted and nothing in it is wrong so far.
func (v *Visit) OK() bool {
	for _, f := range v.fields {
		if f.Wrong != nil {
			return false
		}
	}
	return v.Posted() && v.Wrong == nil
}

// Show returns err, or shows the page. After a POST its status is 422, unless the handler has set another one.
func (v *Visit) Show(err error, name string, title, page any) error {
	if err != nil {
		return err
	}
	if v.Title == nil {
		v.Title = title
	}
	return v.site.Show(v.W, v.Request, v.Status, name, title, page)
}

// SeeSaved returns err, or redirects to the page at path, which confirms the change.
func (v *Visit) SeeSaved(err error, path, word string) error {
	return SeeSaved(v.W, v.Request, err, path, word)
}

// SeeOther redirects to a path with GET.
func (v *Visit) SeeOther(path string) error { return SeeOther(v.W, v.Request, path) }

// Refused reports whether err is about invalid input, and shows it at a field, or in the notice if field is "".
func (v *Visit) Refused(err error, field string) bool {
	wrong, _ := AsSaid(err)
	if wrong != nil {
		v.Reject(field, wrong)
	}
	return wrong != nil
}

// A sheetView is the frame of a page with forms: the link back, the heading, and the notice of an error.
type sheetView struct {
	*Visit
	Class, Back string
	BackName    any
}

// Sheet returns the beginning of the page for its template, with a link to the page above it.
func (v *Visit) Sheet(class, back string, name any) sheetView { return sheetView{v, class, back, name} }

// Done returns the notice that a change was saved, if its word is the one in the address.
func (v *Visit) Done(word string, text ...any) template.HTML {
	if v.Saved != word {
		return ""
	}
	var b strings.Builder
	for _, part := range text {
		if html, ok := part.(template.HTML); ok {
			b.WriteString(" " + string(html))
		} else {
			b.WriteString(" " + template.HTMLEscaper(part))
		}
	}
	return template.HTML(`<p class="notice done" role="status">` + b.String()[1:] + "</p>")
}

// PageLanguage returns the language of the page.
func (v *Visit) PageLanguage() *catalogue.Language { return v.site.Language(v.Request) }
