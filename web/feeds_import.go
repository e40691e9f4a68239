package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/internal/catalogue"
)

const (
	maxList    = 10 << 20        // bytes; 2,000 feeds take about 500 KB
	importTime = 3 * time.Minute // limit for the upload and the database, by the system clock
)

type feedsImportPage struct {
	Wrong    catalogue.Sayable
	Imported bool // there is a report of an earlier import
}

// Most returns the maximum size of a list in megabytes.
func (feedsImportPage) Most() int { return maxList >> 20 }

func (s *site) feedsImportPage(w http.ResponseWriter, r *http.Request, me reader) error {
	_, err := s.Store.Subscriptions.ListImport(r.Context(), me.Digest.ID)
	p := feedsImportPage{Imported: err == nil}
	if digest.KindOf(err) == digest.NotFound {
		err = nil
	}
	return s.showPage(w, r, err, "feeds_import", catalogue.Key("Import sites"), p)
}

// importList subscribes to the feeds of a list and redirects to the report. It accepts malformed
// lists. Importing the same list again changes nothing.
func (s *site) importList(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.limits.imports.allow(me.key(), s.Now()) {
		return errTooManyFinds
	}
	sent, err := s.receiveList(w, r)
	if err != nil {
		return s.orNoList(w, r, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), importTime)
	defer cancel()
	leave, err := s.importing.enter(ctx) // one at a time, because a list takes much memory
	if err != nil {
		return err
	}
	defer leave()
	if err := s.Subscriber.ImportReported(ctx, me.Digest.ID, sent.body, mostFeeds, writtenReport); err != nil {
		return s.orNoList(w, r, err)
	}
	return seeOther(w, r, "/feeds/import/report")
}

// orNoList shows the form again with the reason why the import failed.
func (s *site) orNoList(w http.ResponseWriter, r *http.Request, err error) error {
	if asProblem(err) == errTooLarge {
		drain(r)
		wrong := catalogue.Key(
			"The file is larger than %d MB. Nothing was imported. Export the list again, or split it.").With(
			maxList >> 20)
		return s.show(w, r, http.StatusRequestEntityTooLarge, "feeds_import", catalogue.Key("File too large"),
			feedsImportPage{Wrong: wrong})
	}
	wrong, err := asSaid(err)
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusBadRequest, "feeds_import", catalogue.Key("No file"),
		feedsImportPage{Wrong: wrong})
}

// A sentList is an uploaded file with the form fields before it.
type sentList struct {
	name string // file name from the browser
	body []byte
	form url.Values
}

// mostField is the maximum size of another field in bytes.
const mostField = 100

// receiveList reads the uploaded file. If Content-Length is too large, it rejects the request
// without reading the body.
func (s *site) receiveList(w http.ResponseWriter, r *http.Request) (sent sentList, err error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(importTime)) // httptest's recorder supports no deadlines
	_ = c.SetWriteDeadline(time.Now().Add(2 * importTime))
	if r.ContentLength > maxList+maxBody {
		return sent, errTooLarge
	}
	form, err := r.MultipartReader()
	if err != nil {
		return sent, errNoFile
	}
	sent.form = url.Values{}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return sent, errNoFile
		}
		if err != nil {
			return sent, tooLargeOr(err, errBadForm)
		}
		if part.FormName() == "list" {
			sent.name = part.FileName()
			sent.body, err = readPart(part)
			return sent, err
		}
		if value, err := io.ReadAll(io.LimitReader(part, mostField)); err == nil && len(sent.form) < mostField {
			sent.form.Set(part.FormName(), string(value))
		}
	}
}

var errNoFile = digest.Refuse(digest.Invalid, "no file chosen; choose the file that your other reader exported")

func readPart(part *multipart.Part) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(part, maxList+1))
	switch {
	case err != nil:
		return nil, tooLargeOr(err, errBadForm)
	case len(body) > maxList:
		return nil, errTooLarge
	case len(body) == 0 && part.FileName() == "":
		return nil, errNoFile
	}
	return body, nil
}

// exportList sends all subscriptions of the reader as OPML. It includes the credentials of private
// feeds if the form asks for them.
func (s *site) exportList(w http.ResponseWriter, r *http.Request, me reader) error {
	h := w.Header()
	h.Set("Content-Type", "text/x-opml; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "feeds.opml"}))
	return s.Subscriber.Export(r.Context(), me.Digest.ID, "Feeds of "+me.Email, r.PostForm.Get("credentials") != "", w)
}
