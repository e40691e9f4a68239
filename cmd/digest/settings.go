package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"digest"
	"digest/feed"
	"digest/internal/socket"
	"digest/mailer"
	"digest/poller"
	"digest/store/db"
	"digest/web"
	"digest/web/page"
)

// settings are the flags that the settings file or the environment usually set. The functions in valueReaders parse
// values of other types than string. docs/configuration.md lists the settings in this order.
type settings struct {
	Database string     `default:"digest.db" group:"First settings:" help:"Database file of the embedded SQLite, or postgres://user:password@host/database."`
	Mail     string     `default:"maildir:mail" group:"First settings:" help:"Mail server: smtp://user:password@host:587 (with STARTTLS), smtps://host:465, smtp+insecure://host:25, or maildir:DIR."`
	From     string     `default:"Daily Digest <digest@localhost>" group:"First settings:" help:"From address of emails."`
	BaseURL  string     `type:"base-url" default:"http://localhost:8080" example:"https://digest.example.org" group:"First settings:" help:"Public address of the web pages. Links in emails use it."`
	Contact  string     `default:"" placeholder:"ADDRESS" group:"First settings:" help:"Contact address shown to site owners (default: the address of --from). Set it if --base-url is public."`
	SignUp   web.SignUp `default:"invitation" example:"open, invitation or closed" placeholder:"WHO" group:"First settings:" help:"Who may sign up: open, invitation or closed."`

	Listen         string         `type:"listen" default:"127.0.0.1:8080" group:"Web settings:" help:"Address of the web server: host:port, or unix:/path of a socket."`
	TrustedProxies digest.Proxies `default:"" example:"127.0.0.1,10.0.0.0/8" placeholder:"CIDR,…" group:"Web settings:" help:"Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted: networks, or unix for the socket of --listen. Without it, none is trusted, not even on this machine."`
	OfflineReading bool           `default:"true" negatable:"" group:"Web settings:" help:"Let readers keep editions in their browser for offline reading."`
	MetricsToken   string         `default:"" placeholder:"SECRET" group:"Web settings:" help:"Bearer token for /metrics on the web server. Without it, /metrics is closed there."`
	MetricsListen  string         `type:"listen" default:"" example:"127.0.0.1:9464" placeholder:"ADDRESS" group:"Web settings:" help:"Separate address for /metrics without a token: host:port, or unix:/path of a socket."`

	PollWindow      time.Duration   `default:"15m" from:"1m" to:"6h" zero:"immediately" group:"Polling settings:" help:"Time over which the polls of one midnight are spread. It must be shorter than --release-deadline."`
	ReleaseDeadline time.Duration   `default:"30m" from:"1s" to:"12h" group:"Polling settings:" help:"Longest time that an edition waits for its slowest feed. It is 5m or more unless --poll-window is 0."`
	PollGap         time.Duration   `default:"1h" from:"1m" to:"7d" group:"Polling settings:" help:"Shortest time between two polls of one feed."`
	HostInterval    time.Duration   `default:"2s" from:"0" to:"10m" group:"Polling settings:" help:"Shortest time between two requests to one host."`
	Requests        int             `default:"20" from:"1" to:"10000" placeholder:"N" group:"Polling settings:" help:"Number of simultaneous requests. Requests slower than a second do not count, up to 25 times this number."`
	FetchTimeout    time.Duration   `default:"30s" from:"1s" to:"1h" group:"Polling settings:" help:"Longest time for one HTTP request."`
	FeedSize        byteSize        `default:"32MB" from:"10MB" to:"64MB" example:"32MB" placeholder:"SIZE" group:"Polling settings:" help:"Maximum size of a feed. In a feed over 10 MB, only the posts at both ends are read."`
	Head            poller.HeadMode `default:"learned" group:"Polling settings:" help:"HEAD before GET: learned (per server), always or never."`
	AllowNetworks   networks        `default:"" example:"127.0.0.0/8,192.168.1.0/24" placeholder:"CIDR,…" group:"Polling settings:" help:"Private networks that may be requested if a person enters an address there."`
	BotAddresses    networks        `default:"" example:"198.51.100.7,2001:db8::/64" placeholder:"CIDR,…" group:"Polling settings:" help:"Networks from which this instance requests feeds; the page for site owners shows them."`

	Keep          time.Duration `default:"400d" from:"7d" to:"36500d" group:"Storage settings:" help:"How long posts and editions are kept."`
	FeedQuota     byteSize      `default:"4MB" from:"64KB" to:"1TB" zero:"no limit" example:"4MB, or 0 for no limit" placeholder:"SIZE" group:"Storage settings:" help:"Data stored for one feed in a day (UTC). The rest waits."`
	AccountQuota  byteSize      `default:"64MB" from:"1MB" to:"1TB" zero:"no limit" example:"64MB, or 0 for no limit" placeholder:"SIZE" group:"Storage settings:" help:"Data stored in a day for one reader's feeds that few others follow. The rest waits."`
	DatabaseAlarm byteSize      `default:"20GB" from:"100MB" to:"1000TB" zero:"no alarm" example:"20GB, or 0 for none" placeholder:"SIZE" group:"Storage settings:" help:"Size of the database at which the operator is warned."`
	KeyFile       string        `default:"" example:"/etc/digest.key" placeholder:"FILE" group:"Storage settings:" help:"File with the key for private feeds and own domains (default: DATABASE.key beside an SQLite file). On PostgreSQL, all processes need the same file."`
	FenceAfter    time.Duration `name:"fence" default:"36h" from:"1h" to:"365d" placeholder:"DURATION" group:"Storage settings:" help:"A database that was unused for this long, with more than 100 waiting editions, sends nothing until you run digest fence release."`

	Newsletters       web.Publishing `default:"closed" type:"word" words:"closed,ask" example:"closed or ask" placeholder:"WHO" group:"Newsletter settings:" help:"Who may create newsletters on the web: closed (nobody), or ask (readers, with approval by an operator)."`
	NewsletterMembers int            `default:"0" from:"0" to:"10000000" placeholder:"N" group:"Newsletter settings:" help:"Maximum number of members of a new newsletter; 0 means no limit. digest newsletter limit changes it for one newsletter."`
	Resolver          string         `default:"" example:"9.9.9.9:53" placeholder:"HOST:PORT" group:"Newsletter settings:" help:"Name server for DNS checks (default: the resolver of this machine)."`

	mailSettings
}

