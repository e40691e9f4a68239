package doctor

import (
	"context"
	"fmt"
	"time"
)

type check struct {
	name string
	dns  bool // it can do nothing without
	run  func(*exam, context.Context) finding
}

// checks is all of them in the order in which they are told.
func checks() []check {
	return []check{
		{"database", false, (*exam).database},
		{"disk", false, (*exam).disk},
		{"clock", false, (*exam).clock},
		{"zones", false, (*exam).zones},
		{"base-url", false, (*exam).baseURL},
		{"mail-server", false, (*exam).mailServer},
		{"from", false, (*exam).from},
		{"spf", true, (*exam).spf},
		{"dkim", true, (*exam).dkim},
		{"dmarc", true, (*exam).dmarc},
		{"ptr", true, (*exam).ptr},
		{"return-path", false, (*exam).returnPath},
	}
}

// dnsCheck is the finding that there is only when the DNS cannot be reached.
const dnsCheck = "dns"

// Run makes all checks and gives their findings, in the same order every time.
func Run(ctx context.Context, facts Facts) []Finding {
	if facts.Limit <= 0 {
		facts.Limit = defaultLimit
	}
	x := &exam{Facts: facts, names: newNames(facts)}
	go x.names.tryOut(ctx, facts.Limit)
	all := checks()
	results := make([]chan finding, len(all))
	for i, c := range all {
		results[i] = make(chan finding, 1) // a check that comes too late is not waited for
		go func() { results[i] <- x.examine(ctx, c) }()
	}
	late := time.After(facts.Limit + time.Second)
	var findings []Finding
	for i, c := range all {
		findings = append(findings, awaited(results[i], late, facts.Limit).named(c.name))
	}
	if err := x.names.wait(ctx); err != nil && ctx.Err() == nil {
		f := one(Wrong, fmt.Sprintf("the DNS cannot be reached (%s)", reason(err)),
			"see that this machine has a network and a name server in /etc/resolv.conf, or name one with --resolver; --offline leaves out what needs it")
		findings = append([]Finding{f.named(dnsCheck)}, findings...)
	}
	return findings
}

func (x *exam) examine(ctx context.Context, c check) finding {
	ctx, cancel := context.WithTimeout(ctx, x.Limit)
	defer cancel()
	if c.dns {
		if why := x.noDNS(ctx); why != "" {
			return skip(why)
		}
	}
	return c.run(x, ctx)
}

const offline = "not asked offline"

// noDNS says why the DNS is not to be asked; "" when it is.
func (x *exam) noDNS(ctx context.Context) string {
	if x.Offline || x.Resolver == nil {
		return offline
	}
	if x.names.wait(ctx) != nil {
		return "the DNS cannot be reached"
	}
	return ""
}

// awaited gives a result, or what there is to say when it does not come. late
// may have passed for an earlier one.
func awaited(result <-chan finding, late <-chan time.Time, limit time.Duration) finding {
	select {
	case f := <-result:
		return f
	default:
	}
	select {
	case f := <-result:
		return f
	case <-late:
	}
	return one(Warn, fmt.Sprintf("no answer within %s", limit), "try again; what hangs here will hang the program too")
}
