package web

import (
	"context"
	"html/template"
	"net/http"
	"strings"

	"digest/internal/catalogue"
)

// A visit is the request of a signed-in reader for a page with forms, and the response. The templates of settings,
// publisher and operator pages show it.
type visit struct {
	*http.Request
	reader
	standing
	Title   any    // heading of the page: catalogue.Sayable, or text; nil: the title of the page
	Saved   string // the query parameter savedWord, from any visitor
	Wrong   any    // why nothing was changed, for the notice of the page; nil: no error of the whole form
	ctx     context.Context
	pathID  int64 // the {id} of the path; 0: none
	status  int   // of the page
	fields  map[string]*field
	focused bool // a field has the focus
	w       http.ResponseWriter
	site    *site
}

// asReader makes a handler of h, like forReader.
func (s *site) asReader(h func(*visit) error) handler {
	return s.forReader(func(w http.ResponseWriter, r *http.Request, me reader) error {
		var pathID int64
		if r.PathValue("id") != "" {
			var err error
			if pathID, err = pathKey(r); err != nil {
				return err
			}
		}
		v := visit{Request: r, reader: me, standing: s.standing(me.Digest), Saved: r.URL.Query().Get(savedWord),
			ctx: r.Context(), pathID: pathID, status: http.StatusOK, fields: map[string]*field{}, w: w, site: s}
		if v.posted() {
			v.status = http.StatusUnprocessableEntity
		}
		return h(&v)
	})
}

// asOperator makes a handler of h, like forOperator.
func (s *site) asOperator(h func(*visit) error) handler {
	return s.asReader(func(v *visit) error {
		if !v.Operator {
			return errNotFound
		}
		return h(v)
	})
}

func (v *visit) posted() bool { return v.Method == http.MethodPost }

// ok reports whether a form was posted and nothing in it is wrong so far.
func (v *visit) ok() bool {
	for _, f := range v.fields {
		if f.Wrong != nil {
			return false
		}
	}
	return v.posted() && v.Wrong == nil
}

// show returns err, or shows the page. After a POST its status is 422, unless the handler has set another one.
func (v *visit) show(err error, name string, title, page any) error {
	if err != nil {
		return err
	}
	if v.Title == nil {
		v.Title = title
	}
	return v.site.show(v.w, v.Request, v.status, name, title, page)
}

// saved returns err, or redirects to the page at path, which confirms the change.
func (v *visit) saved(err error, path, word string) error {
	return showSaved(v.w, v.Request, err, path, word)
}

func (v *visit) seeOther(path string) error { return seeOther(v.w, v.Request, path) }

// refused reports whether err is about invalid input, and shows it at a field, or in the notice if field is "".
func (v *visit) refused(err error, field string) bool {
	wrong, _ := asSaid(err)
	if wrong != nil {
		v.wrong(field, wrong)
	}
	return wrong != nil
}

// A sheetView is the frame of a page with forms: the link back, the heading, and the notice of an error.
type sheetView struct {
	*visit
	Class, Back string
	BackName    any
}

// Sheet returns the beginning of the page for its template, with a link to the page above it.
func (v *visit) Sheet(class, back string, name any) sheetView { return sheetView{v, class, back, name} }

// Done returns the notice that a change was saved, if its word is the one in the address.
func (v *visit) Done(word string, text ...any) template.HTML {
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

// language returns the language of the page.
func (v *visit) language() *catalogue.Language { return v.site.language(v.Request) }
