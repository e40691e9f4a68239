package mailer

import (
	"reflect"
	"testing"
)

// TestLineBreaksInFields: line breaks of any form in the texts of a letter add no line to its header.
func TestLineBreaksInFields(t *testing.T) {
	for i := range reflect.TypeFor[Letter]().NumField() {
		field := reflect.TypeFor[Letter]().Field(i)
		if field.Type.Kind() != reflect.String || field.Name == "HTML" || field.Name == "Text" {
			continue
		}
		for _, lineBreak := range []string{"\n", "\r", "\r\n"} {
			m := sample()
			m.ComplaintsTo = "bounces@example.org"
			value := reflect.ValueOf(&m).Elem().Field(i)
			half := value.Len() / 2
			value.SetString(value.String()[:half] + lineBreak + "X-Evil: yes" + lineBreak + value.String()[half:])
			b, err := Compose(m)
			if err == nil && parse(t, b).Header.Get("X-Evil") != "" {
				t.Errorf("%s: %q begins a field", field.Name, lineBreak)
			}
			if foreign := field.Name == "Subject" || field.Name == "ListName"; foreign && err != nil {
				t.Errorf("%s: %v", field.Name, err)
			}
		}
	}
}
