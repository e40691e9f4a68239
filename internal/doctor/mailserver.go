package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"digest"
	"digest/mailer"
)

func (x *checker) mailServer(ctx context.Context) Finding {
	where := "mail goes to the Maildir " + x.Mail.Folder
	if x.Mail.Folder == "" {
		where = "mail goes to " + net.JoinHostPort(x.Mail.Host, strconv.Itoa(x.Mail.Port))
		if x.Offline {
			return skip(where + "; " + offline)
		}
		if why := x.noDNS(); why != "" && IsPublicName(x.Mail.Host) {
			return skip(where + "; " + why)
		}
	}
	if err := x.Probe(ctx); err != nil {
		return broken(err)
	}
	switch {
	case MailStays(x.BaseURL, x.Mail):
		return verdict(Warn, where+", so readers at "+x.BaseURL+" get no emails", SetMail)
	case x.Mail.Folder != "":
		return verdict(OK, where+", which is writable", "")
	case x.Mail.Login:
		return verdict(OK, where+", which accepts the login", "")
	}
	return verdict(OK, where+", which needs no login", "")
}

// SetMail is the remedy if MailStays.
const SetMail = "set DIGEST_MAIL to a mail server, such as smtp://user:password@mail.example.org:587"

// MailStays reports whether mail goes to a folder on this machine although the base URL is public.
func MailStays(base string, place mailer.Place) bool {
	return place.Folder != "" && reachOf(digest.HostOf(base)) == everywhere
}

// A sender holds the known addresses that send our mail.
type sender struct {
	addresses []netip.Addr // as far as they are known
	foreign   bool         // the addresses receive our mail at a provider, which may send it from others
	unknown   string       // why there are no addresses
}

func (x *checker) sender(ctx context.Context) (sender, error) {
	if x.Mail.Folder != "" {
		return sender{unknown: x.mailStays()}, nil
	}
	host := x.Mail.Host
	found, err := x.hostAddresses(ctx, host)
	if err != nil {
		return sender{}, err
	}
	mine := publicOnes(x.Machine.Addresses)
	public := publicOnes(found)
	atHome := func(a netip.Addr) bool { return a.IsLoopback() || slices.Contains(x.Machine.Addresses, a) }
	switch {
	case len(found) == 0:
		return sender{unknown: "the DNS has no address for the mail server " + host}, nil
	case slices.ContainsFunc(found, atHome) && len(mine) > 0:
		return sender{addresses: mine}, nil
	case slices.ContainsFunc(found, atHome):
		return sender{unknown: "the mail server is on this machine, and the public address it sends from is unknown"},
			nil
	case len(public) == 0:
		return sender{unknown: fmt.Sprintf(
			"the mail server %s is in a private network, and the public address it sends from is unknown", host)}, nil
	}
	org := organisation(host)
	ours := org == organisation(domainOf(x.From)) || org == organisation(domainOf(x.envelope()))
	if _, err := netip.ParseAddr(host); err == nil {
		ours = true
	}
	return sender{addresses: public, foreign: !ours}, nil
}

func (x *checker) hostAddresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if reachOf(host) == hereOnly {
		return []netip.Addr{netip.IPv6Loopback()}, nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	return x.names.addresses(ctx, host)
}

// ptr checks whether the sending addresses have names that resolve to them. Receivers reject mail from an address
// without one.
func (x *checker) ptr(ctx context.Context) Finding {
	s, err := x.sender(ctx)
	switch {
	case err != nil:
		return unasked(x.Mail.Host, err)
	case s.unknown != "":
		return skip(s.unknown)
	case s.foreign:
		return skip(fmt.Sprintf("%s belongs to your mail provider, who publishes its names", x.Mail.Host))
	}
	var f Finding
	for _, a := range s.addresses {
		x.nameOf(ctx, a, &f)
	}
	return f
}

func (x *checker) nameOf(ctx context.Context, a netip.Addr, f *Finding) {
	todo := fmt.Sprintf("set the PTR record of %s to the host name of the mail server (at your hosting provider), and publish %s as the address of that name", a, a)
	found, err := x.names.LookupAddr(ctx, a.String())
	if err != nil && !isNone(err) {
		f.noAnswer("the name of "+a.String(), err)
		return
	}
	for _, name := range found {
		back, err := x.names.addresses(ctx, name)
		if err == nil && slices.Contains(back, a) {
			f.note(OK, fmt.Sprintf("%s is %s, and its name resolves to it", a, unrooted(name)), "")
			return
		}
	}
	if len(found) == 0 {
		f.note(Wrong, fmt.Sprintf("%s has no name in the DNS (no PTR record)", a), todo)
		return
	}
	f.note(Wrong, fmt.Sprintf("%s is named %s, which does not resolve to it", a, unrooted(found[0])), todo)
}
