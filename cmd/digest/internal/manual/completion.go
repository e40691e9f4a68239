package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells returns the names of the shells that Completion supports.
func Shells() []string { return []string{"bash", "fish", "zsh"} }

// Completion returns the completion script for a shell, or "" for an unknown shell.
func Completion(app *kong.Application, shell string) string {
	switch shell {
	case "bash":
		return bash(app)
	case "zsh":
		return zsh(app)
	case "fish":
		return fish(app)
	}
	return ""
}

type word struct{ text, help string }

func follow(n *kong.Node) (commands, flags []word) {
	for _, c := range n.Children {
		if c.Type == kong.CommandNode && !c.Hidden {
			commands = append(commands, word{c.Name, brief(c.Help)})
		}
	}
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		flags = append(flags, word{"--" + f.Name, brief(f.Help)})
		if f.Tag != nil && f.Tag.Negatable != "" {
			flags = append(flags, word{"--no-" + f.Name, brief(f.Help)})
		}
	}
	return commands, flags
}

func all(app *kong.Application) (nodes []*kong.Node) {
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		nodes = append(nodes, n)
		for _, c := range n.Children {
			if c.Type == kong.CommandNode && !c.Hidden {
				walk(c)
			}
		}
	}
	walk(app.Node)
	return nodes
}

// brief returns the first sentence of a help text, shortened for a list.
func brief(help string) string {
	help, _, _ = strings.Cut(help, "\n")
	if before, _, found := strings.Cut(help, ". "); found {
		help = before
	}
	if r := []rune(help); len(r) > 70 {
		help = string(r[:69]) + "…"
	}
	return strings.TrimSuffix(help, ".")
}

func texts(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// table returns a case of a shell for each command with the words that can follow it.
func table(app *kong.Application, write func(path string, commands, flags []word) string) string {
	var b strings.Builder
	_, global := follow(app.Node)
	for _, n := range all(app) {
		commands, flags := follow(n)
		if n != app.Node {
			flags = append(flags, global...)
		}
		b.WriteString(write(path(n), commands, flags))
	}
	return b.String()
}

// paths returns the pattern of a shell's case that matches the path of any command.
func paths(app *kong.Application) string {
	var known []string
	for _, n := range all(app)[1:] {
		known = append(known, `"`+path(n)+`"`)
	}
	slices.Sort(known)
	return strings.Join(known, "|")
}

func bash(app *kong.Application) string {
	cases := table(app, func(path string, commands, flags []word) string {
		return fmt.Sprintf("\t%q) commands=%q; flags=%q ;;\n", path, texts(commands), texts(flags))
	})
	return fmt.Sprintf(`# bash completion of %[1]s, written by: %[1]s completion bash
_%[1]s() {
	local at="" word next commands="" flags="" current="${COMP_WORDS[COMP_CWORD]}"
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		next="${at:+$at }$word"
		case "$next" in
		%[2]s) at="$next" ;;
		esac
	done
	case "$at" in
%[3]s	esac
	COMPREPLY=()
	case "$current" in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
	*)
		if [ -n "$commands" ]; then
			COMPREPLY=($(compgen -W "$commands" -- "$current"))
		else
			compopt -o default 2>/dev/null
		fi
		;;
	esac
}
complete -F _%[1]s %[1]s
`, app.Name, paths(app), cases)
}

func zsh(app *kong.Application) string {
	cases := table(app, func(path string, commands, flags []word) string {
		return fmt.Sprintf("\t%q) commands=(%s); flags=(%s) ;;\n", path, described(commands), described(flags))
	})
	return fmt.Sprintf(`#compdef %[1]s
# zsh completion of %[1]s, written by: %[1]s completion zsh
_%[1]s() {
	local at="" word next
	local -a commands flags
	for word in "${(@)words[2,CURRENT-1]}"; do
		next="${at:+$at }$word"
		case "$next" in
		%[2]s) at="$next" ;;
		esac
	done
	case "$at" in
%[3]s	esac
	if [[ "$words[CURRENT]" == -* ]]; then
		_describe -o flag flags
	elif (( ${#commands} )); then
		_describe command commands
	else
		_files
	fi
}
if [ "$funcstack[1]" = "_%[1]s" ]; then
	_%[1]s "$@"
else
	compdef _%[1]s %[1]s
fi
`, app.Name, paths(app), cases)
}

func described(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, single(strings.ReplaceAll(w.text, ":", `\:`)+":"+w.help))
	}
	return strings.Join(all, " ")
}

func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func fish(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# fish completion of %[1]s, written by: %[1]s completion fish
function __%[1]s_at
	set -l at ""
	for word in (commandline -opc)[2..-1]
		set -l next (string trim "$at $word")
		switch "$next"
			case %[2]s
				set at "$next"
		end
	end
	test "$at" = "$argv[1]"
end
`, app.Name, strings.ReplaceAll(paths(app), "|", " "))
	for _, n := range all(app) {
		commands, flags := follow(n)
		for _, c := range commands {
			fmt.Fprintf(&b, "complete -c %s -f -n %s -a %s -d %s\n", app.Name,
				fishQuoted(fmt.Sprintf("__%s_at %q", app.Name, path(n))), c.text, fishQuoted(c.help))
		}
		when := ""
		if n != app.Node {
			when = " -n " + fishQuoted(fmt.Sprintf("__%s_at %q", app.Name, path(n)))
		}
		for _, f := range flags {
			fmt.Fprintf(&b, "complete -c %s%s -l %s -d %s\n", app.Name, when, strings.TrimPrefix(f.text, "--"),
				fishQuoted(f.help))
		}
	}
	return b.String()
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
