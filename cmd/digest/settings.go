package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"digest/feed"
	"digest/mailer"
	"digest/poller"
	"digest/web"
)

// settings are the flags that are usually set by the environment.
type settings struct {
	Database        string `default:"digest.db" group:"Settings:" help:"A file for embedded SQLite, or postgres://…"`
	Mail            string `default:"maildir:mail" group:"Settings:" help:"maildir:DIR, smtp://user:pass@host:587, smtps://…:465 or smtp+insecure://host:port."`
	From            string `default:"Daily Digest <digest@localhost>" group:"Settings:" help:"The From address."`
	BaseURL         string `default:"http://localhost:8080" group:"Settings:" help:"Where the web view is reached."`
	Listen          string `default:"127.0.0.1:8080" group:"Settings:" help:"The web view's address."`
	PollWindow      string `default:"15m" group:"Settings:" help:"Polls of one midnight are spread over this."`
	ReleaseDeadline string `default:"30m" group:"Settings:" help:"An edition waits this long at most for its slowest feed."`
	HostInterval    string `default:"2s" group:"Settings:" help:"Least gap between two requests to one host."`
	PollGap         string `default:"1h" group:"Settings:" help:"Least gap between two polls of one feed."`
	Head            string `default:"learned" group:"Settings:" help:"HEAD before GET: learned, always or never."`
	AllowNetworks   string `default:"" placeholder:"CIDR,…" group:"Settings:" help:"Networks that feeds may live in though they are private."`
	FetchTimeout    string `default:"30s" group:"Settings:" help:"For one HTTP request, all of it."`
	Keep            string `default:"400d" group:"Settings:" help:"How long posts and editions are kept."`
	Contact         string `default:"" placeholder:"ADDRESS" group:"Settings:" help:"Whom the owners of sites may write to (that of --from)."`
	Requests        string `default:"20" placeholder:"N" group:"Settings:" help:"Requests on the wire at once, over all hosts."`
	BotAddresses    string `default:"" placeholder:"CIDR,…" group:"Settings:" help:"Networks that feeds are asked from, for the bot page."`
	SignUp          string `default:"invitation" placeholder:"WHO" group:"Settings:" help:"Who may sign up: open, invitation or closed."`
	MetricsToken    string `default:"" placeholder:"SECRET" group:"Settings:" help:"Whoever sends it as a bearer token may read /metrics; without it, programs on this machine."`
	FenceAfter      string `name:"fence" default:"36h" placeholder:"DURATION" group:"Settings:" help:"A database in which much waits and nobody worked for so long is left alone (digest fence)."`

	mailSettings
}

// leastToken is how many characters a token has at least.
const leastToken = 16

// house is the settings once they are understood.
type house struct {
	from            string
	baseURL         string
	pollWindow      time.Duration
	releaseDeadline time.Duration
	hostInterval    time.Duration
	pollGap         time.Duration
	fetchTimeout    time.Duration
	keep            time.Duration
	head            poller.HeadMode
	allowNetworks   []netip.Prefix
	contact         string // a bare address
	requests        int
	botAddresses    []string
	fenceAfter      time.Duration
	signUp          web.SignUp
	metricsToken    string
	mailHouse
}

// understand checks every setting. The error names the setting, its value and an example.
func (s settings) understand() (h house, err error) {
	durations := []struct {
		to                   *time.Duration
		name, value, example string
		zero                 bool // may be zero
	}{
		{&h.pollWindow, "DIGEST_POLL_WINDOW", s.PollWindow, "15m", true},
		{&h.releaseDeadline, "DIGEST_RELEASE_DEADLINE", s.ReleaseDeadline, "30m", true},
		{&h.hostInterval, "DIGEST_HOST_INTERVAL", s.HostInterval, "2s", true},
		{&h.pollGap, "DIGEST_POLL_GAP", s.PollGap, "1h", true},
		{&h.fetchTimeout, "DIGEST_FETCH_TIMEOUT", s.FetchTimeout, "30s", false},
		{&h.keep, "DIGEST_KEEP", s.Keep, "400d", false},
		{&h.fenceAfter, "DIGEST_FENCE", s.FenceAfter, "36h", false},
	}
	for _, d := range durations {
		if *d.to, err = parseDuration(d.value); err != nil || *d.to < 0 || *d.to == 0 && !d.zero {
			return h, badSetting(d.name, d.value, "is not a usable length of time", d.example)
		}
	}
	if h.pollWindow > 0 && h.pollWindow >= h.releaseDeadline {
		return h, &settingError{
			names: []string{"DIGEST_POLL_WINDOW", "DIGEST_RELEASE_DEADLINE"},
			text: fmt.Sprintf("DIGEST_POLL_WINDOW=%q must be less than DIGEST_RELEASE_DEADLINE=%q, or the feeds asked last would miss every edition; an example: 15m and 30m",
				s.PollWindow, s.ReleaseDeadline),
		}
	}
	if err = checkDatabase(s.Database); err != nil {
		return h, err
	}
	if err = s.checkMail(); err != nil {
		return h, err
	}
	h.from = s.From
	if err = checkListen(s.Listen); err != nil {
		return h, err
	}
	if h.baseURL, err = parseBaseURL(s.BaseURL); err != nil {
		return h, err
	}
	if h.head, err = poller.ParseHeadMode(s.Head); err != nil {
		return h, badSetting("DIGEST_HEAD", s.Head, "is not a way to use HEAD", "learned")
	}
	if h.allowNetworks, err = poller.ParseNetworks(s.AllowNetworks); err != nil {
		return h, badSetting("DIGEST_ALLOW_NETWORKS", s.AllowNetworks, "is not a list of networks", "127.0.0.0/8,192.168.1.0/24")
	}
	if h.metricsToken = s.MetricsToken; h.metricsToken != "" && len(h.metricsToken) < leastToken {
		return h, badSetting("DIGEST_METRICS_TOKEN", "…", fmt.Sprintf("is short enough to be guessed; use %d characters or more", leastToken), "what “openssl rand -hex 16” prints")
	}
	if err = s.understandIdentity(&h); err != nil {
		return h, err
	}
	switch h.signUp = web.SignUp(s.SignUp); h.signUp {
	case web.SignUpOpen, web.SignUpInvitation, web.SignUpClosed:
	default:
		return h, badSetting("DIGEST_SIGN_UP", s.SignUp, "does not say who may sign up", "open, invitation or closed")
	}
	h.mailHouse, err = s.mailSettings.understand(h.contact)
	return h, err
}

