package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// hostileTexts are texts that could break an array's text or a parameter.
var hostileTexts = []string{
	"", " ", "NULL", "null", `\`, `\\`, `"`, `""`, `'`, `\"`, `{`, `}`, `{}`, `{"a","b"}`, `,`, `a,b`, `","`, "?", "$1",
	"{rows}", "VALUES {rows}",
	"\n", "\t", "\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", `\x00ff`, "é 日本 🗞", "-1",
	"'; DROP TABLE posts; --",
}

// TestRowsOfAnyNumber writes and reads lists of about the size of a statement's limits.
func TestRowsOfAnyNumber(t *testing.T) {
	each(t, func(w world) {
		w.ok(w.Exec(w.ctx(), `CREATE TABLE listed (id BIGINT PRIMARY KEY, number BIGINT, words TEXT)`))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1023, 1024, 1025, 2500} {
			rows := make([][]any, n)
			for i := range rows {
				rows[i] = []any{digest64(i), nil, hostileTexts[i%len(hostileTexts)]}
				if i%3 > 0 {
					rows[i] = []any{digest64(i), -i, nil}
				}
			}
			w.ok(w.Exec(w.ctx(), `DELETE FROM listed`))
			inserted, err := w.ExecRows(w.ctx(), rows,
				`INSERT INTO listed (id, number, words) VALUES {rows} ON CONFLICT (id) DO NOTHING`)
			w.ok(err)
			want(t, fmt.Sprint(n, " rows inserted"), inserted, n)
			updated, err := w.ExecRows(w.ctx(), rows, `WITH v (id, number, words) AS (VALUES {rows})
				UPDATE listed SET number = v.number + ? FROM v WHERE listed.id = v.id`, 5)
			w.ok(err)
			want(t, fmt.Sprint(n, " rows updated"), updated, n)

			stored := make(map[int64]store.ListedRow)
			found, err := w.Listed(w.ctx(), rows, `WITH v (id, number, words) AS (VALUES {rows})
				SELECT l.id, l.number, l.words FROM v JOIN listed l ON l.id = v.id WHERE l.id >= ?`, 0)
			w.ok(err)
			for _, r := range found {
				stored[r.ID] = r
			}
			want(t, fmt.Sprint(n, " rows found"), [2]int{len(found), len(stored)}, [2]int{n, n})
			for i := range n {
				is := stored[int64(i)]
				if text := store.Clean(hostileTexts[i%len(hostileTexts)]); i%3 == 0 &&
					(is.Number.Valid || is.Words.String != text || !is.Words.Valid) {
					t.Errorf("row %d of %d is %+v, want the text %q", i, n, is, text)
				}
				if i%3 > 0 && (is.Words.Valid || is.Number.Int64 != int64(5-i) || !is.Number.Valid) {
					t.Errorf("row %d of %d is %+v, want the number %d", i, n, is, 5-i)
				}
			}
		}
	})
}

type digest64 int64

// TestWideRows has more cells in one list than SQLite accepts parameters.
func TestWideRows(t *testing.T) {
	each(t, func(w world) {
		names := make([]string, 51)
		for i := range names {
			names[i] = fmt.Sprint("c", i)
		}
		rows := make([][]any, 1500)
		for i := range rows {
			rows[i] = make([]any, len(names))
			for j := range rows[i] {
				rows[i][j] = i * j
			}
			rows[i][0] = i
		}
		w.ok(w.Exec(w.ctx(), `CREATE TABLE wide (`+strings.Join(names, " BIGINT, ")+` BIGINT)`))
		_, err := w.ExecRows(w.ctx(), rows, `INSERT INTO wide (`+strings.Join(names, ", ")+`) VALUES {rows}`)
		w.ok(err)
		n, err := w.Count(w.ctx(), `SELECT CAST(SUM(c50) AS BIGINT) FROM wide`)
		w.ok(err)
		want(t, "sum of the last column", n, 50*1500*1499/2)
	})
}

// TestBytesInRows: bytes are stored unchanged.
func TestBytesInRows(t *testing.T) {
	each(t, func(w world) {
		kind := "BLOB"
		if w.IsPostgres() {
			kind = "BYTEA"
		}
		w.ok(w.Exec(w.ctx(), `CREATE TABLE packed (id BIGINT PRIMARY KEY, body `+kind+`)`))
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		bodies := [][]byte{all, {}, []byte(`\x00`), []byte(`"{`), {0}}
		var rows [][]any
		for i, body := range bodies {
			rows = append(rows, []any{i, body})
		}
		_, err := w.ExecRows(w.ctx(), append(rows, []any{len(bodies), nil}),
			`INSERT INTO packed (id, body) VALUES {rows}`)
		w.ok(err)
		stored, err := w.Bytes(w.ctx(), `SELECT body FROM packed WHERE body IS NOT NULL ORDER BY id`)
		w.ok(err)
		if !slices.EqualFunc(stored, bodies, slices.Equal) {
			t.Errorf("stored %q, want %q", stored, bodies)
		}
	})
}

