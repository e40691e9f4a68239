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
	"digest/store"
	"digest/web"
)

// settings are the flags that are usually set by the environment. Values of
// other types than string are understood by the functions of valueReaders.
type settings struct {
	Database          string          `default:"digest.db" group:"Settings:" help:"A file for embedded SQLite, or postgres://…"`
	Mail              string          `default:"maildir:mail" group:"Settings:" help:"maildir:DIR, smtp://user:pass@host:587, smtps://…:465 or smtp+insecure://host:port."`
	From              string          `default:"Daily Digest <digest@localhost>" group:"Settings:" help:"The From address."`
	BaseURL           string          `type:"base-url" default:"http://localhost:8080" example:"https://digest.example.org" group:"Settings:" help:"Where the web view is reached."`
	Listen            string          `type:"listen" default:"127.0.0.1:8080" group:"Settings:" help:"The web view's address: host:port, or unix:/path of a socket."`
	TrustedProxies    digest.Proxies  `default:"" example:"127.0.0.1,10.0.0.0/8" placeholder:"CIDR,…" group:"Settings:" help:"Proxies, unix for the socket of --listen, that are believed when they say for whom they ask (X-Forwarded-For, X-Forwarded-Proto)."`
	PollWindow        time.Duration   `default:"15m" from:"1m" to:"6h" zero:"immediately" group:"Settings:" help:"Polls of one midnight are spread over this."`
	ReleaseDeadline   time.Duration   `default:"30m" from:"1s" to:"12h" group:"Settings:" help:"An edition waits this long at most for its slowest feed."`
	HostInterval      time.Duration   `default:"2s" from:"0" to:"10m" group:"Settings:" help:"Least gap between two requests to one host."`
	PollGap           time.Duration   `default:"1h" from:"1m" to:"7d" group:"Settings:" help:"Least gap between two polls of one feed."`
	Head              poller.HeadMode `default:"learned" group:"Settings:" help:"HEAD before GET: learned, always or never."`
	AllowNetworks     networks        `default:"" example:"127.0.0.0/8,192.168.1.0/24" placeholder:"CIDR,…" group:"Settings:" help:"Networks that feeds may live in though they are private."`
	FetchTimeout      time.Duration   `default:"30s" from:"1s" to:"1h" group:"Settings:" help:"For one HTTP request, all of it."`
	FeedSize          byteSize        `default:"32MB" from:"10MB" to:"64MB" example:"32MB" placeholder:"SIZE" group:"Settings:" help:"The longest document of a feed that is read; of one over 10 MB the posts at both ends."`
	Keep              time.Duration   `default:"400d" from:"7d" to:"36500d" group:"Settings:" help:"How long posts and editions are kept."`
	FeedQuota         byteSize        `default:"4MB" from:"64KB" to:"1TB" zero:"no limit" example:"4MB, or 0 for no limit" placeholder:"SIZE" group:"Settings:" help:"What is stored of one feed in a day (UTC); the rest waits."`
	AccountQuota      byteSize        `default:"64MB" from:"1MB" to:"1TB" zero:"no limit" example:"64MB, or 0 for no limit" placeholder:"SIZE" group:"Settings:" help:"What is stored in a day of feeds that few others read, on account of one reader."`
	DatabaseAlarm     byteSize        `default:"20GB" from:"100MB" to:"1000TB" zero:"no alarm" example:"20GB, or 0 for none" placeholder:"SIZE" group:"Settings:" help:"How large the database may grow before the operator is told."`
	Contact           string          `default:"" placeholder:"ADDRESS" group:"Settings:" help:"Whom the owners of sites may write to (that of --from)."`
	Requests          int             `default:"20" from:"1" to:"10000" placeholder:"N" group:"Settings:" help:"Requests on the wire at once, over all hosts; slow ones make way for the next."`
	BotAddresses      networks        `default:"" example:"198.51.100.7,2001:db8::/64" placeholder:"CIDR,…" group:"Settings:" help:"Networks that feeds are asked from, for the bot page."`
	NewsletterMembers int             `default:"0" from:"0" to:"10000000" placeholder:"N" group:"Settings:" help:"How many members a newsletter that is begun from now on may have (${default}: as many as come); digest newsletter limit changes one."`
	Hub               bool            `default:"true" negatable:"" group:"Settings:" help:"The feeds of newsletters announce a WebSub hub, which tells programs of new letters at once."`
	RSSCloud          bool            `name:"rsscloud" default:"false" negatable:"" group:"Settings:" help:"Feeds that name an rssCloud server and no WebSub hub have that asked, once a day, to say when there is news; they are polled all the same."`
	OfflineReading    bool            `default:"true" negatable:"" group:"Settings:" help:"Readers may keep editions on their devices, to be read without a network."`
	Newsletters       web.Publishing  `default:"closed" example:"closed or ask" placeholder:"WHO" group:"Settings:" help:"Who may begin a newsletter on the web: closed (nobody), or ask (readers, and an operator approves each)."`
	SignUp            web.SignUp      `default:"invitation" example:"open, invitation or closed" placeholder:"WHO" group:"Settings:" help:"Who may sign up: open, invitation or closed."`
	MetricsToken      string          `default:"" placeholder:"SECRET" group:"Settings:" help:"Whoever sends it as a bearer token may read /metrics; without it nobody may there."`
	MetricsListen     string          `type:"listen" default:"" example:"127.0.0.1:9464" placeholder:"ADDRESS" group:"Settings:" help:"Another address, where whoever reaches it may read /metrics."`
	KeyFile           string          `default:"" example:"/etc/digest.key" placeholder:"FILE" group:"Settings:" help:"The key of private feeds' passwords (beside an embedded database, DATABASE.key)."`
	Resolver          string          `default:"" example:"9.9.9.9:53" placeholder:"HOST:PORT" group:"Settings:" help:"The name server to ask for the records of newsletters' domains, and of the doctor's checks (that of this machine)."`
	FenceAfter        time.Duration   `name:"fence" default:"36h" from:"1h" to:"365d" placeholder:"DURATION" group:"Settings:" help:"A database in which much waits and nobody worked for so long is left alone (digest fence)."`

	mailSettings
}

