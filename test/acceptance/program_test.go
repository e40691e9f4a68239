package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
)

func TestMain(m *testing.M) {
	storetest.Main(m, built.Remove)
}

const patience = program.Patience

// full reports whether the tests run with more of everything.
func full() bool { return os.Getenv("DIGEST_ACCEPTANCE") == "full" }

var built program.Workshop

// A house is an installation of the program.
type house struct {
	*program.House
	t        *testing.T
	database string
}

func newHouse(t *testing.T, database string, settings ...string) *house {
	t.Helper()
	h := &house{built.House(t, database), t, database}
	h.Set(settings...)
	return h
}

type outcome struct {
	status         int // -1: killed
	stdout, stderr string
}

// try runs the program to its end, or until ctx ends, which kills it.
func (h *house) try(ctx context.Context, args ...string) outcome {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := h.Command(ctx, args...)
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

// read decodes the JSON output of a command.
func (h *house) read(now time.Time, into any, args ...string) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.at(now, append([]string{"--json"}, args...)...)), into); err != nil {
		h.t.Fatalf("digest %s: %v", strings.Join(args, " "), err)
	}
}

// addReader adds a reader with a subscription list.
func (h *house) addReader(now time.Time, email, zone string, addresses ...string) {
	h.t.Helper()
	h.at(now, "user", "add", email, "--time-zone", zone, "--subject", "date")
	h.at(now, "opml", "import", email, h.List(addresses...))
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// A summary is the output of tick --json.
type summary struct {
	Polled, Changed, Unchanged, Failed, Posts, Editions, Sent int
	FailedMail                                                int `json:"failed_mail"`
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
