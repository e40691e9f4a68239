package poller

import (
	"bytes"
	"encoding/binary"
)

// pictureType tells by the first bytes what kind of picture it is; "" for all
// else. SVG is a document that can hold anything, and no picture here.
func pictureType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	case len(b) >= 16 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.HasPrefix(b[8:], []byte("WEBPVP8")):
		return "image/webp"
	case isAVIF(b):
		return "image/avif"
	}
	return ""
}

// isAVIF looks for AVIF's brand in the first box (ISO/IEC 14496-12 §4.3).
func isAVIF(b []byte) bool {
	if len(b) < 16 || !bytes.Equal(b[4:8], []byte("ftyp")) {
		return false
	}
	const most = 256 // bytes of brands
	end := min(int(binary.BigEndian.Uint32(b)), len(b), most)
	for at := 8; at+4 <= end; at += 4 {
		if brand := string(b[at : at+4]); at != 12 && (brand == "avif" || brand == "avis") { // at 12 is a version
			return true
		}
	}
	return false
}
