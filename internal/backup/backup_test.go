package backup_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"

	"digest"
	"digest/internal/backup"
	"digest/test/tier"
)

func sample() backup.Table {
	return backup.Table{Name: "things", Columns: []backup.Column{{Name: "id", Kind: backup.Number},
		{Name: "name", Kind: backup.Text}, {Name: "key", Kind: backup.Bytes}}}
}

func rows() [][]any {
	return [][]any{
		{int64(0), "", []byte{}},
		{int64(math.MaxInt64), "ä\n\x00", []byte{0, 255}},
		{int64(math.MinInt64), nil, nil},
		{int64(-1), strings.Repeat("x", 70_000), nil},
	}
}

// write returns the frames of a backup of two tables, one of them empty.
func write(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := backup.NewWriter(&file, backup.Header{Schema: 7, MadeAt: 5, Database: "SQLite"})
	must(t, err)
	err = w.Begin(sample())
	for _, row := range rows() {
		err = errors.Join(err, w.Row(row))
	}
	n, e := w.End(9)
	err = errors.Join(err, e, w.Begin(backup.Table{Name: "none", Columns: sample().Columns}))
	_, e = w.End(0)
	if err := errors.Join(err, e, w.Close()); err != nil || n.Rows != 4 || n.LastID != 9 {
		t.Fatal(n, err)
	}
	return file.Bytes()
}

// read reads all frames and returns their content.
func read(from io.Reader) (all []string, err error) {
	r, err := backup.NewReader(from)
	if err != nil {
		return nil, err
	}
	all = append(all, fmt.Sprint(r.Header))
	for {
		t, err := r.Table()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		for {
			row, err := r.Row()
			if err == io.EOF {
				break
			}
			if err != nil {
				return all, err
			}
			all = append(all, fmt.Sprintf("%s %#v", t.Name, row))
		}
		all = append(all, fmt.Sprintf("%s %d %d", t.Name, r.Count().Rows, r.Count().LastID))
	}
}

func packed(t testing.TB, frames []byte, to backup.Recipients) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := backup.Compress(&file, to)
	if err == nil {
		_, err = w.Write(frames)
	}
	if err == nil {
		err = w.Close()
	}
	must(t, err)
	return file.Bytes()
}

func unpack(file []byte, with backup.Identities) ([]string, error) {
	r, err := backup.Decompress(bytes.NewReader(file), with)
	if err != nil {
		return nil, err
	}
	return read(r)
}

func keys(t testing.TB) (backup.Recipients, backup.Identities) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	must(t, err)
	to, err := backup.ParseRecipients("# ours\n" + key.Recipient().String())
	with, e := backup.ParseIdentities(key.String() + "\n")
	must(t, errors.Join(err, e))
	return to, with
}

func TestThereAndBack(t *testing.T) {
	to, with := keys(t)
	for _, r := range []backup.Recipients{nil, to} {
		file := packed(t, write(t), r)
		all, err := unpack(file, with)
		if err != nil || len(all) != 1+4+1+1 || all[5] != "things 4 9" || all[6] != "none 0 0" {
			t.Error(err, len(all))
		}
		for i, row := range rows() {
			if want := fmt.Sprintf("things %#v", row); all[1+i] != want {
				t.Errorf("%.80s, want %.80s", all[1+i], want)
			}
		}
		if encrypted := !bytes.Contains(file[:40], []byte("digest backup")); encrypted != (r != nil) {
			t.Errorf("encrypted: %v", encrypted)
		}
	}
}

// TestSum checks that the checksum of a table depends on everything but the order of its rows.
func TestSum(t *testing.T) {
	sum := func(rows ...[]any) string {
		c := backup.Counter{Table: sample()}
		for _, row := range rows {
			must(t, c.Row(row))
		}
		return c.Count.Sum.String()
	}
	all := rows()
	if sum(all...) != sum(all[3], all[1], all[0], all[2]) {
		t.Error("the order counts")
	}
	seen := map[string]int{}
	for i, rows := range [][][]any{all, all[:3], append(all, all[0]), append(all, all[0], all[0]), {},
		{{nil, nil, nil}}, {{int64(0), nil, nil}},
		{{nil, "", nil}}, {{nil, nil, []byte{}}}, {{nil, "ab", []byte("c")}}, {{nil, "a", []byte("bc")}}} {
		if j, again := seen[sum(rows...)]; again {
			t.Errorf("%d and %d have one checksum", i, j)
		}
		seen[sum(rows...)] = i
	}
	var back backup.Sum
	if err := back.UnmarshalText([]byte(sum(all...))); err != nil || back.String() != sum(all...) {
		t.Error(back, err)
	}
}

