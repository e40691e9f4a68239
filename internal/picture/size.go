// Package picture returns the size of a picture, and when to request one again that did not load. It reads only the
// beginning of the file and never decodes it, so that the cost is limited by its bytes.
package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"digest"
)

const most = 30_000

// Size returns the size of a PNG, JPEG, GIF or WebP, or false if it is unknown. It returns false for a JPEG that a
// camera rotated, because only some programs rotate it back.
func Size(b []byte) (digest.PictureSize, bool) {
	var c image.Config
	var err error
	switch r := bytes.NewReader(b); {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		c, err = png.DecodeConfig(r)
	case bytes.HasPrefix(b, []byte("GIF8")):
		c, err = gif.DecodeConfig(r)
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		if c, err = jpeg.DecodeConfig(r); isSideways(b) {
			return digest.PictureSize{}, false
		}
	default:
		c = webp(b)
	}
	ok := err == nil && c.Width > 0 && c.Height > 0 && c.Width <= most && c.Height <= most
	if !ok {
		return digest.PictureSize{}, false
	}
	return digest.PictureSize{Width: c.Width, Height: c.Height}, true
}

// webp reads the first chunk of a WebP (RFC 9649 §2.4 to §2.7): lossy, lossless or extended.
func webp(b []byte) (c image.Config) {
	const start = 20 // start of the chunk's content
	if len(b) < start+10 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return c
	}
	d := b[start:]
	switch string(b[12:16]) {
	case "VP8 ":
		if d[3] == 0x9d && d[4] == 0x01 && d[5] == 0x2a {
			c.Width, c.Height = int(binary.LittleEndian.Uint16(d[6:]))&0x3fff,
				int(binary.LittleEndian.Uint16(d[8:]))&0x3fff
		}
	case "VP8L":
		if bits := binary.LittleEndian.Uint32(d[1:]); d[0] == 0x2f {
			c.Width, c.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		}
	case "VP8X":
		c.Width, c.Height = 1+threeBytes(d[4:]), 1+threeBytes(d[7:])
	}
	return c
}

func threeBytes(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// isSideways reports whether a JPEG has to be rotated by 90 degrees (Exif's tag Orientation).
func isSideways(b []byte) bool {
	for b = b[2:]; len(b) >= 4 && b[0] == 0xff; {
		marker, size := b[1], int(binary.BigEndian.Uint16(b[2:]))
		if size < 2 || len(b) < 2+size || marker == 0xda { // start of the image data
			return false
		}
		if exif, ok := bytes.CutPrefix(b[4:2+size], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			o := orientation(exif)
			return o >= 5 && o <= 8
		}
		b = b[2+size:]
	}
	return false
}

// orientation returns the tag in the first directory of a TIFF; 0: none.
func orientation(b []byte) int {
	const tag, entry = 0x0112, 12
	if len(b) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(b[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 0
	}
	n := int(order.Uint16(b[at:]))
	for b = b[at+2:]; n > 0 && len(b) >= entry; n-- {
		if order.Uint16(b) == tag {
			return int(order.Uint16(b[8:]))
		}
		b = b[entry:]
	}
	return 0
}
