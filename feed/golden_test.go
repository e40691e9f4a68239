package feed

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"digest"
)

var update = flag.Bool("update", false, "write the golden parts of testdata anew")

// TestGolden reads the archives in testdata: each contains a document, its report, and its posts.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d samples", err, len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := []txtar.File{archive.Files[0]}
			d, err := Parse(archive.Files[0].Data, "", "https://sample.example/dir/"+archive.Files[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			var posts []digest.Post
			for i := range d.Posts {
				posts = append(posts, d.Posts[i].Sanitise(seenAt))
			}
			got = append(got, golden(t, "report.json", Report(d)), golden(t, "posts.json", posts))
			if *update {
				out := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: got})
				if err := os.WriteFile(file, out, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(archive.Files, got); diff != "" {
				t.Errorf("(-want +got; -update writes it anew)\n%s", diff)
			}
		})
	}
}

func golden(t *testing.T, name string, v any) txtar.File {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return txtar.File{Name: name, Data: []byte(b.String())}
}
