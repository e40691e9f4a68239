package web

import (
	"fmt"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/timezone"
)

// A field describes one field of a form, with its value and its error. The template "field" shows it.
type field struct {
	Name, Kind  string
	Value       string // as typed, or as stored; not empty: a checkbox is checked
	Choices     []choice
	Label, Hint any  // nil: no hint
	Wrong       any  // catalogue.Sayable; nil: valid
	Focus       bool // the first wrong field, to which browsers scroll
	Unchanged   bool // after Wrong the page says that nothing was changed
	Most        int  // characters; 0: no limit
	First, Last digest.Date
	Required    bool
	Sample      string // shown in an empty field
	Fill        string // what browsers fill in, a value of autocomplete; "": nothing
}

// The kinds of fields.
const (
	lineKind   = "line"  // one line in the reader's language
	areaKind   = "area"  // several lines
	codesKind  = "codes" // several addresses, one on each line
	codeKind   = "code"  // an address, or a name for programs
	emailKind  = "email"
	zoneKind   = "zone"
	dateKind   = "date"
	checkKind  = "check"
	radioKind  = "radio"
	selectKind = "select"
)

// add describes a field for the template. If a form was posted, it stores the typed value, cleaned for its kind.
func (v *visit) add(f field, value *string) *field {
	f.Value = *value
	isList := f.Kind == selectKind || f.Kind == radioKind
	if v.posted() && (!isList || v.PostForm.Has(f.Name)) {
		f.Value = v.PostForm.Get(f.Name)
		*value = strings.TrimSpace(strings.ReplaceAll(f.Value, "\r\n", "\n"))
		if f.Kind == lineKind {
			*value = digest.OneLine(f.Value)
		}
	}
	v.fields[f.Name] = &f
	return &f
}

// text adds a field for a text of at most most characters; 0: no limit.
func (v *visit) text(kind, name string, value *string, most int) {
	v.add(field{Name: name, Kind: kind, Most: most}, value)
}

// check adds a checkbox. It keeps its value if a posted form lacks one of the fields in with.
func (v *visit) check(name string, value *bool, with ...string) {
	stored, text := *value, map[bool]string{true: "1"}[*value]
	*value = v.add(field{Name: name, Kind: checkKind}, &text).Value != ""
	if v.posted() && hasAll(v.PostForm, with...) != nil {
		*value = stored
	}
}

// oneOf adds a list of choices. A missing field keeps its value. The caller checks that the value is one of them.
func (v *visit) oneOf(kind, name string, value *string, choices []choice) {
	f := v.add(field{Name: name, Kind: kind}, value)
	f.Choices = chosen(choices, *value)
}

// zoneNamed adds the field "zone" for a time zone or a city. It returns the zone's name.
func (v *visit) zoneNamed(value string) string {
	f := v.add(field{Name: "zone", Kind: zoneKind}, &value)
	if !v.posted() {
		return value
	}
	typed := zoneField{Zone: value}
	zone, ok := typed.readZone()
	if !ok {
		f.Wrong = typed.WrongZone
	}
	for _, near := range typed.Near {
		f.Choices = append(f.Choices, choice{Value: near})
	}
	return zone
}

// Near returns the field for a time zone if its choices are zones with similar names, otherwise nil.
func (v *visit) Near() *field {
	if f := v.fields["zone"]; f != nil && f.Choices != nil {
		return f
	}
	return nil
}

// Fields returns all fields of the form.
func (v *visit) Fields() map[string]*field { return v.fields }

// Zones returns the names of all time zones.
func (field) Zones() []string { return timezone.Names() }

// date adds a field for a day from first to last. It returns the day if that is valid.
func (v *visit) date(name, value string, first, last digest.Date) (day digest.Date) {
	f := v.add(field{Name: name, Kind: dateKind, First: first, Last: last}, &value)
	if v.posted() {
		day, f.Wrong = dateField{value}.read(first, last)
	}
	return day
}

// Type returns the type of the input element. Browsers clear an invalid value in a field for a date, so the form
// shows it in a text field.
func (f field) Type() string {
	if f.Kind == dateKind {
		return dateField{strings.TrimSpace(f.Value)}.Type()
	}
	return "text"
}

// wrong shows at a field why its value is invalid, or in the notice of the page if name is "".
func (v *visit) wrong(name string, why catalogue.Sayable) {
	if name == "" {
		v.Wrong = why
		return
	}
	v.fields[name].Wrong = why
}

// Rows returns the height of an area in lines.
func (f field) Rows() int { return min(5, max(3, f.Most/400)) }

// Field returns a field with its label and its hint for the template.
func (v *visit) Field(name string, label any, hint ...any) (field, error) {
	f, ok := v.fields[name]
	if !ok {
		return field{}, fmt.Errorf("the form has no field %q", name)
	}
	f.Label = label
	if f.Wrong != nil && !v.focused {
		f.Focus, v.focused = true, true
	}
	if len(hint) > 0 {
		f.Hint = hint[0]
	}
	return *f, nil
}

// Required is Field for a field that must not be empty.
func (v *visit) Required(name string, label any, hint ...any) (field, error) {
	f, err := v.Field(name, label, hint...)
	f.Required = true
	return f, err
}