// networks is a list of networks, separated by commas in a setting.
type networks []netip.Prefix

func (n networks) words() []string { return digest.Proxies{Networks: n}.Words() }

// valueReaders returns the parsers of all values that are not plain text. Their errors follow NAME="value" in messages.
func (c *cli) valueReaders() []kong.Option {
	return []kong.Option{
		kong.TypeMapper(reflect.TypeFor[bool](), switchReader{c}),
		typeReader(c, readDuration), typeReader(c, readSize), typeReader(c, readCount), typeReader(c, readInstant),
		typeReader(c, readSignUp),
		typeReader(c, readWith(poller.ParseHeadMode, "is not a way to use HEAD")),
		typeReader(c, readWith(parseNetworks, "is not a list of networks")),
		typeReader(c, readWith(parseProxies, "is not a list of networks, with unix for the socket")),
		typeReader(c, readRate),
		typeReader(c, readWith(digest.ParseCadence, "does not name days")),
		typeReader(c, readWith(digest.ParseDate, "is not a date")),
		nameReader(c, "base-url", readBaseURL), nameReader(c, "return-path", readReturnPath),
		nameReader(c, "listen", readListen), nameReader(c, "word", readWord),
		nameReader(c, "clock", readWith(parseClock, "is not an hour of the day")),
	}
}

// readWith parses a value with a function whose errors are not for people, and replaces them by wrong.
func readWith[T any](parse func(string) (T, error), wrong string) func(*kong.Tag, string) (T, error) {
	return func(_ *kong.Tag, s string) (value T, err error) {
		if value, err = parse(s); err != nil {
			return value, errors.New(wrong)
		}
		return value, nil
	}
}

func parseNetworks(s string) (networks, error) { return poller.ParseNetworks(s) }

