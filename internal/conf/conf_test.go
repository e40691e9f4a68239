package conf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"digest/internal/conf"
)

func names() []string {
	return []string{"DIGEST_BASE_URL", "DIGEST_DATABASE", "DIGEST_FROM", "DIGEST_KEEP", "DIGEST_MAIL"}
}

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"\n  \n# a remark\n\t# DIGEST_KEEP=1d\n", ""},
		{"DIGEST_KEEP=90d", "1:DIGEST_KEEP=[90d]"},
		{"DIGEST_KEEP=90d\r\nDIGEST_FROM=a@b.example\r\n", "1:DIGEST_KEEP=[90d] 2:DIGEST_FROM=[a@b.example]"},
		{"\ufeffDIGEST_KEEP=90d", "1:DIGEST_KEEP=[90d]"},
		{"\n DIGEST_KEEP = 90d \t\n", "2:DIGEST_KEEP=[90d]"},
		{"DIGEST_KEEP=", "1:DIGEST_KEEP=[]"},
		{"DIGEST_KEEP=''", "1:DIGEST_KEEP=[]"},
		{"DIGEST_MAIL=smtp://u:a=b#c$d\\e@h", `1:DIGEST_MAIL=[smtp://u:a=b#c$d\e@h]`},
		{`DIGEST_FROM=Ann's "Daily" <a@b.example>`, `1:DIGEST_FROM=[Ann's "Daily" <a@b.example>]`},
		{`DIGEST_FROM='"Daily Digest" <a@b.example>'`, `1:DIGEST_FROM=["Daily Digest" <a@b.example>]`},
		{`DIGEST_FROM="  Ann's # paper  "`, `1:DIGEST_FROM=[  Ann's # paper  ]`},

		{"DIGEST_KEEP=1d\nDIGEST_BASEURL=x", `line 2: "DIGEST_BASEURL" is not a setting; did you mean ` +
			`DIGEST_BASE_URL?`},
		{"BASE_URL=x", `line 1: "BASE_URL" is not a setting; did you mean DIGEST_BASE_URL?`},
		{"digest_keep=x", `line 1: "digest_keep" is not a setting; did you mean DIGEST_KEEP?`},
		{"export DIGEST_KEEP=x", `line 1: "export DIGEST_KEEP" is not a setting; did you mean DIGEST_KEEP?`},
		{"DIGEST_KEPE=x", `line 1: "DIGEST_KEPE" is not a setting; did you mean DIGEST_KEEP?`},
		{"PATH=x", `line 1: "PATH" is not a setting`},
		{"=x", `line 1: "" is not a setting`},
		{strings.Repeat("É", 99) + "=x", `line 1: "` + strings.Repeat("É", 40) + `…" is not a setting`},
		{"DIGEST_KEEP=1d\n\nDIGEST_KEEP=1d", "line 3: DIGEST_KEEP is already set on line 1; remove one of the two"},
		{"hello", "line 1: is neither DIGEST_NAME=value nor a comment that begins with #"},
		{"DIGEST_KEEP=90d # days",
			"line 1: DIGEST_KEEP has a # in its value; put the value in quotes, or the comment on its own line"},
		{`DIGEST_FROM="Daily Digest" <secret@b.example>`,
			"line 1: DIGEST_FROM begins with a quote that doesn't match one at its end; put quotes of the other " +
				"kind around the whole value"},
		{`DIGEST_FROM="a" and "b"`,
			"line 1: DIGEST_FROM begins with a quote that doesn't match one at its end; put quotes of the other " +
				"kind around the whole value"},
		{`DIGEST_FROM="`, "line 1: DIGEST_FROM begins with a quote that doesn't match one at its end; put quotes " +
			"of the other kind around the whole value"},
		{"DIGEST_KEEP=1\x00d", "line 1: is not valid text: it contains a control character or invalid UTF-8"},
		{"# \xff\nDIGEST_KEEP=\xff", "line 2: is not valid text: it contains a control character or invalid UTF-8"},
	}
	for _, tt := range tests {
		all, err := conf.Parse([]byte(tt.text), names())
		var said []string
		for _, s := range all {
			said = append(said, fmt.Sprintf("%d:%s=[%s]", s.Line, s.Name, s.Value))
		}
		if err != nil {
			said = []string{err.Error()}
		}
		if got := strings.Join(said, " "); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// FuzzParse checks any file. Each setting is a known one and set once. An error is one line with a valid line number. A
// value written with quotes is parsed back.
func FuzzParse(f *testing.F) {
	f.Add("DIGEST_KEEP=90d\n# a remark\nDIGEST_FROM='\"Ann\" <a@b.example>'\n")
	f.Add("DIGEST_KEEP=\"1\r\nDIGEST_BASEURL=\xff")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := conf.Parse([]byte(text), names())
		if bad, ok := errors.AsType[*conf.Error](err); err != nil && (!ok || all != nil || bad.Line < 1 ||
			bad.Line > strings.Count(text, "\n")+1 || strings.ContainsAny(bad.Error(), "\r\n\x1b")) {
			t.Fatalf("%q: %v, %q", text, all, err)
		}
		var again strings.Builder
		for i, s := range all {
			if !slices.Contains(names(), s.Name) ||
				slices.ContainsFunc(all[:i], func(o conf.Setting) bool { return o.Name == s.Name }) {
				t.Fatalf("%q: %v", text, all)
			}
			quote := `"`
			if strings.Contains(s.Value, quote) {
				quote = "'"
			}
			if strings.Contains(s.Value, `"`) && strings.Contains(s.Value, "'") {
				return // only an unquoted value can have both
			}
			fmt.Fprintf(&again, "%s=%s%s%s\n", s.Name, quote, s.Value, quote)
		}
		back, err := conf.Parse([]byte(again.String()), names())
		if err != nil || len(back) != len(all) {
			t.Fatalf("%q was written as %q: %v", text, again.String(), err)
		}
		for i := range all {
			if back[i].Value != all[i].Value {
				t.Fatalf("%q became %q", all[i].Value, back[i].Value)
			}
		}
	})
}
