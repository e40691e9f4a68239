package journey

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/webauthn"

	chromium "digest/test/browser"
)

// TestDoor signs in by all ways, with a real browser and a passkey in Chromium's virtual authenticator, and checks
// each page.
func TestDoor(t *testing.T) {
	t.Parallel()
	h := newHouse(t, filepath.Join(t.TempDir(), "digest.db"), "DIGEST_SIGN_UP=open")
	h.at(evening())
	owner := linkPattern.FindString(h.hears("sign in as the owner: "))
	b := h.visitor()
	b.do("plugging in an authenticator", chromium.Call(webauthn.Enable, webauthn.EnableParams{}),
		chromium.Call(webauthn.AddVirtualAuthenticator,
			webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true,
				IsUserVerified: true, AutomaticPresenceSimulation: true,
			}}))
	b.open(owner)
	b.fill("Email address", "owner@example.org")
	b.follow("Sign in") // the zone is the browser's
	b.open("/settings")
	b.says("Paris", "owner@example.org")
	b.open("/operator/invitations")
	b.follow("Create invitation")
	b.look("invitation")
	b.follow("Sign out")

	b.open("/sign-up")
	b.fill("Email address", "ann@example.org")
	b.press("Change", "A city or time zone.")
	b.fill("Your time zone", "Europe/Pariss")
	b.follow("Email me a link")
	b.look("sign-up-zone")
	b.follow("Paris")
	b.says("Check your email")
	b.open(h.awaitLink("ann@example.org", "/sign-up/confirm"))
	b.follow("Create account")

	b.open("/settings/passkeys")
	b.look("passkeys-none")
	b.fill("Add a passkey", "Laptop")
	b.follow("Add a passkey")
	b.says("Passkey added", "Laptop", "not used yet")
	b.look("passkeys")
	b.follow("Sign out everywhere")
	b.says("signed in only on this browser", "Remove passkeys", "Laptop")
	b.look("signout-everywhere")
	b.pick("passkey", "1") // to keep it
	b.follow("Sign out everywhere")
	b.says("You’re signed out everywhere")
	b.follow("Sign in with a passkey")
	b.open("/settings/passkeys")
	b.says("last used 20 November 2026")

	b.open("/settings/address")
	b.look("address")
	b.fill("New address", "ann@new.example")
	b.follow("Send confirmation emails")
	b.look("address-asked")
	b.open(h.awaitLink("ann@new.example", "/settings/address/confirm"))
	b.look("address-agree")
	b.follow("Confirm change")
	b.says("One address confirmed")
	b.open(h.awaitLink("ann@example.org", "/settings/address/confirm"))
	b.follow("Confirm change")
	b.says("Email address changed")
	b.look("address-changed")
	b.open("/settings/address")
	b.says("ann@new.example")
	b.follow("Sign out")

	b.open("/sign-in")
	b.fill("Email address", "ann@new.example")
	b.follow("Email me a link")
	b.says("Check your email")
	b.open(h.awaitLink("ann@new.example", "/sign-in"))
	b.follow("Sign in")
	b.open("/settings")
	b.says("ann@new.example")
}
