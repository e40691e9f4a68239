package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestServiceLogsJSON checks that with a JSON log, every line that serve, work and tick write while they run is a log
// line, at any level of the log. The result of a tick and the output of other commands stay text.
func TestServiceLogsJSON(t *testing.T) {
	program := built.Path(t)
	t.Chdir(t.TempDir())
	lines := func(out []byte) (texts []string) {
		t.Helper()
		for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
			var line struct{ Time, Level, Msg string }
			err := json.Unmarshal(s.Bytes(), &line)
			if err != nil || line.Time == "" || line.Level == "" || line.Msg == "" {
				t.Errorf("no line of a log: %q", s.Text())
			}
			texts = append(texts, line.Level+" "+line.Msg)
		}
		return texts
	}
	for _, args := range []string{
		"serve --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --log-level error " +
			"--return-path bounces@example.org --bounce-listen lmtp://127.0.0.1:0",
		"work", "work --now 2030-01-01T00:00:00Z",
	} {
		c := exec.CommandContext(t.Context(), program, strings.Fields(args+" --log-format json")...)
		out, w, err := os.Pipe()
		must(t, err)
		c.Stdout, c.Stderr = w, w
		must(t, c.Start())
		w.Close()
		var written bytes.Buffer
		for s := bufio.NewScanner(out); s.Scan(); {
			written.WriteString(s.Text() + "\n")
			if strings.Contains(s.Text(), "sign in as the owner") || strings.Contains(s.Text(), "working") {
				_ = c.Process.Signal(syscall.SIGTERM)
			}
		}
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		said := lines(written.Bytes())
		want := []string{"INFO finishing open requests and emails"}
		if strings.HasPrefix(args, "serve") {
			want = append(want, "INFO the web view is at http://localhost:8080 (listening on ",
				"INFO the metrics are at http://", "INFO accepting bounces at ",
				"INFO sign in as the owner: http://localhost:8080/")
		} else {
			want = append(want, "INFO working")
		}
		for _, w := range want {
			if !strings.Contains("\n"+strings.Join(said, "\n"), "\n"+w) {
				t.Errorf("%s does not say %q: %q", args, w, said)
			}
		}
		if strings.Contains(args, "2030") && !strings.HasPrefix(written.String(), `{"time":"2030-01-01T00:00:0`) {
			t.Errorf("%s has another time: %s", args, written.String())
		}
	}
	for args, logs := range map[string]bool{
		"tick --keep 10m": true, "serve --listen here": true, "work --mail smtp://127.0.0.1:1 --from nobody": true,
		"user list --keep 10m": false, "user show nobody@example.org": false,
	} {
		status, out, said := ran(t, strings.Fields(args+" --log-format json")...)
		if status == exitDone || out != "" {
			t.Errorf("%s: status %d, %s", args, status, out)
		}
		if logs {
			if said := fmt.Sprint(lines([]byte(said))); !strings.HasPrefix(said, "[ERROR digest: ") {
				t.Errorf("%s says %s", args, said)
			}
		} else if !strings.HasPrefix(said, "digest: ") {
			t.Errorf("%s says %s", args, said)
		}
	}
	if status, out, said := ran(t, "tick", "--log-format", "json"); status != exitDone ||
		!strings.HasPrefix(out, "polled 0 feeds") {
		t.Errorf("tick: status %d, %s, %s", status, out, said)
	}
}
