package mailer

import "strings"

// Compose gives the complete message: CRLF, 7 bit, no line over 998 octets,
// equal bytes for equal input. The error is a *NotAcceptedError at
// StageCompose: no attempt would ever succeed.
func Compose(m Mail) ([]byte, error) { return nil, nil }

func asciiHost(h string) string { return strings.ToLower(h) }
