package seal

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"digest"
	"digest/internal/ownership"
)

// Keys are the keys of an instance. They are safe for concurrent use, and notice changes of their file.
type Keys struct {
	file   string // "": none is set
	beside string // the database whose key file is created on demand; "": it is not created

	mu   sync.Mutex
	keys []key // content of the file at the last read
}

// In returns the keys of an existing file; "" means no file.
func In(file string) *Keys { return &Keys{file: file} }

// Beside returns the keys in the file beside a database. Seal creates the first key on demand.
func Beside(database string) *Keys { return &Keys{file: database + ".key", beside: database} }

// A Feed is the stored address of a private feed with its encrypted credential.
type Feed struct {
	Address string
	Sealed  string

	// Others are its possible addresses with older keys.
	Others []string
}

// Seal encrypts a credential with the first key. Errors are *digest.Error.
func (k *Keys) Seal(c digest.Credential) (Feed, error) {
	keys, err := k.read(k.beside != "")
	if err != nil {
		return Feed{}, err
	}
	sealed, err := keys[0].seal(c)
	f := Feed{Address: c.PrivateAddress(keys[0].nameOf(c)), Sealed: sealed}
	for _, old := range keys[1:] {
		f.Others = append(f.Others, c.PrivateAddress(old.nameOf(c)))
	}
	return f, err
}

// Open decrypts a credential that Seal encrypted with any of the keys. Errors are *digest.Error.
func (k *Keys) Open(sealed string) (digest.Credential, error) {
	if sealed == "" {
		return digest.Credential{},
			digest.Errorf(digest.Invalid, "its password is no longer stored; enter it again")
	}
	own, err := k.keyOf(sealed)
	if err != nil {
		return digest.Credential{}, err
	}
	return own.open(sealed)
}

func (k *Keys) keyOf(sealed string) (key, error) {
	id := idOf(sealed)
	own, found := k.find(id)
	if !found {
		if _, err := k.read(false); err != nil {
			return key{}, err
		}
		if own, found = k.find(id); !found {
			return key{}, digest.Errorf(digest.Unavailable,
				"its password is sealed with the key %s, which is not in %s", shownID(id), k.file)
		}
	}
	return own, nil
}

// forSigning is the kind of values from SealKey.
const forSigning = "dkim"

// SealKey encrypts a private key with the first key. Errors are *digest.Error.
func (k *Keys) SealKey(private []byte) (string, error) {
	keys, err := k.read(k.beside != "")
	if err != nil {
		return "", err
	}
	return keys[0].encrypt(private, forSigning), nil
}

// OpenKey decrypts a private key that SealKey encrypted with any of the keys. Errors are *digest.Error.
func (k *Keys) OpenKey(sealed string) ([]byte, error) {
	own, err := k.keyOf(sealed)
	if err != nil {
		return nil, err
	}
	private, ok := own.decrypt(sealed, forSigning)
	if !ok {
		return nil, digest.Errorf(digest.Invalid, "the signing key, as it is stored, is damaged; name the domain anew")
	}
	return private, nil
}

// shownID makes an untrusted ID safe to display.
func shownID(id string) string { return digest.Shortened(digest.OneLine(id), 20) }

func (k *Keys) find(id string) (key, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.keys, func(own key) bool { return own.id == id })
	if i < 0 {
		return key{}, false
	}
	return k.keys[i], true
}

// IDs returns the IDs of the keys, the encrypting one first. It returns none for a missing file that Seal would create.
func (k *Keys) IDs() ([]string, error) {
	keys, err := k.read(false)
	if k.beside != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, own := range keys {
		ids = append(ids, own.id)
	}
	return ids, err
}

// IDOf returns the ID of the key that encrypted a value.
func IDOf(sealed string) string { return shownID(idOf(sealed)) }

// File returns the path of the key file; "": none.
func (k *Keys) File() string { return k.file }

// read reads the file. makes says whether to create it.
func (k *Keys) read(makes bool) ([]key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == "" {
		return nil, digest.Errorf(digest.Invalid,
			"private feeds and newsletters' own domains need a key, and no file with one is named; "+
				"make one with digest key new, give it to every process of this instance, and say where it is: DIGEST_KEY_FILE=/etc/digest.key")
	}
	text, err := os.ReadFile(k.file)
	if makes && errors.Is(err, fs.ErrNotExist) {
		if err = writeNew(k.file, k.beside,
			"# Keeps the passwords of private feeds and the signing keys of newsletters' domains. Without it they are lost: see docs/private.md\n"+New()+"\n"); err == nil {
			text, err = os.ReadFile(k.file)
		}
	}
	if err != nil {
		return nil, &digest.Error{Kind: digest.Unavailable, Message: "the key file " + k.file + " cannot be used: " +
			digest.Bare(err).Error(), Err: err}
	}
	keys, err := parse(string(text))
	if err != nil {
		return nil, digest.Errorf(digest.Invalid, "the key file %s cannot be used: %s", k.file, err.Error())
	}
	k.keys = keys
	return keys, nil
}

// parse parses a key file. Its errors contain nothing of the file.
func parse(text string) (keys []key, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		own, err := parseKey(line)
		if err != nil {
			return nil, fmt.Errorf("line %d %w; digest key new prints one", n, err)
		}
		keys = append(keys, own)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key in it; digest key new prints one")
	}
	return keys, nil
}

// New returns a new key as a line of a key file.
func New() string {
	raw := make([]byte, keyBytes)
	rand.Read(raw)
	return base64.StdEncoding.EncodeToString(raw)
}

// Add adds a new key before the others in the file, and returns its ID.
func (k *Keys) Add() (id string, err error) {
	if _, err := k.read(k.beside != ""); err != nil {
		return "", err
	}
	text, err := os.ReadFile(k.file)
	if err != nil {
		return "", fmt.Errorf("reading the key file: %w", err)
	}
	if err := replace(k.file, New()+"\n"+string(text)); err != nil {
		return "", &digest.Error{Kind: digest.Unavailable, Message: "the key file " + k.file + " cannot be written: " +
			digest.Bare(err).Error(), Err: err}
	}
	keys, err := k.read(false)
	if err != nil {
		return "", err
	}
	return keys[0].id, nil
}

// writeNew creates a file with the owner of another, unless it exists. If two processes do so, one of them creates it,
// and the other finds it complete.
func writeNew(file, like, text string) error {
	return write(file, like, text, func(from string) error {
		if err := os.Link(from, file); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.Remove(from)
	})
}

// replace replaces the content of a file atomically.
func replace(file, text string) error {
	return write(file, file, text, func(from string) error { return os.Rename(from, file) })
}

// write creates a file that only its user can read, and names it once it is on disk. A file that root creates gets the
// owner of the file like.
func write(file, like, text string, name func(from string) error) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // with the mode 0600
	if err != nil {
		return err
	}
	ownership.GiveLike(f, like)
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = name(f.Name())
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	// The name survives a power failure if the system can sync folders.
	if d, err := os.Open(filepath.Dir(file)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
