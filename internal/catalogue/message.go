package catalogue

import (
	"errors"
	"fmt"
	"html/template"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"digest"
)

// A Sayable is text that each language formats in its own way: a Key, a Message, a Moment or a List. It is nil without
// text, which templates can check with {{if}} and {{with}}.
type Sayable interface {
	// In returns the text in a language, as plain text.
	In(l *Language) string
}

// A Key is a sentence of the catalogue without values, or the format of one with values: in English, as plain text. The
// call catalogue.Key("…") adds the sentence to the catalogue.
type Key string

// In returns the sentence in a language.
func (k Key) In(l *Language) string { return l.Say(string(k)) }

// String returns the sentence in English.
func (k Key) String() string { return k.In(English()) }

// With returns the sentence with values: numbers, Sayables and text.
func (k Key) With(values ...any) Message { return Message{string(k), values} }

// A Message is a sentence with values.
type Message struct {
	key    string
	values []any
}

// In returns the sentence in a language.
func (m Message) In(l *Language) string {
	return l.Say(m.key, m.values...)
}

// String returns the sentence in English.
func (m Message) String() string { return m.In(English()) }

// Say returns a sentence of the catalogue as plain text, by its English format.
func (l *Language) Say(format string, values ...any) string {
	for i, v := range values {
		values = replaced(values, i, l.value(v))
	}
	return l.print(format, values)
}

// HTML returns a sentence whose English format is HTML. It escapes the values that are not HTML.
func (l *Language) HTML(format string, values ...any) template.HTML {
	for i, v := range values {
		v = l.value(v)
		if s, ok := v.(string); ok {
			v = template.HTMLEscapeString(s)
		}
		values = replaced(values, i, v)
	}
	return template.HTML(l.print(format, values))
}

// AsHeading returns a line that begins with a capital letter, if the language has them.
func AsHeading(line Sayable) Sayable { return heading{line} }

type heading struct{ of Sayable }

func (h heading) In(l *Language) string { return l.Heading(h.of) }

func (h heading) String() string { return h.In(English()) }

// AsSentence returns a line as a sentence: "a pause ends" becomes "A pause ends."
func AsSentence(line Sayable) Sayable { return sentence{line} }

type sentence struct{ of Sayable }

func (s sentence) In(l *Language) string { return l.Sentence(s.of) }

func (s sentence) String() string { return s.In(English()) }

// Text translates a Sayable. It returns other values, such as the title of a post, unchanged as text.
func (l *Language) Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case Sayable:
		return v.In(l)
	case digest.Words:
		return l.Say(string(v))
	}
	return fmt.Sprint(v)
}

// Heading returns a text for a line of its own: with a capital letter, if the language has them. A web or email address
// at the beginning keeps its letters.
func (l *Language) Heading(v Sayable) string {
	said := v.In(l)
	first, size := utf8.DecodeRuneInString(said)
	if size == 0 {
		return ""
	}
	if word, _, _ := strings.Cut(said, " "); strings.Contains(word, "://") || strings.Contains(word, "@") {
		return said
	}
	return string(unicode.ToUpper(first)) + said[size:]
}

// Sentence returns a line as a sentence: "a pause ends" becomes "A pause ends." A text that already ends with a full
// stop gets no second one.
func (l *Language) Sentence(v Sayable) string {
	said := l.Heading(v)
	if said == "" {
		return ""
	}
	return l.Say("%s.", strings.TrimSuffix(said, "."))
}

// print formats a sentence, in English if the language's file does not have it.
func (l *Language) print(format string, values []any) string {
	if !l.said().has[format] && l.english != nil {
		l = l.english
	}
	return l.said().printer.Sprintf(format, values...)
}

// safe is HTML that is already escaped.
type safe template.HTML

func (s safe) String() string { return string(s) }

