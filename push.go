package digest

import (
	"strings"
	"time"
)

// A Push describes the hubs that send a feed's news (WebSub).
type Push struct {
	Topic       string    // the feed's name at its hubs; empty: it has no hub
	Hubs        string    // the hubs of the feed that get subscriptions, separated by spaces
	PushedUntil time.Time // until then its hubs are trusted and it is polled once a week; zero: not trusted
}

// A PushSubscription is a subscription at one hub. The hub sends the news of a topic to a callback of this
// subscription. A renewal is a new PushSubscription.
type PushSubscription struct {
	ID          PushID
	FeedID      FeedID
	Hub         string // as the feed names it
	Topic       string
	Secret      string // for the hub's signatures; sent only over https
	State       PushState
	RequestedAt time.Time // time of the last request
	VerifiedAt  time.Time // when the hub verified that request; zero: not yet
	ExpiresAt   time.Time // end of the lease
	NextAt      time.Time // of the next request
	Errors      int       // consecutive failed requests
	LastError   string    // of the last request
	Domain      string    // of the hub, which HubHost limits; "" before the first request
}

// PushID is the key of a PushSubscription.
type PushID int64

// PushState is the state of a PushSubscription.
type PushState string

const (
	PushWanted  PushState = "wanted"  // the request is not sent yet
	PushAsked   PushState = "asked"   // the request is sent, and the hub has to verify it
	PushActive  PushState = "active"  // the hub sends news
	PushLeaving PushState = "leaving" // the hub has to be unsubscribed; its pushes still count
	PushLeft    PushState = "left"    // unsubscribed
	PushDenied  PushState = "denied"  // the hub rejected it
)

const (
	// TrustedPushes is the number of pushes with news after which a feed's hubs are trusted.
	TrustedPushes = 2
	// Distrust is how long a feed's hubs are not trusted after a poll found a post that no hub had pushed.
	Distrust = 30 * 24 * time.Hour
)

// A HubHost counts the requests to the hubs of one registered domain, for all feeds. Any feed can name any address as
// its hub. A hub fetches the callback that it gets; a site that is no hub never does.
type HubHost struct {
	Domain      string
	Confirmed   int // confirmed requests since the last silence
	Unconfirmed int // requests since the last confirmed one
	Failed      int // requests among them with an error or no response
	QuietUntil  time.Time
}

const (
	// HubSilence is how long a host gets no request after it left several unconfirmed.
	HubSilence = 24 * time.Hour

	mostUnconfirmed = 3
	mostConfirmed   = 1000 // upper limit of the count
)

// Ask reports whether the host may get a request now, and returns its counts with that request. A host may have as many
// unconfirmed requests as it confirmed before, and at least three. So a hub of thousands of feeds soon pushes all of
// them. At that limit, the host gets no request for a day, or until it confirms one. After that day it gets one request
// a day.
func (h HubHost) Ask(now time.Time) (HubHost, bool) {
	if h.QuietUntil.After(now) {
		return h, false
	}
	if !h.QuietUntil.IsZero() {
		h.Confirmed = 0
	}
	h.Unconfirmed++
	if h.Unconfirmed >= max(mostUnconfirmed, h.Confirmed) {
		h.QuietUntil = now.Add(HubSilence)
	}
	return h, true
}

// Fail returns the counts of the host after a request got an error or no response. Three in a row stop requests for a
// day, even if the host confirmed many before.
func (h HubHost) Fail(now time.Time) HubHost {
	if h.Failed++; h.Failed >= mostUnconfirmed {
		h.QuietUntil = now.Add(HubSilence)
	}
	return h
}

// Confirm returns the counts of the host after it confirmed a request.
func (h HubHost) Confirm() HubHost {
	return HubHost{Domain: h.Domain, Confirmed: min(h.Confirmed+1, mostConfirmed)}
}

// News describes how the news of a feed arrived.
type News struct {
	Pushes     int       // pushes with news since its hubs last missed a post or failed
	AllPushes  int       // all pushes, with or without news
	LastPushAt time.Time // zero: none
	Pings      int       // pings that caused a poll
	LastPingAt time.Time
	// PingedSince is the first ping of the current series, in which pings are less than LongestPing apart.
	PingedSince time.Time
	MissedAt    time.Time // when a poll last found a post that no hub pushed; zero: never
	TrustedAt   time.Time // when its hubs became trusted; zero: not trusted
	SavedPolls  int       // polls at midnights that were skipped since TrustedAt

	PushedSince time.Time // since when a hub pushes it without a gap; zero: none does
	ExpiresAt   time.Time // when the last promise of its hubs ends

	// HubQuietUntil is the time of the next request to a hub whose host has confirmed none of the last ones; zero:
	// it has no such host.
	HubQuietUntil time.Time
}

