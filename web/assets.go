package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"digest/render"
)

// styleSheet is the style sheet of all pages: the colours of the emails, followed by the files of
// static/css in alphabetical order.
const styleSheet = "digest.css"

// The service worker, its replacement and the offline script of pages each begin with device.js.
const (
	deviceScript  = "static/offline/device.js"
	offlineScript = "offline.js"
)

//go:embed static
var staticFiles embed.FS

// assets are the static files. Their names contain a hash of their content, so that browsers can
// cache them permanently.
type assets struct {
	names map[string]string // by file name
	files map[string][]byte // by hashed name

	worker, withdrawn []byte // the service worker, and the script that removes it
}

// loadAssets reads the embedded files. It panics if it cannot read one.
func loadAssets() assets {
	a := assets{names: map[string]string{}, files: map[string][]byte{}}
	withDevice := func(content []byte) []byte {
		device, err := staticFiles.ReadFile(deviceScript)
		if err != nil {
			panic(err)
		}
		return append(device, content...)
	}
	sheet := []byte(render.Theme())
	err := fs.WalkDir(staticFiles, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := staticFiles.ReadFile(name)
		switch {
		case path.Ext(name) == ".css":
			sheet = append(sheet, render.InSchemes(string(content))...)
		case name == "static/offline/page.js":
			a.add(offlineScript, withDevice(content))
		case name == "static/offline/worker.js":
			a.worker = withDevice(content)
		case name == "static/offline/withdrawn.js":
			a.withdrawn = withDevice(content)
		case name != deviceScript:
			a.add(path.Base(name), content)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	a.add(styleSheet, sheet)
	return a
}

// add stores a file under a name that contains the hash of its content.
func (a assets) add(name string, content []byte) {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.names[name] = hashed
	a.files[hashed] = content
}

func (a assets) url(name string) (string, error) {
	hashed, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("no static file %q", name)
	}
	return "/static/" + hashed, nil
}

// staticAge is the Cache-Control of paths that contain a hash of their content.
const staticAge = "public, max-age=31536000, immutable"

func (s *site) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	b, ok := s.assets.files[name]
	if !ok {
		return errNotFound
	}
	h := w.Header()
	h.Del("X-Robots-Tag")
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", staticAge)
	_, _ = w.Write(b)
	return nil
}
