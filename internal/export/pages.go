package export

import (
	"context"
	_ "embed"
	"html/template"
	"io"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

//go:embed templates/page.html
var pageText string

// parseTemplates parses the templates of the pages. It panics if the embedded file is invalid.
func parseTemplates(l *catalogue.Language) *template.Template {
	funcs := template.FuncMap{"fileLabel": render.FileLabel, "fileFacts": render.FileFacts}
	return template.Must(template.New("page").Funcs(l.Funcs()).Funcs(funcs).Parse(pageText))
}

// page writes a page: the beginning, the output of body, and the end. up is the relative path to the root of the ZIP
// file.
func (e *Export) page(w io.Writer, title, up string,
	body func(write func(template string, data any) error) error) error {
	write := func(template string, data any) error { return e.templates.ExecuteTemplate(w, template, data) }
	if err := write("open", map[string]string{"Title": title, "Up": up}); err != nil {
		return err
	}
	if err := body(write); err != nil {
		return err
	}
	return write("close", nil)
}

type pagePost struct {
	digest.Post
	Text template.HTML // sanitised when it was stored
	Site string        // on pages that are not grouped by feed
}

func newPagePost(p digest.Post) pagePost { return pagePost{Post: p, Text: template.HTML(p.Content)} }

func (e *Export) writeIndex(_ context.Context, w io.Writer) error {
	return e.page(w, catalogue.Key("Editions").In(e.speaks), "", func(write func(string, any) error) error {
		var last digest.Date
		for _, x := range e.editions {
			if d := x.LocalDate; d.Year != last.Year || d.Month != last.Month {
				last = d
				if err := write("month", d); err != nil {
					return err
				}
			}
			line := map[string]any{"Page": pageName(x), "Day": x.LocalDate, "Number": x.Number}
			if err := write("line", line); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *Export) writeEdition(ctx context.Context, w io.Writer, x digest.Edition) error {
	refs, err := e.postsOf(ctx, []digest.Edition{x})
	if err != nil {
		return err
	}
	return e.page(w, catalogue.Day("Monday 2 January 2006", x.LocalDate).In(e.speaks), "../",
		func(write func(string, any) error) error {
			var section digest.FeedID
			return e.each(ctx, e.inSections(refs[x.ID]), func(post digest.Post) error {
				if post.FeedID != section {
					section = post.FeedID
					if err := write("site", e.labels[section]); err != nil {
						return err
					}
				}
				return write("post", newPagePost(post))
			})
		})
}

func (e *Export) writeSavedPage(ctx context.Context, w io.Writer) error {
	return e.page(w, catalogue.Key("Saved").In(e.speaks), "", func(write func(string, any) error) error {
		return e.eachSaved(ctx, func(s store.SavedPost) error {
			shown := newPagePost(s.Post)
			shown.Site = s.Label.Title
			return write("post", shown)
		})
	})
}
