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

// styleSheet is the one style sheet of all pages.
const styleSheet = "digest.css"

//go:embed static/*
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
	list, err := staticFiles.ReadDir("static")
	if err != nil {
		panic(err)
	}
	for _, f := range list {
		b, err := staticFiles.ReadFile("static/" + f.Name())
		if err != nil {
			panic(err)
		}
		if f.Name() == styleSheet {
			b = append([]byte(theme()), b...)
		}
		sum := sha256.Sum256(b)
		ext := path.Ext(f.Name())
		hashed := strings.TrimSuffix(f.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		a.names[f.Name()] = hashed
		a.files[hashed] = b
	}
	return a
}

// theme gives the style sheet the colours and type of the mail.
func theme() string {
	fonts := fmt.Sprintf("--serif:%s;--sans:%s;--mono:%s;", render.Serif, render.Sans, render.Mono)
	return ":root{" + fonts + render.Light().Variables() + "}\n" +
		"@media (prefers-color-scheme:dark){:root{" + render.Dark().Variables() + "}}\n"
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
