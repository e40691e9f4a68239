package export

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"digest"
	"digest/store"
)

//go:embed page.html
var pageText string

// pieces parses what pages are made of; it panics if the embedded file is
// broken, which no input can cause.
func pieces() *template.Template { return template.Must(template.New("page").Parse(pageText)) }

// A pageWriter writes a page piece by piece.
type pageWriter struct {
	pieces *template.Template
	w      io.Writer
}

// newPage begins a page; up is how its links lead to the top of the file.
func (e *Export) newPage(w io.Writer, title, up string) (pageWriter, error) {
	p := pageWriter{e.pieces, w}
	return p, p.piece("open", map[string]string{"Title": title, "Up": up})
}

func (p pageWriter) piece(name string, data any) error {
	return p.pieces.ExecuteTemplate(p.w, name, data)
}

// entry is one post on a page.
type entry struct {
	digest.Post
	Text template.HTML // as it was sanitised when it was stored
	Site string        // on pages that are not by site
	Date string
}

func newEntry(p digest.Post) entry {
	e := entry{Post: p, Text: template.HTML(p.Content)}
	if !p.PublishedAt.IsZero() {
		e.Date = p.PublishedAt.UTC().Format("2 January 2006")
	}
	return e
}

func (e *Export) writeIndex(_ context.Context, w io.Writer) error {
	p, err := e.newPage(w, "Editions", "")
	if err != nil {
		return err
	}
	month := ""
	for _, x := range e.editions {
		if m := x.LocalDate.Format("January 2006"); m != month {
			month = m
			if err := p.piece("month", m); err != nil {
				return err
			}
		}
		line := map[string]string{"Page": pageName(x), "Day": x.LocalDate.Format("Monday 2 January 2006"), "Number": fmt.Sprint(x.Number)}
		if err := p.piece("line", line); err != nil {
			return err
		}
	}
	return p.piece("close", nil)
}

func (e *Export) writeEdition(ctx context.Context, w io.Writer, x digest.Edition) error {
	p, err := e.newPage(w, x.LocalDate.Format("Monday 2 January 2006"), "../")
	if err != nil {
		return err
	}
	refs, err := e.postsOf(ctx, []digest.Edition{x})
	if err != nil {
		return err
	}
	var site digest.FeedID
	err = e.each(ctx, e.bySite(refs[x.ID]), func(post digest.Post) error {
		if post.FeedID != site {
			site = post.FeedID
			if err := p.piece("site", e.sources[site]); err != nil {
				return err
			}
		}
		return p.piece("post", newEntry(post))
	})
	if err != nil {
		return err
	}
	return p.piece("close", nil)
}

func (e *Export) writeSavedPage(ctx context.Context, w io.Writer) error {
	p, err := e.newPage(w, "Saved", "")
	if err != nil {
		return err
	}
	err = e.eachSaved(ctx, func(s store.SavedPost) error {
		x := newEntry(s.Post)
		x.Site = s.Label.Title
		return p.piece("post", x)
	})
	if err != nil {
		return err
	}
	return p.piece("close", nil)
}

// FileName is what a browser may call the file.
func FileName(now time.Time) string { return "digest-" + now.UTC().Format(time.DateOnly) + ".zip" }
