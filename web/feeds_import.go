package web

import (
	"context"
	"mime"
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

type feedsImportPage struct {
	Wrong    catalogue.Sayable
	Imported bool // there is a report of an earlier import
}

// Most returns the maximum size of a list in megabytes.
func (feedsImportPage) Most() int { return page.MaxList >> 20 }

func (s *site) feedsImportPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	_, err := s.Store.Subscriptions.ListImport(r.Context(), me.Digest.ID)
	p := feedsImportPage{Imported: err == nil}
	if digest.KindOf(err) == digest.NotFound {
		err = nil
	}
	return s.ShowPage(w, r, err, "feeds_import", catalogue.Key("Import sites"), p)
}

// importList subscribes to the feeds of a list and redirects to the report. It accepts malformed
// lists. Importing the same list again changes nothing.
func (s *site) importList(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	if !s.Limits.Imports.Allow(me.Key(), s.Now()) {
		return page.ErrTooManyFinds
	}
	sent, err := s.ReceiveList(w, r)
	if err != nil {
		return s.orNoList(w, r, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), page.ImportTime)
	defer cancel()
	leave, err := s.importing.Enter(ctx) // one at a time, because a list takes much memory
	if err != nil {
		return err
	}
	defer leave()
	if err := s.Subscriber.ImportReported(ctx, me.Digest.ID, sent.Body, mostFeeds, writtenReport); err != nil {
		return s.orNoList(w, r, err)
	}
	return page.SeeOther(w, r, "/feeds/import/report")
}

// orNoList shows the form again with the reason why the import failed.
func (s *site) orNoList(w http.ResponseWriter, r *http.Request, err error) error {
	if page.AsProblem(err) == page.ErrTooLarge {
		page.Drain(r)
		wrong := catalogue.Key(
			"The file is larger than %d MB. Nothing was imported. Export the list again, or split it.").With(
			page.MaxList >> 20)
		return s.Show(w, r, http.StatusRequestEntityTooLarge, "feeds_import", catalogue.Key("File too large"),
			feedsImportPage{Wrong: wrong})
	}
	wrong, err := page.AsSaid(err)
	if err != nil {
		return err
	}
	return s.Show(w, r, http.StatusBadRequest, "feeds_import", catalogue.Key("No file"),
		feedsImportPage{Wrong: wrong})
}

// exportList sends all subscriptions of the reader as OPML. It includes the credentials of private
// feeds if the form asks for them.
func (s *site) exportList(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	h := w.Header()
	h.Set("Content-Type", "text/x-opml; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "feeds.opml"}))
	return s.Subscriber.Export(r.Context(), me.Digest.ID, "Feeds of "+me.Email, r.PostForm.Get("credentials") != "", w)
}
