package acceptance

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

// A batch is a set of messages, one per file, and the DNS record for their signatures.
type batch struct {
	files       []string
	name, value string
	uncounted   []string // rules of rspamd to ignore
}

// A grader is a mail checker of another project.
type grader struct {
	name  string
	lacks func() error // the error if a required program is missing
	// faults returns a line for each fault, which begins with the name of the file.
	faults func(t *testing.T, b batch) []string
}

// The maximum scores of mail: with SpamAssassin's local rules, without its trust in a nearby relay, and with rspamd's
// rules that need no network.
const (
	mostSpamAssassin = 0.0
	mostRspamd       = 0.5
)

func graders() []grader {
	return []grader{
		{"dkimpy", lacks(python(), "-c", "import dkim"), func(t *testing.T, b batch) []string {
			return b.lines(t, python(), "testdata/mail.py", "dkim", b.name, b.value)
		}},
		{"Mail::DKIM", lacks("perl", "-MMail::DKIM::Verifier", "-MNet::DNS", "-e", "1"),
			func(t *testing.T, b batch) []string { return b.lines(t, "perl", "testdata/dkim.pl", b.name, b.value) }},
		{"email", lacks(python(), "-c", "import email"), func(t *testing.T, b batch) []string {
			return b.lines(t, python(), "testdata/mail.py", "email")
		}},
		{"SpamAssassin", lacks("spamassassin", "--version"), spamAssassinFaults},
		{"rspamd", lacks("rspamd", "--version"), rspamdFaults},
	}
}

// grade checks messages with every grader, as a server receives them.
func grade(t *testing.T, b batch) {
	t.Helper()
	for _, g := range graders() {
		t.Run(g.name, func(t *testing.T) {
			g.need(t)
			for _, fault := range g.faults(t, b) {
				t.Error(fault)
			}
		})
	}
}

func newBatch(t *testing.T, dkimName, dkimValue string, messages [][]byte) batch {
	t.Helper()
	if len(messages) == 0 {
		t.Fatal("there is no mail to judge")
	}
	b := batch{name: dkimName, value: dkimValue}
	dir := t.TempDir()
	for i, message := range messages {
		file := filepath.Join(dir, fmt.Sprintf("%03d.eml", i))
		if err := os.WriteFile(file, message, 0o600); err != nil {
			t.Fatal(err)
		}
		b.files = append(b.files, file)
	}
	return b
}

func (g grader) need(t *testing.T) {
	t.Helper()
	if err := g.lacks(); err != nil {
		tier.Missing(t, g.name, err)
	}
}

func lacks(program string, args ...string) func() error {
	return func() error { return exec.Command(program, args...).Run() }
}

// python returns the system's Python, which has the system's packages; PATH may begin with another one.
func python() string {
	const systems = "/usr/bin/python3"
	if _, err := os.Stat(systems); err == nil {
		return systems
	}
	return "python3"
}

func outputOf(t *testing.T, program string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // SpamAssassin would store what it learns
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, stderr.String())
	}
	return stdout.String()
}

// lines runs a program on all messages, and returns the lines of its output.
func (b batch) lines(t *testing.T, program string, args ...string) []string {
	return slices.Collect(strings.Lines(outputOf(t, program, append(args, b.files...)...)))
}

// verdict matches the header that SpamAssassin adds: the matching rules and their scores.
var verdict = regexp.MustCompile(`(?m)^X-Spam-Rules: ((?:.*\n[ \t])*.*)\n`)

// spamAssassinFaults checks messages as on the reader's server, just received from a relay in its own network.
func spamAssassinFaults(t *testing.T, b batch) []string {
	t.Helper()
	args := []string{"-L", "-t", "--cf=report_safe 0", "--cf=bayes_auto_learn 0",
		"--cf=add_header all Rules _TESTSSCORES(,)_"}
	dir := t.TempDir()
	for _, file := range b.files {
		message, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		received := "Received: from relay.example.org (relay.example.org [192.168.1.7])\r\n\tby mx.example.net " +
			"(Postfix) with ESMTPS id 4F0000\r\n\tfor <reader@example.net>; " +
			time.Now().UTC().Format(time.RFC1123Z) + "\r\n"
		file = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(file, slices.Concat([]byte(received), message), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out := outputOf(t, "spamassassin", args...)
	verdicts := verdict.FindAllStringSubmatch(out, -1)
	if len(verdicts) != len(b.files) {
		t.Fatalf("%d verdicts on %d messages", len(verdicts), len(b.files))
	}
	var faults []string
	for i, v := range verdicts {
		score := 0.0
		rules := strings.Join(strings.Fields(v[1]), "")
		for rule := range strings.SplitSeq(rules, ",") {
			name, points, _ := strings.Cut(rule, "=")
			n, err := strconv.ParseFloat(points, 64)
			if err != nil {
				t.Fatalf("the verdict %q: %v", rules, err)
			}
			if name != "ALL_TRUSTED" {
				score += n
			}
		}
		t.Logf("%s: %.2f (%s)", filepath.Base(b.files[i]), score, rules)
		if math.Round(score*10)/10 > mostSpamAssassin { // as printed; many rules score 0.001
			faults = append(faults, fmt.Sprintf("%s\tscores %.2f: %s", filepath.Base(b.files[i]), score, rules))
		}
	}
	return faults
}
