package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
)

func TestMain(m *testing.M) {
	storetest.Main(m, built.Remove)
}

// patience is the time after which a test considers an action stuck. It does not measure speed.
const patience = 5 * time.Minute

// full reports whether the tests run with more of everything.
func full() bool { return os.Getenv("DIGEST_ACCEPTANCE") == "full" }

var built program.Workshop

// A house is an installation of the program: a database, a mail directory, and settings.
type house struct {
	t        *testing.T
	path     string
	dir      string
	database string
	settings []string // NAME=value, later ones win
	as       []string // a command prefix that runs the program as another user
}

func newHouse(t *testing.T, database string) *house {
	t.Helper()
	h := &house{t: t, path: built.Path(t), dir: t.TempDir(), database: database}
	h.set("DIGEST_DATABASE="+database, "DIGEST_MAIL=maildir:"+h.maildir(), "DIGEST_ALLOW_NETWORKS=127.0.0.0/8")
	return h
}

func (h *house) set(settings ...string) { h.settings = append(h.settings, settings...) }

func (h *house) maildir() string { return filepath.Join(h.dir, "mail") }

type outcome struct {
	status         int // -1: killed
	stdout, stderr string
}

// command prepares a run without the tester's own settings.
func (h *house) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append(append(slices.Clone(h.as), h.path), args...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = h.dir
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "DIGEST_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(append(cmd.Env, "DIGEST_CONFIG="+os.DevNull), h.settings...)
	return cmd
}

// try runs the program to its end, or until ctx ends, which kills it.
func (h *house) try(ctx context.Context, args ...string) outcome {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := h.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended && ctx.Err() == nil {
		h.t.Errorf("running digest %s: %v", strings.Join(args, " "), err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (h *house) run(args ...string) string {
	h.t.Helper()
	o := h.try(h.t.Context(), args...)
	if o.status != 0 {
		h.t.Fatalf("digest %s: exit status %d\n%s%s", strings.Join(args, " "), o.status, o.stdout, o.stderr)
	}
	return o.stdout
}

func (h *house) at(now time.Time, args ...string) string {
	h.t.Helper()
	return h.run(append([]string{"--now", instant(now)}, args...)...)
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// A summary is the output of tick --json.
type summary struct {
	Polled, Changed, Unchanged, Failed, Posts, Editions, Sent int
	FailedMail                                                int `json:"failed_mail"`
}

func (s *summary) add(t summary) {
	s.Polled += t.Polled
	s.Changed += t.Changed
	s.Unchanged += t.Unchanged
	s.Failed += t.Failed
	s.Posts += t.Posts
	s.Editions += t.Editions
	s.Sent += t.Sent
	s.FailedMail += t.FailedMail
}

// readSummary reads the last line of stdout, as documented.
func readSummary(stdout string) (s summary, err error) {
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	d := json.NewDecoder(strings.NewReader(lines[len(lines)-1]))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("the last line of tick --json, %q: %w", lines[len(lines)-1], err)
	}
	return s, nil
}

func (h *house) tick(now time.Time) summary {
	h.t.Helper()
	s, err := readSummary(h.at(now, "--json", "tick"))
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}
