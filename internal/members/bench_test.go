package members

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"digest"
	"digest/test/tier"
)

func longList(t testing.TB, n int) (*os.File, int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "subscribed_email_audience_export_1.csv"))
	must(t, err)
	t.Cleanup(func() { f.Close() })
	fmt.Fprintln(f, `"Email Address","First Name","Last `+
		`Name",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS`)
	for i := range n {
		fmt.Fprintf(f, "reader%d@example.org,Ann,\"Person, %d\",2,\"2021-03-04 "+
			"10:11:12\",203.0.113.7,\"2021-03-04 "+
			"10:15:00\",203.0.113.8,48.8566,2.3522,1,2,Europe/Paris,FR,75,\"2021-03-04 10:15:00\",%d,abc,,\n", i, i, i)
	}
	size, err := f.Seek(0, io.SeekCurrent)
	must(t, err)
	return f, size
}

// TestMemory checks that a list is read row by row, and that only the hash of each address stays in memory.
func TestMemory(t *testing.T) {
	tier.Alone(t)
	const rows = 100_000
	f, size := longList(t, rows)
	l, err := Open(t.Context(), f, size, f.Name())
	must(t, err)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, most := 0, uint64(0)
	for _, err := range l.Rows() {
		must(t, err)
		if n++; n%20_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		}
	}
	if n != rows || most > rows*100 {
		t.Errorf("%d rows of %d, %d bytes of memory for a file of %d", n, rows, most, size)
	}
}

// BenchmarkRead measures how many people are read in a second from a list of 100,000.
func BenchmarkRead(b *testing.B) {
	const rows = 100_000
	f, size := longList(b, rows)
	for b.Loop() {
		l, err := Open(b.Context(), f, size, f.Name())
		must(b, err)
		for _, err := range l.Rows() {
			must(b, err)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkReadMillion reads a list of 1,000,000 once and measures its memory.
func BenchmarkReadMillion(b *testing.B) {
	const rows = 1_000_000
	f, size := longList(b, rows)
	for b.Loop() {
		l, err := Open(b.Context(), f, size, f.Name())
		must(b, err)
		n := 0
		var m runtime.MemStats
		for _, err := range l.Rows() {
			must(b, err)
			if n++; n == rows {
				runtime.GC()
				runtime.ReadMemStats(&m)
			}
		}
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-live")
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(size)/(1<<20), "MB-file")
}

// BenchmarkWrite measures how many members are written in a second.
func BenchmarkWrite(b *testing.B) {
	const rows = 100_000
	var members iter.Seq2[digest.Member, error] = func(yield func(digest.Member, error) bool) {
		for i := range rows {
			m := digest.Member{Email: fmt.Sprintf("reader%d@example.org", i), TimeZone: "Europe/Paris",
				State: digest.DigestActive, JoinedAt: noon,
				Proof: digest.Proof{Form: "https://ann.example/join", Address: "203.0.113.7", AskedAt: noon,
					At: noon.Add(time.Minute)}}
			if !yield(m, nil) {
				return
			}
		}
	}
	for b.Loop() {
		must(b, (Export{"Ann writes", noon, members, every[digest.NewsletterSuppression](nil), nil}).Write(
			io.Discard))
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
