package digest_test

import (
	"testing"

	"digest"
)

// TestBlockedBy checks that a block applies to its host and all subdomains in any spelling, and that the owner's block
// is reported before the operator's.
func TestBlockedBy(t *testing.T) {
	const operator, owner = "operator", "owner"
	rules := []digest.HostRule{
		{Host: "example.org", Blocked: true},
		{Host: "free.example.org", Interval: 1},
		{Host: "blog.example.org", Blocked: true, ByOwner: true},
		{Host: "slow.example", Interval: 1, ByOwner: true},
		{Host: "xn--bcher-kva.example", Blocked: true, ByOwner: true},
		{Host: "192.0.2.1", Blocked: true},
	}
	for host, want := range map[string]string{
		"example.org": operator, "www.example.org": operator, "Example.ORG.": operator,
		"free.example.org":   operator, // a rule for a subdomain does not lift a block
		"blog.example.org":   owner,
		"a.blog.example.org": owner,
		"notexample.org":     "", "example.org.evil.example": "", "org": "", "": "",
		"slow.example":        "",
		"bücher.example":      owner,
		"www.BÜCHER.example.": owner,
		"192.0.2.1":           operator, "192.0.2.10": "", "::ffff:192.0.2.1": operator, "[::ffff:192.0.2.1]": operator,
	} {
		got := ""
		if block, blocked := digest.BlockedBy(rules, host); blocked && block.ByOwner {
			got = owner
		} else if blocked {
			got = operator
		}
		if got != want {
			t.Errorf("%q is blocked by %q, want %q", host, got, want)
		}
	}
}

func TestHostRuleRefusal(t *testing.T) {
	for want, r := range map[string]digest.HostRule{
		"the owner of bücher.example asked us not to read the site": {Host: "xn--bcher-kva.example", Blocked: true,
			ByOwner: true},
		"the operator has blocked example.org": {Host: "example.org", Blocked: true},
	} {
		if got := r.Refusal(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
