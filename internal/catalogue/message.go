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

// A Sayable is what each language says in its own way: a Key, a Message, a Moment, a List.
// Where nothing is to be said it is nil, which templates can ask for by {{if}} and {{with}}.
type Sayable interface {
	// In says it in a language, as plain text.
	In(l *Language) string
}

// A Key is a sentence without values, or the format of one with values: in English, as
// plain text. Writing catalogue.Key("…") is what puts it into the catalogue.
type Key string

// In says the sentence.
func (k Key) In(l *Language) string { return l.Say(string(k)) }

// String says it in English.
func (k Key) String() string { return k.In(English()) }

// With gives the sentence with values: numbers, what is Sayable itself, and text.
func (k Key) With(values ...any) Message { return Message{string(k), values} }

// A Message is a sentence with values.
type Message struct {
	key    string
	values []any
}

// In says the sentence.
func (m Message) In(l *Language) string {
	return l.Say(m.key, m.values...)
}

// String says it in English.
func (m Message) String() string { return m.In(English()) }

// Say says a sentence of the catalogue as plain text, by its English format.
func (l *Language) Say(format string, values ...any) string {
	for i, v := range values {
		values = replaced(values, i, l.value(v))
	}
	return l.print(format, values)
}

// HTML says a sentence whose English format is HTML. Values are escaped unless they are HTML.
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

// AsHeading begins a line with a capital letter, where the language has them: a title, a heading.
func AsHeading(line Sayable) Sayable { return heading{line} }

type heading struct{ of Sayable }

// In returns the heading in a language.
func (h heading) In(l *Language) string { return l.Heading(h.of) }

// String returns the heading in English.
func (h heading) String() string { return h.In(English()) }

// AsSentence makes a sentence of a line: "a pause ends" becomes "A pause ends."
func AsSentence(line Sayable) Sayable { return sentence{line} }

type sentence struct{ of Sayable }

// In returns the sentence in a language.
func (s sentence) In(l *Language) string { return l.Sentence(s.of) }

// String returns the sentence in English.
func (s sentence) String() string { return s.In(English()) }

// Text says what is Sayable; what is not, such as the title of a post, stays as it is.
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

// Heading says what stands at the beginning of a line by itself: with a capital letter, where the language has them.
func (l *Language) Heading(v Sayable) string {
	said := v.In(l)
	first, size := utf8.DecodeRuneInString(said)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + said[size:]
}

// Sentence says a line as one: "a pause ends" becomes "A pause ends." What ends as one already gets no second full stop.
func (l *Language) Sentence(v Sayable) string {
	said := l.Heading(v)
	if said == "" {
		return ""
	}
	return l.Say("%s.", strings.TrimSuffix(said, "."))
}

// print says a sentence, in English where the language's file lacks it.
func (l *Language) print(format string, values []any) string {
	if !l.said().has[format] && l.english != nil {
		l = l.english
	}
	return l.said().printer.Sprintf(format, values...)
}

// safe is HTML that was made already.
type safe template.HTML

// String is for %s.
func (s safe) String() string { return string(s) }

// value makes of a value what a printer prints: a number as one, all else as text.
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
		return Refusal(v).line(l)
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

// replaced is a copy of values with another one at a place.
func replaced(values []any, at int, v any) []any {
	if at == 0 {
		values = append([]any(nil), values...)
	}
	values[at] = v
	return values
}

// A Refused is what an error says to people, as a sentence.
type Refused struct{ err error }

// Refusal gives what an error says to people, as a sentence: in each language where it was made by
// digest.Refuse, or else in English.
func Refusal(err error) Refused { return Refused{err} }

// In says it.
func (r Refused) In(l *Language) string { return l.Sentence(Text(r.line(l))) }

// String says it in English.
func (r Refused) String() string { return r.In(English()) }

// line is what it says, as a part of a sentence.
func (r Refused) line(l *Language) string {
	e, ok := errors.AsType[*digest.Error](r.err)
	switch {
	case !ok:
		return r.err.Error()
	case e.Format == "":
		return e.Message
	}
	return l.Say(e.Format, e.Values...)
}

// A Text is said as it is, in every language.
type Text string

// In says it.
func (t Text) In(*Language) string { return string(t) }

// Known is a text that was written in English before it was stored: where it is a sentence of the catalogue without values it
// is said in each language, else as it is.
type Known string

// In says it.
func (k Known) In(l *Language) string {
	if !l.said().has[string(k)] || strings.Contains(string(k), "%") {
		return string(k)
	}
	return l.Say(string(k))
}

// Recognised is a text of the program's own, written in English before it was stored, as one of some sentences with
// values; a text that is none of them is said as a Known one.
func Recognised(text string, among ...Key) Sayable {
	for _, k := range among {
		if values, is := valuesIn(text, string(k)); is {
			return k.With(values...)
		}
	}
	return Known(text)
}

// valuesIn finds the values, none of them empty, with which a format of %s alone makes a text; false if it makes another.
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

// Line is what an error says to people, as it stands: in each language where it was made by
// digest.Refuse, or else in English.
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

// A List is said as one: "Monday, Wednesday and Friday".
type List []Sayable

// In says the list.
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

// String says it in English.
func (all List) String() string { return all.In(English()) }

// Listed says parts one after the other: "a, b, c"; nil if there are none.
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
