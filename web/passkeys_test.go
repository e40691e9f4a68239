package web_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A device is a software authenticator with one ES256 key.
type device struct {
	t      testing.TB
	key    *ecdsa.PrivateKey
	id     []byte
	handle []byte
	count  uint32
	origin string
	rp     string
}

func newDevice(t testing.TB) *device {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &device{t: t, key: key, id: []byte(rand.Text()), origin: "https://digest.example", rp: "digest.example"}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (d *device) client(kind, challenge string) []byte {
	b, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin,
		"crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// data returns the authenticator data. more follows the signature counter.
func (d *device) data(flags byte, more []byte) []byte {
	rp := sha256.Sum256([]byte(d.rp))
	b := append(rp[:], flags)
	return append(binary.BigEndian.AppendUint32(b, d.count), more...)
}

// create responds to the options of a registration.
func (d *device) create(challenge string) map[string]any {
	public, err := d.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		d.t.Fatal(err)
	}
	cose := append([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, public[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 32), public[33:]...)
	more := append(make([]byte, 16), 0, byte(len(d.id)))
	more = append(append(more, d.id...), cose...)
	data := d.data(0x45, more)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return map[string]any{"id": b64(d.id), "rawId": b64(d.id), "type": "public-key", "response": map[string]any{
		"clientDataJSON":    b64(d.client("webauthn.create", challenge)),
		"attestationObject": b64(append(object, data...)),
	}}
}

// get responds to the options of a sign-in.
func (d *device) get(challenge string) map[string]any {
	client, data := d.client("webauthn.get", challenge), d.data(0x05, nil)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return map[string]any{"id": b64(d.id), "rawId": b64(d.id), "type": "public-key", "response": map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature),
		"userHandle": b64(d.handle),
	}}
}

// says posts body as JSON.
func (v *visitor) says(path string, body any) answer {
	v.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.do("POST", path, "application/json", bytes.NewReader(b))
}

