// Package doctor finds out whether what the operator has to have right is
// right: the base URL, the records by which receivers tell this instance's mail
// from forgeries, the mail server, the clock, the zones, the disks.
//
// Each check is handed what it has to know as Facts and answers with one
// Finding; it changes nothing. The checks run side by side, each in its own
// time, so that what hangs holds nothing else up.
package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/mailer"
)

// Status says how bad a finding is.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warn    Status = "warn"    // works, and may not be what is wanted
	Wrong   Status = "wrong"   // has to be put right
	Skipped Status = "skipped" // was not looked at
)

// A Finding is what one check found.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Todo   string `json:"todo"` // one line or several; empty: nothing is to be done
}

// A Resolver asks the DNS; *net.Resolver is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupAddr(ctx context.Context, address string) ([]string, error)
}

// Facts is what the checks work on.
type Facts struct {
	Now    func() time.Time
	Frozen bool // Now stands still: no clock is compared with it

	BaseURL       string
	From          string       // as DIGEST_FROM has it
	ReturnPath    string       // a bare address; empty: bounces go to From
	AccountFrom   string       // the address of sign-in mail
	CFBLAddress   string       // where complaints go; empty: no mail says
	Mail          mailer.Place // where DIGEST_MAIL leads
	BounceListen  string       // as the settings have them; empty: none
	BounceMaildir string

	TrustedProxies digest.Proxies
	MetricsToken   bool   // there is one
	MetricsListen  string // an address of their own; empty: none

	Database Database
	Key      Key
	Machine  Machine

	Offline  bool // no DNS, no connections
	Resolver Resolver
	Dial     mailer.DialFunc                 // to the base URL
	TLS      *tls.Config                     // for it; nil: the system's roots
	Probe    func(ctx context.Context) error // mailer.Probe of DIGEST_MAIL
	Limit    time.Duration                   // for one check
}

// A Database is what was seen of it by somebody who changed nothing.
type Database struct {
	Name string // for people, without a password
	File string // of SQLite; empty: a server

	Err     error  // why it cannot be read
	Absent  bool   // there is none yet
	Closed  bool   // it would have to be changed to be read
	Old     bool   // its schema is not this program's
	Fenced  string // why nothing is polled or mailed; empty: something is
	Readers int

	Ahead time.Duration    // how much its clock is ahead of ours; 0 where it has none
	Beat  time.Time        // the last heartbeat; zero: none
	Wrong digest.ClockNote // what a wrong clock had left, when it was last put right
	Keys  []digest.DKIMKey

	Newsletters []digest.NewsletterDomain // the domains of their own
	Reported    dmarc.Summary             // of the last week

	Zones map[string][]string // the readers' zones, with some of their addresses

	Late digest.Lags // what of the hour is too late

	Storage   digest.Storage
	OverQuota int           // feeds of which posts wait
	Prune     *digest.Prune // what would be deleted, and waits for an operator; nil: nothing waits

	Letters []digest.LetterNote // emails that were refused to newcomers

	Proxies []digest.ProxyNote // what the web view noticed of proxies since its start
}

// Read reports whether anything of it is known.
func (d Database) Read() bool { return d.Err == nil && !d.Absent && !d.Closed && !d.Old }

// A Machine is what this machine says of itself; see ThisMachine.
type Machine struct {
	Addresses []netip.Addr                      // its own
	Space     func(folder string) (Space, bool) // false: cannot be told
	Synced    func() (synced, known bool)       // whether something keeps its clock right
	LoadZone  func(name string) (*time.Location, error)
	ZoneDirs  []string // where zone files may be, the first that exists counts
}

// Space is the room in a file system, in bytes.
type Space struct{ Free, Total uint64 }

// A checker runs the checks on the facts.
type checker struct {
	Facts
	names *names
}

// note adds something to a finding, whose status is the worst of all notes'.
func (f *Finding) note(s Status, found, todo string) {
	if rank(s) > rank(f.Status) {
		f.Status = s
	}
	f.Found = with(f.Found, "; ", found)
	f.Todo = with(f.Todo, "\n", todo)
}

