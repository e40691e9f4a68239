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

// Many servers of the fediverse require signed requests. digest signs as the actor of this instance, whose
// key is at BASE/actor. Most servers support only draft 12 of HTTP Signatures
// (draft-cavage-http-signatures-12), some only RFC 9421. A host that rejects the draft gets the other kind,
// once in otherAgain.
//
// Both use only the standard library. The good package for RFC 9421, github.com/yaronf/httpsign, would
// replace two dozen lines and depends on a JWT library.

// ActorPath is the path of this instance's actor below its base URL. keyPart is the fragment of its key's
// ID.
const (
	ActorPath = "/actor"
	keyPart   = "#main-key"
)

// KeyID returns the ID of the signing key of the instance at a base URL.
func KeyID(base string) string { return strings.TrimSuffix(base, "/") + ActorPath + keyPart }

// otherAgain is how long a host gets the kind of signature that it accepted. It is also the pause before a
// host that rejected both gets two requests in one poll again.
const otherAgain = 7 * 24 * time.Hour

// mostSigned limits the hosts whose kind of signature is remembered.
const mostSigned = 10_000

// A signer signs requests in the name of this instance.
type signer struct {
	keyID string
	key   *rsa.PrivateKey
}

// A signers returns signers and remembers which hosts accept which kind of signature.
type signers struct {
	base   string
	public bool // public hosts can read the key
	read   func(context.Context) (*rsa.PrivateKey, error)

	mu     sync.Mutex
	key    *rsa.PrivateKey
	others map[string]otherSignature // by host
}

// An otherSignature describes a host that rejected a signature of the draft.
type otherSignature struct {
	since time.Time
	works bool
}

func newSigners(base string, read func(context.Context) (*rsa.PrivateKey, error)) *signers {
	return &signers{base: base, public: IsPublicBase(base), read: read, others: make(map[string]otherSignature)}
}

// IsPublicBase reports whether hosts on the Internet can reach a base URL.
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

// signerFor returns the signer for requests to a host, or nil if the host cannot read the key. A host in an
// allowed network can always read it.
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

// wantsOther reports whether a host accepts RFC 9421 and not the draft.
func (s *signers) wantsOther(host string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, known := s.others[host]
	return known && o.works && now.Sub(o.since) < otherAgain
}

// tryOther reports whether to retry with RFC 9421 at a host that rejected the draft.
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

// tookOther records that a host accepted RFC 9421.
func (s *signers) tookOther(host string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others[host] = otherSignature{since: now, works: true}
}

// signDraft signs the target, host and date of a request by draft-cavage-http-signatures-12 section 4.1.
// Servers require these fields of a GET.
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

// actorKeyBits is the key size that all servers of the fediverse verify.
const actorKeyBits = 2048

// NewActorKey returns a new signing key in the form that ReadActorKey reads (PKCS #8).
func NewActorKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, actorKeyBits)
	if err != nil {
		return nil, fmt.Errorf("making the key of the actor: %w", err)
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// ReadActorKey reads a key from NewActorKey.
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
