package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"

	"digest"
)

// A file is the parsed file of a language.
//
// A translation whose English text changed stays in use. Look has its former English text until a translator checks it
// and deletes the line.
type file struct {
	Name      string            `json:"name"`              // of the language, in the language itself
	Direction digest.Direction  `json:"direction"`         // of its text: ltr or rtl
	Numbers   string            `json:"numbers,omitempty"` // numbering system of CLDR; empty: the language's default
	Dates     dates             `json:"dates"`
	Cities    map[string]string `json:"cities"` // by time zone, if the name differs from the zone's; from CLDR
	// the former English texts of messages that a translator has to check
	Look     map[string]string  `json:"look,omitempty"`
	Messages map[string]wording `json:"messages"` // by the English sentence
}

// A wording is the translation of a message: a format, or one for each plural form.
//
//	"Sign in": "Anmelden"
//	"%d posts": {"one": "%d Beitrag", "other": "%d Beiträge"}
//
// The forms are the plural forms of CLDR (zero, one, two, few, many, other), and =0 to =3 and =21 to =23 for one
// number. The number is the first argument, or the one in "of". A message with two numbers has a variable for each, and
// its "message" combines them:
//
//	"%d posts from %d sites": {
//		"message": "${posts} ${sites}",
//		"posts": {"one": "%[1]d Beitrag", "other": "%[1]d Beiträge"},
//		"sites": {"of": "2", "one": "von %[2]d Website", "other": "von %[2]d Websites"}
//	}
type wording struct {
	text  string
	forms map[string]wording // nil: only text
}

func (w *wording) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, &w.forms)
	}
	return json.Unmarshal(data, &w.text)
}

func (w wording) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if w.forms != nil {
		err := e.Encode(w.forms)
		return b.Bytes(), err
	}
	err := e.Encode(w.text)
	return b.Bytes(), err
}

// texts returns all formats of a wording by their path in it.
func (w wording) texts() map[string]string {
	if w.forms == nil {
		return map[string]string{"": w.text}
	}
	out := map[string]string{}
	for form, inner := range w.forms {
		if form == "of" {
			continue
		}
		for where, text := range inner.texts() {
			out[strings.TrimSpace(form+" "+where)] = text
		}
	}
	return out
}

// message converts the wording for golang.org/x/text, with the variables first.
func (w wording) message() (all []catalog.Message, err error) {
	if w.forms == nil {
		return []catalog.Message{catalog.String(w.text)}, nil
	}
	whole, varied := w.forms["message"]
	if !varied {
		one, err := w.plural()
		return []catalog.Message{one}, err
	}
	for _, name := range slices.Sorted(maps.Keys(w.forms)) {
		if name == "message" {
			continue
		}
		m, err := w.forms[name].plural()
		if err != nil {
			return nil, err
		}
		all = append(all, catalog.Var(name, m))
	}
	return append(all, catalog.String(whole.text)), nil
}

// number matches the verb of a number in a format.
var number = regexp.MustCompile(`%(?:\[\d+\])?d`)

// plural returns a message that selects the format by the plural form of a number.
func (w wording) plural() (catalog.Message, error) {
	if w.forms == nil {
		return catalog.String(w.text), nil
	}
	arg, err := strconv.Atoi(cmp.Or(w.forms["of"].text, "1"))
	if err != nil {
		return nil, fmt.Errorf("\"of\" is the number of an argument, not %q", w.forms["of"].text)
	}
	var cases []any
	for _, form := range []string{"=0", "=1", "=2", "=3", "=21", "=22", "=23", "zero", "one", "two", "few", "many",
		"other"} {
		inner, ok := w.forms[form]
		if !ok {
			continue
		}
		if form == "one" && len(number.FindAllString(inner.text, -1)) < len(number.FindAllString(w.forms["other"].text,
			-1)) {
			form = "=1" // the text has no number, but in French and Portuguese "one" includes 0
		}
		cases = append(cases, form, inner.text)
	}
	return plural.Selectf(arg, "%d", cases...), nil
}

func readFile(files fs.FS, name string) (f file, err error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("reading %s: %w", name, err)
	}
	return f, f.Dates.check()
}

// load reads the languages from a folder. The files are embedded, so it panics if one is invalid.
func load(files fs.FS, dir string) *languages {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		panic(err)
	}
	ls := &languages{}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		l, err := readHead(files, name)
		if err != nil {
			panic(fmt.Sprintf("catalogue: %s: %v", name, err))
		}
		l.said = sync.OnceValue(func() *said {
			all, err := readSaid(files, name, l.tag)
			if err != nil {
				panic(fmt.Sprintf("catalogue: %s: %v", name, err))
			}
			return all
		})
		ls.list = append(ls.list, l)
	}
	order := func(l *Language) string { return strings.TrimPrefix(l.Code, "en") } // English is the first
	slices.SortStableFunc(ls.list, func(a, b *Language) int { return cmp.Compare(order(a), order(b)) })
	var tags []language.Tag
	for _, l := range ls.list {
		if tags = append(tags, l.tag); l != ls.list[0] {
			l.english = ls.list[0]
		}
	}
	ls.matcher = language.NewMatcher(tags)
	return ls
}

func readHead(files fs.FS, name string) (*Language, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	l := &Language{Code: strings.TrimSuffix(path.Base(name), ".json")}
	if l.tag, err = language.Parse(l.Code); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		key, err := d.Token()
		switch {
		case err != nil:
			return nil, err
		case key == json.Delim('{'):
		case key == "name":
			err = d.Decode(&l.Name)
		case key == "direction":
			err = d.Decode(&l.Direction)
		default:
			return l, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func readSaid(files fs.FS, name string, tag language.Tag) (*said, error) {
	f, err := readFile(files, name)
	if err != nil {
		return nil, err
	}
	if f.Numbers != "" {
		if tag, err = tag.SetTypeForKey("nu", f.Numbers); err != nil {
			return nil, err
		}
	}
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	all := &said{dates: f.Dates, cities: f.Cities, has: map[string]bool{}}
	for key, w := range f.Messages {
		if w.forms == nil && w.text == "" {
			continue // not translated yet
		}
		m, err := w.message()
		if err == nil {
			err = b.Set(tag, key, m...)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		all.has[key] = true
	}
	all.printer = message.NewPrinter(tag, message.Catalog(b))
	return all, nil
}
