package mailer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
)

func openDir(t *testing.T) (Transport, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mail")
	tr, err := Open("maildir:"+dir, Options{})
	must(t, err)
	return tr, dir
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, sub := range []string{"tmp", "new", "cur"} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		must(t, err)
		for _, e := range entries {
			names = append(names, sub+"/"+e.Name())
		}
	}
	return names
}

func TestMaildir(t *testing.T) {
	tr, dir := openDir(t)
	message := mustCompose(t, sample())
	for range 2 { // the second time replaces the first
		before := 0
		reply, err := tr.Send(t.Context(), envelope(), message, func(context.Context) error {
			if before++; len(files(t, dir)) == 0 {
				t.Error("nothing is written before the promise")
			}
			return nil
		})
		if err != nil || reply.Text != "new/d.x@example.org" || before != 1 {
			t.Fatalf("%v, %v, asked %d times", reply, err, before)
		}
	}
	if got := files(t, dir); len(got) != 1 || got[0] != "new/d.x@example.org" {
		t.Fatal(got)
	}
	path := filepath.Join(dir, "new", "d.x@example.org")
	b, err := os.ReadFile(path)
	if err != nil || string(b) != string(message) {
		t.Errorf("%v: %q", err, b)
	}
	for _, p := range []string{dir, filepath.Join(dir, "new"), path} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", p, info.Mode(), err)
		}
	}
}

// TestMaildirKnowsWhatWasRead: messages that a mail program has moved to cur stay unchanged.
func TestMaildirKnowsWhatWasRead(t *testing.T) {
	for _, flags := range []string{":2,S", ":2,", ":2,RS", ""} {
		tr, dir := openDir(t)
		e := envelope()
		if _, err := tr.Send(t.Context(), e, mustCompose(t, sample()), noDot); err != nil {
			t.Fatal(err)
		}
		must(t, os.Rename(filepath.Join(dir, "new", e.MessageID),
			filepath.Join(dir, "cur", e.MessageID+flags)))
		e.Again = true
		reply, err := tr.Send(t.Context(), e, mustCompose(t, sample()), noDot)
		if got := files(t, dir); err != nil || len(got) != 1 || reply.Text != "already in "+got[0] {
			t.Errorf("%q: %v, %v, %v", flags, reply, err, got)
		}
	}
}

func TestMaildirNothingHalf(t *testing.T) {
	tr, dir := openDir(t)
	message := mustCompose(t, sample())
	refuse := errors.New("no commit")
	_, err := tr.Send(t.Context(), envelope(), message, func(context.Context) error { return refuse })
	if !errors.Is(err, refuse) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Send(ctx, envelope(), message, noDot); !errors.Is(err, errTooLate) {
		t.Error(err)
	}
	// The folder disappears, as on a failing disk.
	must(t, os.RemoveAll(filepath.Join(dir, "new")))
	_, err = tr.Send(t.Context(), envelope(), message, noDot)
	if e, ok := errors.AsType[*NotAcceptedError](err); !ok || e.Verdict() != Route ||
		digest.KindOf(err) != digest.Unavailable {
		t.Errorf("%v", err)
	}
	must(t, os.Mkdir(filepath.Join(dir, "new"), 0o700))
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestMaildirThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := Open("maildir:"+file, Options{})
	if digest.KindOf(err) != digest.Unavailable || !strings.Contains(err.Error(), "DIGEST_MAIL=maildir:"+file) ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

func TestMaildirSweepsTmp(t *testing.T) {
	_, dir := openDir(t)
	for name, age := range map[string]time.Duration{"old": 40 * time.Hour, "young": 30 * time.Hour} {
		path := filepath.Join(dir, "tmp", name)
		when := time.Now().Add(-age)
		must(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, when, when)))
	}
	if _, err := Open("maildir:"+dir, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); len(got) != 1 || got[0] != "tmp/young" {
		t.Error(got)
	}
}

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"d.abc@example.org": "d.abc@example.org",
		"../../etc/passwd":  "_._.._etc_passwd",
		"a:2,S":             "a_2,S",
		".hidden":           "_hidden",
		"":                  "",
		"a b":               "",
	} {
		got, err := fileName(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}
