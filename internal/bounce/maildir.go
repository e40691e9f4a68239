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

// HandleMaildir handles what lies in a Maildir's new (https://cr.yp.to/proto/maildir.html)
// and gives how many messages were for us. Those are deleted once what they ask
// for is committed. The others, and what people wrote to the plain address, go
// to cur as seen: the Maildir may be a person's. What is no file of a message
// stays and is logged, once. Trouble with the store leaves the message, and all
// after it, for the next time; two processes at once do each message's work
// twice at most, which changes nothing.
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

// namesIn lists a folder in the order of delivery, as far as names tell it.
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

// handleFile handles one file. The error is the store's; a file that cannot be
// read, deleted or moved is logged and stays.
func (h *Handler) handleFile(ctx context.Context, root *os.Root, name string) (ours bool, err error) {
	message, err := readMessage(root, path.Join("new", name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another process was here
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

// readMessage reads the beginning of a file. A link is not followed, and what
// is no file, such as a pipe, is not opened.
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

// toCur puts a message aside, for a person to read. Another under the same name, which no server
// makes, is not overwritten.
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

// warnOnce logs what is the matter with a file, once.
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

// forgetBut forgets the warnings about files that are gone.
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
		Message: fmt.Sprintf("DIGEST_BOUNCE_MAILDIR=%s: no mail can be taken there; name a Maildir (a folder with new and cur in it) that this user may read and write", oneLine(dir)),
		Err:     err,
	}
}
