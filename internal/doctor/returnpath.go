package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// returnPath finds out whether bounces can come back, and to whom.
func (x *checker) returnPath(ctx context.Context) Finding {
	if x.ReturnPath == "" {
		if x.mailStays() != "" {
			return skip(x.mailStays())
		}
		return verdict(Skipped, "DIGEST_RETURN_PATH is not set: bounces go to "+domainOf(x.From)+" as mail, and nothing is learned from them",
			"to have addresses that do not exist left out, set it to an address such as bounces@"+domainOf(x.From))
	}
	domain := domainOf(x.ReturnPath)
	var f Finding
	if why := x.noDNS(); why != "" {
		f.note(Skipped, "who takes mail for "+domain+" was not looked up: "+why, "")
	} else {
		x.bounceServer(ctx, domain, &f)
	}
	x.bounceIntake(&f)
	return f
}

// bounceServer finds out whether there is a server for bounces to come to.
func (x *checker) bounceServer(ctx context.Context, domain string, f *Finding) {
	todo := fmt.Sprintf("publish an MX record for %s that names the server that takes its bounces (this machine, if DIGEST_BOUNCE_LISTEN is at port 25)", domain)
	hosts, err := x.exchangers(ctx, domain)
	switch {
	case err != nil:
		f.noAnswer("the MX record of "+domain, err)
		return
	case len(hosts) == 0:
		f.note(Wrong, domain+" has neither an MX record nor an address: no bounce can come back", todo)
		return
	case isNullMX(hosts):
		f.note(Wrong, domain+" says that it takes no mail (a null MX): no bounce can come back", todo)
		return
	}
	var lost []string
	for _, h := range hosts {
		if found, err := x.names.addresses(ctx, h); err == nil && len(found) == 0 {
			lost = append(lost, h)
		}
	}
	switch len(lost) {
	case 0:
		f.note(OK, fmt.Sprintf("mail for %s goes to %s", domain, strings.Join(hosts, ", ")), "")
	case len(hosts):
		f.note(Wrong, fmt.Sprintf("mail for %s goes to %s, which has no address in the DNS", domain, strings.Join(lost, ", ")), "publish an address for it, or correct the MX record of "+domain)
	default:
		f.note(Warn, fmt.Sprintf("mail for %s goes to %s, of which %s has no address in the DNS", domain, strings.Join(hosts, ", "), strings.Join(lost, ", ")), "take it out of the MX records of "+domain)
	}
}

// bounceIntake finds out by which way bounces come in here.
func (x *checker) bounceIntake(f *Finding) {
	if x.BounceListen != "" {
		f.note(OK, "digest serve takes them in at "+x.BounceListen, "")
	}
	if x.BounceMaildir != "" {
		if _, err := os.ReadDir(filepath.Join(x.BounceMaildir, "new")); err != nil {
			f.note(Wrong, fmt.Sprintf("the Maildir %s cannot be read (%s)", x.BounceMaildir, fileReason(err)), "let the mail server deliver to it, and this user read and write it, or correct DIGEST_BOUNCE_MAILDIR")
		} else {
			f.note(OK, "they are taken in from the Maildir "+x.BounceMaildir, "")
		}
	}
	if x.BounceListen == "" && x.BounceMaildir == "" {
		at := strings.LastIndexByte(x.ReturnPath, '@')
		f.note(Warn, "whether they come in here cannot be known",
			fmt.Sprintf("let the mail server pipe mail for %s+…%s to \"digest bounce\", or set DIGEST_BOUNCE_LISTEN or DIGEST_BOUNCE_MAILDIR", x.ReturnPath[:max(at, 0)], x.ReturnPath[max(at, 0):]))
	}
}
