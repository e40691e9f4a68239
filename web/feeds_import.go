package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
)

const (
	maxList    = 10 << 20        // bytes of a list; two thousand feeds are half a megabyte
	importTime = 3 * time.Minute // for a list on its way and in the database, by the machine's clock
	shownLines = 200             // of a report: what goes on behind is counted
)

// A feedsImportPage asks for a list, and says what became of one.
type feedsImportPage struct{ Wrong string }

// Most is how large a list may be, in megabytes.
func (feedsImportPage) Most() int { return maxList >> 20 }

// A listReport is what became of a list.
type listReport struct {
	Name   string // of the list; may be empty
	Feeds  int    // in the file
	Result store.ImportResult
	Unread []feed.BadLine
	More   int // lines beyond those of Unread
	Left   []string
	Full   int // feeds for which there was no room
	Most   int // feeds of one reader
	Notes  []string
}

func (s *site) feedsImportPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "feeds_import", "Import a list", feedsImportPage{})
}

// importList subscribes to the feeds of a list, however badly it is written. The answer is
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
	select { // one at a time: a list takes memory
	case s.importing <- struct{}{}:
		defer func() { <-s.importing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	list, result, err := s.Subscriber.Import(ctx, me.Digest.ID, sent.body, mostFeeds)
	if err != nil {
		return s.orNoList(w, r, err)
	}
	return s.show(w, r, http.StatusOK, "feeds_import_report", "Your list", reportOf(list, result))
}

// orNoList shows the form again with the reason why nothing was imported.
func (s *site) orNoList(w http.ResponseWriter, r *http.Request, err error) error {
	if asProblem(err) == errTooLarge {
		drain(r)
		wrong := fmt.Sprintf("That file is larger than %d MB, which no list of feeds is. Nothing was taken from it. Export the list again, or split it.", maxList>>20)
		return s.show(w, r, http.StatusRequestEntityTooLarge, "feeds_import", "That file is too large", feedsImportPage{wrong})
	}
	wrong, err := asWrong(err)
	return orShow(err, func() error {
		return s.show(w, r, http.StatusBadRequest, "feeds_import", "No list", feedsImportPage{wrong})
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
var errNoFile = &digest.Error{Kind: digest.Invalid, Message: "no file was chosen; choose the list that your other reader has exported, then press the button"}

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

// reportOf says what became of a list.
func reportOf(list *feed.Document, result store.ImportResult) listReport {
	unread := list.BadLines
	p := listReport{Name: shortened(list.Title), Feeds: len(list.Feeds), Result: result, Notes: list.Repairs, Most: mostFeeds}
	p.Unread, p.More = unread, max(0, len(unread)-shownLines)
	p.Unread = p.Unread[:len(unread)-p.More]
	for i := range p.Unread {
		p.Unread[i].Title, p.Unread[i].Why = shortened(p.Unread[i].Title), sentence(shortened(p.Unread[i].Why))
	}
	p.Full = len(result.Left)
	for _, it := range result.Left[:min(p.Full, shownLines)] {
		line := shortened(digest.WithoutCredentials(it.URL))
		if it.Title != "" {
			line = shortened(it.Title) + " (" + line + ")"
		}
		p.Left = append(p.Left, line)
	}
	return p
}

// exportList sends all of the reader's subscriptions as OPML; with what private feeds are
// asked with if a form says so.
func (s *site) exportList(w http.ResponseWriter, r *http.Request, me reader) error {
	h := w.Header()
	h.Set("Content-Type", "text/x-opml; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "feeds.opml"}))
	return s.Subscriber.Export(r.Context(), me.Digest.ID, "Feeds of "+me.Email, r.PostForm.Get("credentials") != "", w)
}
