package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"digest"
)

// encoded returns a picture of 120 by 80 pixels in a format of the standard library.
func encoded(t testing.TB, format string) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 120, 80), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	err := map[string]func() error{
		"png":  func() error { return png.Encode(&b, img) },
		"gif":  func() error { return gif.Encode(&b, img, nil) },
		"jpeg": func() error { return jpeg.Encode(&b, img, nil) },
	}[format]()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func turned(t testing.TB, order string, orientation byte) []byte {
	t.Helper()
	exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(orientation) +
		"\x00\x00\x00"
	if order == "MM" {
		exif = "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(orientation) +
			"\x00\x00"
	}
	plain := encoded(t, "jpeg")
	return []byte("\xff\xd8\xff\xe1\x00" + string(rune(len(exif)+2)) + exif + string(plain[2:]))
}

const (
	lossy    = "RIFF\x40\x00\x00\x00WEBPVP8 \x30\x00\x00\x00\x10\x02\x00\x9d\x01\x2a\x78\x00\x50\x40"
	lossless = "RIFF\x40\x00\x00\x00WEBPVP8L\x30\x00\x00\x00\x2f\x77\xc0\x13\x00\x00\x00\x00\x00\x00"
	extended = "RIFF\x40\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x77\x00\x00\x4f\x00\x00"
)

func TestSize(t *testing.T) {
	known := digest.PictureSize{Width: 120, Height: 80}
	huge := []byte(extended)
	huge[26] = 0xff // above the maximum
	for name, c := range map[string]struct {
		bytes []byte
		want  digest.PictureSize
	}{
		"png": {encoded(t, "png"), known}, "gif": {encoded(t, "gif"), known}, "jpeg": {encoded(t, "jpeg"), known},
		"webp": {[]byte(lossy), known}, "webp, lossless": {[]byte(lossless), known},
		"webp, extended": {[]byte(extended), known},
		"upright":        {turned(t, "II", 1), known}, "head down": {turned(t, "MM", 3), known},
		"sideways":                    {turned(t, "II", 6), digest.PictureSize{}},
		"sideways, by another camera": {turned(t, "MM", 8), digest.PictureSize{}},
		"nothing":                     {}, "a page": {[]byte("<!doctype html><p>Not found"), digest.PictureSize{}},
		"cut short": {encoded(t, "png")[:20], digest.PictureSize{}},
		"cut webp":  {[]byte(lossy)[:28], digest.PictureSize{}}, "too large": {huge, digest.PictureSize{}},
		"no size": {[]byte("GIF89a\x00\x00\x00\x00\x00\x00\x00"), digest.PictureSize{}},
	} {
		if got, ok := Size(c.bytes); got != c.want || ok != (c.want != digest.PictureSize{}) {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, c.want)
		}
	}
}

// FuzzSize checks that no input causes a panic, and that each size is within the limits.
func FuzzSize(f *testing.F) {
	for _, format := range []string{"png", "gif", "jpeg"} {
		f.Add(encoded(f, format))
	}
	for _, s := range []string{lossy, lossless, extended, "", "\xff\xd8", "\xff\xd8\xff\xe1\x00\x02"} {
		f.Add([]byte(s))
	}
	f.Add(turned(f, "II", 6))
	f.Add(turned(f, "MM", 8))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok := Size(b)
		if ok != (s.Width > 0 && s.Height > 0) || s.Width > most || s.Height > most {
			t.Errorf("%v, %v", s, ok)
		}
	})
}
