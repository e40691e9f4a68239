package feed

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// An asValue is the raw JSON of a field; nil: the field is missing.
type asValue []byte

// UnmarshalJSON copies the field, because the decoder reuses its buffer.
func (v *asValue) UnmarshalJSON(b []byte) error {
	*v = bytes.Clone(b)
	return nil
}

// everyOne is the limit for lists that must be read completely, such as recipients.
const everyOne = math.MaxInt

// list returns the values of a field, at most most; a single value counts as a list of one.
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

// wrapped returns the value of the first keyword that a JSON-LD object has; nil: it has none of them
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

// text returns a string, or the first string of a list; "" for other values.
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

// words returns a text, or its version in one language. Some servers write the language map into the text field.
func (v asValue) words(inLanguages asValue) string {
	return firstOf(v.text(), firstInMap(inLanguages), firstInMap(v))
}

// number returns an integer; 0 for other values.
func (v asValue) number() (n int64) {
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

func (v asValue) isTrue() bool {
	if inner := v.wrapped("@value"); inner != nil {
		v = inner
	}
	return string(v) == "true"
}

// object returns the first value of a field as an object. From a plain address it makes an object with only an ID.
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

// addresses returns the addresses in a field; for objects, their IDs.
func (v asValue) addresses() (all []string) {
	for _, one := range v.list(everyOne) {
		if s := one.object().address; s != "" {
			all = append(all, s)
		}
	}
	return all
}

const asNamespace = "https://www.w3.org/ns/activitystreams#"

// read decodes an object. JSON-LD has other names for its ID and type, and allows a prefix on each field
// (w3.org/TR/activitystreams-core section 2.1).
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

// withoutPrefixes returns an object with the prefixes of its own field names removed.
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

func term(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "as:"), asNamespace)
}

// firstInMap returns the text of the first language by name. Most maps have only one.
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

// languagesOf returns a field as a map of languages; nil: the field is something other than such a map.
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
