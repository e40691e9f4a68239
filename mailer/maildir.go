package mailer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest"
	"digest/internal/ownership"
)

// maildirTransport delivers into one Maildir (https://cr.yp.to/proto/maildir.html), with one deviation: a file is named
// after its Message-ID, so that a message that is delivered again after a crash replaces itself.
type maildirTransport struct {
	dir string
}

func openMaildir(dir string) (Transport, error) {
	for _, sub := range []string{"", "tmp", "new", "cur"} {
		if err := ownership.MakeFolder(filepath.Join(dir, sub)); err != nil {
			return nil, folderError(dir, err)
		}
	}
	t := &maildirTransport{dir: dir}
	t.sweep()
	return t, nil
}

func folderError(dir string, err error) error {
	todo := "free the disk, make the folder writable, or name another such as maildir:mail"
	if reason, remedy := ownership.Foreign(dir); reason != "" && errors.Is(err, fs.ErrPermission) {
		todo = reason + "; run: " + remedy
	}
	return &digest.Error{
		Kind: digest.Unavailable, Message: fmt.Sprintf("DIGEST_MAIL=maildir:%s: mail cannot be written there; %s", dir,
			todo), Err: err,
	}
}

// Idempotent returns true, because the same message has the same file name.
func (t *maildirTransport) Idempotent() bool { return true }

// Close does nothing.
func (t *maildirTransport) Close() error { return nil }

// Send writes the message to tmp, syncs it to disk, and moves it to new, which delivers it. If a mail program has
// already moved the message to cur, Send does not change it.
func (t *maildirTransport) Send(ctx context.Context, e Envelope, message []byte,
	beforeDot func(context.Context) error) (Reply, error) {
	name, err := fileName(e.MessageID)
	if err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	tmp, err := t.write(name, message)
	if err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageConnect, Err: folderError(t.dir, err)}
	}
	defer os.Remove(tmp) // exists only after an error
	if err := ctx.Err(); err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageBody, Err: stoppedBy(ctx)}
	}
	if err := beforeDot(ctx); err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageBody, Err: err}
	}
	if e.Again {
		if seen, ok := t.inCur(name); ok {
			return Reply{Text: "already in cur/" + seen}, nil
		}
	}
	if err := os.Rename(tmp, filepath.Join(t.dir, "new", name)); err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageConnect, Err: folderError(t.dir, err)}
	}
	if err := syncDir(filepath.Join(t.dir, "new")); err != nil {
		return Reply{}, &InDoubtError{Err: folderError(t.dir, err)}
	}
	return Reply{Text: "new/" + name}, nil
}

// fileName converts a Message-ID to a file name: without separators, a leading dot, and a colon, which begins the
// flags.
func fileName(messageID string) (string, error) {
	if err := token("Message-ID", messageID); err != nil {
		return "", err
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"|`, r) {
			return '_'
		}
		return r
	}, messageID)
	if name[0] == '.' {
		name = "_" + name[1:]
	}
	return name, nil
}

// write creates a file with a unique name, so that two writers of one message do not conflict. After an error it
// removes the file.
func (t *maildirTransport) write(name string, message []byte) (path string, err error) {
	path = filepath.Join(t.dir, "tmp", name+"."+rand.Text()[:8])
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	ownership.GiveLike(f, t.dir)
	_, err = f.Write(message)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		os.Remove(path) //nolint:errcheck // err says what matters
		return "", err
	}
	return path, nil
}

// inCur looks for the message in cur, with any flags.
func (t *maildirTransport) inCur(name string) (string, bool) {
	d, err := os.Open(filepath.Join(t.dir, "cur"))
	if err != nil {
		return "", false
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1000)
		for _, n := range names {
			if base, _, _ := strings.Cut(n, ":"); base == name {
				return n, true
			}
		}
		if err != nil {
			return "", false
		}
	}
}

// sweep removes old files from tmp, after the 36 hours that the specification states.
func (t *maildirTransport) sweep() {
	tmp := filepath.Join(t.dir, "tmp")
	entries, _ := os.ReadDir(tmp) // a later sweep retries
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > 36*time.Hour {
			os.Remove(filepath.Join(tmp, e.Name())) //nolint:errcheck // it will be tried again
		}
	}
}

// syncDir syncs a rename to disk. It ignores file systems that do not support this.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