// parseProxies parses networks and the word for the socket.
func parseProxies(s string) (p digest.Proxies, err error) {
	var rest []string
	for one := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(one) == digest.ProxySocket {
			p.Socket = true
		} else {
			rest = append(rest, one)
		}
	}
	if len(rest) == 0 {
		return p, nil
	}
	if p.Networks, err = poller.ParseNetworks(strings.Join(rest, ",")); err != nil {
		return digest.Proxies{}, err
	}
	return p, nil
}

func parseClock(s string) (*time.Duration, error) {
	at, err := digest.ParseClock(s)
	return &at, err
}

func readSignUp(_ *kong.Tag, s string) (web.SignUp, error) {
	switch who := web.SignUp(s); who {
	case page.SignUpOpen, page.SignUpInvitation, page.SignUpClosed:
		return who, nil
	}
	return "", errors.New("is not one of open, invitation and closed")
}

// check checks settings that depend on each other or may contain a password. The error has the setting, its value and
// an example.
func (s *settings) check() (err error) {
	if s.PollWindow > 0 && s.PollWindow >= s.ReleaseDeadline {
		return &settingError{
			names: []string{"DIGEST_POLL_WINDOW", "DIGEST_RELEASE_DEADLINE"},
			text: fmt.Sprintf("DIGEST_POLL_WINDOW=%q must be less than DIGEST_RELEASE_DEADLINE=%q, "+
				"or the last feeds would miss every edition; an example: 15m and 30m",
				span(s.PollWindow), span(s.ReleaseDeadline)),
		}
	}
	if s.PollWindow > 0 && s.ReleaseDeadline < poller.LeastDeadline {
		return badSetting("DIGEST_RELEASE_DEADLINE", span(s.ReleaseDeadline), fmt.Sprintf(
			"is too short: polls start minutes after midnight, and editions would miss their posts; "+
				"use %s or more, or DIGEST_POLL_WINDOW=0, which polls immediately", span(poller.LeastDeadline)), "30m")
	}
	if err := checkDatabase(s.Database); err != nil {
		return err
	}
	if err := mailer.CheckFrom(s.From); err != nil {
		return badSetting("DIGEST_FROM", s.From, "is not an address that can send email",
			"Daily Digest <digest@example.org>")
	}
	if _, err := mailer.Destination(s.Mail); err != nil { // has the setting and hides its password
		return &settingError{names: []string{"DIGEST_MAIL"}, text: err.Error()}
	}
	const leastToken = 16 // in characters
	if s.MetricsToken != "" && len(s.MetricsToken) < leastToken {
		return badSetting("DIGEST_METRICS_TOKEN", "…",
			fmt.Sprintf("is too short to be secret; use %d characters or more", leastToken),
			"what “openssl rand -hex 16” prints")
	}
	if _, err := s.resolver(); err != nil {
		return err
	}
	contact := s.Contact
	if s.Contact, err = contactOf(s.Contact, s.From); err != nil {
		return badSetting("DIGEST_CONTACT", contact, "is not a bare address", "you@example.org")
	}
	return s.mailSettings.check(s.Mail, s.From, s.Contact)
}

// checkDatabase checks the setting without opening the database. The error shows only the scheme of an address, because
// the rest may contain a password.
func checkDatabase(database string) error {
	const example = "digest.db, or postgres://user:password@host:5432/digest"
	scheme, _, isAddress := strings.Cut(database, "://")
	switch _, err := url.Parse(database); {
	case database == "":
		return badSetting("DIGEST_DATABASE", database, "names no database", example)
	case isAddress && scheme != "postgres" && scheme != "postgresql":
		return badSetting("DIGEST_DATABASE", scheme+"://…", "is not a database that digest can use", example)
	case isAddress && err != nil:
		return badSetting("DIGEST_DATABASE", scheme+"://…",
			"is not a valid URL (write @ : / # in a password as %40 %3A %2F %23)", example)
	case isAddress:
		if err := db.CheckAddress(database); err != nil {
			return badSetting("DIGEST_DATABASE", scheme+"://…", "cannot be used ("+digest.OneLine(err.Error())+
				")", example)
		}
	}
	return nil
}

