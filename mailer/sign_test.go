package mailer

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"digest"
)

// keyForTests is an active key of example.org.
var keyForTests = sync.OnceValues(func() (digest.DKIMKey, error) {
	k, err := NewDKIMKey("example.org", "d2026", time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	k.Active = true
	return k, err
})

func testKey(t testing.TB) digest.DKIMKey {
	t.Helper()
	k, err := keyForTests()
	must(t, err)
	return k
}

func testSigner(t testing.TB) *DKIMSigner {
	t.Helper()
	s, err := NewDKIMSigner([]digest.DKIMKey{testKey(t)}, sample().From)
	if err != nil || s == nil {
		t.Fatalf("%v, %v", s, err)
	}
	return s
}

func mustSign(t testing.TB, s *DKIMSigner, message []byte) []byte {
	t.Helper()
	signed, err := s.Sign(message)
	must(t, err)
	return signed
}

// verify returns the verification of a message with one signature, using a key's published record.
func verify(t testing.TB, k digest.DKIMKey, message []byte) (*dkim.Verification, error) {
	t.Helper()
	name, value, err := DKIMRecord(k)
	must(t, err)
	found, err := dkim.VerifyWithOptions(bytes.NewReader(message),
		&dkim.VerifyOptions{LookupTXT: func(domain string) ([]string, error) {
			if domain != name {
				return nil, fmt.Errorf("nothing is published at %s", domain)
			}
			return []string{value}, nil
		}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d signatures, %v in\n%s", len(found), err, message)
	}
	return found[0], found[0].Err
}

func TestSign(t *testing.T) {
	for name, spoil := range map[string]func(*Letter){
		"all of it": func(*Letter) {},
		"bare": func(m *Letter) {
			m.ReplyTo, m.Thread, m.FeedbackID, m.HelpURL, m.UnsubscribeMail = "", "", "", "",
				""
		},
		"one body": func(m *Letter) { m.HTML = "" },
		"SMTPUTF8": func(m *Letter) { m.To = "jörg@example.org" },
		"long fields": func(m *Letter) {
			m.Subject = strings.Repeat("Wörter ", 40)
			m.ListName = strings.Repeat("日本 ", 60)
		},
		"odd spaces": func(m *Letter) { m.Text = "a \t \r\n\r\n\r\n" },
	} {
		m := sample()
		spoil(&m)
		message := mustCompose(t, m)
		signed := mustSign(t, testSigner(t), message)
		if !bytes.HasSuffix(signed, message) || checkMessage(signed, needsUTF8(m.To)) != nil {
			t.Errorf("%s: the message was changed, or is no longer one: %v", name,
				checkMessage(signed, needsUTF8(m.To)))
		}
		v, err := verify(t, testKey(t), signed)
		if err != nil || v.Domain != "example.org" {
			t.Errorf("%s: d=%s: %v", name, v.Domain, err)
		}
	}
}

// TestSignature checks the tags that H14 names, and h= against the fields of a message.
func TestSignature(t *testing.T) {
	signed := mustSign(t, testSigner(t), mustCompose(t, sample()))
	raw := parse(t, signed).Header.Get("Dkim-Signature")
	tags := map[string]string{}
	for tag := range strings.SplitSeq(raw, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(tag), "=")
		tags[name] = value
	}
	for name, want := range map[string]string{
		"v": "1", "a": "rsa-sha256", "c": "relaxed/relaxed", "d": "example.org", "s": "d2026",
		"l": "", "x": "", "i": "", // the whole body, without expiry
		"h": "From:From:Subject:Subject:Reply-To:Reply-To:To:To:Cc:Date:Date:Message-ID:Message-ID:References:References:In-Reply-To:" +
			"MIME-Version:MIME-Version:Content-Type:Content-Type:Content-Transfer-Encoding:Content-Disposition:List-Id:List-Id:List-Help:List-Help:List-Archive:List-Archive:" +
			"List-Unsubscribe:List-Unsubscribe:List-Unsubscribe-Post:List-Unsubscribe-Post:CFBL-Address:Feedback-ID:Feedback-ID:Auto-Submitted:Auto-Submitted",
	} {
		if tags[name] != want {
			t.Errorf("%s=%s, want %s", name, tags[name], want)
		}
	}
	m := sample()
	m.HTML, m.ReplyTo, m.Thread = "", "", ""
	v, err := verify(t, testKey(t), mustSign(t, testSigner(t), mustCompose(t, m)))
	if err != nil || strings.Count(strings.Join(v.HeaderKeys, ":")+":", "Content-Transfer-Encoding:") != 2 ||
		strings.Count(strings.Join(v.HeaderKeys, ":")+":", "References:") != 1 {
		t.Errorf("h=%v, %v", v.HeaderKeys, err)
	}
}

func TestSignBreaks(t *testing.T) {
	signed := mustSign(t, testSigner(t), mustCompose(t, sample()))
	start := bytes.Index(signed, []byte("\r\nAuto-Submitted"))
	if start < 0 {
		t.Fatalf("%s", signed)
	}
	for _, at := range []string{"posts from", "reader@", "digest@", "help@", "00:03:00", "d.abc", "d7.", "/u/x", "+y",
		"One-Click", "edition:", "References: <thread", "=_", "long line", ".a line", "last"} {
		i := bytes.Index(signed[start:], []byte(at))
		if i < 0 {
			t.Fatalf("no %q in the message", at)
		}
		changed := bytes.Clone(signed)
		changed[start+i+len(at)-1] ^= 1
		if _, err := verify(t, testKey(t), changed); err == nil {
			t.Errorf("a byte of %q was changed unnoticed", at)
		}
	}
	bare := sample()
	bare.ReplyTo, bare.FeedbackID, bare.UnsubscribeURL, bare.UnsubscribeMail = "", "", "", ""
	for name, message := range map[string][]byte{"full": signed,
		"bare": mustSign(t, testSigner(t), mustCompose(t, bare))} {
		for _, field := range []string{"From", "Subject", "Reply-To", "To", "Date", "Message-ID", "MIME-Version",
			"Content-Type", "List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID",
			"Cc", "References", "In-Reply-To", "Content-Transfer-Encoding", "Content-Disposition", "List-Id",
			"List-Help", "List-Archive", "Auto-Submitted"} {
			added := []byte(field + ": <https://evil.example>\r\n")
			end := bytes.Index(message, []byte("\r\n\r\n")) + 2
			for where, forged := range map[string][]byte{
				"above": slices.Concat(added, message),
				"below": slices.Concat(message[:end], added, message[end:]),
			} {
				if _, err := verify(t, testKey(t), forged); err == nil {
					t.Errorf("%s message: a %s was added %s unnoticed", name, field, where)
				}
			}
		}
	}
	if _, err := verify(t, testKey(t), append(bytes.Clone(signed), "more\r\n"...)); err == nil {
		t.Error("a line was added at the end unnoticed")
	}
}

func TestSignConcurrently(t *testing.T) {
	s := testSigner(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 4 {
				m := sample()
				m.Subject = fmt.Sprint("Number ", i, " ", j)
				signed, err := s.Sign(mustCompose(t, m))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := verify(t, testKey(t), signed); err != nil {
					t.Errorf("%s: %v", m.Subject, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestSignAgain: a message that is sent again differs from its first copy only in the time of the signature.
func TestSignAgain(t *testing.T) {
	s, message := testSigner(t), mustCompose(t, sample())
	synctest.Test(t, func(t *testing.T) {
		first := mustSign(t, s, message)
		if again := mustSign(t, s, message); !bytes.Equal(first, again) {
			t.Errorf("differs:\n%s\n%s", first, again)
		}
		time.Sleep(time.Second)
		if later := mustSign(t, s, message); bytes.Equal(first, later) {
			t.Error("the signature has no time")
		}
	})
}

func TestNoSigner(t *testing.T) {
	var s *DKIMSigner
	message := mustCompose(t, sample())
	if got, err := s.Sign(message); err != nil || !bytes.Equal(got, message) {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := testSigner(t).Sign([]byte("no header")); err == nil {
		t.Error("what is no message was signed")
	}
}

func TestNewSigner(t *testing.T) {
	key := func(domain, selector string, active bool) digest.DKIMKey {
		k := testKey(t)
		k.Domain, k.Selector, k.Active = domain, selector, active
		return k
	}
	of := func(keys ...digest.DKIMKey) []digest.DKIMKey { return keys }
	for _, c := range []struct {
		name string
		keys []digest.DKIMKey
		from string
		want string // selector; empty if unsigned
	}{
		{"its own domain", of(key("example.org", "a", true)), "Digest <d@example.org>", "a"},
		{"in capitals", of(key("example.org", "a", true)), "d@Example.ORG", "a"},
		{"the domain above", of(key("example.org", "a", true)), "d@news.example.org", "a"},
		{"the nearest", of(key("example.org", "a", true), key("news.example.org", "b", true),
			key("b.news.example.org", "c", true)), "d@news.example.org", "b"},
		{"the active one", of(key("example.org", "a", false), key("example.org", "b", true),
			key("example.org", "c", false)), "d@example.org", "b"},
		{"none is active", of(key("example.org", "a", false)), "d@example.org", ""},
		{"no key", nil, "d@example.org", ""},
		{"another domain", of(key("example.net", "a", true)), "d@example.org", ""},
		{"a domain below", of(key("news.example.org", "a", true)), "d@example.org", ""},
		{"a domain that ends alike", of(key("example.org", "a", true)), "d@bad-example.org", ""},
		{"a whole top-level domain", of(key("org", "a", true)), "d@example.org", ""},
		{"a bare host", of(key("localhost", "a", true)), "d@localhost", "a"},
		{"an internationalised domain", of(key("xn--bcher-kva.example", "a", true)), "d@bücher.example", "a"},
	} {
		s, err := NewDKIMSigner(c.keys, c.from)
		if err != nil || (s != nil) != (c.want != "") || s != nil && s.options.Selector != c.want {
			t.Errorf("%s: got %+v, %v; want %q", c.name, s, err, c.want)
		}
	}
	if s, err := NewDKIMSigner(nil, "nobody"); err == nil {
		t.Errorf("%v for what is no address", s)
	}
}

// pkcs8 returns a private key in its stored form.
func pkcs8(t *testing.T, key any, err error) []byte {
	t.Helper()
	must(t, err)
	b, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return b
}

func TestKeysRefused(t *testing.T) {
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	shortBytes := pkcs8(t, short, err)
	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ellipticalBytes := pkcs8(t, elliptical, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	edwardsBytes := pkcs8(t, edwards, err)
	for name, spoil := range map[string]func(*digest.DKIMKey){
		"of 1024 bits": func(k *digest.DKIMKey) { k.PrivateKey = shortBytes },
		"ECDSA":        func(k *digest.DKIMKey) { k.PrivateKey = ellipticalBytes },
		// Microsoft and Yahoo do not verify it
		"Ed25519": func(k *digest.DKIMKey) { k.PrivateKey = edwardsBytes },
		"cut off": func(k *digest.DKIMKey) {
			k.PrivateKey = k.PrivateKey[:len(k.PrivateKey)-1]
		},
		"empty":                                func(k *digest.DKIMKey) { k.PrivateKey = nil },
		"a selector that breaks the signature": func(k *digest.DKIMKey) { k.Selector = "a; d=evil.example" },
		"no selector":                          func(k *digest.DKIMKey) { k.Selector = "" },
	} {
		k := testKey(t)
		spoil(&k)
		_, sealErr := NewDKIMSigner([]digest.DKIMKey{k}, sample().From)
		_, _, recordErr := DKIMRecord(k)
		for _, err := range []error{sealErr, recordErr} {
			if digest.KindOf(err) != digest.Invalid || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestNewDKIMKey(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 30, 0, 0, time.FixedZone("", -3600)) // the 21st in UTC
	k, err := NewDKIMKey("Bücher.Example.", "", now)
	must(t, err)
	name, value, err := DKIMRecord(k)
	if err != nil || name != "d20261121._domainkey.xn--bcher-kva.example" || !k.CreatedAt.Equal(now) || k.Active {
		t.Errorf("%s, %+v, %v", name, k, err)
	}
	published, ok := strings.CutPrefix(value, "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A") // 2048 bits
	if !ok || strings.ContainsAny(published, " \r\n;\"") {
		t.Errorf("%q", value)
	}
	for _, c := range [][2]string{
		{"", ""}, {"example..org", ""}, {"-a.org", ""}, {"a b.org", ""}, {"example.org\r\n", ""}, {"*.example.org", ""},
		{strings.Repeat("a", 64) + ".org", ""}, {strings.Repeat("a.", 125) + "org", "s"},
		{"example.org", "a b"}, {"example.org", "a;b"}, {"example.org", "."}, {"example.org", "ä"},
		{"example.org", strings.Repeat("a", 64)},
	} {
		_, err := NewDKIMKey(c[0], c[1], now)
		e, ok := errors.AsType[*digest.Error](err)
		if !ok || e.Kind != digest.Invalid || strings.Contains(err.Error(), "\n") {
			t.Errorf("domain %q, selector %q: %v", c[0], c[1], err)
		}
	}
}

// FuzzSeal: every composed message verifies after it is signed.
func FuzzSeal(f *testing.F) {
	f.Add("subject", "text", "name", "https://example.org/")
	f.Add(" \t a\r\nB: c ", "\x00 \t\n\n\n", ";=,: \u2028", "http://x/;b=;h=")
	f.Fuzz(func(t *testing.T, subject, text, name, link string) {
		m := sample()
		m.Subject, m.Text, m.ListName, m.UnsubscribeURL = subject, text, name, link
		message, err := Compose(m)
		if err != nil {
			return
		}
		if _, err := verify(t, testKey(t), mustSign(t, testSigner(t), message)); err != nil {
			t.Fatalf("%v in\n%s", err, message)
		}
	})
}
