package web_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/http"
	"testing"

	"digest"
	"digest/poller"
)

// TestLearnedSizeInText checks that pictures within a post get their size, on the page of the post
// and in an edition with full texts.
func TestLearnedSizeInText(t *testing.T) {
	each(t, func(r *room) {
		g := newGallery(t)
		r.pictures = g
		g.fetch = func(context.Context, string) (poller.Picture, error) {
			var b bytes.Buffer
			err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 800, 400)))
			return poller.Picture{Type: "image/png", Bytes: b.Bytes()}, err
		}
		r.open("")
		v, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID, Display: digest.FullText}, "Ant", pictured("One", ""))
		r.midnight()
		page := v.get("/").postPaths()[0]
		for _, src := range v.get(page).status(http.StatusOK).has(".text img", "class", "unsized").attrs(".text img",
			"src") {
			v.get(src).status(http.StatusOK)
		}
		for _, path := range []string{"/", page} {
			v.get(path).status(http.StatusOK).has(".text img", "class", "wide").has(".text img", "width",
				"800").has(".text img", "height", "400")
		}
	})
}

// TestLearnedSize checks that a picture without a declared size has one on the page after its first
// fetch. A picture that turns out to be tiny is replaced by another.
func TestLearnedSize(t *testing.T) {
	each(t, func(r *room) {
		g := newGallery(t)
		r.pictures = g
		g.fetch = func(_ context.Context, address string) (poller.Picture, error) {
			size := image.Rect(0, 0, 800, 400)
			if address == "https://pictures.example/Dot.gif" {
				size = image.Rect(0, 0, 16, 16)
			}
			var b bytes.Buffer
			err := png.Encode(&b, image.NewGray(size))
			return poller.Picture{Type: "image/png", Bytes: b.Bytes()}, err
		}
		r.open("")
		v, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Ant", pictured("One", ""))
		r.brings(digest.Subscription{DigestID: d.ID}, "Bee", pictured("Dot", ""))
		r.midnight()
		first := v.get("/").status(http.StatusOK)
		first.has(".shot img", "alt", "Of One", "Of Dot")
		first.has(".shot img", "width", "", "")
		for _, src := range first.attrs(".shot img", "src") {
			v.get(src).status(http.StatusOK)
		}
		again := v.get("/").status(http.StatusOK)
		again.has(".shot img", "alt", "Of One")
		again.has(".shot img", "width", "600")
		again.has(".shot img", "height", "300")
	})
}
