package main

import (
	"testing"
)

// TestUsageErrors checks that an error in a command line names the mistake in plain words and the help of the command.
func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"--datbase x": "digest: unknown flag --datbase (did you mean --database?); see " +
			"digest --help\n",
		"usr": "digest: unexpected argument usr (did you mean user?); see digest " +
			"--help\n",
		"opml": "digest: missing command: import, export; see digest opml --help\n",
		"hosts set example.org": "digest: missing flags: --interval=DURATION; see digest hosts set " +
			"--help\n",
		"hosts set example.org --interval -3h": "digest: --interval needs a value; write a negative one as " +
			"--interval=\"-3h\"; see digest hosts set --help\n",
		"subscribe a@example.org": "digest: missing <url> ...; see digest subscribe --help\n",
	} {
		if said := complaint(t, line, exitUsage); said != want {
			t.Errorf("digest %s: %q; want %q", line, said, want)
		}
	}
}
