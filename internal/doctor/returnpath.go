package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"digest"
)

func (x *checker) returnPath(ctx context.Context) Finding {
	if x.ReturnPath == "" {
		if x.mailStays() != "" {
			return skip(x.mailStays())
		}
		return verdict(Skipped, "DIGEST_RETURN_PATH is not set, so bounces go to "+domainOf(x.From)+
			" and digest does not see them",
			"to stop emails to addresses that do not exist, set it to an address such as bounces@"+domainOf(x.From))
	}
	domain := domainOf(x.ReturnPath)
	var f Finding
	switch why := x.noDNS(); why {
	case "":
		x.bounceServer(ctx, domain, &f)
	case offline:
		f.note(Skipped, "the mail server for "+domain+" was "+offline, "")
	default:
		f.note(Skipped, "the mail server for "+domain+" was not checked: "+why, "")
	}
	x.bounceIntake(&f)
	return f
}

func (x *checker) bounceServer(ctx context.Context, domain string, f *Finding) {
	todo := fmt.Sprintf("publish an MX record for %s that names the server that receives its bounces (this machine, if DIGEST_BOUNCE_LISTEN uses port 25)", domain)
	hosts, err := x.exchangers(ctx, domain)
	switch {
	case err != nil:
		f.noAnswer("the MX record of "+domain, err)
		return
	case len(hosts) == 0:
		f.note(Wrong, domain+" has no MX record and no address, so bounces cannot be delivered", todo)
		return
	case isNullMX(hosts):
		f.note(Wrong, domain+" does not accept email (null MX), so bounces cannot be delivered", todo)
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
		f.note(Wrong, fmt.Sprintf("mail for %s goes to %s, which has no address in the DNS", domain,
			strings.Join(lost, ", ")), "publish an A record for it, or correct the MX record of "+domain)
	default:
		f.note(Warn, fmt.Sprintf("mail for %s goes to %s, but %s has no address in the DNS", domain,
			strings.Join(hosts, ", "), strings.Join(lost, ", ")), "remove it from the MX records of "+domain)
	}
}

func (x *checker) bounceIntake(f *Finding) {
	if x.BounceListen != "" {
		f.note(OK, "digest serve receives bounces at "+x.BounceListen, "")
	}
	if x.BounceMaildir != "" {
		if _, err := os.ReadDir(filepath.Join(x.BounceMaildir, "new")); err != nil {
			f.note(Wrong, fmt.Sprintf("the Maildir %s cannot be read (%s)", x.BounceMaildir, digest.Bare(err)),
				"let the mail server deliver to it, make it readable and writable for this user, or correct DIGEST_BOUNCE_MAILDIR")
		} else {
			f.note(OK, "bounces are read from the Maildir "+x.BounceMaildir, "")
		}
	}
	if x.BounceListen == "" && x.BounceMaildir == "" {
		at := strings.LastIndexByte(x.ReturnPath, '@')
		f.note(Warn, "digest does not receive bounces itself",
			fmt.Sprintf("let the mail server pipe mail for %s+…%s to \"digest bounce\", or set DIGEST_BOUNCE_LISTEN or DIGEST_BOUNCE_MAILDIR", x.ReturnPath[:max(at, 0)], x.ReturnPath[max(at, 0):]))
	}
}
