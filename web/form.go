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

// withForm makes a handler of one that reads a form, as r.PostForm. What is written in another way than our forms are
// is refused: all its fields would count as empty.
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

// isReadable reports whether a request brings no body, or one that is written as our forms are. Where a file is
// expected its own route reads it.
func isReadable(r *http.Request) bool {
	if r.Method != http.MethodPost || r.ContentLength == 0 {
		return true
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // empty where there is none
	return kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data" && bringsFile(r.URL.Path)
}

// hasAll is errBadForm for a form that lacks one of the fields that our pages send always, be they empty: what a form
// does not say has not been cleared by its reader.
func hasAll(form url.Values, names ...string) error {
	for _, name := range names {
		if !form.Has(name) {
			return errBadForm
		}
	}
	return nil
}

// hasAny is errBadForm for a form that has none of these fields: it says nothing.
func hasAny(form url.Values, names ...string) error {
	if slices.ContainsFunc(names, form.Has) {
		return nil
	}
	return errBadForm
}

// tooLargeOr says why what was sent could not be read: it was too much, by itself or with
// that of others, or p.
func tooLargeOr(err error, p *problem) error {
	if why := asProblem(err); why == errTooLarge || why == errBusy {
		return why
	}
	return p
}

// pathKey gives the key in a request's path.
func pathKey(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, errNotFound
	}
	return id, nil
}

// seeOther leads to another page.
func seeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// savedWord is the parameter that tells a page what was changed just now.
const savedWord = "saved"

// showSaved gives an error, or leads to a page, which says what was changed.
func showSaved(w http.ResponseWriter, r *http.Request, err error, path, word string) error {
	if err != nil {
		return err
	}
	return seeOther(w, r, path+"?"+savedWord+"="+word)
}

// savedOf gives what was changed just now, if it is one of a page's words.
func savedOf(r *http.Request, words ...string) string {
	if word := r.URL.Query().Get(savedWord); slices.Contains(words, word) {
		return word
	}
	return ""
}

// orShow gives an error, or shows a page if there is none.
func orShow(err error, show func() error) error {
	if err != nil {
		return err
	}
	return show()
}

// asSaid gives what an error of the store says to whoever filled in the form, nil if there is none;
// all but those of what was given remain errors.
func asSaid(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Invalid {
		return catalogue.Refusal(err), nil
	}
	return nil, err
}

// A choice is one of a few things to choose from.
type choice struct {
	Value      string
	Name, Hint any // catalogue.Sayable, or a text that is shown as it is
	Chosen     bool
}

// chosen marks the choice of that value.
func chosen(all []choice, value string) []choice {
	for i := range all {
		all[i].Chosen = all[i].Value == value
	}
	return all
}

// A dateField is a date as it was typed. What is no date would vanish from a
// field for dates, so it is shown in one for text.
type dateField struct{ Value string }

// typedDate gives a field of a form.
func typedDate(form url.Values, name string) dateField {
	return dateField{strings.TrimSpace(form.Get(name))}
}

// Type is the field's.
func (f dateField) Type() string {
	if _, err := digest.ParseDate(f.Value); f.Value != "" && err != nil {
		return "text"
	}
	return "date"
}

// read gives the date that was typed, or says what is wrong with it: it is one
// of those from the first to the last.
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

// saidDay is a day with its year.
func saidDay(d digest.Date) catalogue.Moment { return catalogue.Day("2 January 2006", d) }

// maxName bounds the names that readers give, in characters; as much as is read
// of a title. Of a longer one the form shows the beginning.
const maxName = 500

// maxDigestName bounds the name of a newspaper, which stands large above each of its pages.
const maxDigestName = 80

// tooLongName says that a name has too many characters.
const tooLongName = catalogue.Key(
	"A name can have %d characters; yours has %d. We’ve shortened it here. Check it and save again.")

// nameOfForm makes one line of what was typed. Where that is longer than most characters wrong says so:
// tooLong, with how many there may be and how many there are.
func nameOfForm(tooLong catalogue.Key, typed string, most int) (name string, wrong catalogue.Sayable) {
	name = digest.OneLine(digest.WithoutTurns(typed))
	if n := utf8.RuneCountInString(name); n > most {
		return firstRunes(name, most), tooLong.With(most, n)
	}
	return name, nil
}

// firstRunes is the beginning of a text, n characters at most.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// maxBack is the longest address that a form leads back to: one of a search.
const maxBack = 8 << 10

// localPath gives an address of this site in the form in which it is put into a
// header; false for one that a browser could take for another site's.
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

// place writes a place in a list for an address, as placeIn reads it.
func place(at time.Time, id digest.PostID) string {
	return strconv.FormatInt(at.Unix(), 10) + "." + strconv.FormatInt(int64(id), 10)
}

// maxSecond is the last second of the year 9999.
const maxSecond = 253402300799

// placeIn reads after which place of a list a request goes on; the zero one is
// its beginning.
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