// TestCutAndDamaged checks that a truncated file, and one with a changed byte, is rejected with an error of one line.
func TestCutAndDamaged(t *testing.T) {
	tier.Alone(t)
	to, with := keys(t)
	frames := write(t)
	all, err := read(bytes.NewReader(frames))
	must(t, err)
	whole := strings.Join(all, "\n")
	for name, file := range map[string][]byte{"plain": packed(t, frames, nil), "encrypted": packed(t, frames, to)} {
		for n := range file {
			_, err := unpack(file[:n], with)
			oneLine(t, fmt.Sprintf("%s, cut at %d", name, n), err)
		}
		for n := range file {
			changed := bytes.Clone(file)
			changed[n] ^= 0x10
			// gzip has unused bits
			if got, err := unpack(changed, with); err == nil && strings.Join(got, "\n") != whole {
				t.Errorf("%s: with byte %d another something else is read", name, n)
			} else if err != nil {
				oneLine(t, fmt.Sprintf("%s, byte %d", name, n), err)
			}
		}
		_, err := unpack(append(bytes.Clone(file), "x"...), with)
		oneLine(t, name+", with something behind", err)
	}
	for n := range len(frames) {
		if n > 300 && n < len(frames)-600 && n%5000 != 0 {
			continue
		}
		_, err := read(bytes.NewReader(frames[:n]))
		oneLine(t, fmt.Sprintf("frames, cut at %d", n), err)
		changed := bytes.Clone(frames)
		changed[n] ^= 1
		_, err = read(bytes.NewReader(changed))
		oneLine(t, fmt.Sprintf("frames, byte %d", n), err)
	}
}

func oneLine(t *testing.T, what string, err error) {
	t.Helper()
	if digest.KindOf(err) != digest.Invalid || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v", what, err)
	}
}

func TestWhatIsNoBackup(t *testing.T) {
	to, with := keys(t)
	_, others := keys(t)
	encrypted := packed(t, write(t), to)
	for name, c := range map[string]struct {
		file []byte
		with backup.Identities
		says string
	}{
		"empty":       {nil, nil, "not a backup of digest"},
		"a page":      {[]byte("<!DOCTYPE html><html><body>"), nil, "not a backup of digest"},
		"a database":  {[]byte("SQLite format 3\x00\x10\x00"), nil, "not a backup of digest"},
		"a newer one": {[]byte("digest backup 2\n....."), nil, "newer version"},
		"no key":      {encrypted, nil, "--identity"},
		"another key": {encrypted, others, "no key of --identity"},
		"age of a text": {func() []byte { return wrapped(t, to, []byte("hello, this is not a backup")) }(), with,
			"not a backup of digest"},
		"not compressed":  {[]byte("digest backup 1\nhello hello hello hello"), nil, "cannot be read"},
		"compressed text": {append([]byte("digest backup 1\n"), zipped(t, []byte("hello hello hello"))...), nil, ""},
	} {
		_, err := unpack(c.file, c.with)
		oneLine(t, name, err)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := backup.ParseIdentities("AGE-SECRET-KEY-1OOPS"); err == nil || strings.Contains(err.Error(), "OOPS") {
		t.Errorf("a wrong identity: %v", err)
	}
}

func wrapped(t *testing.T, to backup.Recipients, content []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := age.Encrypt(&file, to...)
	if err == nil {
		_, err = w.Write(content)
	}
	must(t, errors.Join(err, w.Close()))
	return file.Bytes()
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	_, err := w.Write(content)
	must(t, errors.Join(err, w.Close()))
	return file.Bytes()
}

// TestLyingLengths checks that a wrong length does not allocate memory.
func TestLyingLengths(t *testing.T) {
	head := write(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, lie := range []string{"R\xff\xff\xff\x1f", "R\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "T\xff\xff\x3f",
		"T\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "Q\x00"} {
		_, err := read(bytes.NewReader(append(bytes.Clone(head[:bytes.IndexByte(head, 'T')]), lie...)))
		oneLine(t, fmt.Sprintf("%q", lie), err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

// FuzzReader checks that every file is read or rejected, and that writing the result again returns the same frames.
func FuzzReader(f *testing.F) {
	frames := write(f)
	f.Add(frames)
	f.Add(frames[:len(frames)/2])
	f.Add([]byte(
		"H\x0c{\"schema\":1}T\x2a{\"name\":\"a\",\"columns\":[{\"name\":\"a\",\"kind\":\"number\"}]}R\x02\x01\x02"))
	f.Fuzz(func(t *testing.T, frames []byte) {
		all, err := read(bytes.NewReader(frames))
		if err != nil {
			oneLine(t, "fuzzed", err)
			return
		}
		again, err := read(bytes.NewReader(frames))
		if err != nil || len(again) != len(all) {
			t.Errorf("read twice: %v", err)
		}
	})
}

// FuzzFile is FuzzReader with the whole file.
func FuzzFile(f *testing.F) {
	f.Add(packed(f, write(f), nil))
	to, with := keys(f)
	f.Add(packed(f, write(f)[:100], to))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := unpack(file, with); err != nil {
			oneLine(t, "fuzzed", err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
