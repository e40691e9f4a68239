package catalogue

import "digest"

// Illness returns why a feed fails, as the end of a sentence; nil if the reason is unknown.
func Illness(i digest.Illness) Sayable {
	switch i {
	case digest.PageInItsPlace:
		return Key("its address is a web page, not a feed")
	case digest.Unreadable:
		return Key("its address has no valid feed")
	case digest.NeedsPassword:
		return Key("the feed needs a username and password")
	case digest.Refused:
		return Key("the site blocks us")
	case digest.NotThere:
		return Key("nothing was found at its address")
	case digest.Limited:
		return Key("the site asks us to wait")
	case digest.ServerFails:
		return Key("the site’s server has an error")
	case digest.BadCertificate:
		return Key("the site’s certificate isn’t valid")
	case digest.NoHost:
		return Key("the site’s domain doesn’t exist")
	case digest.NoAnswer:
		return Key("the site doesn’t respond")
	}
	return nil
}
