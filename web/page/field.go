package page

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
	Choices     []Choice
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
	LineKind   = "line"  // one line in the reader's language
	AreaKind   = "area"  // several lines
	CodesKind  = "codes" // several addresses, one on each line
	CodeKind   = "code"  // an address, or a name for programs
	EmailKind  = "email"
	zoneKind   = "zone"
	dateKind   = "date"
	checkKind  = "check"
	RadioKind  = "radio"
	SelectKind = "select"
)

// add describes a field for the template. If a form was posted, it stores the typed value, cleaned for its kind.
func (v *Visit) add(f field, value *string) *field {
	f.Value = *value
	isList := f.Kind == SelectKind || f.Kind == RadioKind
	if v.Posted() && (!isList || v.PostForm.Has(f.Name)) {
		f.Value = v.PostForm.Get(f.Name)
		*value = strings.TrimSpace(strings.ReplaceAll(f.Value, "\r\n", "\n"))
		if f.Kind == LineKind {
			*value = digest.OneLine(f.Value)
		}
	}
	v.fields[f.Name] = &f
	return &f
}

// AddText adds a field for a text of at most most characters; 0: no limit.
func (v *Visit) AddText(kind, name string, value *string, most int) {
	v.add(field{Name: name, Kind: kind, Most: most}, value)
}

// AddCheck adds a checkbox. It keeps its value if a posted form lacks one of the fields in with.
func (v *Visit) AddCheck(name string, value *bool, with ...string) {
	stored, text := *value, map[bool]string{true: "1"}[*value]
	*value = v.add(field{Name: name, Kind: checkKind}, &text).Value != ""
	if v.Posted() && HasAll(v.PostForm, with...) != nil {
		*value = stored
	}
}

// AddChoice adds a list of choices. A missing field keeps its value. The caller checks that the value is one of them.
func (v *Visit) AddChoice(kind, name string, value *string, choices []Choice) {
	f := v.add(field{Name: name, Kind: kind}, value)
	f.Choices = Chosen(choices, *value)
}

// AddZone adds the field "zone" for a time zone or a city. It returns the zone's name.
func (v *Visit) AddZone(value string) string {
	f := v.add(field{Name: "zone", Kind: zoneKind}, &value)
	if !v.Posted() {
		return value
	}
	typed := ZoneField{Zone: value}
	zone, ok := typed.ReadZone()
	if !ok {
		f.Wrong, f.Choices = typed.WrongZone, typed.Near
	}
	return zone
}

// Near returns the field for a time zone if its choices are zones with similar names, otherwise nil.
func (v *Visit) Near() *field {
	if f := v.fields["zone"]; f != nil && f.Choices != nil {
		return f
	}
	return nil
}

// Fields returns all fields of the form.
func (v *Visit) Fields() map[string]*field { return v.fields }

// Zones returns the names of all time zones.
func (field) Zones() []string { return timezone.Names() }

// AddDate adds a field for a day from first to last. It returns the day if that is valid.
func (v *Visit) AddDate(name, value string, first, last digest.Date) (day digest.Date) {
	f := v.add(field{Name: name, Kind: dateKind, First: first, Last: last}, &value)
	if v.Posted() {
		day, f.Wrong = DateField{value}.Read(first, last)
	}
	return day
}

// Type returns the type of the input element. Browsers clear an invalid value in a field for a date, so the form
// shows it in a text field.
func (f field) Type() string {
	if f.Kind == dateKind {
		return DateField{strings.TrimSpace(f.Value)}.Type()
	}
	return "text"
}

// Reject shows at a field why its value is invalid, or in the notice of the page if name is "".
func (v *Visit) Reject(name string, why catalogue.Sayable) {
	if name == "" {
		v.Wrong = why
		return
	}
	v.fields[name].Wrong = why
}

// Rows returns the height of an area in lines.
func (f field) Rows() int { return min(5, max(3, f.Most/400)) }

// Field returns a field with its label and its hint for the template.
func (v *Visit) Field(name string, label any, hint ...any) (field, error) {
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
func (v *Visit) Required(name string, label any, hint ...any) (field, error) {
	f, err := v.Field(name, label, hint...)
	f.Required = true
	return f, err
}
