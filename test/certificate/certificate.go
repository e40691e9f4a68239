// Package certificate creates certificates for test servers.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// A Certificate is self-signed.
type Certificate struct {
	der []byte
	key *ecdsa.PrivateKey
	t   testing.TB
}

// New creates a certificate for 127.0.0.1 that is valid now.
func New(t testing.TB) Certificate {
	return For(t, time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour), "127.0.0.1")
}

// For creates a certificate for names or addresses, valid between two times.
func For(t testing.TB, from, to time.Time, hosts ...string) Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, IsCA: true,
		BasicConstraintsValid: true}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return Certificate{der, key, t}
}

// Server returns the TLS configuration of a server with the certificate.
func (c Certificate) Server() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{c.der}, PrivateKey: c.key}}}
}

// Client returns the TLS configuration of a client that trusts the certificate.
func (c Certificate) Client() *tls.Config {
	c.t.Helper()
	parsed, err := x509.ParseCertificate(c.der)
	if err != nil {
		c.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{RootCAs: roots}
}

// PEM returns the certificate and its key in PEM.
func (c Certificate) PEM() (certificate, key []byte) {
	c.t.Helper()
	secret, err := x509.MarshalPKCS8PrivateKey(c.key)
	if err != nil {
		c.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}
