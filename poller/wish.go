package poller

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

// The owner of a host publishes wishes for this instance on the host itself, so that nobody else can: in a
// file, or in a TXT record of its name. A line names the instance and one of these:
//
//	block            send no requests to the host and its subdomains
//	interval 7d      poll each feed at most this often
//	allow            no restriction
//
// The strictest of several lines for this instance applies.
const (
	WishFile   = "/.well-known/digest.txt"
	WishRecord = "_digest." // before the name of the host
)

const (
	leastWish = time.Hour
	mostWish  = 366 * 24 * time.Hour
	wishTime  = 20 * time.Second // for the file, and again for the record
)

// A Wish is what the owner of a host requests from this instance. The zero value restricts nothing.
type Wish struct {
	Blocked  bool
	Interval time.Duration // 0: none
}

// A WishPlace is a place where Wish looked. It has a wish or the reason for its absence.
type WishPlace struct {
	Place string
	Wish  *Wish
	Why   catalogue.Sayable
}

// WishName returns the name of the instance at a base URL in a line.
func WishName(base string) string {
	_, name, _ := strings.Cut(base, "://")
	return strings.ToLower(strings.TrimRight(cmp.Or(name, base), "/"))
}

// ParseWish reads the lines that name an instance, or all instances ("*"). It returns nil if no line does.
// Its error tells the owner which line is invalid.
func ParseWish(text, base string) (*Wish, error) {
	var wish *Wish
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "*" && WishName(strings.TrimSuffix(words[0], ":")) != WishName(base) {
			continue
		}
		said, err := wishOf(words[1:])
		if err != nil {
			return nil, digest.Refuse(digest.Invalid, "can’t read the line “%s”: %s",
				digest.Shortened(digest.OneLine(strings.Join(words, " ")), 100), err)
		}
		wish = stricter(wish, &said)
	}
	return wish, nil
}

func wishOf(words []string) (Wish, error) {
	if len(words) > 0 {
		words[0] = strings.ToLower(words[0])
	}
	switch {
	case len(words) == 1 && words[0] == "block":
		return Wish{Blocked: true}, nil
	case len(words) == 1 && words[0] == "allow":
		return Wish{}, nil
	case len(words) == 2 && words[0] == "interval":
		every, ok := hoursOrDays(words[1])
		if !ok || every < leastWish || every > mostWish {
			return Wish{}, digest.Refuse(digest.Invalid, "the interval must be from 1h to 366d")
		}
		return Wish{Interval: every}, nil
	}
	return Wish{}, digest.Refuse(digest.Invalid, "after the name, write “block”, “interval 7d” or “allow”")
}

// hoursOrDays reads a duration such as 36h or 7d.
func hoursOrDays(s string) (time.Duration, bool) {
	unit := time.Hour
	digits, hours := strings.CutSuffix(s, "h")
	if !hours {
		digits, hours = strings.CutSuffix(s, "d")
		unit = oneDay
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return time.Duration(n) * unit, hours && err == nil
}

// stricter returns the stricter of two wishes, each of which may be nil.
func stricter(a, b *Wish) *Wish {
	switch {
	case a == nil, b != nil && !a.Blocked && (b.Blocked || b.Interval > a.Interval):
		return b
	}
	return a
}

// Wish reads the wishes of a host's owner in both places and returns the strictest, or nil for none. The
// address is the host, or any address of the site. Wish requests the file once, and again without TLS if
// https fails. It does so even if the host is blocked or robots.txt forbids it, because the owner wants it
// now.
//
// A file on a special port does not count for the host, except in the allowed networks. Wish sends requests
// to these only if home is true, because somebody from there asked. A stranger could learn from the answers
// which hosts exist.
//
// The error is a *SearchError for an invalid address. Otherwise ctx has ended.
func (p *Poller) Wish(ctx context.Context, address string, home bool) (host string, wish *Wish, places []WishPlace,
	err error) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return "", nil, nil, asSearchError(err)
	}
	file := p.wishFile(ctx, address, normal, home)
	host = feed.Host(normal)
	places = append(places, file)
	if net.ParseIP(host) == nil {
		places = append(places, p.wishRecord(ctx, host))
	}
	for _, place := range places {
		wish = stricter(wish, place.Wish)
	}
	return host, wish, places, ctx.Err()
}

