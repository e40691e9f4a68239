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
	maxList    = 10 << 20        // bytes of a list; two thousand feeds are half a megabyte
	importTime = 3 * time.Minute // for a list on its way and in the database, by the machine's clock
)

// A feedsImportPage asks for a list.
type feedsImportPage struct {
	Wrong    catalogue.Sayable
	Imported bool // there is a report of an earlier one
}

// Most is how large a list may be, in megabytes.
func (feedsImportPage) Most() int { return maxList >> 20 }

func (s *site) feedsImportPage(w http.ResponseWriter, r *http.Request, me reader) error {
	_, err := s.Store.ListImport(r.Context(), me.Digest.ID)
	p := feedsImportPage{Imported: err == nil}
	if digest.KindOf(err) == digest.NotFound {
		err = nil
	}
	return s.showPage(w, r, err, "feeds_import", catalogue.Key("Import sites"), p)
}

// importList subscribes to the feeds of a list, however badly it is written, and leads to
// the report; the same list again changes nothing.
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
	leave, err := s.importing.enter(ctx) // one at a time: a list takes memory
	if err != nil {
		return err
	}
	defer leave()
	if err := s.Subscriber.ImportReported(ctx, me.Digest.ID, sent.body, mostFeeds, writtenReport); err != nil {
		return s.orNoList(w, r, err)
	}
	return seeOther(w, r, "/feeds/import/report")
}

// orNoList shows the form again with the reason why nothing was imported.
func (s *site) orNoList(w http.ResponseWriter, r *http.Request, err error) error {
	if asProblem(err) == errTooLarge {
		drain(r)
		wrong := catalogue.Key("The file is larger than %d MB. Nothing was imported. Export the list again, or split it.").With(maxList >> 20)
		return s.show(w, r, http.StatusRequestEntityTooLarge, "feeds_import", catalogue.Key("File too large"),
			feedsImportPage{Wrong: wrong})
	}
	wrong, err := asSaid(err)
	return orShow(err, func() error {
		return s.show(w, r, http.StatusBadRequest, "feeds_import", catalogue.Key("No file"),
			feedsImportPage{Wrong: wrong})
	})
}

// A sentList is a file that a form brought, with what the form's fields before it say.
type sentList struct {
	name string // as the browser calls it
	body []byte
	form url.Values
}

// mostField is how much is read of a field beside the file, in bytes.
const mostField = 100

// receiveList reads the file that a form brings. One that is too large is not
// read at all where its length is told.
func (s *site) receiveList(w http.ResponseWriter, r *http.Request) (sent sentList, err error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(importTime)) // a recorder in a test has none
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

// errNoFile is for a form without a file.
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

// exportList sends all of the reader's subscriptions as OPML; with what private feeds are
// asked with if a form says so.
func (s *site) exportList(w http.ResponseWriter, r *http.Request, me reader) error {
	h := w.Header()
	h.Set("Content-Type", "text/x-opml; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "feeds.opml"}))
	return s.Subscriber.Export(r.Context(), me.Digest.ID, "Feeds of "+me.Email, r.PostForm.Get("credentials") != "", w)
}
