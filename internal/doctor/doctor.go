// Package doctor checks what the operator has to set up. That is the base URL, the mail server, the clock, the time
// zones and the disks. It is also the DNS records that distinguish this instance's emails from forgeries.
//
// Each check gets its input as Facts, returns one Finding and changes nothing. The checks run concurrently, each with
// its own time limit, so that one that hangs does not delay the others.
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
	"digest/newsletter"
)

// Status is the severity of a finding.
type Status string

const (
	OK      Status = "ok"
	Warn    Status = "warn"    // works, but may not be intended
	Wrong   Status = "wrong"   // the operator has to fix it
	Skipped Status = "skipped" // not checked
)

// A Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Todo   string `json:"todo"` // one line or several; empty: nothing
}

// A Resolver queries the DNS; *net.Resolver implements it.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupAddr(ctx context.Context, address string) ([]string, error)
}

// Facts is the input of the checks.
type Facts struct {
	Now    func() time.Time
	Frozen bool // Now does not run, so clocks are not compared with it

	BaseURL       string
	From          string       // DIGEST_FROM
	ReturnPath    string       // bare address; empty: bounces go to From
	AccountFrom   string       // sender of sign-in emails
	CFBLAddress   string       // address for complaints; empty: none
	Mail          mailer.Place // destination in DIGEST_MAIL
	BounceListen  string       // from the settings; empty: none
	BounceMaildir string

	TrustedProxies digest.Proxies
	MetricsToken   bool   // it is set
	MetricsListen  string // separate listener; empty: none

	Database Database
	Key      Key
	Machine  Machine

	Offline  bool // no DNS queries and no connections
	Resolver Resolver
	Dial     mailer.DialFunc                 // for the base URL
	TLS      *tls.Config                     // for the base URL; nil: the system's roots
	Probe    func(ctx context.Context) error // mailer.Probe of DIGEST_MAIL
	Limit    time.Duration                   // for one check
}

// A Database holds facts about the database, read without changing it.
type Database struct {
	Name string // for people, without a password
	File string // of SQLite; empty: a server

	Err     error  // why it cannot be read
	Absent  bool   // it does not exist yet
	Closed  bool   // reading it would change it
	Old     bool   // its schema is not this program's
	Fenced  string // why nothing is polled or sent; empty: no fence
	Readers int

	Ahead time.Duration // difference of its clock to ours; 0 if it has none
	Beat  time.Time     // last heartbeat; zero: none
	Keys  []digest.DKIMKey

	Newsletters []newsletter.Domain // the newsletters' own domains
	Reported    dmarc.Summary       // the last week

	Zones map[string][]string // the readers' zones, each with the addresses of some readers

	Late digest.Lags // lags of the hourly job that are too long

	Storage   digest.Storage
	OverQuota int           // feeds with waiting posts
	Prune     *digest.Prune // a prune that waits for the operator; nil: none

	Letters []digest.LetterNote // emails refused to new addresses

	Proxies []digest.ProxyNote // proxy problems since the web view started
}

// Read reports whether the database could be read.
func (d Database) Read() bool { return d.Err == nil && !d.Absent && !d.Closed && !d.Old }

// A Machine provides facts about this machine; see ThisMachine.
type Machine struct {
	Addresses []netip.Addr                      // of this machine
	Space     func(folder string) (Space, bool) // false: unknown
	Synced    func() (synced, known bool)       // whether a service synchronizes its clock
	LoadZone  func(name string) (*time.Location, error)
	ZoneDirs  []string // possible folders of zone files; the first existing one counts
}

// Space is the size and free space of a file system, in bytes.
type Space struct{ Free, Total uint64 }

type checker struct {
	Facts
	names *names
}

// note adds a text to a finding. The status becomes the worst of all texts.
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

func rank(s Status) int { return slices.Index([]Status{"", Skipped, OK, Warn, Wrong}, s) }

// noAnswer adds a failed DNS lookup to a finding.
func (f *Finding) noAnswer(what string, err error) {
	u := unasked(what, err)
	f.note(u.Status, u.Found, u.Todo)
}

// CountWrong counts the findings that the operator has to fix.
func CountWrong(findings []Finding) (wrong int) {
	for _, f := range findings {
		if f.Status == Wrong {
			wrong++
		}
	}
	return wrong
}

// needs are what a check needs. Without one of them it is skipped.
type needs int

const (
	theDNS     needs = 1 << iota
	theRecords       // DNS records of From's domain that the operator can change
	theDatabase
)

type check struct {
	name  string
	needs needs
	run   func(*checker, context.Context) Finding
}

func checks() []check {
	return []check{
		{"database", 0, (*checker).database},
		{"hour", theDatabase, (*checker).hour},
		{"size", theDatabase, (*checker).size},
		{"disk", 0, (*checker).disk},
		{"key", 0, (*checker).key},
		{"clock", 0, (*checker).clock},
		{"zones", 0, (*checker).zones},
		{"base-url", 0, (*checker).baseURL},
		{"proxy", 0, (*checker).proxy},
		{"sign-up", theDatabase, (*checker).signUp},
		{"metrics", 0, (*checker).metrics},
		{"mail-server", 0, (*checker).mailServer},
		{"from", 0, (*checker).from},
		{"spf", theDNS, (*checker).spf},
		{"dkim", theDNS | theRecords | theDatabase, (*checker).dkim},
		{"dmarc", theRecords, (*checker).dmarc},
		{"newsletters", theDNS, (*checker).newsletters},
		{"bimi", theDNS | theRecords, (*checker).bimi},
		{"ptr", theDNS, (*checker).ptr},
		{"return-path", 0, (*checker).returnPath},
		{"complaints", 0, (*checker).complaints},
		{"account", 0, (*checker).account},
	}
}

// dnsCheck is the name of the finding that exists only if the DNS cannot be reached.
const dnsCheck = "dns"

// Run runs all checks and returns their findings, always in the same order.
func Run(ctx context.Context, facts Facts) []Finding {
	x := &checker{Facts: facts, names: newNames(ctx, facts)}
	all := checks()
	results := make([]chan Finding, len(all))
	for i, c := range all {
		results[i] = make(chan Finding, 1) // buffered, because a late check has no receiver
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
	if why := x.lacks(c.needs); why != "" {
		return skip(why)
	}
	return c.run(x, ctx)
}

// lacks returns which need of a check is not met; "" if all are.
func (x *checker) lacks(n needs) (why string) {
	if n&theDNS != 0 {
		why = x.noDNS()
	}
	if n&theRecords != 0 && why == "" {
		why = x.noRecords("From is at", domainOf(x.From))
	}
	if n&theDatabase != 0 && why == "" && !x.Database.Read() {
		why = "needs the database"
	}
	return why
}

const offline = "not checked offline"

// noDNS returns why the DNS cannot be queried; "" if it can.
func (x *checker) noDNS() string {
	if x.Offline {
		return offline
	}
	if x.names.down() != nil {
		return "the DNS cannot be reached"
	}
	return ""
}

// awaited returns a result, or a warning if it is late. late may have fired for an earlier check.
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
