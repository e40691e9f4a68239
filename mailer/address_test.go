package mailer

import (
	"net/mail"
	"strings"
	"testing"
)

// TestHeaderNamesTheMailbox: To names exactly the mailbox of the envelope, including quotes.
func TestHeaderNamesTheMailbox(t *testing.T) {
	for _, address := range []string{
		`"odd name"@example.org`, `"a\"b"@example.org`, `plain@example.org`, `"..dots"@example.org`,
		`"at@home"@example.org`, `o'neil+x@example.org`,
	} {
		m := sample()
		m.To, m.ReplyTo = address, address
		message, err := Compose(m)
		must(t, err)
		read, err := mail.ReadMessage(strings.NewReader(string(message)))
		must(t, err)
		want, err := mail.ParseAddress(address)
		must(t, err)
		for _, field := range []string{"To", "Reply-To"} {
			got, err := read.Header.AddressList(field)
			if err != nil || len(got) != 1 || got[0].Address != want.Address {
				t.Errorf("%s of %s: %q (%v), %v", field, address, read.Header.Get(field), got, err)
			}
		}
	}
}
