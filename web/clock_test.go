package web

import (
	"testing"
	"time"

	"digest/store"
)

// TestLivesOfLinks checks that the store has the same lifetimes of links and sessions as this
// package. It needs them to repair times after a wrong clock.
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
