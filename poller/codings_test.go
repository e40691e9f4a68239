package poller

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func pack(t testing.TB, body []byte, codings ...string) []byte {
	t.Helper()
	for _, coding := range codings {
		var b bytes.Buffer
		var w io.WriteCloser
		switch coding {
		case "gzip":
			w, _ = gzip.NewWriterLevel(&b, gzip.BestSpeed)
		case "br":
			w = brotli.NewWriterLevel(&b, 0)
		case "zstd":
			z, err := zstd.NewWriter(&b)
			if err != nil {
				t.Fatal(err)
			}
			w = z
		case "deflate", "zlib":
			w, _ = flate.NewWriter(&b, flate.BestSpeed)
			if coding == "zlib" {
				w = zlib.NewWriter(&b)
			}
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = b.Bytes()
	}
	return body
}

// TestCodingsThatAreNone holds that an unknown coding, such as the name of a charset, is ignored.
func TestCodingsThatAreNone(t *testing.T) {
	for _, coding := range []string{"identity", "none", "utf-8", "8bit", "UTF-8, gzip"} {
		body := atom(1)
		if strings.HasSuffix(coding, "gzip") {
			body = string(pack(t, []byte(body), "gzip"))
		}
		s := newSite(t, nil)
		s.says(200, body, "Content-Encoding: "+coding)
		if result := newReader(t, s.url("/feed")).want(Changed); string(result.Body) != atom(1) {
			t.Errorf("%s: %q", coding, result.Body)
		}
	}
}

// TestDeflate holds that the poller reads both formats that servers send as deflate.
func TestDeflate(t *testing.T) {
	for _, format := range []string{"deflate", "zlib"} {
		packed := string(pack(t, []byte(atom(1)), format))
		s := newSite(t, nil)
		s.says(200, packed, "Content-Encoding: deflate")
		if result := newReader(t, s.url("/feed")).want(Changed); string(result.Body) != atom(1) {
			t.Errorf("%s: %q", format, result.Body)
		}
		for _, wrong := range []string{packed[:1], packed[:len(packed)-5], atom(1)} {
			s.says(200, wrong, "Content-Encoding: deflate")
			newReader(t, s.url("/feed")).want(Failed)
		}
		s.says(200, string(pack(t, zeros(3*maxBody), format)), "Content-Encoding: deflate")
		if r := newReader(t, s.url("/feed")); r.want(Failed).Message != errTooLarge.Error() {
			t.Errorf("%s that is large: %s", format, r.feed.LastError)
		}
	}
}

// TestS27_Codings holds that the poller decodes all codings that it lists, and two codings of one body.
func TestS27_Codings(t *testing.T) {
	for _, codings := range [][]string{{"gzip"}, {"br"}, {"zstd"}, {"gzip", "br"}, {"zstd", "gzip"}, {"br", "br"}} {
		s := newSite(t, nil)
		s.says(200, string(pack(t, []byte(atom(1)), codings...)), "Content-Encoding: "+strings.Join(codings, ", "))
		r := newReader(t, s.url("/feed"))
		result := r.want(Changed)
		sent(t, asked(t, s, "GET")[0], "Accept-Encoding", "gzip, br, zstd")
		if string(result.Body) != atom(1) || r.feed.BodyHash != hashOf([]byte(atom(1))) ||
			result.Bytes >= int64(len(atom(1)))+64 {
			t.Errorf("%v: %d bytes travelled: %q", codings, result.Bytes, result.Body)
		}
		s.says(200, atom(1))
		r.want(Unchanged)
	}
}

// TestS13_SpoiltCodings holds that a body that is cut short, or has a changed byte, is not used.
func TestS13_SpoiltCodings(t *testing.T) {
	for _, coding := range []string{"gzip", "br", "zstd"} {
		whole := pack(t, []byte(atom(1)), coding)
		s, r := newFeed(t, nil)
		for cut := 1; cut < len(whole); cut++ {
			s.says(200, string(whole[:cut]), "Content-Encoding: "+coding)
			if r.want(Failed); r.feed.LastError != "the response was incomplete" {
				t.Fatalf("%s cut after %d of %d: %s", coding, cut, len(whole), r.feed.LastError)
			}
		}
		for _, wrong := range []string{atom(1), "x", strings.Repeat("\xff", 100)} {
			s.says(200, wrong, "Content-Encoding: "+coding)
			if r.want(Failed); !strings.Contains(r.feed.LastError, "declared as "+coding+" but isn’t") &&
				r.feed.LastError != "the response was incomplete" {
				t.Errorf("%s that is %.10q: %s", coding, wrong, r.feed.LastError)
			}
		}
	}
}

// zstdBomb returns a frame of blocks that each decode to 131072 equal bytes.
func zstdBomb(blocks int) []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38}
	return append(frame, bytes.Repeat([]byte{0x02, 0x00, 0x10, 'x'}, blocks)...)
}