// networks is a list of networks, as a setting has it: with commas between them.
type networks []netip.Prefix

// words writes the networks for people.
func (n networks) words() []string { return digest.Proxies{Networks: n}.Words() }

// valueReaders read the values that are more than a text. Their errors say what is
// wrong and stand behind NAME="value".
func (c *cli) valueReaders() []kong.Option {
	return []kong.Option{
		kong.TypeMapper(reflect.TypeFor[bool](), switchReader{c}),
		typeReader(c, readDuration), typeReader(c, readSize), typeReader(c, readCount), typeReader(c, readInstant), typeReader(c, readSignUp), typeReader(c, readPublishing),
		typeReader(c, readWith(poller.ParseHeadMode, "is not a way to use HEAD")),
		typeReader(c, readWith(parseNetworks, "is not a list of networks")),
		typeReader(c, readWith(parseProxies, "is not a list of networks, with unix for the socket")),
		typeReader(c, readRate),
		typeReader(c, readWith(digest.ParseCadence, "does not name days on which it comes")),
		typeReader(c, readWith(digest.ParseDate, "is not a date")),
		nameReader(c, "base-url", readBaseURL), nameReader(c, "return-path", readReturnPath),
		nameReader(c, "listen", readListen), nameReader(c, "word", readWord),
		nameReader(c, "clock", readWith(parseClock, "is not an hour of the day")),
	}
}

// readWith reads a value by a function whose errors are not for people: they are
// told wrong instead.
func readWith[T any](parse func(string) (T, error), wrong string) func(*kong.Tag, string) (T, error) {
	return func(_ *kong.Tag, s string) (value T, err error) {
		if value, err = parse(s); err != nil {
			return value, errors.New(wrong)
		}
		return value, nil
	}
}

func parseNetworks(s string) (networks, error) { return poller.ParseNetworks(s) }

// parseProxies reads networks, and the word that stands for the socket.
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
	t, err := time.Parse("15:04", s)
	return new(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute), err
}

func readSignUp(_ *kong.Tag, s string) (web.SignUp, error) {
	switch who := web.SignUp(s); who {
	case web.SignUpOpen, web.SignUpInvitation, web.SignUpClosed:
		return who, nil
	}
	return "", errors.New("does not say who may sign up")
}

func readPublishing(_ *kong.Tag, s string) (web.Publishing, error) {
	switch who := web.Publishing(s); who {
	case web.PublishingClosed, web.PublishingAsk:
		return who, nil
	}
	return "", errors.New("does not say who may begin a newsletter")
}

