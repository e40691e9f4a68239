package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"digest/render"
)

// styleSheet is the one style sheet of all pages: the colours of the mail, and
// then the files of static/css in the order of their names.
const styleSheet = "digest.css"

//go:embed static
var staticFiles embed.FS

// assets are the static files. Each has its content's hash in its name, so
// that browsers may keep it for ever.
type assets struct {
	names map[string]string // file name -> hashed name
	files map[string][]byte // by hashed name
}

// loadAssets reads the embedded files; it panics if they cannot be read.
func loadAssets() assets {
	a := assets{names: map[string]string{}, files: map[string][]byte{}}
	for _, name := range filesIn("static") {
		a.add(name, embedded("static/"+name))
	}
	sheet := []byte(render.Theme())
	for _, name := range filesIn("static/css") {
		sheet = append(sheet, embedded("static/css/"+name)...)
	}
	a.add(styleSheet, sheet)
	return a
}

// add puts a file under a name that has its content's hash in it.
func (a assets) add(name string, content []byte) {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.names[name] = hashed
	a.files[hashed] = content
}

// filesIn names the files of an embedded folder, in order.
func filesIn(folder string) (names []string) {
	entries, err := staticFiles.ReadDir(folder)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func embedded(name string) []byte {
	b, err := staticFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return b
}

// url is the address of a static file, for templates.
func (a assets) url(name string) (string, error) {
	hashed, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("no static file %q", name)
	}
	return "/static/" + hashed, nil
}

// asset serves a static file by its hashed name.
func (s *site) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	b, ok := s.assets.files[name]
	if !ok {
		return errNotFound
	}
	h := w.Header()
	h.Del("X-Robots-Tag")
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(b)
	return nil
}
