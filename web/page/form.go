package page

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
)

// WithForm parses the form for h. It rejects other media types, because all their fields would
// count as empty.
func WithForm(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !isReadable(r) {
			return ErrBadForm
		}
		if err := r.ParseForm(); err != nil {
			return TooLargeOr(err, ErrBadForm)
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

// HasAll returns ErrBadForm if the form lacks one of the fields. Our pages always send them, even
// if empty, so a missing field does not mean that the reader cleared it.
func HasAll(form url.Values, names ...string) error {
	for _, name := range names {
		if !form.Has(name) {
			return ErrBadForm
		}
	}
	return nil
}

// HasAny returns ErrBadForm if the form has none of the fields.
func HasAny(form url.Values, names ...string) error {
	if slices.ContainsFunc(names, form.Has) {
		return nil
	}
	return ErrBadForm
}

// TooLargeOr returns ErrTooLarge or errBusy if that is why the body could not be read, and p
// otherwise.
func TooLargeOr(err error, p *Problem) error {
	if why := AsProblem(err); why == ErrTooLarge || why == errBusy {
		return why
	}
	return p
}

// PathKey returns the {id} of the path, or ErrNotFound.
func PathKey(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, ErrNotFound
	}
	return id, nil
}

// SeeOther redirects to a path with GET.
func SeeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// SavedWord is the query parameter for the change that a page confirms.
const SavedWord = "saved"

// SeeSaved returns err, or redirects to a page that confirms the change.
func SeeSaved(w http.ResponseWriter, r *http.Request, err error, path, word string) error {
	if err != nil {
		return err
	}
	return SeeOther(w, r, path+"?"+SavedWord+"="+word)
}

// SavedOf returns the change that the page confirms, if it is one of words.
func SavedOf(r *http.Request, words ...string) string {
	if word := r.URL.Query().Get(SavedWord); slices.Contains(words, word) {
		return word
	}
	return ""
}

// AsSaid returns the message for the form's user if err is about invalid input. It returns all
// other errors unchanged.
func AsSaid(err error) (catalogue.Sayable, error) {
	if digest.KindOf(err) == digest.Invalid {
		return catalogue.Refusal(err), nil
	}
	return nil, err
}

// A Choice is one of the values of a form field.
type Choice struct {
	Value      string
	Name, Hint any // catalogue.Sayable or literal text
	Chosen     bool
}

// Chosen returns the choices with the value chosen.
func Chosen(all []Choice, value string) []Choice {
	for i := range all {
		all[i].Chosen = all[i].Value == value
	}
	return all
}

// A DateField is a date as entered. Browsers clear an invalid value in a date field, so the form
// shows it in a text field.
type DateField struct{ Value string }

// TypedDate returns the date in a field of a form.
func TypedDate(form url.Values, name string) DateField {
	return DateField{strings.TrimSpace(form.Get(name))}
}

// Type returns the type of the input element.
func (f DateField) Type() string {
	if _, err := digest.ParseDate(f.Value); f.Value != "" && err != nil {
		return "text"
	}
	return "date"
}

// Read parses the date and returns an error text if it is not between first and last.
func (f DateField) Read(first, last digest.Date) (d digest.Date, wrong catalogue.Sayable) {
	d, err := digest.ParseDate(f.Value)
	switch {
	case err != nil:
		return d, catalogue.Key("Enter a date like %s.").With(first.Plus(7))
	case d.Before(first):
		return d, catalogue.Key("%s is too early. Choose %s or a later day.").With(SaidDay(d), SaidDay(first))
	case last.Before(d):
		return d, catalogue.Key("%s is too late. Choose %s or an earlier day.").With(SaidDay(d), SaidDay(last))
	}
	return d, nil
}

// SaidDay returns a day with its year, for error texts.
func SaidDay(d digest.Date) catalogue.Moment { return catalogue.Day("2 January 2006", d) }

// MaxName is the maximum length in characters of names that readers enter, and of titles of feeds.
// The form shows a longer name shortened.
const MaxName = 500

// MaxDigestName is the maximum length of the name of a reader's newspaper, which is the large
// heading of its pages.
const MaxDigestName = 80

const TooLongName = catalogue.Key(
	"A name can have at most %d characters; yours has %d. We’ve shortened it here. Check it and save again.")

// NameOfForm converts input to one line. If it is longer than most characters, wrong is the message
// tooLong with the limit and the length.
func NameOfForm(tooLong catalogue.Key, typed string, most int) (name string, wrong catalogue.Sayable) {
	name = digest.OneLine(digest.WithoutTurns(typed))
	if n := utf8.RuneCountInString(name); n > most {
		return FirstRunes(name, most), tooLong.With(most, n)
	}
	return name, nil
}

// FirstRunes returns at most n characters of s.
func FirstRunes(s string, n int) string {
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

// LocalPath returns a local address, safe for a header. It returns false if a browser could read it
// as an address of another site.
func LocalPath(address string) (string, bool) {
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
