package digest_test

import (
	"testing"
	"time"

	"digest"
)

// TestHubOutcome is a table of the results of requests to a callback.
func TestHubOutcome(t *testing.T) {
	confirmed, silent := digest.HubReply{Status: 200, Confirms: true}, digest.HubReply{Error: "connection refused"}
	for name, c := range map[string]struct {
		call digest.HubCall
		got  digest.HubReply
		want digest.HubOutcome
		wait time.Duration
	}{
		"confirmed":        {digest.HubCall{Kind: digest.HubSubscribe}, confirmed, digest.HubConfirmed, 0},
		"an end confirmed": {digest.HubCall{Kind: digest.HubUnsubscribe}, confirmed, digest.HubConfirmed, 0},
		"another challenge": {digest.HubCall{Kind: digest.HubSubscribe}, digest.HubReply{Status: 200},
			digest.HubRefused, 0},
		"the challenge with a 404": {digest.HubCall{Kind: digest.HubSubscribe},
			digest.HubReply{Status: 404, Confirms: true}, digest.HubRefused, 0},
		"a redirect confirms nothing": {digest.HubCall{Kind: digest.HubUnsubscribe},
			digest.HubReply{Status: 302, Confirms: true}, digest.HubRefused, 0},
		"nobody verifies": {digest.HubCall{Kind: digest.HubSubscribe}, silent, digest.HubRefused, 0},
		"delivered": {digest.HubCall{Kind: digest.HubDeliver}, digest.HubReply{Status: 202},
			digest.HubDelivered, 0},
		"gone": {digest.HubCall{Kind: digest.HubDeliver, Attempt: 2},
			digest.HubReply{Status: 410}, digest.HubGone, 0},
		"silent": {digest.HubCall{Kind: digest.HubDeliver}, silent, digest.HubRetried,
			time.Minute},
		"silent again": {digest.HubCall{Kind: digest.HubDeliver, Attempt: 1}, silent, digest.HubRetried,
			5 * time.Minute},
		"a redirect receives nothing": {digest.HubCall{Kind: digest.HubDeliver}, digest.HubReply{Status: 301},
			digest.HubRetried, time.Minute},
		"a 404 may be a mistake": {digest.HubCall{Kind: digest.HubDeliver}, digest.HubReply{Status: 404},
			digest.HubRetried, time.Minute},
		"asked to wait": {digest.HubCall{Kind: digest.HubDeliver},
			digest.HubReply{Status: 429, RetryAfter: time.Hour}, digest.HubRetried, time.Hour},
		"asked to wait for a year": {digest.HubCall{Kind: digest.HubDeliver},
			digest.HubReply{Status: 503, RetryAfter: 365 * 24 * time.Hour}, digest.HubRetried, 8 * time.Hour},
		"the last time": {digest.HubCall{Kind: digest.HubDeliver, Attempt: 5}, silent, digest.HubRetried,
			8 * time.Hour},
		"dead": {digest.HubCall{Kind: digest.HubDeliver, Attempt: 6}, silent,
			digest.HubGivenUp, 0},
		"denial told": {digest.HubCall{Kind: digest.HubDenied}, digest.HubReply{Status: 200},
			digest.HubDelivered, 0},
		"denial of the unknown": {digest.HubCall{Kind: digest.HubDenied}, digest.HubReply{Status: 404},
			digest.HubDelivered, 0},
		"denial to the silent": {digest.HubCall{Kind: digest.HubDenied}, silent, digest.HubRetried, time.Minute},
	} {
		if got, wait := c.call.Outcome(c.got); got != c.want || wait != c.wait {
			t.Errorf("%s: %s after %v, want %s after %v", name, got, wait, c.want, c.wait)
		}
	}
}

// TestHubRefuse is a table of rejected verifications, and of leases.
func TestHubRefuse(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		load    digest.HubLoad
		refused bool
	}{
		"the first":                   {digest.HubLoad{}, false},
		"busy":                        {digest.HubLoad{Pending: 1000}, true},
		"a domain that nobody knows":  {digest.HubLoad{Pending: 10, PendingOfDomain: 10}, true},
		"one that has a subscription": {digest.HubLoad{Pending: 10, PendingOfDomain: 10, OfDomain: 1}, false},
		"one with many that wait":     {digest.HubLoad{Pending: 200, PendingOfDomain: 200, OfDomain: 1}, true},
		"a little doubt":              {digest.HubLoad{DoubtedUntil: now.Add(9 * time.Hour)}, false},
		"much doubt":                  {digest.HubLoad{DoubtedUntil: now.Add(10 * time.Hour)}, true},
		"as many as are kept":         {digest.HubLoad{OfNewsletter: 20_000}, true},
		"as many, and it renews": {digest.HubLoad{OfNewsletter: 20_000, Subscribed: true, OfDomain: 1},
			false},
		"as many of the domain":            {digest.HubLoad{OfDomainThere: 20, OfDomain: 20}, true},
		"as many of it, and it renews":     {digest.HubLoad{OfDomainThere: 20, OfDomain: 20, Subscribed: true}, false},
		"it renews while there is no room": {digest.HubLoad{Pending: 1000, Subscribed: true, OfDomain: 1}, true},
	} {
		err := c.load.Refuse(now)
		if (err != nil) != c.refused || err != nil && digest.KindOf(err) != digest.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	for asked, want := range map[time.Duration]time.Duration{
		0: 240 * time.Hour, time.Second: time.Hour, 24 * time.Hour: 24 * time.Hour, 10_000 * time.Hour: 720 * time.Hour,
	} {
		if got := digest.HubLeaseFor(asked); got != want {
			t.Errorf("a lease of %v for %v, want %v", got, asked, want)
		}
	}
}
