package mailer

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
)

// TestShorterInBase64: mostly escaped text is sent in base64 with the same bytes, and Latin text in quoted-printable.
func TestShorterInBase64(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		base64 bool
	}{
		"English": {strings.Repeat("The fog signal goes quiet after 140 years.\r\n", 40), false},
		"French":  {strings.Repeat("Soupe au potimarron, sans crème et sans regret.\r\n", 40), false},
		"Chinese": {strings.Repeat("今天的报纸只有你选择的网站。\r\n", 40), true},
		"Russian": {strings.Repeat("Газета из сайтов, которые вы выбрали.\r\n",
			40), true},
		"flowed": {strings.Repeat(
			"Газета из  \r\nсайтов, которые вы \r\nвыбрали.\r\n", 40), true},
		"flowed English": {strings.Repeat("The fog signal goes  \r\nquiet.\r\n", 40), false},
		"one line":       {"中\r\n", false},
	} {
		var coded strings.Builder
		q := quotedprintable.NewWriter(&coded)
		_, _ = io.WriteString(q, c.text)
		_ = q.Close()
		all := coded.String()
		var b bytes.Buffer
		must(t, (part{kind: "text/plain", encoded: strings.SplitAfter(all, "\r\n")}).write(&b))
		head, body, _ := strings.Cut(b.String(), "\r\n\r\n")
		if got := strings.HasSuffix(head, "base64"); got != c.base64 {
			t.Errorf("%s: base64 %v, of %d bytes", name, got, b.Len())
			continue
		}
		if err := checkMessage(b.Bytes(), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.base64 {
			got, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(body, "\r\n", ""))
			if err != nil || string(got) != c.text || 10*len(body) >= 9*len(all) {
				t.Errorf("%s: %v, %d bytes of %d", name, err, len(body), len(all))
			}
		}
	}
}
