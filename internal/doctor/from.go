package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"digest"
	"digest/mailer"
)

// envelope returns the address for bounces. SPF checks its domain.
func (x *checker) envelope() string {
	if x.ReturnPath != "" {
		return x.ReturnPath
	}
	return x.From
}

// mailStays returns why emails do not leave this machine; "" if they do.
func (x *checker) mailStays() string {
	if x.Mail.Folder != "" {
		return "not needed: emails go to a folder on this machine"
	}
	return ""
}

// noRecords returns why the records of a domain are not checked, or "". who begins a sentence about the domain.
func (x *checker) noRecords(who, domain string) string {
	switch _, freemail := provider(domain); {
	case x.mailStays() != "":
		return x.mailStays()
	case !IsPublicName(domain):
		return fmt.Sprintf("%s %s, which is not a public domain", who, domain)
	case freemail:
		return fmt.Sprintf("the provider of %s publishes its records", domain)
	}
	return ""
}

func (x *checker) from(ctx context.Context) Finding {
	domain := domainOf(x.From)
	bad := Wrong
	if x.mailStays() != "" {
		bad = Warn
	}
	who := "From is at " + domain
	const own = "set DIGEST_FROM to an address at your own domain, such as Daily Digest <digest@example.org>"
	servers, freemail := provider(domain)
	switch {
	case !IsPublicName(domain):
		return verdict(bad, who+", which is not a public domain", own)
	case isSuffix(domain):
		return verdict(bad, who+", under which anyone can register a domain", own)
	case freemail && slices.Contains(servers, organisation(x.Mail.Host)):
		return verdict(Warn, fmt.Sprintf("%s, and its provider's %s limits how many emails you can send", who,
			x.Mail.Host), own)
	case freemail:
		return verdict(bad, who+
			", and only its provider may send email for that domain: receivers reject the rest (DMARC)", own+
			", or send through a server of "+servers[0])
	}
	f := verdict(OK, who, "")
	if why := x.noDNS(); why == "" {
		x.exists(ctx, domain, bad, &f)
	}
	return f
}

// exists checks whether a domain exists and receives mail. Many receivers reject mail from a domain that does not.
func (x *checker) exists(ctx context.Context, domain string, bad Status, f *Finding) {
	hosts, err := x.exchangers(ctx, domain)
	switch {
	case err != nil:
		f.noAnswer(domain, err)
	case len(hosts) == 0:
		f.note(bad, "it has no MX record and no address in the DNS, and many receivers reject email from such a domain",
			fmt.Sprintf("publish an MX record for %s, or correct DIGEST_FROM", domain))
	case isNullMX(hosts):
		f.note(bad, "it does not accept email (null MX), and many receivers reject email from such a domain",
			fmt.Sprintf("publish an MX record for %s that names its mail server", domain))
	}
}

// exchangers returns the hosts that receive a domain's mail: from its MX records, or the domain itself if it has an
// address (RFC 5321 §5.1).
func (x *checker) exchangers(ctx context.Context, domain string) ([]string, error) {
	records, err := x.names.LookupMX(ctx, domain)
	if err != nil && !isNone(err) && len(records) == 0 {
		return nil, err
	}
	var hosts []string
	for _, mx := range records {
		hosts = append(hosts, unrooted(mx.Host))
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	if found, err := x.names.addresses(ctx, domain); err != nil || len(found) == 0 {
		return nil, err
	}
	return []string{domain}, nil
}

// isNullMX reports whether the domain accepts no mail (RFC 7505).
func isNullMX(hosts []string) bool { return len(hosts) == 1 && hosts[0] == "" }

func (x *checker) signingKey() (digest.DKIMKey, bool) {
	return mailer.ActiveKey(x.Database.Keys, domainOf(x.From))
}

// provider reports whether a domain is a public mail provider's, and returns the organisations whose servers may send
// for it.
func provider(domain string) (servers []string, ok bool) {
	label, _, _ := strings.Cut(domain, ".")
	switch domain {
	case "gmail.com", "googlemail.com":
		return []string{"gmail.com", "google.com", "googlemail.com"}, true
	case "ymail.com", "rocketmail.com", "aol.com", "aim.com":
		return []string{"yahoo.com", "aol.com"}, true
	case "live.com", "msn.com", "passport.com":
		return []string{"outlook.com", "office365.com"}, true
	case "icloud.com", "me.com", "mac.com":
		return []string{"me.com", "icloud.com"}, true
	case "gmx.de", "gmx.net", "gmx.com", "gmx.at", "gmx.ch", "web.de", "mail.com", "email.com":
		return []string{"gmx.net", "gmx.com", "web.de", "mail.com"}, true
	case "proton.me", "protonmail.com", "pm.me", "protonmail.ch":
		return []string{"protonmail.ch", "proton.me"}, true
	case "mail.ru", "bk.ru", "inbox.ru", "list.ru":
		return []string{"mail.ru"}, true
	case "yandex.ru", "yandex.com", "ya.ru":
		return []string{"yandex.ru", "yandex.com", "yandex.net"}, true
	case "qq.com", "foxmail.com":
		return []string{"qq.com"}, true
	case "163.com", "126.com", "t-online.de", "freenet.de", "orange.fr", "laposte.net", "free.fr", "libero.it",
		"comcast.net", "zoho.com", "fastmail.com":
		return []string{domain}, true
	}
	switch label {
	case "yahoo":
		return []string{"yahoo.com", "yahoodns.net"}, organisation(domain) == domain
	case "hotmail", "outlook":
		return []string{"outlook.com", "office365.com"}, organisation(domain) == domain
	}
	return nil, false
}
