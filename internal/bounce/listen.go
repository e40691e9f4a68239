package bounce

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A place is where DIGEST_BOUNCE_LISTEN says to listen.
type place struct {
	lmtp    bool
	network string // tcp or unix
	address string // host:port, or the path of a socket
}

// Check reports whether Listen would understand a setting; it opens nothing.
// The error is a *digest.Error.
func Check(setting string) error {
	_, err := parsePlace(setting)
	return err
}

// Listen listens at what the setting DIGEST_BOUNCE_LISTEN names: smtp://host:port,
// lmtp://host:port, or lmtp:/path/of.sock. A socket gets the mode 0660 and
// replaces one that nobody listens at any more. The error is a *digest.Error.
func (d *Handler) Listen(setting string) (*Server, error) {
	p, err := parsePlace(setting)
	if err != nil {
		return nil, err
	}
	if p.network == "unix" {
		if err := clearSocket(p.address); err != nil {
			return nil, listenError(setting, err)
		}
	}
	l, err := net.Listen(p.network, p.address)
	if err != nil {
		return nil, listenError(setting, err)
	}
	if p.network == "unix" {
		if err := os.Chmod(p.address, 0o660); err != nil {
			return nil, listenError(setting, errors.Join(err, l.Close()))
		}
	}
	return newServer(d, l, p.lmtp), nil
}

func parsePlace(setting string) (place, error) {
	setting = strings.TrimSpace(setting)
	u, err := url.Parse(setting)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return place{}, badPlace("…", "is not an address to listen at") // it may hold a password that belongs elsewhere
	}
	p := place{lmtp: u.Scheme == "lmtp", network: "tcp", address: u.Host}
	switch {
	case u.Scheme != "smtp" && u.Scheme != "lmtp":
		return place{}, badPlace(setting, "names no way to take mail that is known here")
	case u.Scheme == "lmtp" && u.Host == "" && filepath.IsAbs(u.Path):
		return place{lmtp: true, network: "unix", address: filepath.Clean(u.Path)}, nil
	case u.Path != "" && u.Path != "/" || u.Opaque != "":
		return place{}, badPlace(setting, "names neither a host and port nor the full path of a socket")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 && u.Port() != "0" {
		return place{}, badPlace(setting, "names no port")
	}
	return p, nil
}

func badPlace(setting, what string) error {
	return &digest.Error{
		Kind:    digest.Invalid,
		Message: fmt.Sprintf("DIGEST_BOUNCE_LISTEN=%s %s; examples: smtp://0.0.0.0:25, lmtp://127.0.0.1:2003, lmtp:/run/digest/bounce.sock", oneLine(setting), what),
	}
}

func listenError(setting string, err error) error {
	return &digest.Error{
		Kind:    digest.Unavailable,
		Message: fmt.Sprintf("DIGEST_BOUNCE_LISTEN=%s: nothing can listen there; stop what else does, or name a port or path that this user may use", oneLine(setting)),
		Err:     err,
	}
}

// clearSocket removes a socket that a process left behind when it was killed.
func clearSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there and is no socket", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		return errors.Join(fmt.Errorf("another process listens at %s", path), c.Close())
	}
	return os.Remove(path)
}
