package bounce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"digest"
)

// HandleMaildir handles the messages in the folder new of a Maildir (https://cr.yp.to/proto/maildir.html) and returns
// the number of messages for us. It deletes those whose result is committed. It moves the others, and messages that
// people wrote to the plain address, to cur as seen, because the Maildir may belong to a person. Files that are not
// messages stay, and it logs each of them once. If the store fails, this message and all later ones stay for the next
// call. Two concurrent processes may handle a message twice, which changes nothing.
func (h *Handler) HandleMaildir(ctx context.Context, dir string) (handled int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, maildirError(dir, err)
	}
	defer root.Close()
	names, err := namesIn(root, "new")
	if err != nil {
		return 0, maildirError(dir, err)
	}
	h.forgetBut(names)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return handled, err
		}
		ours, err := h.handleFile(ctx, root, name)
		if err != nil {
			return handled, err
		}
		if ours {
			handled++
		}
	}
	return handled, nil
}

// namesIn lists a folder in the order of the names, which is usually the order of delivery.
func namesIn(root *os.Root, folder string) ([]string, error) {
	f, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	slices.Sort(names)
	return names, err
}

// handleFile handles one file. It returns only errors of the store. A file that it cannot read, delete or move stays,
// and it logs a warning.
func (h *Handler) handleFile(ctx context.Context, root *os.Root, name string) (ours bool, err error) {
	message, err := readMessage(root, path.Join("new", name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another process handled it
	}
	if err != nil {
		h.warnOnce(name, err)
		return false, nil
	}
	o, err := h.Handle(ctx, Message{Bytes: message})
	if err != nil {
		return false, err
	}
	if o.Did == Recorded || o.Did == Unsubscribed || o.Token {
		err = root.Remove(path.Join("new", name))
	} else {
		err = toCur(root, name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.warnOnce(name, err)
	}
	return o.Did != NotOurs, nil
}

// readMessage reads the beginning of a file. It follows no links, and opens nothing but regular files.
func readMessage(root *os.Root, name string) ([]byte, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(errNoFile, err)
	}
	message, err := io.ReadAll(io.LimitReader(f, MaxMessage))
	if err == nil && !isMessage(message) {
		err = errUnreadable
	}
	return message, err
}

var errNoFile = errors.New("it is not a file")

func isMessage(text []byte) bool {
	header, _ := cutHeader(cutEnvelope(text))
	return len(header) > 0
}

// toCur moves a message to cur, for a person to read. It overwrites no message of the same name, although servers do
// not reuse names.
func toCur(root *os.Root, name string) error {
	base, _, _ := strings.Cut(name, ":")
	source, target := path.Join("new", name), path.Join("cur", base+":2,")
	if _, err := root.Lstat(target); err == nil {
		if _, err := root.Lstat(source); err != nil {
			return err // another process moved it
		}
		return fmt.Errorf("%s already exists", target)
	}
	return root.Rename(source, target)
}

func (h *Handler) warnOnce(name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.logged[name] {
		return
	}
	if h.logged == nil {
		h.logged = map[string]bool{}
	}
	h.logged[name] = true
	h.Log.Warn("cannot read a file in the Maildir of returned email; check and remove it", "file", "new/"+name, "err",
		err)
}

// forgetBut drops the warnings about files that no longer exist.
func (h *Handler) forgetBut(names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.logged {
		if _, there := slices.BinarySearch(names, name); !there {
			delete(h.logged, name)
		}
	}
}

func maildirError(dir string, err error) error {
	return &digest.Error{
		Kind:    digest.Unavailable,
		Message: fmt.Sprintf("DIGEST_BOUNCE_MAILDIR=%s: no email can be received there; enter a Maildir (a folder with new and cur in it) that this user can read and write", shortLine(dir)),
		Err:     err,
	}
}
