package feed

import "strings"

// CleanURL gives an address without what only counts who follows it: the click
// counter around it, where the target stands in the address, and parameters
// that are known to be for counting. All else stays byte for byte, and an
// address that carries a signature keeps every parameter. Nothing is asked, and
// links by which an author is paid stay as they are.
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

// uncounted drops the parameters that count. Host and path stay as they are.
func uncounted(address string) string {
	rest, fragment, hasFragment := strings.Cut(address, "#")
	page, query, hasQuery := strings.Cut(rest, "?")
	if hasFragment && onlyCounts(fragment) {
		hasFragment = false
	}
	if hasQuery {
		if kept := keptOf(query); kept != query {
			query, hasQuery = kept, kept != ""
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

// keptOf gives the parameters of a query that do not count; all of it if one of
// those is a signature, which may be over the others too.
func keptOf(query string) string {
	var kept []string
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(strings.TrimPrefix(name, "amp;")) // escaped twice
		if counts(name, value) {
			continue
		}
		if signs(name, value) {
			return query
		}
		kept = append(kept, p)
	}
	return strings.Join(kept, "&")
}

// onlyCounts reports whether a fragment leads to no place in the page.
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

// counts reports whether a parameter is known to be for counting, and for
// nothing else.
func counts(name, value string) bool {
	for _, family := range counterFamilies {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return counters[name] || name == "source" && strings.HasPrefix(value, "rss-") // Medium
}

// signs reports whether a parameter looks like a signature of its address.
func signs(name, value string) bool {
	switch name {
	case "sig", "sign", "hmac", "mac", "digest", "checksum", "hash", "md5", "sha1", "sha256", "token", "auth", "policy",
		"hdnea", "hdnts", "hdntl", "__gda__", "verify", "oh", "ixsig":
		return true
	case "s", "h", "t", "k", "st", "key", "sg": // short names mean other things, with short values
		return len(value) >= 20
	}
	for _, part := range []string{"signature", "-sig", "_sig", "hmac", "token"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// counterFamilies are beginnings of names: each has a maker who uses it for
// campaigns and clicks alone.
var counterFamilies = []string{
	"utm_", "utm-", "mtm_", "matomo_", "piwik_", "hsa_", "__hs", "_hs", "oly_", "vero_", "bsft_", "elqtrack", "at_custom", "at_link_",
}

// counters are the names of parameters that count, in lower case.
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
