package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// An authority creates a certificate for each address, like real sites, so that the first handshake with each is
// complete. Keys are ECDSA on P-256.
type authority struct {
	key   *ecdsa.PrivateKey // of the authority and all sites
	root  *x509.Certificate
	known sync.Map // *tls.Certificate by address
}

// serveTLS serves TLS 1.3 and writes the root certificate to a file for SSL_CERT_FILE.
func serveTLS(server *http.Server, l net.Listener, file string) error {
	a, err := newAuthority()
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root.Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	server.TLSConfig = &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String())
		if err != nil {
			return nil, err
		}
		return a.of(host)
	}}
	return server.ServeTLS(l, "", "")
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key}
	template := certificate("An authority of the sites")
	template.IsCA, template.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	a.root, err = x509.ParseCertificate(der)
	return a, err
}

// certificate returns a template that is valid now and by the clocks of workers.
func certificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: firstDay().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
	}
}

func (a *authority) of(address string) (*tls.Certificate, error) {
	if known, ok := a.known.Load(address); ok {
		return known.(*tls.Certificate), nil
	}
	template := certificate("A site")
	template.IPAddresses = []net.IP{net.ParseIP(address)}
	der, err := x509.CreateCertificate(rand.Reader, template, a.root, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	made := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.known.Store(address, made)
	return made, nil
}
