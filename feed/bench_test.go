package feed

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html/charset"
)

// benchDocuments returns real XML feeds.
func benchDocuments(b *testing.B) (docs [][]byte, size int) {
	b.Helper()
	dir := filepath.Join(sharedDir(b), "corpus", "dev")
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "kagi-") || strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		doc, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			b.Fatal(err)
		}
		docs, size = append(docs, doc), size+len(doc)
	}
	return docs, size
}

// BenchmarkParse compares parsing with reading the raw tokens of encoding/xml, the lower limit for any parser based
// on it.
func BenchmarkParse(b *testing.B) {
	docs, size := benchDocuments(b)
	var ours, limit time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		for _, doc := range docs {
			if _, err := Parse(doc, "", ""); err != nil {
				b.Fatal(err)
			}
		}
		middle := time.Now()
		for _, doc := range docs {
			rawTokens(doc)
		}
		ours, limit = ours+middle.Sub(start), limit+time.Since(middle)
		n++
	}
	report(b, n*size, n*len(docs), ours, limit)
}

func report(b *testing.B, bytes, docs int, ours, limit time.Duration) {
	mb := float64(bytes) / 1e6
	b.ReportMetric(mb/ours.Seconds(), "MB/s")
	b.ReportMetric(float64(docs)/ours.Seconds(), "feeds/s")
	b.ReportMetric(mb/limit.Seconds(), "limitMB/s")
	b.ReportMetric(limit.Seconds()/ours.Seconds(), "ratio")
}

func rawTokens(doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	d.Strict, d.CharsetReader, d.Entity = false, charset.NewReaderLabel, xml.HTMLEntity
	for {
		if _, err := d.RawToken(); err != nil {
			return
		}
	}
}

func BenchmarkPost(b *testing.B) {
	docs, _ := benchDocuments(b)
	var entries []Post
	for _, doc := range docs {
		if d, err := Parse(doc, "", ""); err == nil {
			entries = append(entries, d.Posts[:min(5, len(d.Posts))]...)
		}
	}
	seen := time.Unix(1800000000, 0)
	i := 0
	for b.Loop() {
		_ = entries[i%len(entries)].Sanitise(seen)
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "posts/s")
}