type options struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		RPID      string `json:"rpId"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
		Exclude []struct {
			ID string `json:"id"`
		} `json:"excludeCredentials"`
		Selection struct {
			ResidentKey string `json:"residentKey"`
		} `json:"authenticatorSelection"`
	} `json:"publicKey"`
}

func (v *visitor) asked(path string) options {
	v.t.Helper()
	var o options
	if err := json.Unmarshal([]byte(v.says(path, struct{}{}).status(http.StatusOK).body), &o); err != nil {
		v.t.Fatal(err)
	}
	return o
}

// adds registers the device as a passkey of the signed-in user.
func (v *visitor) adds(d *device, name string) answer {
	v.t.Helper()
	o := v.asked("/passkeys/register/begin")
	d.handle, _ = base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	return v.says("/passkeys/register/finish",
		map[string]any{"name": name, "credential": d.create(o.PublicKey.Challenge)})
}

func (v *visitor) uses(d *device) answer {
	v.t.Helper()
	return v.says("/passkeys/sign-in/finish", d.get(v.asked("/passkeys/sign-in/begin").PublicKey.Challenge))
}

func TestPasskey(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		r.open("https://digest.example")
		v, d := r.visitor().signIn(u), newDevice(t)
		v.adds(d, "  My\u202e phone\x00 <b>  ").status(http.StatusOK)
		if o := v.asked("/passkeys/register/begin"); len(o.PublicKey.Exclude) != 1 || len(d.handle) != 64 ||
			o.PublicKey.Selection.ResidentKey != "required" {
			r.t.Errorf("the next one is asked %+v", o)
		}
		v.get("/settings/passkeys?saved=added").shows(".rows strong", "My phone <b>").contains(".rows .hint",
			"not used yet")
		guest := r.visitor()
		d.count = 1
		guest.uses(d).status(http.StatusOK)
		guest.get("/settings/passkeys").status(http.StatusOK).contains(".rows .hint", "last used 20 November 2026")
		d.count = 1 // like a copy of the device, whose counter lags behind
		r.visitor().uses(d).status(http.StatusForbidden)
		d.count = 2
		other := r.visitor()
		other.get("/settings/zone").status(http.StatusSeeOther)
		if a := other.uses(d).status(http.StatusOK); !strings.Contains(a.body, `"to":"/settings/zone"`) {
			r.t.Errorf("leads to %s, not to the page that was asked for", a.body)
		}
		form := v.get("/settings/passkeys").attrs(".rows form", "action")
		v.post(form[0], nil).status(http.StatusSeeOther)
		v.get("/editions").status(http.StatusOK)
		for _, gone := range []*visitor{guest, other} { // they signed in with it
			gone.get("/editions").status(http.StatusSeeOther)
		}
		d.count = 3
		r.visitor().uses(d).status(http.StatusForbidden)
	})
}

// TestPasskeyNames checks that a name is one line of at most 60 characters, including "…", without characters that
// change the text direction. An empty name becomes the date.
func TestPasskeyNames(t *testing.T) {
	each(t, func(r *room) {
		r.open("https://digest.example")
		for i, c := range []struct{ typed, want string }{
			{strings.Repeat("ñ", 60), strings.Repeat("ñ", 60)},
			{strings.Repeat("ñ", 61), strings.Repeat("ñ", 59) + "…"},
			{"a\n\u202eb\u2066\xff  c ", "a b c"},
			{" \u200b\n", "Passkey vom 20. November 2026"},
		} {
			u, _ := r.user(fmt.Sprintf("ann%d@example.org", i))
			v := r.visitor().signIn(u)
			v.header["Accept-Language"] = "de"
			v.adds(newDevice(t), c.typed).status(http.StatusOK)
			v.get("/settings/passkeys").shows(".rows strong", c.want)
		}
	})
}

func TestPasskeyAttacks(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		r.open("https://digest.example")
		anns, bobs := newDevice(t), newDevice(t)
		a, b := r.visitor().signIn(ann), r.visitor().signIn(bob)
		a.adds(anns, "").status(http.StatusOK)
		b.adds(bobs, "").status(http.StatusOK)

		refused := func(name string, v *visitor, path string, body any) {
			r.t.Helper()
			if got := v.says(path, body); got.StatusCode != http.StatusForbidden ||
				!strings.Contains(got.body, "This passkey didn’t work") {
				r.t.Errorf("%s: status %d, %s", name, got.StatusCode, got.body)
			}
		}
		const in, add = "/passkeys/sign-in/finish", "/passkeys/register/finish"
		begin := func(v *visitor) string { return v.asked("/passkeys/sign-in/begin").PublicKey.Challenge }

		v := r.visitor()
		begin(v)
		refused("a challenge of its own", v, in, anns.get(b64([]byte("a challenge that nobody has asked"))))
		refused("nothing was asked", r.visitor(), in, anns.get(b64([]byte("x"))))
		other := begin(r.visitor())
		v = r.visitor()
		begin(v)
		refused("another browser's challenge", v, in, anns.get(other))
		v = r.visitor()
		anns.origin = "https://evil.example"
		refused("another origin", v, in, anns.get(begin(v)))
		anns.origin = "https://digest.example"
		v = r.visitor()
		anns.rp = "evil.example"
		refused("another party", v, in, anns.get(begin(v)))
		anns.rp = "digest.example"
		v = r.visitor()
		anns.handle, bobs.handle = bobs.handle, anns.handle
		refused("another's handle", v, in, anns.get(begin(v)))
		anns.handle, bobs.handle = bobs.handle, anns.handle
		v = r.visitor()
		forged := newDevice(t)
		forged.id, forged.handle = anns.id, anns.handle
		refused("another's key", v, in, forged.get(begin(v)))
		v = r.visitor()
		begin(v)
		refused("no JSON", v, in, "x")
		v = r.visitor()
		challenge := begin(v)
		r.now = r.now.Add(6 * time.Minute)
		refused("too late", v, in, anns.get(challenge))

		v = r.visitor()
		answer, cookie := anns.get(begin(v)), v.cookies["__Host-digest-passkey"]
		v.says(in, answer).status(http.StatusOK)
		v = r.visitor()
		v.cookies["__Host-digest-passkey"] = cookie
		refused("again", v, in, answer)

		o := b.asked("/passkeys/register/begin")
		refused("a sign-in's answer", b, add, map[string]any{"credential": bobs.get(o.PublicKey.Challenge)})
		o = b.asked("/passkeys/register/begin")
		thief := r.visitor().signIn(ann)
		thief.cookies["__Host-digest-passkey"] = b.cookies["__Host-digest-passkey"]
		refused("what another was asked", thief, add,
			map[string]any{"credential": newDevice(t).create(o.PublicKey.Challenge)})
		if got := b.adds(anns, "").StatusCode; got != http.StatusConflict {
			r.t.Errorf("another's passkey is added: %d", got)
		}
		form := a.get("/settings/passkeys").attrs(".rows form", "action")
		b.post(form[0], nil).status(http.StatusNotFound)
		r.visitor().says("/passkeys/register/begin", struct{}{}).status(http.StatusUnauthorized)
		a.post("/passkeys/register/begin", nil).status(http.StatusUnsupportedMediaType)
		a.says("/passkeys/register/finish", strings.Repeat("a", 70<<10))
		n := 0
		for ; n < 100 && a.says("/passkeys/register/begin", struct{}{}).StatusCode == http.StatusOK; n++ {
		}
		a.says("/passkeys/register/begin", struct{}{}).status(http.StatusTooManyRequests)
	})
}

// TestPasskeysNeedAName checks that an instance at an IP address offers no passkeys.
func TestPasskeysNeedAName(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		v.get("/settings/passkeys").status(http.StatusOK).shows("form.passkey").contains(".notice",
			"Passkeys need a domain name")
		v.says("/passkeys/register/begin", struct{}{}).status(http.StatusNotFound)
	})
}
