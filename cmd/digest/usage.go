package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// usageError rewords an error of kong and refers to the help of the command.
func usageError(err error) error {
	command := "digest"
	if p, ok := errors.AsType[*kong.ParseError](err); ok && p.Context != nil {
		for _, step := range p.Context.Path {
			if step.Command != nil {
				command = step.Command.FullPath()
			}
		}
	}
	return fmt.Errorf("%s; see %s --help", plainUsage(err.Error()), command)
}

// plainUsage rewords the errors of kong about unknown names and missing values.
func plainUsage(text string) string {
	flag, rest, found := strings.Cut(text, ": expected ")
	if _, example, hint := strings.Cut(rest, "; perhaps try "); found && hint {
		return flag + " needs a value; write a negative one as " + strings.TrimSuffix(example, "?")
	}
	if commands, ok := strings.CutPrefix(text, "expected one of "); ok {
		return "missing command: " + strings.ReplaceAll(strings.TrimSuffix(commands, ", ..."), `"`, "")
	}
	if name, ok := strings.CutPrefix(text, "expected "); ok {
		return "missing " + strings.ReplaceAll(name, `"`, "")
	}
	if before, guess, ok := strings.Cut(text, ", did you mean "); ok {
		return before + " (did you mean " + strings.ReplaceAll(guess, `"`, "") + ")"
	}
	return text
}
