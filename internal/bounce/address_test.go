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
	tests := []struct {
		address string
		want    destination
		ours    bool
	}{
		{"bounces@digest.example", destination{}, true},
		{"<Bounces@DIGEST.example>", destination{}, true},
		{"<Bounces+DMARC@DIGEST.example>", destination{reports: true}, true},
		{"bounces+dmarc@example.org", destination{}, false},
		{"bounces+dmarcs@digest.example", destination{}, false},
		{"bounces+" + bounce + "@digest.example", destination{edition: 17}, true},
		{strings.ToUpper("bounces+" + bounce + "@digest.example"), destination{edition: 17}, true},
		{" <bounces+" + leave + "@digest.example> ", destination{digest: 4}, true},

		{"bounces+" + flipped + "@digest.example", destination{}, false},
		{"bounces+" + bounce[1:] + "@digest.example", destination{}, false},
		{"bounces+" + bounce + "a@digest.example", destination{}, false},
		// for another purpose
		{"bounces+" + d.Signer.Sign(digest.ForUnsubscribe, 4) + "@digest.example", destination{}, false},
		{"bounces+" + testDesk("").Signer.Sign(digest.ForEdition, 17) + "@digest.example", destination{}, false},
		{"bounces+@digest.example", destination{}, false},
		{"bounces+x+" + bounce + "@digest.example", destination{}, false},
		{"other+" + bounce + "@digest.example", destination{}, false},
		{"bounces+" + bounce + "@example.org", destination{}, false},
		{"bounces@digest.example.org", destination{}, false},
		{"bounces%digest.example@relay.example", destination{}, false},
		{"postmaster", destination{}, false},
		{"@", destination{}, false},
		{"", destination{}, false},
		{strings.Repeat("a", 1<<20) + "@xn--ü", destination{}, false},
	}
	for _, test := range tests {
		if got, ours := d.destinationOf(test.address); got != test.want || ours != test.ours {
			t.Errorf("%.80q: %+v, %t", test.address, got, ours)
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
