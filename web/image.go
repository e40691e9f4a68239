package web

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"digest"
	"digest/poller"
)

const (
	// imagePolicy lets a picture that is opened by itself do nothing at all.
	imagePolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

	// imageAge is how long mail programs may keep a picture; a post's pictures
	// do not change, and neither do their addresses here.
	imageAge = "public, max-age=2592000, immutable"

	maxImagePath = 4096 // characters of the address, which is at most 2048 bytes
)

// imageAt serves a picture of a post to mail programs, which neither sign in nor
// should say to anyone else that a mail was opened. It is asked for only if
// this instance signed its address, and it answers with bytes or a bare line:
// no page, and so no cookie.
func (s *site) imageAt(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Security-Policy", imagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // mail is read on other sites
	address, ok := s.signedAddress(r.PathValue("mac"), r.PathValue("address"))
	if !ok || s.images == nil {
		return plain(w, http.StatusNotFound, "no such picture\n")
	}
	picture, err := s.images.get(r.Context(), address)
	switch {
	case err == nil:
		h.Set("Content-Type", picture.Type)
		h.Set("Cache-Control", imageAge)
		h.Set("ETag", picture.etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture.Bytes))
		return nil
	case errors.Is(err, poller.ErrPicturesBusy), r.Context().Err() != nil:
		h.Set("Retry-After", "30")
		return plain(w, http.StatusServiceUnavailable, "too many pictures at once; try again in a minute\n")
	case digest.KindOf(err) == digest.NotFound:
		return plain(w, http.StatusNotFound, "there is no picture at the address any more\n")
	}
	return plain(w, http.StatusBadGateway, "the picture's site does not answer\n")
}

// signedAddress gives the address in a path if this instance signed it. The
// path has one spelling only, so that caches hold a picture once.
func (s *site) signedAddress(mac, path string) (string, bool) {
	if len(path) > maxImagePath {
		return "", false
	}
	address, err := base64.RawURLEncoding.DecodeString(path)
	if err != nil || !s.Signer.VerifyText(digest.ForImage, string(address), mac) {
		return "", false
	}
	return string(address), base64.RawURLEncoding.EncodeToString(address) == path
}
