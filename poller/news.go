package poller

import (
	"time"

	"digest"
	"digest/internal/catalogue"
)

// NewsWords says how the news of a feed comes, since when, and what polling that has saved, in one line for people. Instants
// are in UTC.
func NewsWords(n digest.News, now time.Time) catalogue.Sayable {
	said := newsWay(n, now)
	switch {
	case !n.TrustedAt.IsZero():
		return catalogue.Key("%s, %s saved").With(said, polls(n))
	case n.SavedPolls > 0:
		return catalogue.Key("%s; %s saved while it was left to its hubs").With(said, polls(n))
	}
	return said
}

func polls(n digest.News) catalogue.Sayable { return catalogue.Key("%d polls").With(n.SavedPolls) }

// newsWay is what NewsWords says without what was saved.
func newsWay(n digest.News, now time.Time) catalogue.Sayable {
	way, since := n.Way(now)
	switch {
	case way == digest.ByCloud:
		return catalogue.Key("its rssCloud server says when there is some (since %s; %s, the last %s), else it is found by polls").
			With(minute(since), times(n.Pings), minute(n.LastPingAt))
	case way == digest.ByPing:
		return catalogue.Key("a ping says when there is some (since %s; %s, the last %s), else it is found by polls").
			With(minute(since), times(n.Pings), minute(n.LastPingAt))
	case way == digest.ByPoll && n.CloudUntil.After(now):
		return catalogue.Key("found by polls; its rssCloud server has promised to say when there is some, and has not done so yet")
	case way == digest.ByPoll && n.ExpiresAt.After(now):
		return catalogue.Key("found by polls; a hub has promised to push it since %s, and has not done so yet").With(minute(n.PushedSince))
	case way == digest.ByPoll && n.HubQuietUntil.After(now):
		return catalogue.Key("found by polls; its hub confirmed none of the latest requests, and gets no more before %s").With(minute(n.HubQuietUntil))
	case way == digest.ByPoll:
		return catalogue.Key("found by polls")
	}
	pushed := catalogue.Key("pushed by its hub since %s (%s, the last %s)").With(minute(since), times(n.AllPushes), minute(n.LastPushAt))
	switch {
	case !n.TrustedAt.IsZero():
		return catalogue.Key("%s; left to it and polled once a week since %s").With(pushed, minute(n.TrustedAt))
	case !n.MissedAt.IsZero() && now.Sub(n.MissedAt) < digest.Distrust:
		return catalogue.Key("%s; polled as well, since it missed a post that a poll found at %s").With(pushed, minute(n.MissedAt))
	}
	return catalogue.Key("%s; polled as well until it has pushed news %s").With(pushed, times(digest.TrustedPushes))
}

func times(n int) catalogue.Sayable { return catalogue.Key("%d times").With(n) }
