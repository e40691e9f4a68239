package web

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
)

// withForm parses the form for h. It rejects other media types, because all their fields would
// count as empty.
func withForm(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !isReadable(r) {
			return errBadForm
		}
		if err := r.ParseForm(); err != nil {
			return tooLargeOr(err, errBadForm)
		}
		return h(w, r)
	}
}

// isReadable reports whether a request has no body or an encoding of our forms. Uploads have their
// own routes, which read the file.
func isReadable(r *http.Request) bool {
	if r.Method != http.MethodPost || r.ContentLength == 0 {
		return true
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // empty without a Content-Type
	return kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data" && bringsFile(r.URL.Path)
}

// hasAll returns errBadForm if the form lacks one of the fields. Our pages always send them, even
// if empty, so a missing field does not mean that the reader cleared it.
func hasAll(form url.Values, names ...string) error {
	for _, name := range names {
		if !form.Has(name) {
			return errBadForm
		}
	}
	return nil
}

// hasAny returns errBadForm if the form has none of the fields.
func hasAny(form url.Values, names ...string) error {
	if slices.ContainsFunc(names, form.Has) {
		return nil
	}
	return errBadForm
}

// tooLargeOr returns errTooLarge or errBusy if that is why the body could not be read, and p
// otherwise.
func tooLargeOr(err error, p *problem) error {
	if why := asProblem(err); why == errTooLarge || why == errBusy {
		return why
	}
	return p
}

func pathKey(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, errNotFound
	}
	return id, nil
}

func seeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// savedWord is the query parameter for the change that a page confirms.
const savedWord = "saved"

// showSaved returns err, or redirects to a page that confirms the change.
func showSaved(w http.ResponseWriter, r *http.Request, err error, path, word string) error {
	if err != nil {
		return err
	}
	return seeOther(w, r, path+"?"+savedWord+"="+word)
}

// savedOf returns the change that the page confirms, if it is one of words.
func savedOf(r *http.Request, words ...string) string {
	if word := r.URL.Query().Get(savedWord); slices.Contains(words, word) {
		return word
	}
	return ""
}

// asSaid returns the message for the form's user if err is about invalid input. It returns all
// other errors unchanged.
func asSaid(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Invalid {
		return catalogue.Refusal(err), nil
	}
	return nil, err
}

type choice struct {
	Value      string
	Name, Hint any // catalogue.Sayable or literal text
	Chosen     bool
}

func chosen(all []choice, value string) []choice {
	for i := range all {
		all[i].Chosen = all[i].Value == value
	}
	return all
}

// A dateField is a date as entered. Browsers clear an invalid value in a date field, so the form
// shows it in a text field.
type dateField struct{ Value string }

func typedDate(form url.Values, name string) dateField {
	return dateField{strings.TrimSpace(form.Get(name))}
}

// Type returns the type of the input element.
func (f dateField) Type() string {
	if _, err := digest.ParseDate(f.Value); f.Value != "" && err != nil {
		return "text"
	}
	return "date"
}

// read parses the date and returns an error text if it is not between first and last.
func (f dateField) read(first, last digest.Date) (d digest.Date, wrong catalogue.Sayable) {
	d, err := digest.ParseDate(f.Value)
	switch {
	case err != nil:
		return d, catalogue.Key("Enter a date like %s.").With(first.Plus(7))
	case d.Before(first):
		return d, catalogue.Key("%s is too early. Choose %s or a later day.").With(saidDay(d), saidDay(first))
	case last.Before(d):
		return d, catalogue.Key("%s is too late. Choose %s or an earlier day.").With(saidDay(d), saidDay(last))
	}
	return d, nil
}

func saidDay(d digest.Date) catalogue.Moment { return catalogue.Day("2 January 2006", d) }

// maxName is the maximum length in characters of names that readers enter, and of titles of feeds.
// The form shows a longer name shortened.
const maxName = 500

// maxDigestName is the maximum length of the name of a reader's newspaper, which is the large
// heading of its pages.
const maxDigestName = 80

const tooLongName = catalogue.Key(
	"A name can have at most %d characters; yours has %d. We’ve shortened it here. Check it and save again.")

// nameOfForm converts input to one line. If it is longer than most characters, wrong is the message
// tooLong with the limit and the length.
func nameOfForm(tooLong catalogue.Key, typed string, most int) (name string, wrong catalogue.Sayable) {
	name = digest.OneLine(digest.WithoutTurns(typed))
	if n := utf8.RuneCountInString(name); n > most {
		return firstRunes(name, most), tooLong.With(most, n)
	}
	return name, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// maxBack is the maximum length of an address to which a form redirects. Searches have long
// addresses.
const maxBack = 8 << 10

// localPath returns a local address, safe for a header. It returns false if a browser could read it
// as an address of another site.
func localPath(address string) (string, bool) {
	if len(address) > maxBack || strings.ContainsRune(address, '\\') ||
		strings.ContainsFunc(address, unicode.IsControl) {
		return "", false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, "//") ||
		strings.Contains(u.Path, `\`) || strings.ContainsFunc(u.Path, unicode.IsControl) {
		return "", false
	}
	return u.String(), true
}

// place encodes a position in a list for an address. placeIn decodes it.
func place(at time.Time, id digest.PostID) string {
	return strconv.FormatInt(at.Unix(), 10) + "." + strconv.FormatInt(int64(id), 10)
}

// maxSecond is the last second of the year 9999.
const maxSecond = 253402300799

// placeIn returns the position after which the requested page of a list begins. It is zero for the
// first page.
func placeIn(r *http.Request) (at time.Time, id digest.PostID, ok bool) {
	given := r.URL.Query().Get("after")
	if given == "" {
		return time.Time{}, 0, true
	}
	seconds, key, _ := strings.Cut(given, ".")
	sec, err1 := strconv.ParseInt(seconds, 10, 64)
	n, err2 := strconv.ParseInt(key, 10, 64)
	if cmp.Or(err1, err2) != nil || sec <= 0 || n <= 0 || sec > maxSecond {
		return time.Time{}, 0, false
	}
	return time.Unix(sec, 0).UTC(), digest.PostID(n), true
}
