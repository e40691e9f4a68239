package web

import (
	"testing"
	"time"

	"digest/store"
)

// TestLivesOfLinks: what the store lets links and sessions last after a clock was
// wrong is what they last.
func TestLivesOfLinks(t *testing.T) {
	for table, life := range map[string]time.Duration{
		"sign_in_tokens": SignInTTL, "operator_links": SignInTTL, "sessions": sessionTTL, "sign_ups": signUpTTL,
		"invitations": InvitationTTL, "address_changes": addressTTL, "passkey_challenges": ceremonyTTL,
	} {
		if most := store.LongestLife(table); most != life {
			t.Errorf("%s: the store says %v, and they last %v", table, most, life)
		}
	}
}
