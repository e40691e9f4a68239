package seal

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"digest"
)

const canary = "canary-7f3a"

var credential = digest.Credential{Reader: 7, Address: "https://a.example/feed", User: "ann", Password: canary}

func TestSealed(t *testing.T) {
	keys := Beside(filepath.Join(t.TempDir(), "digest.db"))
	if ids, err := keys.IDs(); err != nil || ids != nil {
		t.Fatalf("%v, %v: a key before it is needed", ids, err)
	}
	f, err := keys.Seal(credential)
	must(t, err)
	if strings.Contains(f.Sealed+f.Address, canary) || !digest.IsPrivate(f.Address) ||
		digest.PublicAddress(f.Address) != credential.Address {
		t.Errorf("%+v", f)
	}
	if got, err := keys.Open(f.Sealed); err != nil || got != credential {
		t.Errorf("%#v, %v", plain(got), err)
	}
	if info, err := os.Stat(keys.File()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	again, err := In(keys.File()).Seal(credential) // as another process
	if err != nil || again.Address != f.Address || again.Sealed == f.Sealed {
		t.Errorf("%+v, %v: the feed has another name, or the nonce is the same", again, err)
	}
	damaged := []byte(f.Sealed)
	damaged[len(damaged)-8] ^= 1
	for _, wrong := range []string{"", "1.", "x", f.Sealed[:20], string(damaged),
		strings.Replace(f.Sealed, "1.", "2.", 1), "1.zzzzzzzz." + canary} {
		if got, err := keys.Open(wrong); err == nil || digest.KindOf(err) == "" || got != (digest.Credential{}) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestNames checks that a reader's feed is identified by its address and user name, with any password.
func TestNames(t *testing.T) {
	keys := Beside(filepath.Join(t.TempDir(), "digest.db"))
	address := func(change func(*digest.Credential)) string {
		c := credential
		change(&c)
		f, err := keys.Seal(c)
		must(t, err)
		return f.Address
	}
	same := address(func(*digest.Credential) {})
	if got := address(func(c *digest.Credential) { c.Password = "new" }); got != same {
		t.Error("a new password makes another feed")
	}
	token := address(func(c *digest.Credential) { c.User, c.Password, c.Token = "", "", "t" })
	if got := address(func(c *digest.Credential) { c.User, c.Password, c.Token = "", "", "u" }); got != token {
		t.Error("a new token makes another feed")
	}
	seen := map[string]bool{same: true, token: true}
	for _, change := range []func(*digest.Credential){
		func(c *digest.Credential) { c.Reader = 8 },
		func(c *digest.Credential) { c.User = "bob" },
		func(c *digest.Credential) { c.Address += "2" },
		func(c *digest.Credential) { c.Address, c.User = "https://a.example/feedann", "" },
		func(c *digest.Credential) { c.Hidden, c.User, c.Password = true, "", "" },
	} {
		if got := address(change); seen[got] {
			t.Errorf("%s twice", got)
		} else {
			seen[got] = true
		}
	}
	if len(seen) != 7 {
		t.Error(seen)
	}
}

func TestRotation(t *testing.T) {
	keys := Beside(filepath.Join(t.TempDir(), "digest.db"))
	old, err := keys.Seal(credential)
	must(t, err)
	other := In(keys.File()) // another process
	if _, err := other.Open(old.Sealed); err != nil {
		t.Fatal(err)
	}
	id, err := keys.Add()
	must(t, err)
	ids, err := keys.IDs()
	if err != nil || len(ids) != 2 || ids[0] != id || ids[1] != IDOf(old.Sealed) {
		t.Errorf("%v, %v", ids, err)
	}
	renewed, err := keys.Seal(credential)
	if err != nil || IDOf(renewed.Sealed) != id || renewed.Address == old.Address || len(renewed.Others) != 1 ||
		renewed.Others[0] != old.Address {
		t.Errorf("%+v after %+v, %v", renewed, old, err)
	}
	for _, sealed := range []string{old.Sealed, renewed.Sealed} {
		if got, err := other.Open(sealed); err != nil || got != credential {
			t.Errorf("the other process cannot open %s: %v", sealed, err)
		}
	}
	text, err := os.ReadFile(keys.File())
	must(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	must(t, os.WriteFile(keys.File(), []byte(first+"\n"), 0o600))
	if _, err := In(keys.File()).Open(old.Sealed); err == nil || !strings.Contains(err.Error(), ids[1]) {
		t.Errorf("without the old key: %v", err)
	}
	if info, err := os.Stat(keys.File()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestKeyFiles(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"empty": "", "remark": "# none\n", "short": "abcd\n", "text": canary +
		"\n", "good then bad": New() + "\n" + canary} {
		file := filepath.Join(folder, name)
		must(t, os.WriteFile(file, []byte(content), 0o600))
		if _, err := In(file).Seal(credential); err == nil || !strings.Contains(err.Error(), file) ||
			strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, keys := range []*Keys{In(""), In(filepath.Join(folder, "none")),
		Beside(filepath.Join(folder, "no", "folder"))} {
		if _, err := keys.Seal(credential); digest.KindOf(err) == "" {
			t.Errorf("%q: %v", keys.File(), err)
		}
	}
}

// TestOneFirstKey checks that processes that need the first key at the same time all get the same one.
func TestOneFirstKey(t *testing.T) {
	database := filepath.Join(t.TempDir(), "digest.db")
	var wait sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wait.Go(func() {
			f, err := Beside(database).Seal(credential)
			if err != nil {
				t.Error(err)
			}
			ids[i] = IDOf(f.Sealed)
		})
	}
	wait.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatal(ids)
		}
	}
	if left, err := filepath.Glob(database + "*"); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestNothingIsPrinted checks that no formatting or encoding reveals a credential.
func TestNothingIsPrinted(t *testing.T) {
	c := digest.Credential{Reader: 7, Address: "https://" + canary + ".example/", User: canary, Password: canary,
		Token: canary, Hidden: true}
	holds := struct {
		C  digest.Credential
		P  *digest.Credential
		In []digest.Credential
	}{c, &c, []digest.Credential{c}}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb, c)
		fmt.Fprintf(&out, verb, &c)
		fmt.Fprintf(&out, verb, holds)
	}
	text, err := json.Marshal(holds)
	must(t, err)
	out.Write(text)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("of", "c", c, "p", &c, "in", holds)
	}
	fmt.Fprint(&out, errors.Join(fmt.Errorf("with %v", c)))
	func() {
		defer func() { fmt.Fprint(&out, recover()) }()
		panic(c)
	}()
	if got := out.String(); strings.Contains(got, canary) || strings.Contains(got, fmt.Sprintf("%x", canary)) {
		t.Error(got)
	}
}

func FuzzOpen(f *testing.F) {
	keys := Beside(filepath.Join(f.TempDir(), "digest.db"))
	sealed, err := keys.Seal(credential)
	must(f, err)
	f.Add(sealed.Sealed)
	f.Add("1." + IDOf(sealed.Sealed) + ".")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := keys.Open(text); err == nil && text != sealed.Sealed && c != credential {
			t.Errorf("%q was opened", text)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