func with(text, separator, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	return text + separator + more
}

func verdict(s Status, found, todo string) Finding {
	return Finding{Status: s, Found: found, Todo: todo}
}

func skip(why string) Finding { return verdict(Skipped, why, "") }

// rank orders statuses by how bad they are.
func rank(s Status) int { return slices.Index([]Status{"", Skipped, OK, Warn, Wrong}, s) }

// noAnswer notes a question that the DNS did not answer.
func (f *Finding) noAnswer(what string, err error) {
	u := unasked(what, err)
	f.note(u.Status, u.Found, u.Todo)
}

// CountWrong counts the findings that have to be put right.
func CountWrong(findings []Finding) (wrong int) {
	for _, f := range findings {
		if f.Status == Wrong {
			wrong++
		}
	}
	return wrong
}

type check struct {
	name string
	dns  bool // it can do nothing without
	run  func(*checker, context.Context) Finding
}

// checks is all of them in the order in which they are told.
func checks() []check {
	return []check{
		{"database", false, (*checker).database},
		{"hour", false, (*checker).hour},
		{"size", false, (*checker).size},
		{"disk", false, (*checker).disk},
		{"key", false, (*checker).key},
		{"clock", false, (*checker).clock},
		{"zones", false, (*checker).zones},
		{"base-url", false, (*checker).baseURL},
		{"proxy", false, (*checker).proxy},
		{"sign-up", false, (*checker).signUp},
		{"metrics", false, (*checker).metrics},
		{"mail-server", false, (*checker).mailServer},
		{"from", false, (*checker).from},
		{"spf", true, (*checker).spf},
		{"dkim", true, (*checker).dkim},
		{"dmarc", false, (*checker).dmarc},
		{"newsletters", true, (*checker).newsletters},
		{"bimi", true, (*checker).bimi},
		{"ptr", true, (*checker).ptr},
		{"return-path", false, (*checker).returnPath},
		{"complaints", false, (*checker).complaints},
		{"account", false, (*checker).account},
	}
}

// dnsCheck is the finding that there is only when the DNS cannot be reached.
const dnsCheck = "dns"

// Run makes all checks and gives their findings, in the same order every time.
func Run(ctx context.Context, facts Facts) []Finding {
	x := &checker{Facts: facts, names: newNames(ctx, facts)}
	all := checks()
	results := make([]chan Finding, len(all))
	for i, c := range all {
		results[i] = make(chan Finding, 1) // a check that comes too late is not waited for
		go func() { results[i] <- x.examine(ctx, c) }()
	}
	late := time.After(facts.Limit + time.Second)
	var findings []Finding
	for i, c := range all {
		f := awaited(results[i], late, facts.Limit)
		f.Check = c.name
		findings = append(findings, f)
	}
	if err := x.names.down(); err != nil && ctx.Err() == nil {
		findings = slices.Insert(findings, 0,
			Finding{dnsCheck, Wrong, fmt.Sprintf("the DNS cannot be reached (%s)", digest.Bare(err)),
				"check the network and the name server in /etc/resolv.conf, or set one with --resolver; use --offline to skip checks that need DNS"})
	}
	return findings
}

func (x *checker) examine(ctx context.Context, c check) Finding {
	ctx, cancel := context.WithTimeout(ctx, x.Limit)
	defer cancel()
	if c.dns {
		if why := x.noDNS(); why != "" {
			return skip(why)
		}
	}
	return c.run(x, ctx)
}

const offline = "not checked offline"

// noDNS says why the DNS is not to be asked; "" when it is.
func (x *checker) noDNS() string {
	if x.Offline {
		return offline
	}
	if x.names.down() != nil {
		return "the DNS cannot be reached"
	}
	return ""
}

// awaited gives a result, or what there is to say when it does not come. late
// may have passed for an earlier one.
func awaited(result <-chan Finding, late <-chan time.Time, limit time.Duration) Finding {
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
	return verdict(Warn, fmt.Sprintf("no answer within %s", limit),
		"try again; if a check keeps hanging, digest itself will hang at the same point")
}
