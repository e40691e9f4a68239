package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// line is a command line with all features of the program's: nested commands, global and local flags, and special
// characters of shells and roff.
type line struct {
	JSON  bool   `name:"json" help:"Print JSON."`
	Place string `default:"here" help:"Where it isn't; a \\ and \"quotes\": $HOME."`

	Serve struct{}  `cmd:"" help:"Do it all."`
	User  userLine  `cmd:"" help:"Readers."`
	Gone  struct{}  `cmd:"" hidden:"" help:"Nobody sees it."`
	Queue queueLine `cmd:"" help:"Mail."`
}

type userLine struct {
	Add struct {
		Email string `arg:"" help:".begins as roff does"`
		Zone  string `placeholder:"ZONE" help:"'quoted' zone. Another sentence."`
		Mail  *bool  `negatable:"" help:"Mail it."`
	} `cmd:"" help:"Add one."`
	List struct{} `cmd:"" help:"List them."`
}

type queueLine struct {
	Show struct {
		Old bool `help:"Old ones."`
	} `cmd:"" default:"withargs" help:"Show it."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(new(line), kong.Name("paper"), kong.Description("A program."))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

func TestPage(t *testing.T) {
	page := Page(model(t), "v1.2", "/etc/paper.conf", func(f *kong.Flag) string {
		if f.Name == "place" {
			return "PAPER_PLACE"
		}
		return ""
	})
	for _, want := range []string{
		".TH \"PAPER\" 1 \"\" \"paper v1.2\"\n", "paper \\- a program\n", ".SS \"user add <email>\"\n",
		"\\&.begins as roff does\n",
		".B \\-\\-zone=ZONE\n\\&'quoted' zone. Another sentence.\n", ".B \\-\\-[no\\-]mail\n",
		".B \\-\\-place=\"here\"\nWhere it isn't; a \\e and \"quotes\": $HOME. (PAPER_PLACE) Default: here\n",
		".I /etc/paper.conf\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	if strings.Contains(page, "Nobody") {
		t.Error("what is hidden is shown")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not here: the page is not set")
	}
	c := exec.Command(groff, "-man", "-ww", "-Tutf8")
	c.Stdin = strings.NewReader(page)
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil || said.Len() > 0 {
		t.Errorf("%v: %s", err, said.String())
	}
}

// TestBash checks the completions in bash.
func TestBash(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	script := Completion(model(t), "bash")
	for _, test := range []struct{ words, want string }{
		{"paper ''", "serve user queue"},
		{"paper s", "serve"},
		{"paper user ''", "add list"},
		{"paper user a", "add"},
		{"paper --json user l", "list"},
		{"paper user add --z", "--zone"},
		{"paper user add --n", "--no-mail"},
		{"paper user add --j", "--json"},
		{"paper queue show --o", "--old"},
		{"paper --p", "--place"},
		{"paper nothing --zo", ""},
	} {
		out, err := exec.Command(shell, "-c", script+"\nCOMP_WORDS=("+test.words+
			"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _paper; echo \"${COMPREPLY[*]}\"").CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
			t.Errorf("%s: %q, want %q, %v", test.words, got, test.want, err)
		}
	}
}

// TestShells checks that the other shells accept their scripts, and the completions in fish.
func TestShells(t *testing.T) {
	if Completion(model(t), "tcsh") != "" {
		t.Error("a shell that nobody knows has a script")
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("it is not here")
			}
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(Completion(model(t), shell)), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v: %s", err, out)
			}
			if shell != "fish" {
				return
			}
			for words, want := range map[string]string{"paper user ": "add\tAdd one\nlist\tList them",
				"paper user add --z": "--zone\t'quoted' zone", "paper qu": "queue\tMail"} {
				out, err := exec.Command(path, "-c", "source "+file+"; complete -C '"+words+"'").CombinedOutput()
				if got := strings.TrimSpace(string(out)); err != nil || got != want {
					t.Errorf("%q: %q, want %q, %v", words, got, want, err)
				}
			}
		})
	}
}
