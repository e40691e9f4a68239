package feed

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// seen is the smallest size of a visible picture, in CSS pixels: 1pt is 1.33 of them.
const seen = 2

// isPixel reports whether a picture is too small to see: one side is 0, or all known sides are less than seen.
func isPixel(n *html.Node) bool {
	s := styleOf(n)
	width, hasWidth := sideOf(n, s, "width")
	height, hasHeight := sideOf(n, s, "height")
	switch {
	case hasWidth && width == 0, hasHeight && height == 0:
		return true
	case hasWidth && hasHeight:
		return width < seen && height < seen
	}
	return hasWidth && width < seen || hasHeight && height < seen
}

// sideOf returns the length of a side: the shortest in the attribute and the style. Values that are no lengths, such
// as 100%, count as infinite.
func sideOf(n *html.Node, s style, side string) (px float64, said bool) {
	px = math.Inf(1)
	for _, length := range []string{attrOf(n, side), s[side], s["max-"+side]} {
		if length == "" || length == "auto" || length == "none" {
			continue
		}
		said = true
		if l, ok := pixels(length); ok {
			px = min(px, l)
		}
	}
	return px, said
}

// units maps CSS units to pixels; font-relative ones at the usual font size.
var units = map[string]float64{
	"": 1, "px": 1, "pt": 4. / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "em": 16,
	"rem": 16, "ex": 8, "ch": 8,
}

// pixels reads a length. For a unit without a fixed size, such as a percentage, only 0 is known.
func pixels(s string) (px float64, known bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	end := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return 0, false
	}
	unit, absolute := units[strings.TrimSpace(s[end:])]
	if !absolute && n != 0 {
		return 0, false
	}
	return n * unit, true
}

var cssComment = regexp.MustCompile(`(?s)/\*.*?(\*/|$)`)

// A style contains the declarations of a style attribute, names and values in lower case.
type style map[string]string

// styleOf reads the style attribute of an element. If a property is repeated, the last declaration counts.
func styleOf(n *html.Node) style {
	text := attrOf(n, "style")
	if text == "" {
		return nil
	}
	s := style{}
	for declaration := range strings.SplitSeq(strings.ToLower(cssComment.ReplaceAllString(text, "")), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(value, "!")
		s[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return s
}

// isHidden reports whether browsers do not display an element at all.
func isHidden(n *html.Node) bool {
	s := styleOf(n)
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" && a.Namespace == "" }) ||
		s["display"] == "none" || s["visibility"] == "hidden" || s["visibility"] == "collapse" || s["mso-hide"] == "all"
}

// farOut is a position outside the page, in pixels, at which a picture is deliberately invisible.
const farOut = -500

// isUnseen reports whether a picture is invisible by opacity, position or clipping. It ignores pictures that fade in:
// they are transparent only until a script runs.
func isUnseen(n *html.Node) bool {
	s := styleOf(n)
	if opacity, ok := pixels(s["opacity"]); ok && opacity <= 0.02 && s["transition"] == "" && !isLate(n) {
		return true
	}
	for _, side := range []string{"left", "top", "right", "bottom", "inset", "margin", "margin-left", "margin-top"} {
		for at := range strings.FieldsSeq(s[side]) {
			if isFarOut(at) {
				return true
			}
		}
	}
	clip := strings.ReplaceAll(strings.NewReplacer("px", "", ",", " ").Replace(s["clip"]), " ", "")
	return clip == "rect(0000)" || clip == "rect(1111)"
}

// isFarOut recognises "-9999px", "-100vw" and "-100%".
func isFarOut(s string) bool {
	if px, ok := pixels(s); ok {
		return px <= farOut
	}
	for _, unit := range []string{"%", "vw", "vh"} {
		if number, is := strings.CutSuffix(s, unit); is {
			n, err := strconv.ParseFloat(number, 64)
			return err == nil && n <= -100
		}
	}
	return false
}

func isLate(n *html.Node) bool {
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "data-") &&
			(strings.Contains(a.Key, "src") || strings.Contains(a.Key, "original")) {
			return true
		}
	}
	return false
}

// trackers are hosts, or hosts with prefixes of paths, that count readers.
var trackers = strings.Fields(`
	feeds.feedburner.com/~r/ feeds.feedburner.com/~ff/ feeds.feedburner.com/~a feedproxy.google.com/~
	feeds.wordpress.com/1.0/ pixel.wp.com/ stats.wordpress.com/ www.google-analytics.com/
	ssl.google-analytics.com/ ad.doubleclick.net/ pagead2.googlesyndication.com/ googleads.g.doubleclick.net/
	feedads.g.doubleclick.net/ pixel.quantserve.com/ b.scorecardresearch.com/ sb.scorecardresearch.com/
	c.statcounter.com/ www.statcounter.com/counter blogger.googleusercontent.com/tracker/
	www.blogger.com/tracker medium.com/_/stat pi.feedsportal.com/ res.feedsportal.com/ da.feedsportal.com/
	rss.feedsportal.com/ media.npr.org/include/images/tracking/ www.facebook.com/tr? analytics.twitter.com/
	t.co/i/adsct piwik. matomo. hits. tracking.feedpress feedpress.me/ rss-pixel. counter.yadro.ru/
	mc.yandex.ru/watch/ top-fwz1.mail.ru/ vg07.met.vgwort.de/ ssl-vg03.met.vgwort.de/ pixel. ads. track.
	tracker. api.follow.it/track cdn.sailthru.com/track open.convertkit list-manage.com/track/open
	www.facebook.com/tr/ bat.bing.com/ px.ads.linkedin.com/ counter.theconversation. eotrx.substackcdn.com/
	googleads. www.googleadservices.com/ feeds.feedblitz.com/~/i/ t.sidekickopen mailtrack.io/
	www.googletagmanager.com/ns.html`)

// trackingPaths are parts of paths that tell senders of newsletters that someone opened one.
var trackingPaths = []string{"tracking-pixel", "rss-pixel", "track/open", "wf/open?", "e2t/o/", "/count.gif",
	"piwik.php", "matomo.php"}

// isTracker reports whether an address serves only to count readers.
func isTracker(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	rest = strings.ToLower(rest)
	host, path, _ := strings.Cut(rest, "/")
	return slices.ContainsFunc(trackers, func(t string) bool { return strings.HasPrefix(rest, t) }) ||
		holdsAny(path, trackingPaths...) ||
		strings.HasSuffix(host, ".met.vgwort.de") || strings.HasSuffix(path, "/pixel.gif") ||
		strings.HasPrefix(path, "pixel.gif")
}

// isSmall reports whether an element's attributes mark it as an icon.
func isSmall(n *html.Node) bool {
	for _, name := range []string{"width", "height"} {
		if s := strings.TrimSuffix(attrOf(n, name), "px"); s != "" && len(s) <= 3 && number(s) > 0 && number(s) < 50 {
			return true
		}
	}
	return holdsAny(attrOf(n, "class"), "emoji", "smiley", "avatar")
}
