package poller

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Servers of the fediverse want to know who asks: requests are signed in the name of this
// instance's actor, whose key they read at BASE/actor. Most know the twelfth draft of HTTP
// Signatures only (draft-cavage-http-signatures-12), some RFC 9421 only: a host that refuses
// the one is shown the other, once in otherAgain.
//
// Both are written with the standard library: of the one package that does RFC 9421 well,
// github.com/yaronf/httpsign, two dozen lines would be used, and it brings a library of JWT.

// ActorPath is where this instance's actor is, and KeyID the ID of its key, below its base URL.
const (
	ActorPath = "/actor"
	keyPart   = "#main-key"
)

// KeyID is the ID of the key with which the instance at a base URL signs.
func KeyID(base string) string { return strings.TrimSuffix(base, "/") + ActorPath + keyPart }

// otherAgain is how long a host that refused one kind of signature is asked with that which it
// took; and one that refused both is not asked twice in one poll.
const otherAgain = 7 * 24 * time.Hour

// mostSigned bounds the hosts of which it is remembered which signature they want.
const mostSigned = 10_000

// A signer signs requests in the name of this instance.
type signer struct {
	keyID string
	key   *rsa.PrivateKey
}

// signers makes signers, and remembers which hosts want which kind of signature.
type signers struct {
	base   string
	public bool // hosts of the Internet can read the key
	read   func(context.Context) (*rsa.PrivateKey, error)

	mu     sync.Mutex
	key    *rsa.PrivateKey
	others map[string]otherSignature // by host
}

// An otherSignature is what is known of a host that refused a signature of the draft.
type otherSignature struct {
	since time.Time
	works bool
}

func newSigners(base string, read func(context.Context) (*rsa.PrivateKey, error)) *signers {
	return &signers{base: base, public: IsPublicBase(base), read: read, others: make(map[string]otherSignature)}
}

// IsPublicBase reports whether strangers can reach a base URL.
func IsPublicBase(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return false
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return IsPublic(a)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case host, "localhost", "local", "internal", "lan", "home", "test", "invalid", "example":
		return false
	}
	return true
}

// signerFor gives what requests to a host are signed with; nil where the host could not read
// the key. One in an allowed network can, whatever the address.
func (p *Poller) signerFor(ctx context.Context, host string) *signer {
	s := p.signers
	if s.read == nil || !s.public && !p.leadsHome(ctx, host) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == nil {
		key, err := s.read(ctx)
		if err != nil {
			p.log.Warn("cannot sign requests to the fediverse", "err", err)
			return nil
		}
		s.key = key
	}
	return &signer{keyID: KeyID(s.base), key: s.key}
}

// wantsOther reports whether a host is asked with a signature of RFC 9421.
func (s *signers) wantsOther(host string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, known := s.others[host]
	return known && o.works && now.Sub(o.since) < otherAgain
}

// tryOther reports whether a host that refused a signature of the draft may be shown another.
func (s *signers) tryOther(host string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, known := s.others[host]; known && now.Sub(o.since) < otherAgain {
		return false
	}
	if len(s.others) >= mostSigned {
		clear(s.others)
	}
	s.others[host] = otherSignature{since: now}
	return true
}

// tookOther notes that a host took a signature of RFC 9421.
func (s *signers) tookOther(host string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others[host] = otherSignature{since: now, works: true}
}

// signDraft signs by draft-cavage-http-signatures-12 section 4.1 what servers demand of a GET:
// its target, host and date.
func (s *signer) signDraft(h http.Header, method string, u *url.URL, now time.Time) error {
	h["Date"] = []string{now.UTC().Format(http.TimeFormat)}
	text := fmt.Sprintf("(request-target): %s %s\nhost: %s\ndate: %s", strings.ToLower(method), u.RequestURI(), u.Host,
		h["Date"][0])
	signature, err := s.sign(text)
	if err != nil {
		return err
	}
	h["Signature"] = []string{
		fmt.Sprintf(`keyId="%s",algorithm="rsa-sha256",headers="(request-target) host date",signature="%s"`, s.keyID,
			signature)}
	return nil
}

// signRFC signs by RFC 9421 section 3.1, with the algorithm of section 3.3.2.
func (s *signer) signRFC(h http.Header, method string, u *url.URL, now time.Time) error {
	input := fmt.Sprintf(`("@method" "@target-uri");created=%d;keyid="%s";alg="rsa-v1_5-sha256"`, now.Unix(), s.keyID)
	signature, err := s.sign(fmt.Sprintf("\"@method\": %s\n\"@target-uri\": %s\n\"@signature-params\": %s", method,
		u.String(), input))
	if err != nil {
		return err
	}
	h["Signature-Input"] = []string{"sig1=" + input}
	h["Signature"] = []string{"sig1=:" + signature + ":"}
	return nil
}

func (s *signer) sign(text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	return base64.StdEncoding.EncodeToString(signature), err
}

// actorKeyBits is the size of the key that every server of the fediverse verifies.
const actorKeyBits = 2048

// NewActorKey makes a key to sign with, as ReadActorKey reads it (PKCS #8).
func NewActorKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, actorKeyBits)
	if err != nil {
		return nil, fmt.Errorf("making the key of the actor: %w", err)
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// ReadActorKey reads a key that NewActorKey has made.
func ReadActorKey(b []byte) (*rsa.PrivateKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(b)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the actor: %w", err)
	}
	if key, ok := key.(*rsa.PrivateKey); ok {
		return key, nil
	}
	return nil, errors.New("the key of the actor is not one of RSA")
}