// understandIdentity checks what the sites that are asked are told of this
// instance, and how much is asked of them at once.
func (s settings) understandIdentity(h *house) (err error) {
	if h.contact, err = contactOf(s.Contact, s.From); err != nil {
		return badSetting("DIGEST_CONTACT", s.Contact, "is not a bare address", "you@example.org")
	}
	const mostRequests = 10_000
	if h.requests, err = strconv.Atoi(s.Requests); err != nil || h.requests < 1 || h.requests > mostRequests {
		return badSetting("DIGEST_REQUESTS", s.Requests, fmt.Sprintf("is not a number from 1 to %d", mostRequests), "20")
	}
	networks, err := poller.ParseNetworks(s.BotAddresses)
	if err != nil {
		return badSetting("DIGEST_BOT_ADDRESSES", s.BotAddresses, "is not a list of networks", "198.51.100.7,2001:db8::/64")
	}
	for _, n := range networks {
		h.botAddresses = append(h.botAddresses, strings.TrimSuffix(n.String(), "/"+strconv.Itoa(n.Addr().BitLen())))
	}
	return nil
}

// A settingError is a setting that cannot be understood. It may have come from
// the environment or as a flag; text has it as NAME=value.
type settingError struct {
	names []string
	text  string
}

func (e *settingError) Error() string { return e.text }

func badSetting(name, value, what, example string) error {
	return &settingError{[]string{name}, fmt.Sprintf("%s=%q %s; an example: %s", name, value, what, example)}
}

// checkDatabase checks what can be told without opening it. Of an address only
// the scheme is shown, for the rest may hold a password.
func checkDatabase(database string) error {
	const example = "digest.db, or postgres://user:password@host:5432/digest"
	scheme, _, isAddress := strings.Cut(database, "://")
	switch _, err := url.Parse(database); {
	case database == "":
		return badSetting("DIGEST_DATABASE", database, "names no database", example)
	case isAddress && scheme != "postgres" && scheme != "postgresql":
		return badSetting("DIGEST_DATABASE", scheme+"://…", "is no database of ours", example)
	case isAddress && err != nil:
		return badSetting("DIGEST_DATABASE", scheme+"://…", "is not an address (write signs such as @ : / # in a password as %40 %3A %2F %23)", example)
	}
	return nil
}

// checkMail checks the settings of outgoing mail.
func (s settings) checkMail() error {
	if err := mailer.CheckFrom(s.From); err != nil {
		return badSetting("DIGEST_FROM", s.From, "is no address to send mail from", "Daily Digest <digest@example.org>")
	}
	if err := mailer.Check(s.Mail); err != nil { // names the setting and hides its password
		return &settingError{[]string{"DIGEST_MAIL"}, err.Error()}
	}
	return nil
}

func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return badSetting("DIGEST_LISTEN", address, "is not an address with a port", "127.0.0.1:8080")
	}
	return nil
}

// parseNow reads the instant of --now, in years that dates and leases can bear.
func parseNow(s string) (time.Time, error) {
	const first, last = 1970, 2200
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, badSetting("DIGEST_NOW", s, "is not an instant", "2026-11-20T00:00:00Z")
	}
	if year := t.UTC().Year(); year < first || year > last {
		return t, badSetting("DIGEST_NOW", s, fmt.Sprintf("is not in the years %d to %d", first, last), "2026-11-20T00:00:00Z")
	}
	return t, nil
}

// parseDuration is time.ParseDuration with days: 400d.
func parseDuration(s string) (time.Duration, error) {
	const mostDays = 100_000 // 292 years are the most a Duration holds
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > mostDays {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	return time.ParseDuration(s)
}

// parseBaseURL gives a base URL as browsers and mail programs write it: host in
// lower case and ASCII, without the usual port.
func parseBaseURL(s string) (string, error) {
	u, err := url.Parse(s)
	bare := err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
	if bare && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		base, err := feed.NormalURL(u.Scheme + "://" + u.Host)
		if err == nil && !strings.ContainsFunc(base, func(r rune) bool { return r <= ' ' || r == '%' || r > '~' }) {
			return strings.TrimRight(base, "/"), nil
		}
	}
	return "", badSetting("DIGEST_BASE_URL", s, "is not the address of a web site without a path", "https://digest.example.org")
}
