package poller

import (
	"net/http"
	"time"

	"digest"
)

// The sites of a platform share its limits. After limitsToSlow refusals within limitsWithin the workers poll its feeds
// one by one: first one in firstPace, and each further refusal halves the speed. After calmAfter without a refusal,
// good answers double the speed, and above quickestPace the pace ends. Each pace lasts at least a minute of good
// answers, so that the queued feeds do not start together.
const (
	limitsToSlow = 3
	limitsWithin = time.Hour
	firstPace    = time.Minute
	slowestPace  = 15 * time.Minute // a poll finds a recovered platform within this time
	quickestPace = time.Second
	calmAfter    = 10 * time.Minute
	paceLasts    = time.Minute

	// goodForLimit is the number of good answers that cancel one refusal. So three refusals among the
	// thousands of polls of a large platform or a content network slow nothing.
	goodForLimit = 20
)

// An IP address is paced under two conditions. At least sharedBy of our hosts share it. At least limitsToSlow domains
// there refuse polls, and one for each hostsForRefusing hosts. So the owner of one domain cannot slow all customers
// of a content network.
const (
	sharedBy         = 21
	hostsForRefusing = 64
)

// IsPlatform reports whether to pace an IP address with a number of our hosts and a number of domains that refuse
// polls.
func IsPlatform(hosts, refusing int) bool {
	return hosts >= sharedBy && refusing >= max(limitsToSlow, hosts/hostsForRefusing)
}

// PaceDomain returns the pace of a domain after a poll of its feed f, at now. A poll that began before the domain was
// slowed does not change its pace.
func PaceDomain(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace {
	if d.Pace > 0 && !f.LastAttemptAt.After(d.LimitedAt) {
		return d
	}
	switch {
	case Limited(f):
		return refused(d, now)
	case f.Errors > 0:
		return d
	case d.Pace > 0:
		return quickened(d, now)
	case d.Limits > 0:
		if d.Good++; d.Good == goodForLimit {
			d.Limits, d.Good = d.Limits-1, 0
		}
	}
	return d
}

// PaceDomainAtOnce is PaceDomain for a frozen clock. A domain that answers well may be polled again without a
// pause. A domain that refuses a poll waits until the clock has moved.
func PaceDomainAtOnce(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace {
	d = PaceDomain(d, f, now)
	if d.Pace > 0 && f.Errors == 0 && d.LimitedAt.Before(now) {
		d.FreeAt = now
	}
	return d
}

func refused(d digest.DomainPace, now time.Time) digest.DomainPace {
	d.LimitedAt, d.Good = now, 0
	if d.Pace == 0 {
		if now.Sub(d.Since) > limitsWithin {
			d.Limits, d.Since = 0, now
		}
		if d.Limits++; d.Limits < limitsToSlow {
			return d
		}
	}
	d.Pace = min(max(2*d.Pace, firstPace), slowestPace)
	d.FreeAt = latest(d.FreeAt, now.Add(d.Pace))
	return d
}

func quickened(d digest.DomainPace, now time.Time) digest.DomainPace {
	if now.Sub(d.LimitedAt) < calmAfter {
		return d
	}
	if d.Good++; time.Duration(d.Good)*d.Pace < paceLasts {
		return d
	}
	d.Pace, d.Good = (d.Pace / 2).Truncate(time.Second), 0
	if d.Pace < quickestPace {
		d.Pace, d.Limits = 0, 0
	}
	if soon := now.Add(d.Pace); soon.Before(d.FreeAt) {
		d.FreeAt = soon
	}
	return d
}

// Limited reports whether the last answer asked for fewer requests: 429, or 503 with Retry-After. Such a
// 503 is not counted as an error of the feed.
func Limited(f digest.Feed) bool {
	return f.LastStatus == http.StatusTooManyRequests ||
		f.LastStatus == http.StatusServiceUnavailable && f.Errors > 0 && f.FirstErrorAt.IsZero()
}