// databaseName returns the setting without its password, for the log.
func (s *settings) databaseName() string { return withoutSecret("DIGEST_DATABASE", s.Database) }

// readListen parses a host and port, or the path of a socket.
func readListen(_ *kong.Tag, s string) (string, error) {
	if path, ok := strings.CutPrefix(s, unixPrefix); ok {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || len(path) > socket.Longest {
			return "", fmt.Errorf("is not the full path of a socket, with at most %d bytes", socket.Longest)
		}
		return s, nil
	}
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("is not an address with a port")
	}
	return s, nil
}

const unixPrefix = "unix:"

// readInstant parses an instant, and rejects years that dates and leases cannot represent.
func readInstant(_ *kong.Tag, s string) (time.Time, error) {
	const first, last = 1970, 2200
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, errors.New("is not an instant")
	}
	if year := t.UTC().Year(); year < first || year > last {
		return t, fmt.Errorf("is not between the years %d and %d", first, last)
	}
	return t, nil
}

func readCount(tag *kong.Tag, s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil && rangeOf(tag) == "" {
		return 0, errors.New("is not a number")
	} else if err != nil {
		return 0, errors.New("is not a number " + rangeOf(tag))
	}
	return n, checkRange(tag, "a number", n, strconv.Atoi, "")
}

// readDuration parses a duration within the range of its flag. Flags with the tag positive reject 0.
func readDuration(tag *kong.Tag, s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if err != nil || d < 0 || d == 0 && tag.Has("positive") {
		return 0, errors.New(with("is not a usable duration", durationHint(tag, s)))
	}
	return d, checkRange(tag, "a duration", d, parseDuration, durationHint(tag, s))
}

func readRate(tag *kong.Tag, s string) (digest.Rate, error) {
	r, err := digest.ParseRate(s)
	if err != nil {
		return r, errors.New("is not a rate")
	}
	return r, checkRange(tag, "a rate", perDay(r), ratePerDay, "")
}

// A byteSize is a number of bytes, in a setting such as 4MB.
type byteSize int64

func (b byteSize) String() string {
	unit := ""
	for _, name := range []string{"KB", "MB", "GB", "TB"} {
		if b == 0 || b%1024 != 0 {
			break
		}
		b, unit = b/1024, name
	}
	return strconv.FormatInt(int64(b), 10) + unit
}

func readSize(tag *kong.Tag, s string) (byteSize, error) {
	size, err := parseSize(s)
	if err != nil {
		return 0, errors.New(with("is not a size", sizeHint(tag, s)))
	}
	return size, checkRange(tag, "a size", size, parseSize, sizeHint(tag, s))
}

// parseSize parses a number of bytes with a unit; each unit is 1024 times the previous one.
func parseSize(s string) (byteSize, error) {
	const most = 1 << 53 // in bytes
	number, unit := strings.TrimSpace(s), int64(1)
	for i, name := range []string{"KB", "MB", "GB", "TB"} {
		if bare, ok := strings.CutSuffix(strings.ToUpper(number), name); ok {
			number, unit = strings.TrimSpace(bare), 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseUint(number, 10, 53)
	if err != nil || int64(n) > most/unit {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return byteSize(int64(n) * unit), nil
}

// parseDuration is time.ParseDuration with days: 400d.
func parseDuration(s string) (time.Duration, error) {
	// A Duration holds at most 292 years.
	const mostDays = 100_000
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > mostDays {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	return time.ParseDuration(s)
}

// readBaseURL parses a base URL and normalises it as browsers do: host in lower case and ASCII, without the default
// port.
func readBaseURL(_ *kong.Tag, s string) (string, error) {
	u, err := url.Parse(s)
	bare := err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
	if bare && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		base, err := feed.NormalURL(u.Scheme + "://" + u.Host)
		if err == nil && !strings.ContainsFunc(base, func(r rune) bool { return r <= ' ' || r == '%' || r > '~' }) {
			return strings.TrimRight(base, "/"), nil
		}
	}
	return "", errors.New("is not the address of a website without a path")
}
