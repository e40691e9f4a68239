package poller

import (
	"time"

	"digest"
	"digest/internal/catalogue"
)

// NewsWords describes in one line for people how the news of a feed arrives, since when, and how many polls
// that saved. Instants are in UTC.
func NewsWords(n digest.News, now time.Time) catalogue.Sayable {
	said := newsWay(n, now)
	if !n.TrustedAt.IsZero() || n.SavedPolls > 0 {
		return catalogue.Key("%s; %s saved so far").With(said, catalogue.Key("%d polls").With(n.SavedPolls))
	}
	return said
}

// newsWay is NewsWords without the saved polls.
func newsWay(n digest.News, now time.Time) catalogue.Sayable {
	way, since := n.Way(now)
	switch {
	case way == digest.ByPing:
		return catalogue.Key("pings announce new posts (since %s; %s, the last %s); polls find the rest").
			With(minute(since), times(n.Pings), minute(n.LastPingAt))
	case way == digest.ByPoll && n.ExpiresAt.After(now):
		return catalogue.Key("polls find new posts; its hub confirmed a subscription at %s but has pushed nothing yet").
			With(minute(n.PushedSince))
	case way == digest.ByPoll && n.HubQuietUntil.After(now):
		return catalogue.Key("polls find new posts; its hub did not confirm our subscription; next attempt after %s").
			With(minute(n.HubQuietUntil))
	case way == digest.ByPoll:
		return catalogue.Key("polls find new posts")
	}
	pushed := catalogue.Key("its hub has pushed new posts since %s (%s, the last %s)").With(minute(since),
		times(n.AllPushes), minute(n.LastPushAt))
	switch {
	case !n.TrustedAt.IsZero():
		return catalogue.Key("%s; polled once a week since %s").With(pushed, minute(n.TrustedAt))
	case !n.MissedAt.IsZero() && now.Sub(n.MissedAt) < digest.Distrust:
		return catalogue.Key("%s; also polled, because the hub missed a post that a poll found at %s").With(pushed,
			minute(n.MissedAt))
	}
	return catalogue.Key("%s; we also poll it until the hub has pushed new posts %s").With(pushed,
		times(digest.TrustedPushes))
}

func times(n int) catalogue.Sayable { return catalogue.Key("%d times").With(n) }
