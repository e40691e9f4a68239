package feed

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// An asValue is a field as written; nil: it is missing.
type asValue []byte

// UnmarshalJSON keeps the field. A decoder may use its bytes again.
func (v *asValue) UnmarshalJSON(b []byte) error {
	*v = bytes.Clone(b)
	return nil
}

// everyOne is the bound of lists that the program reads whole, such as recipients.
const everyOne = math.MaxInt

// list returns the values of a field, which may be one or many.
func (v asValue) list(most int) (all []asValue) {
	if len(v) == 0 || v[0] == 'n' {
		return nil
	}
	if v[0] == '{' {
		if inner := v.wrapped("@list", "@set"); inner != nil {
			v = inner
		}
	}
	if v[0] != '[' {
		return []asValue{v}
	}
	dec := json.NewDecoder(bytes.NewReader(v))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for len(all) < most && dec.More() {
		var one json.RawMessage
		if dec.Decode(&one) != nil {
			break
		}
		all = append(all, asValue(one))
	}
	return all
}

// wrapped returns the value of the first of some keywords in an object of JSON-LD; nil: it has none
// (w3.org/TR/json-ld11 section 9.5).
func (v asValue) wrapped(keywords ...string) asValue {
	if len(v) == 0 || v[0] != '{' || !slices.ContainsFunc(keywords,
		func(k string) bool { return bytes.Contains(v, []byte(k)) }) {
		return nil
	}
	var of map[string]asValue
	if json.Unmarshal(v, &of) != nil {
		return nil
	}
	for _, k := range keywords {
		if inner := of[k]; len(inner) > 0 {
			return inner
		}
	}
	return nil
}

// text returns a string, or the first string of a list; "" for any other value.
func (v asValue) text() (s string) {
	switch {
	case len(v) == 0:
	case v[0] == '"' && json.Unmarshal(v, &s) == nil:
		return cleanText(s)
	case v[0] == '[':
		if all := v.list(1); len(all) > 0 && all[0][0] != '[' {
			return all[0].text()
		}
	case v[0] == '{':
		if inner := v.wrapped("@value"); len(inner) > 0 && inner[0] == '"' {
			return inner.text()
		}
	}
	return ""
}

// words returns a text, or its version in one language. Some servers write the map of
// languages where the text belongs.
func (v asValue) words(inLanguages asValue) string {
	return firstOf(v.text(), firstInMap(inLanguages), firstInMap(v))
}

// number returns a whole number; 0 for any other value.
func (v asValue) number() (n int64) {
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// isTrue reports whether a field is true.
func (v asValue) isTrue() bool {
	if inner := v.wrapped("@value"); inner != nil {
		v = inner
	}
	return string(v) == "true"
}

// object returns the first value of a field as an object; an address alone has nothing but an ID.
func (v asValue) object() (o asObject) {
	all := v.list(1)
	if len(all) == 0 {
		return o
	}
	if s := all[0].text(); s != "" {
		o.address = s
		return o
	}
	if o.read(all[0]) == nil {
		o.address = firstOf(o.ID.text(), o.Href.text())
	}
	return o
}

// addresses returns the addresses in a field; of objects, their IDs.
func (v asValue) addresses() (all []string) {
	for _, one := range v.list(everyOne) {
		if s := one.object().address; s != "" {
			all = append(all, s)
		}
	}
	return all
}

// asNamespace is the beginning of the terms of ActivityStreams in their full form.
const asNamespace = "https://www.w3.org/ns/activitystreams#"

// read reads an object. JSON-LD has other names for its ID and type, and may write a prefix
// before each of its fields (w3.org/TR/activitystreams-core section 2.1).
func (o *asObject) read(v []byte) error {
	if bytes.Contains(v, []byte(`"as:`)) || bytes.Contains(v, []byte(`"`+asNamespace)) {
		v = withoutPrefixes(v)
	}
	if err := json.Unmarshal(v, o); err != nil {
		return err
	}
	if len(o.ID) == 0 {
		o.ID = o.AtID
	}
	if len(o.Type) == 0 {
		o.Type = o.AtType
	}
	return nil
}

// withoutPrefixes returns an object whose own fields are written without a prefix.
func withoutPrefixes(v []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(v, &fields) != nil {
		return v
	}
	changed := false
	for name, value := range fields {
		short := term(name)
		if _, twice := fields[short]; short == name || twice {
			continue
		}
		fields[short] = value
		delete(fields, name)
		changed = true
	}
	if !changed {
		return v
	}
	plain, err := json.Marshal(fields)
	if err != nil {
		return v
	}
	return plain
}

// term returns a term of ActivityStreams without its prefix.
func term(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "as:"), asNamespace)
}

// firstInMap returns the text of one language. Most maps have one.
func firstInMap(v asValue) string {
	of := languagesOf(v)
	languages := make([]string, 0, len(of))
	for l := range of {
		languages = append(languages, l)
	}
	slices.Sort(languages)
	for _, l := range languages {
		if s := of[l].text(); s != "" {
			return s
		}
	}
	return ""
}

// languagesOf returns a field that is a map of languages; nil: it is something else.
func languagesOf(v asValue) (of map[string]asValue) {
	if len(v) == 0 || v[0] != '{' || json.Unmarshal(v, &of) != nil {
		return nil
	}
	for l := range of {
		if l != "@none" && (l == "" || len(l) > maxLanguage || Language(l) == "") {
			return nil
		}
	}
	return of
}
