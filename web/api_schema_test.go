package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// A schema contains the parts of JSON Schema that openapi.json uses.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a string or a list of strings
	Format               string
	Enum                 []string
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties *bool
}

type apiMedia map[string]struct{ Schema *schema }

type apiOperation struct {
	OperationID string
	RequestBody *struct{ Content apiMedia }
	Responses   map[string]struct{ Content apiMedia }
}

// A document is openapi.json.
type document struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Schemas map[string]*schema }
}

func apiDocument(t *testing.T) document {
	t.Helper()
	var d document
	text, err := os.ReadFile("api/openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// operation returns the description of a pattern such as "GET /x".
func (d document) operation(t *testing.T, pattern string) (op apiOperation, ok bool) {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	raw, ok := d.Paths[path][strings.ToLower(method)]
	if ok {
		if err := json.Unmarshal(raw, &op); err != nil {
			t.Fatal(err)
		}
	}
	return op, ok
}

// check returns where a value does not match the schema.
func (d document) check(s *schema, at string, value any) (wrong []string) {
	if s.Ref != "" {
		return d.check(d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")], at, value)
	}
	names := []string{fmt.Sprint(s.Type)}
	if several, ok := s.Type.([]any); ok {
		names = nil
		for _, name := range several {
			names = append(names, fmt.Sprint(name))
		}
	}
	kind := kindOf(value)
	if !slices.Contains(names, kind) {
		return []string{fmt.Sprintf("%s is %s, not %v", at, kind, names)}
	}
	switch v := value.(type) {
	case string:
		wrong = append(wrong, s.checkText(at, v)...)
	case []any:
		for i, item := range v {
			wrong = append(wrong, d.check(s.Items, fmt.Sprintf("%s[%d]", at, i), item)...)
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				wrong = append(wrong, at+"."+name+" is not there")
			}
		}
		for name, part := range v {
			if p := s.Properties[name]; p != nil {
				wrong = append(wrong, d.check(p, at+"."+name, part)...)
			} else if s.AdditionalProperties == nil || !*s.AdditionalProperties {
				wrong = append(wrong, at+"."+name+" is not described")
			}
		}
	}
	return wrong
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func (s *schema) checkText(at, v string) (wrong []string) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		wrong = append(wrong, fmt.Sprintf("%s is %q, none of %v", at, v, s.Enum))
	}
	var err error
	switch s.Format {
	case "date":
		_, err = digest.ParseDate(v)
	case "date-time":
		_, err = time.Parse(time.RFC3339, v)
	}
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("%s is no %s: %q", at, s.Format, v))
	}
	return wrong
}

// TestSchemaCheck checks that check finds invalid responses.
func TestSchemaCheck(t *testing.T) {
	d := apiDocument(t)
	day := &schema{Ref: "#/components/schemas/Day"}
	for body, wrong := range map[string]int{
		`{"day":"2026-11-20","joined":1,"left":0,"sent":0,"bounced":0,"complained":0}`:         0,
		`{"day":"20 November","joined":1,"left":0,"sent":0,"bounced":0,"complained":0}`:        1,
		`{"day":"2026-11-20","joined":"1","left":0.5,"sent":null,"bounced":0,"complained":0}`:  3,
		`{"day":"2026-11-20","joined":1,"left":0,"sent":0,"bounced":0}`:                        1,
		`{"day":"2026-11-20","joined":1,"left":0,"sent":0,"bounced":0,"complained":0,"who":1}`: 1,
		`[]`: 1,
	} {
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil {
			t.Fatal(err)
		}
		if got := d.check(day, "day", value); len(got) != wrong {
			t.Errorf("%s: %q, want %d", body, got, wrong)
		}
	}
}