func (p *Poller) wishFile(ctx context.Context, address, normal string, home bool) WishPlace {
	ctx, cancel := context.WithTimeout(ctx, wishTime)
	defer cancel()
	site := digest.Site(normal)
	a, err := p.askOwner(ctx, site+WishFile, home)
	if _, ok := withoutTLS(address, err); ok {
		site = "http://" + strings.TrimPrefix(site, "https://")
		a, err = p.askOwner(ctx, site+WishFile, home)
	}
	place := WishPlace{Place: site + WishFile}
	switch {
	case err != nil:
		place.Why = whyNot(err)
	case !usable(a.status):
		place.Why = catalogue.Text(badStatus(a).text)
	case a.url.Port() != "" && !a.isHome:
		place.Why = portOfItsOwn
	case strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/html"):
		place.Why = catalogue.Key("found a web page; the file must be plain text")
	default:
		if place.Wish, err = ParseWish(string(a.body), p.base); err != nil {
			place.Why = catalogue.Line(err)
		} else if place.Wish == nil {
			place.Why = catalogue.Key("no line mentions %s").With(WishName(p.base))
		}
	}
	return place
}

// Reasons why a file that is not at its host does not count.
const (
	portOfItsOwn = catalogue.Key("put the file on the default port; we don’t read other ports")
	leadsAway    = catalogue.Key("it redirects to %s; put the file on the host itself")
)

// whyNot tells the owner of a host, who may be a stranger, why the file could not be read.
func whyNot(err error) catalogue.Sayable {
	switch t, ok := asPollError(err); {
	case !ok:
		return catalogue.Key("connection timed out")
	case t.status == 0 && strings.HasPrefix(t.text, errNotPublic.Error()):
		return catalogue.Known(errNotPublic.Error())
	default:
		return catalogue.Recognised(t.text, leadsAway)
	}
}

// askOwner requests the file of a host, without redirects to other hosts.
func (p *Poller) askOwner(ctx context.Context, address string, home bool) (*answer, error) {
	r, err := routeTo(address)
	if err != nil {
		return nil, err
	}
	if r.mayBeHome = home; !home && r.url.Port() != "" {
		return nil, &pollError{text: string(portOfItsOwn)}
	}
	s := p.newSession(digest.Feed{}, 1)
	defer s.hold.release()
	s.forOwner, s.forRobots = true, true
	s.agent = p.agent + "asked by the owner of the site)"
	for range pictureHops {
		a, err := s.ask(ctx, http.MethodGet, r)
		if err != nil || !isRedirect(a.status) {
			return a, err
		}
		next, err := a.follow()
		if err != nil {
			return nil, err
		}
		if next.host() != r.host() {
			return nil, badAnswer(a.status, leadsAway.With(digest.HostShown(next.address)).String())
		}
		r = next
	}
	return nil, badAnswer(http.StatusFound, errManyHops.Error())
}

func (p *Poller) wishRecord(ctx context.Context, host string) WishPlace {
	ctx, cancel := context.WithTimeout(ctx, wishTime)
	defer cancel()
	place := WishPlace{Place: WishRecord + host}
	texts, err := p.guard.lookupTXT(ctx, place.Place)
	if err != nil || len(texts) == 0 {
		place.Why = catalogue.Key("no line mentions %s").With(WishName(p.base))
		return place
	}
	if place.Wish, err = ParseWish(strings.Join(texts, "\n"), p.base); err != nil {
		place.Why = catalogue.Line(err)
	} else if place.Wish == nil {
		place.Why = catalogue.Key("no line mentions %s").With(WishName(p.base))
	}
	return place
}
