// Package logo creates the logo of a newsletter from a publisher's picture. It decodes the picture, scales it down and
// encodes it again, so that nothing of the original file remains. It is pure.
package logo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"digest"
)

// The limits of the original picture.
const (
	MaxBytes  = 1 << 20
	maxPixels = 4 << 20
	minSide   = 16 // in pixels
	maxScans  = 40 // of a JPEG; each scan may have few bytes but processes all pixels
)

// The maximum size of a stored logo in pixels, which is twice the displayed size, for dense screens.
const (
	maxWidth  = 2 * digest.LogoWidth
	maxHeight = 2 * digest.LogoHeight
)

// A format is a supported picture format with the first bytes of its files.
type format struct {
	begins string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

func formats() []format {
	return []format{
		{"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
		{"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
		{"GIF8", gif.DecodeConfig, gif.Decode}, // only the first picture of an animation
	}
}

// Make returns a logo and its file. It returns a digest.Invalid error for a file that is not a picture, or has an
// unsuitable size or shape. A JPEG stays a JPEG; other formats become PNG.
func Make(file []byte) (digest.Logo, []byte, error) {
	if len(file) > MaxBytes {
		return digest.Logo{}, nil, digest.Refuse(digest.Invalid, "the picture is larger than %d MB; make it smaller",
			MaxBytes>>20)
	}
	for _, f := range formats() {
		if !bytes.HasPrefix(file, []byte(f.begins)) {
			continue
		}
		c, err := f.config(bytes.NewReader(file))
		if err == nil {
			err = checkShape(c.Width, c.Height)
		} else {
			err = unreadable()
		}
		if err == nil && bytes.Count(file, []byte{0xff, 0xda}) > maxScans && f.begins[0] == 0xff {
			err = unreadable()
		}
		if err != nil {
			return digest.Logo{}, nil, err
		}
		m, err := f.decode(bytes.NewReader(file))
		if err != nil {
			return digest.Logo{}, nil, unreadable()
		}
		return write(scaled(m), f.begins[0] == 0xff)
	}
	return digest.Logo{}, nil,
		digest.Refuse(digest.Invalid, "the logo must be a PNG, JPEG or GIF picture; save it as PNG")
}

func unreadable() error {
	return digest.Refuse(digest.Invalid, "the picture is damaged; save it as PNG again")
}

func checkShape(w, h int) error {
	switch {
	case w < minSide || h < minSide:
		return digest.Refuse(digest.Invalid, "the picture is %d by %d pixels; a logo needs at least %d by %d", w, h,
			minSide, minSide)
	case w > maxPixels/h:
		return digest.Refuse(digest.Invalid, "the picture is %d by %d pixels; make it at most %d by %d", w, h, maxWidth,
			maxHeight)
	case w > 10*h || h > 3*w:
		return digest.Refuse(digest.Invalid,
			"the picture is %d by %d pixels; a logo can be at most ten times as wide as high, or three times as high as wide", w, h)
	}
	return nil
}

// write encodes a picture and names it by its content.
func write(m *image.RGBA, asJPEG bool) (digest.Logo, []byte, error) {
	var b bytes.Buffer
	logo := digest.Logo{LogoWidth: m.Rect.Dx(), LogoHeight: m.Rect.Dy(), LogoClear: !m.Opaque()}
	ending, err := ".png", error(nil)
	if asJPEG {
		ending, err = ".jpg", jpeg.Encode(&b, m, &jpeg.Options{Quality: 90})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	}
	if err != nil {
		return digest.Logo{}, nil, fmt.Errorf("writing a logo: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	logo.LogoFile = "logo-" + hex.EncodeToString(sum[:8]) + ending
	return logo, b.Bytes(), nil
}
