package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var updateDocs = flag.Bool("update-docs", false, "write the tables of docs/configuration.md")

// TestSettingsAreDocumented checks that the tables of docs/configuration.md match the settings structure: each setting
// in its group, with default and meaning. With -update-docs it writes them.
func TestSettingsAreDocumented(t *testing.T) {
	const path, begin, end = "../../docs/configuration.md", "<!-- settings -->\n", "<!-- end of settings -->\n"
	page, err := os.ReadFile(path)
	must(t, err)
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s lacks %q or %q", path, begin, end)
	}
	want := before + begin + settingsTables(t) + end + after
	if want == string(page) {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s differs from the settings: go test ./cmd/digest -run TestSettingsAreDocumented -update-docs", path)
	}
	must(t, os.WriteFile(path, []byte(want), 0o644))
}

func settingsTables(t *testing.T) string {
	t.Helper()
	var c cli
	if _, _, err := parseArgs(&c, []string{"config"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	groups, rows := []string{}, map[string][]string{}
	for _, f := range c.model.Flags {
		if !isSetting(f) && f.Name != "config" {
			continue
		}
		group := "Logging and settings file"
		if f.Group != nil && strings.HasSuffix(f.Group.Key, " settings:") {
			group = strings.TrimSuffix(f.Group.Key, ":")
		}
		if rows[group] == nil {
			groups = append(groups, group)
		}
		rows[group] = append(rows[group], settingsRow(f))
	}
	if len(groups) != 7 || len(rows["First settings"]) != 6 {
		t.Fatalf("groups are %q, the first with %d settings", groups, len(rows["First settings"]))
	}
	groups = append(groups[1:], groups[0]) // put the flags of all commands last
	var b strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&b, "### %s\n\n| setting | default | meaning |\n|---|---|---|\n%s\n", group,
			strings.Join(rows[group], ""))
	}
	return b.String()
}

// settingsRow returns the row of one setting. It turns the flags in the help into names of settings.
func settingsRow(f *kong.Flag) string {
	help := f.Help
	for word := range strings.FieldsSeq(f.Help) {
		if name := strings.Trim(word, "(),.;:"); strings.HasPrefix(name, "--") {
			help = strings.Replace(help, name, "`"+settingOf(name[2:])+"`", 1)
		}
	}
	value := f.Default
	if value != "" {
		value = "`" + value + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", settingOf(f.Name), value, help)
}
