package render

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A film is shown by its picture, which leads to where it is watched: nothing of it is
// loaded before somebody wants it.

// The pages on which films are watched, by host without "www.".
var (
	youTubeFilm = regexp.MustCompile(`^/(?:watch$|shorts/|live/)`)
	vimeoFilm   = regexp.MustCompile(`^/(?:channels/[\w-]+/)?[0-9]+(?:/|$)`)
	peerTube    = regexp.MustCompile(`^/(?:w/|videos/watch/)[\w-]{22,36}$`)
)

// watchedAt says what is done at an address, if a film is watched there: "Watch on
// YouTube"; nil if not.
func watchedAt(address string) catalogue.Sayable {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	switch host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."); {
	case (host == "youtube.com" || host == "m.youtube.com") && youTubeFilm.MatchString(u.Path), host == "youtu.be" &&
		len(u.Path) > 1:
		return catalogue.Key("Watch on %s").With("YouTube")
	case host == "vimeo.com" && vimeoFilm.MatchString(u.Path):
		return catalogue.Key("Watch on %s").With("Vimeo")
	case host == "dailymotion.com" && strings.HasPrefix(u.Path, "/video/"):
		return catalogue.Key("Watch on %s").With("Dailymotion")
	case peerTube.MatchString(u.Path), (digest.Enclosure{URL: address}).Medium() == digest.Film:
		return catalogue.Key("Watch")
	}
	return nil
}

// filmOf is where the film is watched that a post of its author's own is about: on the
// post's page if that is one of films, else in its first file that is one; "" if it is
// about none.
func (p *Post) filmOf(from digest.Post) string {
	if watchedAt(p.URL) != nil && p.leadsAway(from) == "" {
		return p.URL
	}
	if i := slices.IndexFunc(from.Enclosures,
		func(e digest.Enclosure) bool { return e.Medium() == digest.Film }); i >= 0 {
		return address(from.Enclosures[i].URL)
	}
	return ""
}

// watched is the link to the film that a post is about, where no file of it is one.
func (p *Post) watched(files []File) []File {
	if words := watchedAt(p.Film); p.Film == p.URL && words != nil &&
		!slices.ContainsFunc(files, func(f File) bool { return f.film }) {
		return []File{{Label: p.r.Say(words), URL: p.Film}}
	}
	return nil
}

// filmed sets a picture that leads to a film: in a link to one, or at the head of the
// post that is about one.
func (p *parser) filmed(pic *picture) []token {
	t := token{kind: pictured, pic: pic}
	if pic.shown == "" || pic.small {
		return []token{t}
	}
	if p.inLink() {
		pic.film = watchedAt(p.linked()) != nil
		return []token{t}
	}
	if p.film == "" || p.nesting > 0 || len(*p.into) > 0 {
		return []token{t}
	}
	if pic.film = true; pic.words == "" {
		pic.words = p.say(filmWord())
	}
	return []token{{kind: opening, name: "a", href: p.film}, t, {kind: closing}}
}

// filmWord is the description of a picture that links to a film and has no description of its own.
func filmWord() catalogue.Sayable { return catalogue.Key("Video") }

// say says the program's own words within a text.
func (p *parser) say(v catalogue.Sayable) string { return saidIn(p.speaks, v) }

// saidIn says the program's own words in a language; nil: English.
func saidIn(l *catalogue.Language, v catalogue.Sayable) string {
	return v.In(cmp.Or(l, catalogue.English()))
}

// linkWord is what the picture of an open link says, of which nobody says what it shows.
func (p *parser) linkWord() string {
	if watchedAt(p.linked()) != nil {
		return p.say(filmWord())
	}
	return p.say(catalogue.Key("Picture"))
}
