package page

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"digest"
)

const (
	MaxList    = 10 << 20        // bytes; 2,000 feeds take about 500 KB
	ImportTime = 3 * time.Minute // limit for the upload and the database, by the system clock
)

// A SentList is an uploaded file with the form fields before it.
type SentList struct {
	Name string // file name from the browser
	Body []byte
	Form url.Values
}

// mostField is the maximum size of another field in bytes.
const mostField = 100

// ReceiveList reads the uploaded file. If Content-Length is too large, it rejects the request
// without reading the body.
func (s *Site) ReceiveList(w http.ResponseWriter, r *http.Request) (sent SentList, err error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(ImportTime)) // httptest's recorder supports no deadlines
	_ = c.SetWriteDeadline(time.Now().Add(2 * ImportTime))
	if r.ContentLength > MaxList+MaxBody {
		return sent, ErrTooLarge
	}
	form, err := r.MultipartReader()
	if err != nil {
		return sent, ErrNoFile
	}
	sent.Form = url.Values{}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return sent, ErrNoFile
		}
		if err != nil {
			return sent, TooLargeOr(err, ErrBadForm)
		}
		if part.FormName() == "list" {
			sent.Name = part.FileName()
			sent.Body, err = readPart(part)
			return sent, err
		}
		if value, err := io.ReadAll(io.LimitReader(part, mostField)); err == nil && len(sent.Form) < mostField {
			sent.Form.Set(part.FormName(), string(value))
		}
	}
}

var ErrNoFile = digest.Refuse(digest.Invalid, "no file chosen; choose the file that your other reader exported")

func readPart(part *multipart.Part) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(part, MaxList+1))
	switch {
	case err != nil:
		return nil, TooLargeOr(err, ErrBadForm)
	case len(body) > MaxList:
		return nil, ErrTooLarge
	case len(body) == 0 && part.FileName() == "":
		return nil, ErrNoFile
	}
	return body, nil
}

const (
	ShownLines = 200 // per list of the report; further lines are only counted
)
