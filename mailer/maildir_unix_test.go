//go:build unix

package mailer

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMaildirOfAService: mail that root delivers to a service's folder belongs to the service.
func TestMaildirOfAService(t *testing.T) {
	const service = 65534
	dir := t.TempDir()
	if err := os.Chown(dir, service, service); err != nil {
		t.Skip("only root can give files away")
	}
	tr, err := Open("maildir:"+filepath.Join(dir, "mail"), Options{})
	must(t, err)
	_, err = tr.Send(t.Context(), Envelope{MessageID: "a@example.org"}, []byte("a"),
		func(context.Context) error { return nil })
	must(t, err)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != service {
			t.Errorf("%s belongs to %d", path, uid)
		}
		return err
	})
	must(t, err)
}