// value converts a value for the printer: a number stays a number, and everything else becomes text.
func (l *Language) value(v any) any {
	switch v := v.(type) {
	case template.HTML:
		return safe(v)
	case Sayable:
		return v.In(l)
	case digest.Words:
		if !l.said().has[string(v)] {
			return string(v)
		}
		return l.Say(string(v))
	case error:
		return Line(v).In(l)
	case fmt.Stringer:
		return v.String()
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return r.Uint()
	case reflect.Float32, reflect.Float64:
		return r.Float()
	case reflect.String:
		return r.String()
	}
	return fmt.Sprint(v)
}

// replaced returns values with v at an index. At index 0 it copies the slice first.
func replaced(values []any, at int, v any) []any {
	if at == 0 {
		values = append([]any(nil), values...)
	}
	values[at] = v
	return values
}

// A Refused is the message of an error as a sentence.
type Refused struct{ err error }

// Refusal returns the message of an error as a sentence. It is translated if digest.Refuse made the error, and English
// otherwise.
func Refusal(err error) Refused { return Refused{err} }

// In returns the sentence in a language.
func (r Refused) In(l *Language) string { return l.Sentence(Line(r.err)) }

// String returns the sentence in English.
func (r Refused) String() string { return r.In(English()) }

// A Text is the same in every language.
type Text string

// In returns the text unchanged.
func (t Text) In(*Language) string { return string(t) }

// A Known is a text that was stored in English. If it is a sentence of the catalogue without values it is translated,
// otherwise it stays English.
type Known string

// In returns the text in a language.
func (k Known) In(l *Language) string {
	if !l.said().has[string(k)] || strings.Contains(string(k), "%") {
		return string(k)
	}
	return l.Say(string(k))
}

// Recognised returns the translation of a text that the program stored in English, if it matches one of some sentences
// with values. Otherwise it returns a Known.
func Recognised(text string, among ...Key) Sayable {
	for _, k := range among {
		if values, is := valuesIn(text, string(k)); is {
			return k.With(values...)
		}
	}
	return Known(text)
}

// valuesIn returns the values with which a format makes a text. The format has only %s verbs, and no value is empty. It
// returns false if the text does not match.
func valuesIn(text, format string) (values []any, is bool) {
	parts := strings.Split(strings.ReplaceAll(format, "%%", "%"), "%s")
	rest, is := strings.CutPrefix(text, parts[0])
	last := len(parts) - 1
	if !is || last == 0 {
		return nil, is && rest == ""
	}
	for _, part := range parts[1:last] {
		at := -1
		if rest != "" {
			at = strings.Index(rest[1:], part)
		}
		if at < 0 {
			return nil, false
		}
		values, rest = append(values, rest[:at+1]), rest[at+1+len(part):]
	}
	rest, is = strings.CutSuffix(rest, parts[last])
	return append(values, rest), is && rest != ""
}

// Line returns the message of an error as a line. It is translated if digest.Refuse made the error, and English
// otherwise.
func Line(err error) Sayable {
	e, ok := errors.AsType[*digest.Error](err)
	switch {
	case !ok:
		return Text(err.Error())
	case e.Format == "":
		return Text(e.Message)
	}
	return Message{e.Format, e.Values}
}

// A List is formatted as an enumeration: "Monday, Wednesday and Friday".
type List []Sayable

// In returns the list in a language.
func (all List) In(l *Language) string {
	said := ""
	for i, v := range all {
		switch {
		case i == 0:
			said = v.In(l)
		case i == len(all)-1:
			said = Key("%s and %s").With(said, v).In(l)
		default:
			said = Key("%s, %s").With(said, v).In(l)
		}
	}
	return said
}

// String returns the list in English.
func (all List) String() string { return all.In(English()) }

// Listed joins parts with commas: "a, b, c". It returns nil without parts.
func Listed(parts []Sayable) (all Sayable) {
	for _, p := range parts {
		if all == nil {
			all = p
		} else {
			all = Key("%s, %s").With(all, p)
		}
	}
	return all
}
