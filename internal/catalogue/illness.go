package catalogue

import "digest"

// Illness says why nothing could be read of a feed, as the end of a sentence; nil where there is
// nothing to say.
func Illness(i digest.Illness) Sayable {
	switch i {
	case digest.PageInItsPlace:
		return Key("a web page stands where its feed was")
	case digest.Unreadable:
		return Key("what its address answers is no feed that can be read")
	case digest.NeedsPassword:
		return Key("its feed asks for a name and a password")
	case digest.Refused:
		return Key("its site does not want the feed to be read by this program")
	case digest.NotThere:
		return Key("there is no feed at its address any more")
	case digest.Limited:
		return Key("its site asks to be left alone for a while")
	case digest.ServerFails:
		return Key("the site’s server reports an error")
	case digest.BadCertificate:
		return Key("the site’s certificate is not valid")
	case digest.NoHost:
		return Key("there is no site of its name any more")
	case digest.NoAnswer:
		return Key("its site does not answer")
	}
	return nil
}
