package subscribe

import "testing"

func TestHasCredential(t *testing.T) {
	for address, want := range map[string]bool{
		"https://ann:secret@a.example/feed": true, "https://ann@a.example/feed": true,
		"feed:https://ann:x@a.example/": true,
		"@ann@a.example":                false, "ann@a.example": false, "@ann.a.example": false,
		"at://did:plc:abc":       false,
		"acct:ann@a.example":     false,
		"https://a.example/@ann": false, "https://a.example/": false, "": false, "ann:secret@a.example/feed": false,
	} {
		if got := HasCredential(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}
