package page

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

// StyleSheet is the style sheet of all pages: the colours of the emails, followed by the files of
// static/css in alphabetical order.
const StyleSheet = "digest.css"

// The service worker, its replacement and the offline script of pages each begin with device.js.
const (
	deviceScript  = "static/offline/device.js"
	OfflineScript = "offline.js"
)

//go:embed static
var staticFiles embed.FS

// Assets are the static files. Their names contain a hash of their content, so that browsers can
// cache them permanently.
type Assets struct {
	Names map[string]string // by file name
	Files map[string][]byte // by hashed name

	Worker, Withdrawn []byte // the service worker, and the script that removes it
}

// loadAssets reads the embedded files. It panics if it cannot read one.
func loadAssets() Assets {
	a := Assets{Names: map[string]string{}, Files: map[string][]byte{}}
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
			a.add(OfflineScript, withDevice(content))
		case name == "static/offline/worker.js":
			a.Worker = withDevice(content)
		case name == "static/offline/withdrawn.js":
			a.Withdrawn = withDevice(content)
		case name != deviceScript:
			a.add(path.Base(name), content)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	a.add(StyleSheet, sheet)
	return a
}

// add stores a file under a name that contains the hash of its content.
func (a Assets) add(name string, content []byte) {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.Names[name] = hashed
	a.Files[hashed] = content
}

// URL returns the path of a file.
func (a Assets) URL(name string) (string, error) {
	hashed, ok := a.Names[name]
	if !ok {
		return "", fmt.Errorf("no static file %q", name)
	}
	return "/static/" + hashed, nil
}

// StaticAge is the Cache-Control of paths that contain a hash of their content.
const StaticAge = "public, max-age=31536000, immutable"

// Asset serves a file of Assets.
func (s *Site) Asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	b, ok := s.Assets.Files[name]
	if !ok {
		return ErrNotFound
	}
	h := w.Header()
	h.Del("X-Robots-Tag")
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", StaticAge)
	_, _ = w.Write(b)
	return nil
}