// TestKeysOfAnyNumber looks up keys that are one argument.
func TestKeysOfAnyNumber(t *testing.T) {
	each(t, func(w world) {
		w.ok(w.Exec(w.ctx(), `CREATE TABLE listed (id BIGINT PRIMARY KEY)`))
		rows := make([][]any, 3000)
		for i := range rows {
			rows[i] = []any{i - 1000}
		}
		_, err := w.ExecRows(w.ctx(), rows, `INSERT INTO listed (id) VALUES {rows}`)
		w.ok(err)
		for _, n := range []int{0, 1, 2, 8, 9, 1000, 2000} {
			var ids []int64
			for i := range n {
				ids = append(ids, int64(i-n/2))
			}
			found, err := w.CountKeys(w.ctx(), `SELECT count(*) FROM listed WHERE id`, ids)
			w.ok(err)
			want(t, fmt.Sprint(n, " keys"), found, n)
		}
	})
}

// FuzzArray compares the texts of arrays with pq's parser.
func FuzzArray(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var read pq.StringArray
		if err := read.Scan(store.TextArray(a, b, a)); err != nil {
			t.Fatal(err)
		}
		clean := []string{store.Clean(a), store.Clean(b), store.Clean(a)}
		if diff := cmp.Diff(clean, []string(read)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTextsAreFixed: the statements of a midnight on posts, editions and subscriptions have the same texts for five
// readers and feeds as for eight.
func TestTextsAreFixed(t *testing.T) {
	few, more := textsOfMidnight(t, 5), textsOfMidnight(t, 8)
	if len(few) < 20 {
		t.Errorf("only %d statements were seen", len(few))
	}
	for text := range more {
		if !few[text] {
			t.Errorf("a statement has a text of its own for eight: %s", text)
		}
	}
}

// textsOfMidnight runs a midnight of n readers of n feeds, and returns the statements that have arguments.
func textsOfMidnight(t *testing.T, n int) map[string]bool {
	w := world{storetest.Open(t, storetest.SQLite(t)), t}
	var readers []digest.Digest
	var polls []store.Polled
	for i := range n {
		host := fmt.Sprintf("%d.example", i)
		f, d := w.feed(host), w.reader(host, "Europe/Paris")
		w.subscribe(d, f)
		readers = append(readers, d)
		found := posts(noon, "a", "b")
		polls = append(polls, store.Polled{Feed: f, Posts: found, Listed: []string{"a", "b"}, ReadAt: f.URL})
	}
	for range 2 { // in the second round all posts are known and edited
		_, err := w.Feeds.Record(w.ctx(), noon, polls)
		w.ok(err)
		for i := range polls {
			for j := range polls[i].Posts {
				polls[i].Posts[j].ContentHash = "another"
			}
		}
	}
	w.hour(parisMidnight)
	later := noon.Add(14 * time.Hour)
	full := digest.FullShares{Domains: []string{"other.example"}, Digests: []digest.DigestID{1 << 40}}
	for i, p := range polls {
		w.ok(w.Enqueue(w.ctx(), p.Feed.ID, later))
		full.Domains, full.Digests = append(full.Domains, p.Feed.URL), append(full.Digests, digest.DigestID(i+1<<20))
	}
	claimed, _, err := w.Feeds.ClaimFeeds(w.ctx(), later,
		store.ClaimOptions{N: n, Lease: time.Hour, Token: "t", Full: full})
	w.ok(err)
	want(t, "claimed", len(claimed), n)
	polls = nil
	for _, f := range claimed {
		was := f.Feed
		f.PollAt = time.Time{}
		polls = append(polls, store.Polled{Feed: f.Feed, Was: was, Token: "t", HostFreeAt: later})
	}
	_, err = w.Feeds.Record(w.ctx(), later, polls)
	w.ok(err)
	var editions []digest.Delivery
	for _, d := range readers {
		list, err := w.Editions.Editions(w.ctx(), d.ID, 1)
		w.ok(err)
		editions = append(editions, digest.Delivery{Edition: list[0]})
	}
	_, err = w.Editions.EditionPosts(w.ctx(), editions)
	w.ok(err)
	ids := make([]digest.DigestID, n)
	for i, d := range readers {
		ids[i] = d.ID
	}
	_, err = w.Editions.SubscriptionSettings(w.ctx(), ids)
	w.ok(err)
	return w.Texts(t)
}
