package mailer

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	"golang.org/x/net/publicsuffix"

	"digest"
)

// Keys are RSA of 2048 bits, which every receiver verifies (RFC 8301 §3.2). Many receivers verify no other kind. Keys
// that receivers need not verify are rejected.
const (
	newKeyBits   = 2048
	leastKeyBits = 2048
	mostKeyBits  = 4096
)

// NewDKIMKey creates a key for a domain and its subdomains. An empty selector becomes one from the date.
func NewDKIMKey(domain, selector string, now time.Time) (digest.DKIMKey, error) {
	if selector == "" {
		selector = "d" + now.UTC().Format("20060102")
	}
	k := digest.DKIMKey{Domain: strings.TrimSuffix(domain, "."), Selector: strings.ToLower(selector), CreatedAt: now}
	var err error
	if k.Domain, err = toASCII(k.Domain); err == nil {
		err = checkKeyNames(k)
	}
	if suffix, official := publicsuffix.PublicSuffix(k.Domain); err == nil && official && suffix == k.Domain {
		err = fmt.Errorf("anyone can register a domain under %s; use your own, such as example.%[1]s", k.Domain)
	}
	if err != nil {
		return digest.DKIMKey{}, digest.Errorf(digest.Invalid, "%s", err.Error())
	}
	private, err := rsa.GenerateKey(rand.Reader, newKeyBits)
	if err != nil {
		return digest.DKIMKey{}, fmt.Errorf("making a key for %s: %w", k.Domain, err)
	}
	if k.PrivateKey, err = x509.MarshalPKCS8PrivateKey(private); err != nil {
		return digest.DKIMKey{}, fmt.Errorf("making a key for %s: %w", k.Domain, err)
	}
	return k, nil
}

// DKIMRecord returns the name and the value of the TXT record to publish for a key (RFC 6376 §3.6). The value exceeds
// the length of one string in a zone file.
func DKIMRecord(k digest.DKIMKey) (name, value string, err error) {
	private, err := readKey(k)
	if err != nil {
		return "", "", err
	}
	public, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		return "", "", fmt.Errorf("the DKIM key %s of %s: %w", k.Selector, k.Domain, err)
	}
	return recordName(k), "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public), nil
}

func recordName(k digest.DKIMKey) string { return k.Selector + "._domainkey." + k.Domain }

// checkKeyNames rejects names that are not valid in the DNS or in a signature.
func checkKeyNames(k digest.DKIMKey) error {
	if !isDomainName(k.Domain) {
		return fmt.Errorf("%q cannot be the domain of a DKIM key; give a name such as example.org",
			digest.OneLine(k.Domain))
	}
	if !isDomainName(k.Selector) {
		return fmt.Errorf("%q cannot be the selector of a DKIM key; give a name such as d20261120",
			digest.OneLine(k.Selector))
	}
	const most = 253
	if name := recordName(k); len(name) > most {
		return fmt.Errorf("the DKIM record's name %s is %d characters long, %d at most; give a shorter selector", name,
			len(name), most)
	}
	return nil
}

func readKey(k digest.DKIMKey) (*rsa.PrivateKey, error) {
	refuse := func(why string, err error) error {
		return &digest.Error{Kind: digest.Invalid, Err: err, Message: fmt.Sprintf(
			"the DKIM key %s of %s %s; make another with \"digest dkim new %s\"", digest.OneLine(k.Selector),
			digest.OneLine(k.Domain), why, digest.OneLine(k.Domain))}
	}
	if err := checkKeyNames(k); err != nil {
		return nil, refuse("has a name that cannot be published", err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(k.PrivateKey)
	if err != nil {
		return nil, refuse("cannot be read", err)
	}
	private, isRSA := parsed.(*rsa.PrivateKey)
	if !isRSA {
		return nil, refuse("is not an RSA key", nil)
	}
	if bits := private.N.BitLen(); bits < leastKeyBits || bits > mostKeyBits {
		return nil, refuse(fmt.Sprintf("has %d bits, which receivers do not trust or cannot verify", bits), nil)
	}
	return private, nil
}

// A DKIMSigner signs messages with one key. It is safe for concurrent use.
type DKIMSigner struct {
	options dkim.SignOptions // without HeaderKeys, which depend on the message
}

// ActiveKey returns the active key for mail from a domain: the key of the domain or of its nearest parent. If it
// returns false, mail is not signed, because the signature of another domain proves nothing to receivers (RFC 7489
// §3.1.1).
func ActiveKey(keys []digest.DKIMKey, domain string) (best digest.DKIMKey, found bool) {
	for _, k := range keys {
		if k.Active && Covers(k, domain) && len(k.Domain) > len(best.Domain) {
			best, found = k, true
		}
	}
	return best, found
}

// Covers reports whether a key can sign for mail from a domain. A key for a single label such as org does not cover
// subdomains.
func Covers(k digest.DKIMKey, domain string) bool {
	return k.Domain == domain || strings.Contains(k.Domain, ".") && strings.HasSuffix(domain, "."+k.Domain)
}

// NewDKIMSigner returns the signer for mail from an address, or nil if no active key covers it.
func NewDKIMSigner(keys []digest.DKIMKey, from string) (*DKIMSigner, error) {
	address, err := parseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	best, found := ActiveKey(keys, address.Address[strings.LastIndexByte(address.Address, '@')+1:])
	if !found {
		return nil, nil
	}
	private, err := readKey(best)
	if err != nil {
		return nil, err
	}
	return &DKIMSigner{dkim.SignOptions{
		Domain: best.Domain, Selector: best.Selector, Signer: private, Hash: crypto.SHA256,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	}}, nil
}

// Sign adds a DKIM-Signature to a complete message (RFC 6376): RSA and SHA-256, relaxed, over the whole body. Two
// signatures of the same bytes differ only in their time. A nil DKIMSigner returns the message unchanged.
func (s *DKIMSigner) Sign(message []byte) ([]byte, error) {
	if s == nil {
		return message, nil
	}
	options := s.options
	options.HeaderKeys = signedFields(message)
	signer, err := dkim.NewSigner(&options)
	if err != nil {
		return nil, fmt.Errorf("signing for %s: %w", s.options.Domain, err)
	}
	_, err = signer.Write(message)
	if closed := signer.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("signing for %s: %w", s.options.Domain, err)
	}
	signature := signer.Signature()
	signed := make([]byte, 0, len(signature)+len(message))
	return append(append(signed, signature...), message...), nil
}

// signedFields returns the h= tag of a message: its fields that mail programs display or use. It lists each field one
// more time than it occurs, so that an added field breaks the signature (RFC 6376 §8.15).
func signedFields(message []byte) []string {
	header, _, _ := bytes.Cut(message, []byte("\r\n\r\n"))
	has := map[string]int{}
	for line := range bytes.Lines(header) {
		if name, _, ok := bytes.Cut(line, []byte(":")); ok && line[0] != ' ' && line[0] != '\t' {
			has[strings.ToLower(string(name))]++
		}
	}
	var keys []string
	for _, field := range [...]string{
		"From", "Subject", "Reply-To", "To", "Cc", "Date", "Message-ID", "References", "In-Reply-To",
		"MIME-Version", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition",
		"List-Id", "List-Help", "List-Archive", "List-Unsubscribe", "List-Unsubscribe-Post", "CFBL-Address",
		"Feedback-ID", "Auto-Submitted",
	} {
		for range has[strings.ToLower(field)] + 1 {
			keys = append(keys, field)
		}
	}
	return keys
}