// check checks settings that depend on each other or may hold a password. The
// error names the setting, its value and an example.
func (s *settings) check() (err error) {
	if s.PollWindow > 0 && s.PollWindow >= s.ReleaseDeadline {
		return &settingError{
			names: []string{"DIGEST_POLL_WINDOW", "DIGEST_RELEASE_DEADLINE"},
			text: fmt.Sprintf("DIGEST_POLL_WINDOW=%q must be less than DIGEST_RELEASE_DEADLINE=%q, "+
				"or the feeds asked last would miss every edition; an example: 15m and 30m",
				span(s.PollWindow), span(s.ReleaseDeadline)),
		}
	}
	if s.PollWindow > 0 && s.ReleaseDeadline < poller.LeastDeadline {
		return badSetting("DIGEST_RELEASE_DEADLINE", span(s.ReleaseDeadline), fmt.Sprintf(
			"is too short: the polls of a midnight begin minutes after it, and editions would be made without them; "+
				"use %s or more, or DIGEST_POLL_WINDOW=0, which polls at once", span(poller.LeastDeadline)), "30m")
	}
	if err := checkDatabase(s.Database); err != nil {
		return err
	}
	if err := mailer.CheckFrom(s.From); err != nil {
		return badSetting("DIGEST_FROM", s.From, "is no address to send mail from", "Daily Digest <digest@example.org>")
	}
	if _, err := mailer.Destination(s.Mail); err != nil { // names the setting and hides its password
		return &settingError{names: []string{"DIGEST_MAIL"}, text: err.Error()}
	}
	const leastToken = 16 // characters
	if s.MetricsToken != "" && len(s.MetricsToken) < leastToken {
		return badSetting("DIGEST_METRICS_TOKEN", "…", fmt.Sprintf("is short enough to be guessed; use %d characters or more", leastToken),
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
		return badSetting("DIGEST_DATABASE", scheme+"://…",
			"is not an address (write signs such as @ : / # in a password as %40 %3A %2F %23)", example)
	case isAddress:
		if err := store.CheckAddress(database); err != nil {
			return badSetting("DIGEST_DATABASE", scheme+"://…", "cannot be used ("+digest.OneLine(err.Error())+")", example)
		}
	}
	return nil
}

// databaseName is the setting without its password, for the log.
func (s *settings) databaseName() string { return withoutSecret("DIGEST_DATABASE", s.Database) }

// readListen reads a host and port, or the path of a socket.
func readListen(_ *kong.Tag, s string) (string, error) {
	if path, ok := strings.CutPrefix(s, unixPrefix); ok {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || len(path) > socket.Longest {
			return "", fmt.Errorf("does not name a socket by its full path, of %d bytes at most", socket.Longest)
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

// unixPrefix begins an address that is the path of a socket.
const unixPrefix = "unix:"

// readInstant reads an instant in years that dates and leases can bear.
func readInstant(_ *kong.Tag, s string) (time.Time, error) {
	const first, last = 1970, 2200
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, errors.New("is not an instant")
	}
	if year := t.UTC().Year(); year < first || year > last {
		return t, fmt.Errorf("is not in the years %d to %d", first, last)
	}
	return t, nil
}

// readCount reads a number within the range of its flag.
func readCount(tag *kong.Tag, s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil && rangeOf(tag) == "" {
		return 0, errors.New("is not a number")
	} else if err != nil {
		return 0, errors.New("is not a number " + rangeOf(tag))
	}
	return n, checkRange(tag, "a number", n, strconv.Atoi, "")
}

// readDuration reads a length of time within the range of its flag; some must not be zero.
func readDuration(tag *kong.Tag, s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if err != nil || d < 0 || d == 0 && tag.Has("positive") {
		return 0, errors.New(with("is not a usable length of time", durationHint(tag, s)))
	}
	return d, checkRange(tag, "a length of time", d, parseDuration, durationHint(tag, s))
}

// readRate reads a rate within the range of its flag.
func readRate(tag *kong.Tag, s string) (digest.Rate, error) {
	r, err := digest.ParseRate(s)
	if err != nil {
		return r, errors.New("is not a rate")
	}
	return r, checkRange(tag, "a rate", perDay(r), ratePerDay, "")
}

// A byteSize is a number of bytes, as a setting has it: 4MB.
type byteSize int64

// String is what readSize reads.
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

// readSize reads a size within the range of its flag.
func readSize(tag *kong.Tag, s string) (byteSize, error) {
	size, err := parseSize(s)
	if err != nil {
		return 0, errors.New(with("is not a size", sizeHint(tag, s)))
	}
	return size, checkRange(tag, "a size", size, parseSize, sizeHint(tag, s))
}

// parseSize reads a number of bytes with a unit, each 1024 times the one before.
func parseSize(s string) (byteSize, error) {
	const most = 1 << 53 // bytes
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

// readBaseURL gives a base URL as browsers and mail programs write it: host in
// lower case and ASCII, without the usual port.
func readBaseURL(_ *kong.Tag, s string) (string, error) {
	u, err := url.Parse(s)
	bare := err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
	if bare && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		base, err := feed.NormalURL(u.Scheme + "://" + u.Host)
		if err == nil && !strings.ContainsFunc(base, func(r rune) bool { return r <= ' ' || r == '%' || r > '~' }) {
			return strings.TrimRight(base, "/"), nil
		}
	}
	return "", errors.New("is not the address of a web site without a path")
}
