package poller

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// The limits of a picture, in pixels. A file of a few kilobytes can need gigabytes to display.
const (
	maxSide   = 16_384
	maxPixels = 50_000_000
)

// pictureSize reads the size of a picture in its header, without decoding. It returns 0 by 0 for an
// unreadable header.
func pictureSize(typ string, b []byte) (width, height int) {
	switch typ {
	case "image/png":
		if len(b) >= 24 && string(b[12:16]) == "IHDR" {
			return clamped(binary.BigEndian.Uint32(b[16:])), clamped(binary.BigEndian.Uint32(b[20:]))
		}
	case "image/gif":
		if len(b) >= 10 {
			return int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
		}
	case "image/jpeg":
		return jpegSize(b)
	case "image/webp":
		return webpSize(b)
	case "image/avif":
		return avifSize(b, 0)
	}
	return 0, 0
}

func fits(width, height int) bool {
	return width > 0 && height > 0 && width <= maxSide && height <= maxSide && width*height <= maxPixels
}

// clamped limits a size to the range of a 32-bit int.
func clamped(n uint32) int { return int(min(n, 1<<30)) }

// jpegSize finds the frame header among the segments (ITU-T T.81 annex B).
func jpegSize(b []byte) (width, height int) {
	for at := 2; at+9 <= len(b) && b[at] == 0xFF; {
		marker := b[at+1]
		switch {
		case marker == 0xFF: // fill bytes
			at++
		case marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
			return int(binary.BigEndian.Uint16(b[at+7:])), int(binary.BigEndian.Uint16(b[at+5:]))
		case marker == 0x01 || marker >= 0xD0 && marker <= 0xD9: // markers without a length
			at += 2
		default:
			at += 2 + max(int(binary.BigEndian.Uint16(b[at+2:])), 2)
		}
	}
	return 0, 0
}

// webpSize reads the three kinds of WebP (RFC 9649 §2.5 to 2.7).
func webpSize(b []byte) (width, height int) {
	if len(b) < 30 {
		return 0, 0
	}
	switch string(b[12:16]) {
	case "VP8 ":
		if bytes.Equal(b[23:26], []byte{0x9D, 0x01, 0x2A}) {
			return int(binary.LittleEndian.Uint16(b[26:]) & 0x3FFF), int(binary.LittleEndian.Uint16(b[28:]) & 0x3FFF)
		}
	case "VP8L":
		if b[20] == 0x2F {
			bits := binary.LittleEndian.Uint32(b[21:])
			return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1
		}
	case "VP8X":
		return int(binary.LittleEndian.Uint32(b[24:])&0xFF_FFFF) + 1, int(binary.LittleEndian.Uint32(b[26:])>>8) + 1
	}
	return 0, 0
}

// avifSize returns the largest size in the properties of AVIF's items (ISO/IEC 23008-12 §6.5.3). depth
// counts nested boxes.
func avifSize(b []byte, depth int) (width, height int) {
	for len(b) >= 8 {
		size, kind := int(clamped(binary.BigEndian.Uint32(b))), string(b[4:8])
		if size < 8 || size > len(b) {
			size = len(b)
		}
		inside := b[8:size]
		switch {
		case kind == "ispe" && len(inside) >= 12:
			w, h := clamped(binary.BigEndian.Uint32(inside[4:])), clamped(binary.BigEndian.Uint32(inside[8:]))
			width, height = max(width, w), max(height, h)
		case strings.Contains("meta iprp ipco", kind) && depth < 3:
			if kind == "meta" && len(inside) >= 4 {
				inside = inside[4:] // version and flags
			}
			w, h := avifSize(inside, depth+1)
			width, height = max(width, w), max(height, h)
		}
		b = b[size:]
	}
	return width, height
}
