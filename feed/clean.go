package feed

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"digest/internal/weburl"
)

// CleanURL removes click tracking from an address: redirects through a click counter if the address contains the
// target, and known tracking parameters. Everything else stays byte for byte. An address with a signature keeps all
// its parameters. CleanURL sends no requests, and it keeps affiliate links.
func CleanURL(address string) string {
	for isWeb(address) { // each step makes it shorter
		if target, ok := behind(address); ok && len(target) < len(address) {
			address = target
			continue
		}
		bare := uncounted(address)
		if bare == address || !isWeb(bare) {
			break
		}
		address = bare
	}
	return address
}

// uncounted removes tracking parameters. Host and path stay the same.
func uncounted(address string) string {
	rest, fragment, hasFragment := strings.Cut(address, "#")
	page, query, hasQuery := strings.Cut(rest, "?")
	if hasFragment && onlyCounts(fragment) {
		hasFragment = false
	}
	if hasQuery {
		if bare := withoutCounters(query); bare != query {
			query, hasQuery = bare, bare != ""
		}
	}
	if hasQuery {
		page += "?" + query
	}
	if hasFragment {
		page += "#" + fragment
	}
	return page
}

// withoutCounters returns a query without tracking parameters. If it has a signature, which may cover the other
// parameters, it returns the whole query.
func withoutCounters(query string) string {
	var others []string
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(strings.TrimPrefix(name, "amp;")) // escaped twice
		if counts(name, value) {
			continue
		}
		if signs(name, value) {
			return query
		}
		others = append(others, p)
	}
	return strings.Join(others, "&")
}

// onlyCounts reports whether a fragment contains only tracking parameters.
func onlyCounts(fragment string) bool {
	for p := range strings.SplitSeq(fragment, "&") {
		name, value, is := strings.Cut(p, "=")
		name = strings.ToLower(strings.TrimPrefix(name, "?"))
		if !is || !counts(name, value) && !(name == "ref" && value == "rss") {
			return false
		}
	}
	return true
}

// counts reports whether a parameter is known to serve only tracking.
func counts(name, value string) bool {
	return counters[name] || name == "source" && strings.HasPrefix(value, "rss-") || // Medium
		slices.ContainsFunc(counterFamilies, func(family string) bool { return strings.HasPrefix(name, family) })
}

// signs reports whether a parameter looks like a signature of its address.
func signs(name, value string) bool {
	if shortSigns[name] {
		return len(value) >= 20
	}
	return signatures[name] || holdsAny(name, "signature", "-sig", "_sig", "hmac", "token")
}

// signatures are names of parameters that sign an address. The short ones have other meanings with short values.
var (
	signatures = setOf(`sig sign hmac mac digest checksum hash md5 sha1 sha256 token auth policy hdnea hdnts
		hdntl __gda__
		verify oh ixsig`)
	shortSigns = setOf("s h t k st key sg")
)

// counterFamilies are prefixes of names that one vendor uses only for campaigns and clicks.
var counterFamilies = strings.Fields(`
	utm_ utm- mtm_ matomo_ piwik_ hsa_ __hs _hs oly_ vero_ bsft_ elqtrack at_custom at_link_`)

var counters = setOf(`
	fbclid gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid msclkid twclid ttclid yclid ysclid li_fat_id sccid epik rdt_cid
	irclickid srsltid igshid igsh _openstat s_kwcid ef_id wickedid rb_clickid mkt_tok mc_cid mc_eid ml_subscriber ml_subscriber_hash
	ck_subscriber_id hsctatracking nr_email_referer __s __twitter_impression _ga _gl guccounter guce_referrer guce_referrer_sig
	fb_action_ids fb_action_types fb_ref fb_source action_object_map action_type_map action_ref_map
	pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid pk_vid
	at_medium at_campaign at_campaign_type at_format at_ptr_name at_bbc_team at_creation at_variant at_general
	ns_mchannel ns_source ns_campaign ns_linkname ns_fee xtor wt_mc wt_zmc wt_cc1 wprov elqaid elqat elqcampaignid
	trkcampaign sc_campaign sc_channel sc_content sc_medium sc_outcome sc_geo sc_country sr_share`)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// A wrapper is a page that counts a click and redirects to the address in one of its parameters.
type wrapper struct {
	host   string   // the host; with a final dot its prefix, with a leading dot its suffix
	path   string   // the prefix of the path
	params []string // the parameters that contain the target, best first; "?": the whole query
}

// wrappers lists known redirects. CleanURL never sends a request to find a target.
var wrappers = wrappersOf(`
	www.google.                       /url                url q
	google.                           /url                url q
	news.google.                      /news/url           url
	www.bing.com                      /news/apiclick.aspx url
	duckduckgo.com                    /l/                 uddg
	l.facebook.com                    /l.php              u
	lm.facebook.com                   /l.php              u
	www.facebook.com                  /l.php              u
	l.messenger.com                   /l.php              u
	l.instagram.com                   /                   u
	l.threads.com                     /                   u
	l.wl.co                           /l                  u
	out.reddit.com                    /                   url
	www.youtube.com                   /redirect           q
	t.umblr.com                       /redirect           z
	www.linkedin.com                  /redir/redirect     url
	www.linkedin.com                  /safety/go          url
	medium.com                        /r/                 url
	medium.com                        /m/global-identity  redirectUrl
	getpocket.com                     /redirect           url
	vk.com                            /away.php           to
	steamcommunity.com                /linkfilter/        url u
	slack-redir.net                   /link               url
	exit.sc                           /                   url
	gate.sc                           /                   url
	.safelinks.protection.outlook.com /                   url
	href.li                           /                   ?
	anonym.to                         /                   ?
	anon.to                           /                   ?`)

