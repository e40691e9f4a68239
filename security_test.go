package digest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesAreTested checks that each test and each script of a page in the threat model exists.
func TestPromisesAreTested(t *testing.T) {
	model, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if script, ok := strings.CutPrefix(path, "web/testdata/"); ok {
			there[strings.TrimSuffix(script, ".txtar")] = true
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+|pages/[\\w-]+)`").FindAllSubmatch(model, -1)
	for _, m := range named {
		if !there[string(m[1])] {
			t.Errorf("docs/security.md names %s, and there is no such test", m[1])
		}
	}
	if len(named) < 50 {
		t.Errorf("it names %d tests: it is not read as it is written", len(named))
	}
}