// TestBombs holds that a body that decodes to more than 10 MiB is rejected in any coding, with little time
// and memory.
func TestBombs(t *testing.T) {
	plain := zeros(11 << 20) // packing more takes long with the race detector
	zipped, gigabyte := pack(t, plain, "gzip"), zstdBomb(8192)
	for codings, bomb := range map[string][]byte{
		"gzip": zipped, "gzip, gzip": pack(t, zipped, "gzip"), "gzip, br": pack(t, zipped, "br"),
		"br":   pack(t, plain, "br"),
		"zstd": gigabyte, "zstd, gzip": pack(t, gigabyte, "gzip"), "zstd, zstd": pack(t, gigabyte, "zstd"),
	} {
		_, r := newFeed(t, says(200, string(bomb), "Content-Encoding: "+codings))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.want(Failed)
		runtime.ReadMemStats(&after)
		if r.feed.LastError != errTooLarge.Error() {
			t.Errorf("%s of %d bytes: %s", codings, len(bomb), r.feed.LastError)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 128<<20 {
			t.Errorf("%s: %d MiB allocated", codings, got>>20)
		}
	}
}

// TestBoundBetweenCodings holds that the output of each coding is limited, even if the next coding reduces
// it to nothing. Brotli packs empty gzip members to three bytes for each megabyte.
func TestBoundBetweenCodings(t *testing.T) {
	empty := pack(t, nil, "gzip")
	members := bytes.Repeat(empty, 4*maxBody/len(empty))
	for _, outer := range []string{"gzip", "br", "zstd"} {
		s := newSite(t, says(200, string(pack(t, members, outer)), "Content-Encoding: gzip, "+outer))
		if r := newReader(t, s.url("/feed")); r.want(Failed).Message != sizeError(DefaultLongest).Error() {
			t.Errorf("%s: %s", outer, r.feed.LastError)
		}
	}
}

// TestGzipBomb holds that the poller stops reading a bomb early.
func TestGzipBomb(t *testing.T) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for block, i := zeros(1<<20), 0; i < 40; i++ {
		if _, err := z.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, r := newFeed(t, says(200, b.String(), "Content-Encoding: gzip"))
	if result := r.want(Failed); result.Message != errTooLarge.Error() || result.Bytes > int64(b.Len())/2 {
		t.Errorf("%d of %d bytes were read: %s", result.Bytes, b.Len(), result.Message)
	}
}

// TestZstdWindow holds that a frame cannot use more memory than HTTP allows (RFC 9659).
func TestZstdWindow(t *testing.T) {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x98, 0x01, 0x00, 0x00} // a window of 512 MiB, an empty last block
	s := newSite(t, nil)
	s.says(200, string(frame), "Content-Encoding: zstd")
	r := newReader(t, s.url("/feed"))
	if r.want(Failed); !strings.Contains(r.feed.LastError, "declared as zstd") {
		t.Error(r.feed.LastError)
	}
}

// TestEmptyMembers holds that a body that decodes to nothing is cut off.
func TestEmptyMembers(t *testing.T) {
	empty := pack(t, nil, "gzip")
	m := &meter{r: bytes.NewReader(bytes.Repeat(empty, 3*maxBody/len(empty))), most: maxBody, tooLarge: errTooLarge}
	_, err := (&bodyReader{}).decode(m, []string{"gzip"}, maxBody, errTooLarge, nil)
	if !errors.Is(m.blame(err, []string{"gzip"}), errTooLarge) || m.n > maxBody+1<<20 {
		t.Errorf("%v after %d bytes", err, m.n)
	}
}
