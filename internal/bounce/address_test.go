package bounce

import (
	"strings"
	"testing"
	"time"

	"digest"
)

func testDesk(address string) *Handler {
	return &Handler{Signer: digest.NewSigner([]byte("a secret of sixteen bytes")), Address: address, Now: time.Now}
}

func TestDestinationOf(t *testing.T) {
	d := testDesk("bounces@digest.example")
	bounce, leave := d.Signer.Sign(digest.ForBounce, 17), d.Signer.Sign(digest.ForUnsubscribeMail, 4)
	flipped := "a" + bounce[1:]
	if flipped == bounce {
		flipped = "b" + bounce[1:]
	}
	for address, want := range map[string]destination{
		"bounces@digest.example":                                 {},
		"<Bounces@DIGEST.example>":                               {},
		"<Bounces+DMARC@DIGEST.example>":                         {reports: true},
		"bounces+" + bounce + "@digest.example":                  {edition: 17},
		strings.ToUpper("bounces+" + bounce + "@digest.example"): {edition: 17},
		" <bounces+" + leave + "@digest.example> ":               {digest: 4},
	} {
		if got, ours := d.destinationOf(address); got != want || !ours {
			t.Errorf("%q: %+v, %t", address, got, ours)
		}
	}
	for _, address := range []string{
		"bounces+dmarc@example.org", "bounces+dmarcs@digest.example", "bounces+" + flipped + "@digest.example",
		"bounces+" + bounce[1:] + "@digest.example",
		"bounces+" + bounce + "a@digest.example",
		// for another purpose
		"bounces+" + d.Signer.Sign(digest.ForUnsubscribe, 4) + "@digest.example",
		"bounces+" + testDesk("").Signer.Sign(digest.ForEdition, 17) + "@digest.example",
		"bounces+@digest.example",
		"bounces+x+" + bounce + "@digest.example",
		"other+" + bounce + "@digest.example",
		"bounces+" + bounce + "@example.org",
		"bounces@digest.example.org",
		"bounces%digest.example@relay.example",
		"postmaster", "@", "",
		strings.Repeat("a", 1<<20) + "@xn--ü",
	} {
		if got, ours := d.destinationOf(address); ours {
			t.Errorf("%.80q: %+v", address, got)
		}
	}
	if _, ours := testDesk("").destinationOf(""); ours {
		t.Error("without an address of ours, none is")
	}
}

func TestDestinationOfOddAddresses(t *testing.T) {
	for ours, came := range map[string]string{
		"me+digest@example.org":  "me+digest", // a tag in addition to a tag
		"bounces@bücher.example": "bounces",   // mailers write its A-label
	} {
		d := testDesk(ours)
		host := digest.MailDomain(ours)
		if p, ok := d.destinationOf(came + "+" + d.Signer.Sign(digest.ForBounce, 5) + "@" + host); !ok ||
			p.edition != 5 {
			t.Errorf("%s: %+v, %t", ours, p, ok)
		}
		if p, ok := d.destinationOf(came + "@" + host); !ok || !p.plain() {
			t.Errorf("%s: %+v, %t", ours, p, ok)
		}
	}
}

func TestFind(t *testing.T) {
	d := testDesk("bounces@digest.example")
	bounce, leave := "bounces+"+d.Signer.Sign(digest.ForBounce, 17), "bounces+"+
		d.Signer.Sign(digest.ForUnsubscribeMail, 4)
	tests := []struct {
		texts []string
		want  destination
		ok    bool
	}{
		{[]string{"<" + bounce + "@digest.example>"}, destination{edition: 17}, true},
		{[]string{"<SRS0=x=y=digest.example=" + bounce + "@forwarder.example>"}, destination{edition: 17}, true},
		{[]string{"prvs=123abc=" + strings.ToUpper(bounce) + "@digest.example"}, destination{edition: 17}, true},
		{[]string{"<https://digest.example/u/x>, <mailto:" + leave + "@digest.example>"}, destination{digest: 4}, true},
		// an edition has precedence
		{[]string{"<mailto:" + leave + "@digest.example>", "bounces+x " + bounce}, destination{edition: 17}, true},
		{[]string{"bounces+" + strings.Repeat("bounces+", 100000)}, destination{}, false},
		{[]string{bounce[8:], "bounces@digest.example", ""}, destination{}, false},
		{nil, destination{}, false},
	}
	for _, test := range tests {
		if got, ok := d.find(test.texts); got != test.want || ok != test.ok {
			t.Errorf("%.100q: %+v, %t", test.texts, got, ok)
		}
	}
}

func TestRecipients(t *testing.T) {
	d := testDesk("bounces@digest.example")
	bounce := "bounces+" + d.Signer.Sign(digest.ForBounce, 17) + "@digest.example"
	leave := "bounces+" + d.Signer.Sign(digest.ForUnsubscribeMail, 4) + "@digest.example"
	tests := []struct {
		header string
		want   string
	}{
		{"Delivered-To: " + bounce, bounce},
		{"X-Original-To: <" + bounce + ">", bounce},
		{"Envelope-to: " + bounce, bounce},
		{"To: \"" + bounce + "\" <" + bounce + ">", bounce},
		{"To: A <a@b>, " + bounce + " (c), \"x, y\" <" + leave + ">", bounce + " " + leave},
		{"Delivered-To: bounces@digest.example\nTo: <" + bounce + ">", bounce}, // the server removed the tag
		{"Delivered-To: bounces@digest.example\nTo: bounces@digest.example", "bounces@digest.example"},
		{"Subject: " + bounce + "\nFrom: " + bounce, ""},
		{"To: anna@example.org", ""},
	}
	for _, test := range tests {
		header, _ := cutHeader([]byte(test.header))
		if got := strings.Join(d.recipients(header), " "); got != test.want {
			t.Errorf("%s: %s", test.header, got)
		}
	}
}
