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

// A film is shown as a picture that links to it. Nothing is loaded from its site until a reader follows the link.

// Paths of pages that play films.
var (
	youTubeFilm = regexp.MustCompile(`^/(?:watch$|shorts/|live/)`)
	vimeoFilm   = regexp.MustCompile(`^/(?:channels/[\w-]+/)?[0-9]+(?:/|$)`)
	peerTube    = regexp.MustCompile(`^/(?:w/|videos/watch/)[\w-]{22,36}$`)
)

// watchedAt returns the label of a link to a film, such as "Watch on YouTube", or nil if the address is not a film.
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

// filmOf returns the address of the film that a post is about: the post's page if it plays a film, or else its first
// film file. It returns "" if the post is about no film.
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

// watched returns the link to the post's film if none of its files is a film.
func (p *Post) watched(files []File) []File {
	if words := watchedAt(p.Film); p.Film == p.URL && words != nil &&
		!slices.ContainsFunc(files, func(f File) bool { return f.film }) {
		return []File{{Label: p.r.Say(words), URL: p.Film}}
	}
	return nil
}

// filmed returns the tokens of a picture, and marks it as a film if it links to one. The first picture of a post about
// a film becomes a link to that film.
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

// filmWord returns the description of a picture that links to a film and has no description of its own.
func filmWord() catalogue.Sayable { return catalogue.Key("Video") }

func (p *parser) say(v catalogue.Sayable) string { return saidIn(p.speaks, v) }

// saidIn returns built-in messages in a language; nil means English.
func saidIn(l *catalogue.Language, v catalogue.Sayable) string {
	return v.In(cmp.Or(l, catalogue.English()))
}

// linkWord returns the description of a linked picture that has none.
func (p *parser) linkWord() string {
	if watchedAt(p.linked()) != nil {
		return p.say(filmWord())
	}
	return p.say(catalogue.Key("Picture"))
}
