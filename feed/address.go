package feed

import (
	"errors"
	"io"
)

// GuessPaths gives the common feed addresses to try on a site, in order.
func GuessPaths(address string) []string { return nil }

// NormalURL gives the form of a feed's address that is stored and compared.
func NormalURL(raw string) (string, error) { return raw, errors.ErrUnsupported }

// Host is the lower-case host name of a URL without port, "" if it has none.
func Host(rawURL string) string { return "" }

// WriteOPML writes a subscription list.
func WriteOPML(w io.Writer, title string, outlines []Offer) error { return errors.ErrUnsupported }
