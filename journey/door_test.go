package journey

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// TestDoor comes in by every way that there is, with a real browser and a
// passkey that Chromium itself vouches for, and looks at each page on the way.
func TestDoor(t *testing.T) {
	h := newHouse(t, filepath.Join(t.TempDir(), "digest.db"), "DIGEST_SIGN_UP=open")
	_, owner, found := strings.Cut(h.at(evening()), "sign in as the owner: ")
	if !found {
		t.Fatal("no owner's link was printed")
	}
	owner, _, _ = strings.Cut(owner, "\n")
	b := h.open()
	b.do("plugging in an authenticator", call(webauthn.Enable, webauthn.EnableParams{}),
		call(webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}}))
	b.open(owner)
	b.look("owner")
	b.enter(`//input[@id="email"]`, "owner@example.org")
	b.press("Come in") // the zone is the browser's
	b.open("/settings")
	b.says("Europe/Paris", "owner@example.org")
	b.open("/operator/invitations")
	b.press("Make an invitation")
	b.look("invitation")
	b.press("Sign out")

	b.open("/sign-up")
	b.look("sign-up")
	b.enter(`//input[@id="email"]`, "ann@example.org")
	b.do("misspelling a zone", chromedp.SetValue(`//input[@id="zone"]`, "Europe/Pariss"))
	b.press("Mail me a link")
	b.look("sign-up-zone")
	b.press("Europe/Paris")
	b.says("Look into your mail")
	b.look("sign-up-sent")
	b.open(h.link(h.awaitLetter("ann@example.org", 0), "/sign-up/confirm"))
	b.look("sign-up-confirm")
	b.press("Begin")

	b.open("/settings/passkeys")
	b.look("passkeys-none")
	b.enter(`//input[@id="name"]`, "Laptop")
	b.press("Add a passkey")
	b.says("The passkey was added", "Laptop", "not used yet")
	b.look("passkeys")
	b.press("Sign out everywhere")
	b.says("You are signed out everywhere")
	b.look("sign-in")
	b.press("Use a passkey")
	b.open("/settings/passkeys")
	b.says("last used 20 November 2026")

	b.open("/settings/address")
	b.look("address")
	b.enter(`//input[@id="email"]`, "ann@new.example")
	b.press("Ask both")
	b.look("address-asked")
	b.open(h.link(h.awaitLetter("ann@new.example", 0), "/settings/address/confirm"))
	b.look("address-agree")
	b.press("Agree")
	b.says("One side has agreed")
	b.open(h.link(h.awaitLetter("ann@example.org", 1), "/settings/address/confirm"))
	b.press("Agree")
	b.says("The address is changed")
	b.look("address-changed")
	b.open("/settings/address")
	b.says("ann@new.example")
	b.press("Sign out")

	b.open("/sign-in")
	b.enter(`//input[@id="email"]`, "ann@new.example")
	b.press("Mail me a link")
	b.says("Look into your mail")
	b.open(h.link(h.awaitLetter("ann@new.example", 1), "/sign-in"))
	b.look("come-in")
	b.press("Sign in")
	b.open("/settings")
	b.says("ann@new.example")
}

// enter types into an empty field.
func (b *browser) enter(selector, text string) {
	b.t.Helper()
	b.do("typing into "+selector, chromedp.SendKeys(selector, text))
}
