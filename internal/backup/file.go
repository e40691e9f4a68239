package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"digest"
)

// magic is the first line of a file, and ageMagic the beginning of an encrypted one.
const (
	magic    = "digest backup 1\n"
	ageMagic = "age-encryption.org/"
)

// Recipients are the public keys that encrypt a backup.
type Recipients []age.Recipient

// ParseRecipients parses public keys of age, one for each line. Lines that begin with # are comments.
func ParseRecipients(text string) (Recipients, error) {
	all, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the recipients: %w", err)
	}
	return all, nil
}

// Identities are the private keys that decrypt backups.
type Identities []age.Identity

// ParseIdentities parses private keys of age, one for each line, as age-keygen writes them.
func ParseIdentities(text string) (Identities, error) {
	all, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil {
		// The errors of age may contain a part of the file.
		return nil, errors.New("reading the identities: this is not a file from age-keygen")
	}
	return all, nil
}

// Compress returns a writer that compresses the output of a Writer into w, and encrypts it if there are recipients. The
// caller must close it; it does not close w.
func Compress(w io.Writer, to Recipients) (io.WriteCloser, error) {
	var all layers
	if len(to) > 0 {
		encrypted, err := age.Encrypt(w, to...)
		if err != nil {
			return nil, fmt.Errorf("encrypting the backup: %w", err)
		}
		w, all.closers = encrypted, append(all.closers, encrypted)
	}
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, fmt.Errorf("writing the backup: %w", err)
	}
	z := gzip.NewWriter(w)
	all.Writer, all.closers = z, append(all.closers, z)
	return &all, nil
}

// layers is a stack of writers, the lowest first.
type layers struct {
	io.Writer
	closers []io.Closer
}

func (l *layers) Close() error {
	var err error
	for i := len(l.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, l.closers[i].Close())
	}
	return err
}

// Decompress returns the content of a file for a Reader. Its errors are *digest.Error.
func Decompress(r io.Reader, with Identities) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if head, _ := b.Peek(len(ageMagic)); string(head) == ageMagic {
		if len(with) == 0 {
			return nil, digest.Errorf(digest.Invalid,
				"the backup is encrypted; name the file of the private key that reads it by --identity")
		}
		opened, err := age.Decrypt(b, with...)
		if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
			return nil, digest.Errorf(digest.Invalid,
				"the backup is encrypted for others: no key of --identity reads it")
		}
		if err != nil {
			return nil, unreadable(err)
		}
		b = bufio.NewReaderSize(opened, 64<<10)
	}
	if err := readMagic(b); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, unreadable(err)
	}
	return z, nil
}

func readMagic(b *bufio.Reader) error {
	line := make([]byte, len(magic))
	n, err := io.ReadFull(b, line)
	switch name, version := []byte("digest backup "), magic[len("digest backup "):]; {
	case n == 0 && err != io.EOF:
		return unreadable(err)
	case string(line) == magic:
		return nil
	case err != nil && strings.HasPrefix(magic, string(line[:n])) && n > 0:
		return errCut()
	case bytes.HasPrefix(line, name) && string(line[len(name):]) != version:
		return digest.Errorf(digest.Invalid, "the backup was made by a newer version of digest; install that")
	}
	return digest.Errorf(digest.Invalid, "this is not a backup of digest; use a file that digest backup wrote")
}
