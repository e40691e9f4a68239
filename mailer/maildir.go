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

// maildirTransport delivers into one Maildir (https://cr.yp.to/proto/maildir.html),
// departing from it in one point: the name of a file is its Message-ID, so that a
// message delivered again after a crash replaces itself.
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

// Idempotent is true: the same message is the same file.
func (t *maildirTransport) Idempotent() bool { return true }

// Close has nothing to end.
func (t *maildirTransport) Close() error { return nil }

// Send writes the message under tmp, makes it durable, and moves it to new,
// which is the moment of delivery. A message that a mail program has already
// moved to cur stays there as it is.
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
	defer os.Remove(tmp) // still there only when something failed
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

// fileName makes a Message-ID a file name: no separator, no leading dot, and
// no colon, which begins the flags.
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

// write makes the file under a name of its own, so that two writers of one
// message cannot mix. What it could not finish it takes away.
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

// inCur looks for the message among those that a mail program has taken in,
// with whatever flags it gave them.
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

// sweep removes what crashes left in tmp, after the 36 hours that the
// specification names.
func (t *maildirTransport) sweep() {
	tmp := filepath.Join(t.dir, "tmp")
	entries, _ := os.ReadDir(tmp) // nothing to sweep is as good as nothing found
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > 36*time.Hour {
			os.Remove(filepath.Join(tmp, e.Name())) //nolint:errcheck // it will be tried again
		}
	}
}

// syncDir makes a rename durable. Some file systems cannot; that is no failure.
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
