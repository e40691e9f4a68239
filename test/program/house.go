package program

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience is the time after which a test considers an action stuck. It does not measure speed.
const Patience = 5 * time.Minute

// A House is an installation of the program: a directory, a database, and settings.
type House struct {
	Dir      string
	Settings []string // NAME=value, later ones win
	t        testing.TB
	program  string
}

// House returns a house with a Maildir, which may poll sites on this machine.
func (w *Workshop) House(t testing.TB, database string) *House {
	t.Helper()
	h := &House{t: t, program: w.Path(t), Dir: t.TempDir()}
	h.Set("DIGEST_DATABASE="+database, "DIGEST_MAIL=maildir:"+h.Maildir(), "DIGEST_ALLOW_NETWORKS=127.0.0.0/8")
	return h
}

// Set adds settings.
func (h *House) Set(settings ...string) { h.Settings = append(h.Settings, settings...) }

// Maildir returns the directory of the mail.
func (h *House) Maildir() string { return filepath.Join(h.Dir, "mail") }

// Write writes a file in the house's directory and returns its path.
func (h *House) Write(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.Dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// List writes a subscription list of addresses and returns its path.
func (h *House) List(addresses ...string) string {
	h.t.Helper()
	var b strings.Builder
	for _, a := range addresses {
		fmt.Fprintf(&b, `<outline type="rss" xmlUrl="%s"/>`, html.EscapeString(a))
	}
	return h.Write("list.opml", `<opml version="2.0"><body>`+b.String()+`</body></opml>`)
}

// Command prepares a run without the tester's own settings.
func (h *House) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Dir = h.Dir
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "DIGEST_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(append(cmd.Env, "DIGEST_CONFIG="+os.DevNull), h.Settings...)
	return cmd
}

// Start runs the program in the background, see Launch.
func (h *House) Start(address string, args ...string) *Process {
	h.t.Helper()
	return Launch(h.t, h.Command(h.t.Context(), args...), address)
}

// A Process is a program in the background.
type Process struct {
	*exec.Cmd
	Said bytes.Buffer // its output
	t    testing.TB
}

// Launch starts a command that runs until Stop, or until the test ends. It waits until the command listens at an
// address; "": it does not listen.
func Launch(t testing.TB, cmd *exec.Cmd, address string) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, t: t}
	cmd.Stdout, cmd.Stderr = &p.Said, &p.Said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			defer time.AfterFunc(Patience, func() { _ = cmd.Process.Kill() }).Stop()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait() // only the end counts
		}
	})
	if address != "" {
		Dial(t, address).Close()
	}
	return p
}

// Stop ends the process as a service manager does. It must succeed.
func (p *Process) Stop() {
	p.t.Helper()
	_ = p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		p.t.Errorf("%s: %v\n%s", strings.Join(p.Args, " "), err, &p.Said)
	}
}

// Dial connects to a server that may not have started yet.
func Dial(t testing.TB, address string) net.Conn {
	t.Helper()
	for deadline := time.Now().Add(Patience); ; <-time.After(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
