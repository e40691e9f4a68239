package logo_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"digest"
	"digest/internal/logo"
)

func drawn(w, h int, ground color.Color) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if m.Set(x, y, ground); y > h/4 && y < h*3/4 && x > w/4 && x < w*3/4 {
				m.Set(x, y, color.NRGBA{20, 60, 120, 255})
			}
		}
	}
	return m
}

func asPNG(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	if err := gif.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func withText(file []byte, text string) []byte {
	const header = 8 + 25
	chunk := []byte{0, 0, 0, byte(len(text))}
	chunk = append(chunk, "tEXt"+text...)
	crc := crcOf(chunk[4:])
	chunk = append(chunk, byte(crc>>24), byte(crc>>16), byte(crc>>8), byte(crc))
	return append(append(append([]byte{}, file[:header]...), chunk...), file[header:]...)
}

func crcOf(b []byte) uint32 {
	crc := ^uint32(0)
	for _, v := range b {
		crc ^= uint32(v)
		for range 8 {
			crc = crc>>1 ^ 0xedb88320&-(crc&1)
		}
	}
	return ^crc
}

// TestMake checks the logo of each kind of picture, its size, and that nothing of the original file remains.
func TestMake(t *testing.T) {
	white, clear := color.NRGBA{255, 255, 255, 255}, color.NRGBA{}
	for name, c := range map[string]struct {
		file   []byte
		want   digest.Logo
		ending string
	}{
		"a small PNG": {asPNG(t, drawn(200, 50, white)), digest.Logo{LogoWidth: 200, LogoHeight: 50}, ".png"},
		"a clear PNG": {asPNG(t, drawn(300, 300, clear)),
			digest.Logo{LogoWidth: 192, LogoHeight: 192, LogoClear: true}, ".png"},
		"a large JPEG": {asJPEG(t, drawn(2000, 500, white)), digest.Logo{LogoWidth: 720, LogoHeight: 180}, ".jpg"},
		"a GIF":        {asGIF(t, drawn(100, 100, white)), digest.Logo{LogoWidth: 100, LogoHeight: 100}, ".png"},
		"with a text": {withText(asPNG(t, drawn(200, 50, white)), "Comment\x00<script>"),
			digest.Logo{LogoWidth: 200, LogoHeight: 50}, ".png"},
		"with a tail": {append(asPNG(t, drawn(200, 50, white)), "<script>alert(1)</script>"...),
			digest.Logo{LogoWidth: 200, LogoHeight: 50}, ".png"},
	} {
		got, file, err := logo.Make(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(got.LogoFile, "logo-") || !strings.HasSuffix(got.LogoFile, c.ending) {
			t.Errorf("%s is called %s", name, got.LogoFile)
		}
		if c.want.LogoFile = got.LogoFile; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		m, _, err := image.Decode(bytes.NewReader(file))
		if err != nil || m.Bounds().Dx() != got.LogoWidth || m.Bounds().Dy() != got.LogoHeight {
			t.Fatalf("%s: %v, %v", name, m.Bounds(), err)
		}
		r, g, b, _ := m.At(got.LogoWidth/2, got.LogoHeight/2).RGBA()
		if r>>8 > 40 || g>>8 > 80 || b>>8 < 60 || b>>8 > 140 { // a GIF has few colours
			t.Errorf("%s: the middle is %x %x %x", name, r>>8, g>>8, b>>8)
		}
		if bytes.Contains(file, []byte("script")) {
			t.Errorf("%s: something of the file is kept", name)
		}
		if _, again, err := logo.Make(c.file); err != nil || !bytes.Equal(again, file) {
			t.Errorf("%s: the second time it is another one: %v", name, err)
		}
	}
}

// TestRefused checks that unsuitable pictures are rejected with an error of one line that says what to do.
func TestRefused(t *testing.T) {
	white := color.NRGBA{255, 255, 255, 255}
	whole := asPNG(t, drawn(200, 50, white))
	huge := append([]byte{}, whole...)
	copy(huge[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff})
	crc := crcOf(huge[12:29])
	copy(huge[29:], []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)})
	scans := asJPEG(t, drawn(100, 100, white))
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"nothing": {nil, "save it as PNG"},
		"SVG": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
			"save it as PNG"},
		"WebP":              {[]byte("RIFF\x10\x00\x00\x00WEBPVP8 "), "save it as PNG"},
		"a page":            {[]byte("<html>"), "save it as PNG"},
		"half a PNG":        {whole[:len(whole)/2], "is damaged"},
		"the head of a PNG": {whole[:8], "is damaged"},
		"a broken JPEG":     {append([]byte{}, scans[:300]...), "is damaged"},
		"many scans":        {append(scans, bytes.Repeat([]byte{0xff, 0xda}, 101)...), "is damaged"},
		"huge":              {huge, "65535 by 65535 pixels; make it at most 720 by 192"},
		"many bytes":        {append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1<<20)...), "larger than 1 MB"},
		"tiny":              {asPNG(t, drawn(15, 40, white)), "at least 16 by 16"},
		"a line":            {asPNG(t, drawn(500, 20, white)), "ten times as wide"},
		"a pole":            {asPNG(t, drawn(20, 100, white)), "three times as high"},
	} {
		_, _, err := logo.Make(c.file)
		if digest.KindOf(err) != digest.Invalid || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestClearEdges checks that transparent pixels have no colour, which would leave a dark seam around a scaled logo.
func TestClearEdges(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 800, 800))
	for y := range 800 {
		for x := 401; x < 800; x++ {
			m.Set(x, y, color.NRGBA{255, 255, 255, 255})
		}
	}
	_, file, err := logo.Make(asPNG(t, m))
	if err != nil {
		t.Fatal(err)
	}
	small, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for x := range small.Bounds().Dx() {
		if c := color.NRGBAModel.Convert(small.At(x, 90)).(color.NRGBA); c.A > 16 && c.R < 240 {
			t.Errorf("at %d stands %v", x, c)
		}
	}
}

func FuzzMake(f *testing.F) {
	white := color.NRGBA{255, 255, 255, 255}
	f.Add(asPNG(f, drawn(20, 20, white)))
	f.Add(asJPEG(f, drawn(20, 20, white)))
	f.Add(asGIF(f, drawn(20, 20, color.NRGBA{})))
	if b, err := os.ReadFile("logo.go"); err == nil {
		f.Add(b[:64])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		l, b, err := logo.Make(file)
		if err != nil {
			if digest.KindOf(err) != digest.Invalid {
				t.Error(err)
			}
			return
		}
		again, _, err := image.Decode(bytes.NewReader(b))
		if err != nil || again.Bounds().Dx() != l.LogoWidth || again.Bounds().Dy() != l.LogoHeight ||
			l.LogoWidth > 720 || l.LogoHeight > 192 {
			t.Errorf("%+v is unreadable: %v", l, err)
		}
	})
}