// TrustedUntil returns until when a feed is polled only once a week, because its hubs are trusted. That is the end of
// their lease, if they pushed news twice and missed no post within Distrust. Zero: not trusted.
func (n News) TrustedUntil(now time.Time) time.Time {
	missed := !n.MissedAt.IsZero() && now.Sub(n.MissedAt) < Distrust
	if n.Pushes < TrustedPushes || missed || !n.ExpiresAt.After(now) {
		return time.Time{}
	}
	return n.ExpiresAt
}

// MissedBy reports whether the hubs of a feed missed the posts that a poll found. They did if they already pushed the
// feed at its last poll, and no push or ping announced news.
func (n News) MissedBy(lastRead time.Time, announced bool) bool {
	return !n.PushedSince.IsZero() && !lastRead.IsZero() && !n.PushedSince.After(lastRead) && !announced
}

// Way is how the news of a feed arrives.
type Way string

const (
	ByPush Way = "push" // its hubs send it, and polls look after them
	ByPing Way = "ping" // it says when there is some, and is polled then
	ByPoll Way = "poll"
)

// Ways gives all ways of news.
func Ways() []Way { return []Way{ByPush, ByPing, ByPoll} }

// LongestPing is the maximum time between pings of a feed with ByPing or ByCloud.
const LongestPing = 30 * 24 * time.Hour

// Way returns how the news of a feed arrives, and since when; zero: since it is known.
func (n News) Way(now time.Time) (Way, time.Time) {
	switch {
	case n.ExpiresAt.After(now) && n.Pushes > 0:
		return ByPush, n.PushedSince
	case !n.LastPingAt.IsZero() && now.Sub(n.LastPingAt) < LongestPing:
		return ByPing, n.PingedSince
	}
	return ByPoll, time.Time{}
}

// An Enclosure is a file that belongs to a post: sound, film or a picture. The database stores its JSON, and `digest
// parse --json` prints it.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type"`   // media type in the feed; "": none
	Length int64  `json:"length"` // in bytes; 0: unknown

	Seconds    int64  `json:"seconds,omitempty"`    // duration; 0: unknown
	Chapters   string `json:"chapters,omitempty"`   // address of a list of chapters; "": none
	Transcript string `json:"transcript,omitempty"` // address of a transcript; "": none

	ChapterList []Chapter `json:"chapter_list,omitempty"` // chapters in the feed itself, in order of Start
}

// A Chapter is a part of a recording.
type Chapter struct {
	Start int64  `json:"start"` // seconds from the beginning
	Title string `json:"title"` // one line of plain text
}

// A Medium says whether a file is sound, film or a picture.
type Medium string

// The media. Other is any other file.
const (
	Sound   Medium = "audio"
	Film    Medium = "video"
	Picture Medium = "image"
	Other   Medium = ""
)

// endings maps file name endings to media, for files without a type or with a generic one.
var endings = map[string]Medium{
	"mp3": Sound, "m4a": Sound, "m4b": Sound, "aac": Sound, "ogg": Sound, "oga": Sound, "opus": Sound, "flac": Sound,
	"wav": Sound,
	"mp4": Film, "m4v": Film, "mov": Film, "webm": Film, "mkv": Film, "avi": Film, "ogv": Film,
	"jpg": Picture, "jpeg": Picture, "png": Picture, "gif": Picture, "webp": Picture, "avif": Picture,
}

// Medium returns the medium by the type of the file, or by the ending of its address if the type is missing or generic.
func (e Enclosure) Medium() Medium {
	typ, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(e.Type)), ";")
	switch top, _, _ := strings.Cut(typ, "/"); {
	case top == "audio", typ == "application/ogg":
		return Sound
	case top == "video":
		return Film
	case top == "image":
		return Picture
	case typ == "", typ == "application/octet-stream", typ == "binary/octet-stream",
		typ == "application/force-download":
		return endings[e.Ending()]
	}
	return Other
}

// maxEnding is the length of an ending including its dot.
const maxEnding = 6

// Ending returns the ending of the file's name in its address, in lower case and without the dot, or "".
func (e Enclosure) Ending() string {
	path, _, _ := strings.Cut(e.URL, "?")
	path, _, _ = strings.Cut(path, "#")
	_, path, _ = strings.Cut(path, "://")
	slash, dot := strings.LastIndexByte(path, '/'), strings.LastIndexByte(path, '.')
	if slash < 0 || dot < slash || len(path)-dot > maxEnding {
		return ""
	}
	return strings.ToLower(path[dot+1:])
}

// A PictureSize describes a picture: its width and height in pixels, or 0 by 0 if it loads but its size is
// unknown.
type PictureSize struct {
	Width, Height int
	Dead          bool // it did not load when it was last requested
}