func wrappersOf(lines string) (all []wrapper) {
	for _, words := range listsOf(lines) {
		all = append(all, wrapper{words[0], words[1], words[2:]})
	}
	return all
}

// behind returns the target of a click counter's address if the address contains it.
func behind(address string) (target string, ok bool) {
	u, err := url.Parse(weburl.Escaped(address))
	if err != nil || u.User != nil || u.Port() != "" {
		return "", false
	}
	host := strings.ToLower(u.Hostname())
	for _, w := range wrappers {
		if w.of(host, u.Path) {
			return w.target(u)
		}
	}
	path := strings.TrimPrefix(u.EscapedPath(), "/")
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case host == "go.theregister.com" && first == "feed":
		return readable("https://" + rest)
	case host == "click.pstmrk.it" && len(first) == 2:
		page, _, _ := strings.Cut(rest, "/")
		return unescaped("https://" + page)
	case strings.HasSuffix(host, ".awstrack.me") && strings.HasPrefix(first, "L"):
		page, _, _ := strings.Cut(rest, "/")
		return unescaped(page)
	case (host == "substack.com" || strings.HasSuffix(host, ".substack.com")) && first == "redirect":
		return substackTarget(path)
	case isClickHost(host):
		return encodedTarget(path)
	}
	return "", false
}

func (w wrapper) of(host, path string) bool {
	switch {
	case strings.HasPrefix(w.host, "."):
		return strings.HasSuffix(host, w.host) && strings.HasPrefix(path, w.path)
	case strings.HasSuffix(w.host, "."): // of a country; google.evil.example belongs to someone else
		return strings.HasPrefix(host, w.host) &&
			Domain(host) == strings.TrimPrefix(strings.TrimPrefix(host, "www."), "news.") &&
			(path == w.path || strings.HasPrefix(path, w.path+"/"))
	}
	return host == w.host && strings.HasPrefix(path, w.path)
}

func (w wrapper) target(u *url.URL) (string, bool) {
	if w.params[0] == "?" {
		if strings.Contains(u.RawQuery, "://") {
			return readable(u.RawQuery)
		}
		return unescaped(u.RawQuery)
	}
	for _, name := range w.params {
		for p := range strings.SplitSeq(u.RawQuery, "&") {
			key, value, _ := strings.Cut(strings.TrimPrefix(p, "amp;"), "=")
			if !strings.EqualFold(key, name) {
				continue
			}
			if target, ok := unescaped(value); ok {
				return target, true
			}
		}
	}
	return "", false
}

// unescaped decodes a percent-encoded target. A plus stays a plus: senders who write a space as a plus also encode a
// plus.
func unescaped(s string) (string, bool) {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return "", false
	}
	return readable(plain)
}

// readable returns target if it is an ordinary web address.
func readable(target string) (string, bool) {
	target = strings.ReplaceAll(target, " ", "%20")
	if !utf8.ValidString(target) || cleanAddress(target) != target || !isWeb(target) ||
		strings.ContainsAny(target, "<>\"\\^`{|}") {
		return "", false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil || !strings.Contains(u.Hostname(), ".") {
		return "", false
	}
	return target, true
}

// substackTarget reads /redirect/2/TOKEN, whose token begins with JSON.
func substackTarget(path string) (string, bool) {
	token := path[strings.LastIndexByte(path, '/')+1:]
	token, _, _ = strings.Cut(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(token, "="))
	if err != nil {
		return "", false
	}
	var says struct {
		E string `json:"e"`
	}
	if json.Unmarshal(b, &says) != nil {
		return "", false
	}
	return readable(says.E)
}

// isClickHost reports whether a host name is one that newsletter senders use to count clicks.
func isClickHost(host string) bool {
	label, rest, _ := strings.Cut(host, ".")
	switch label {
	case "click", "clicks", "link", "links", "email", "trk", "track":
		return strings.Contains(rest, ".")
	}
	return false
}

// encodedTarget returns the address that a segment of the path contains in base64.
func encodedTarget(path string) (string, bool) {
	for part := range strings.SplitSeq(path, "/") {
		if !strings.HasPrefix(part, "aHR0cHM6Ly") && !strings.HasPrefix(part, "aHR0cDovL") { // https:/, http:/
			continue
		}
		part = strings.TrimRight(part, "=")
		b, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			b, err = base64.RawStdEncoding.DecodeString(part)
		}
		if err == nil {
			return readable(string(b))
		}
	}
	return "", false
}
