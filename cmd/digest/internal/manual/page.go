// Package manual generates documents from a command line: a page for man(1), and the completions of bash, zsh and fish.
// It uses the definitions of the command line itself, so that they always agree.
package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Page returns the manual page of a program in the language of man(7). config is the default settings file. setting
// returns the name of a flag in the environment and the file, or "".
func Page(app *kong.Application, version, config string, setting func(*kong.Flag) string) string {
	p := &page{}
	name := strings.ToUpper(app.Name)
	p.line(`.TH %s 1 "" %s`, quoted(name), quoted(app.Name+" "+version))
	p.section("NAME")
	p.line(`%s \- %s`, escaped(app.Name), escaped(strings.TrimSuffix(lower(app.Help), ".")))
	p.section("SYNOPSIS")
	p.line(".B %s", escaped(app.Name))
	p.line(".I command")
	p.line("[flags]")
	p.section("COMMANDS")
	for _, leaf := range app.Leaves(true) {
		p.command(leaf)
	}
	p.section("SETTINGS AND FLAGS OF ALL COMMANDS")
	p.line("A flag beats the environment, and the environment beats the file of settings, whose lines are DIGEST_NAME=value.")
	for _, f := range app.Flags {
		p.flag(f, setting(f))
	}
	p.section("FILES")
	p.line(".TP")
	p.line(".I %s", escaped(config))
	p.line("The file of settings that is read where none is named.")
	p.section("EXIT STATUS")
	p.line("0 if all went well, 1 if something went wrong, 2 if the command line is wrong.")
	return p.String()
}

type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.Builder, format+"\n", args...) }

func (p *page) section(name string) { p.line(".SH %s", quoted(name)) }

func (p *page) command(leaf *kong.Node) {
	p.line(".SS %s", quoted(strings.TrimSpace(path(leaf)+" "+arguments(leaf))))
	p.line("%s", escaped(leaf.Help))
	for _, a := range leaf.Positional {
		if a.Help != "" {
			p.line(".TP")
			p.line(".I %s", escaped(a.Name))
			p.line("%s", escaped(a.Help))
		}
	}
	for _, f := range leaf.Flags {
		p.flag(f, "")
	}
}

func (p *page) flag(f *kong.Flag, setting string) {
	if f.Hidden {
		return
	}
	p.line(".TP")
	p.line(".B %s", escaped(spelling(f)))
	text := f.Help
	if setting != "" {
		text += " (" + setting + ")"
	}
	if f.HasDefault && f.Default != "" {
		text += " Default: " + f.Default
	}
	p.line("%s", escaped(text))
}

// path returns the full name of a command, with its parents.
func path(n *kong.Node) string {
	var names []string
	for ; n != nil && n.Type == kong.CommandNode; n = n.Parent {
		names = append([]string{n.Name}, names...)
	}
	return strings.Join(names, " ")
}

func arguments(n *kong.Node) string {
	var all []string
	for _, a := range n.Positional {
		all = append(all, a.Summary())
	}
	return strings.Join(all, " ")
}

// spelling returns a flag as a person types it.
func spelling(f *kong.Flag) string {
	s := "--" + f.Name
	if f.Tag != nil && f.Tag.Negatable != "" {
		s = "--[no-]" + f.Name
	}
	if !f.IsBool() && !f.IsCounter() {
		s += "=" + f.FormatPlaceHolder()
	}
	return s
}

// escaped escapes a text for roff: its backslashes, its hyphens, and a request character at its beginning.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", "‑", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func quoted(text string) string {
	return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"`
}

func lower(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}
