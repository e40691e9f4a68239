package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestNoPasswordIsShown runs every command on a feed whose address has a name and a password, and checks that the
// output does not contain them. It uses the debug log, and repeats commands with JSON. Only the reader's own list has
// the credentials, if the command asks for it.
func TestNoPasswordIsShown(t *testing.T) {
	tier.Alone(t)
	t.Chdir(t.TempDir())
	must(t, storetest.CopySQLite("digest.db"))
	t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); r.URL.Path != "/open" &&
			(user != "tuser" || password != "sesame" || r.URL.Path == "/gone") {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(w, `<rss version="2.0"><channel><item><title>No link</title><description>&lt;img src="/p.png"&gt; `+
			`&lt;a href="/q"&gt;text&lt;/a&gt;</description></item></channel></rss>`)
	}))
	defer site.Close()
	host := strings.TrimPrefix(site.URL, "http://")
	open, secret := site.URL+"/feed", "http://tuser:sesame@"+host+"/feed"
	list := `<opml version="2.0"><body><outline xmlUrl="` +
		secret + `"/><outline text="Gone" xmlUrl="http://tuser:sesame@` + host + `/gone"/>` +
		`<outline xmlUrl="http://tuser:sesame@no host/"/><outline text="x" xmlUrl="ftp://tuser:sesame@` +
		host + `/"/></body></opml>`
	must(t, os.WriteFile("list.opml", []byte(list), 0o600))
	const ann = " ann@example.org "
	tried := map[string]bool{}
	for _, line := range []struct {
		command, arguments string
		status             int
	}{
		{"user add", ann + "--time-zone UTC --layout full --images linked", exitDone},
		{"subscribe", ann + secret, exitDone},
		{"subscribe", ann + secret, exitDone}, // it is already subscribed
		{"subscribe", ann + "http://tuser:sesame@" + host + "/gone", exitFailed},
		{"subscribe", ann + "https://tuser:ses%ame@" + host, exitFailed},
		{"subscribe", ann + "http://tuser:sesa/me@" + host, exitFailed},
		{"subscribe", ann + "tuser:sesame@example.org/feed", exitFailed},
		{"subscribe", ann + "http://tuser:?sesame@127.0.0.1/x", exitFailed},
		{"subscribe", ann + "http://tuser:\"sesame<@127.0.0.1/x", exitFailed},
		{"subscribe", ann + "//tuser:sesame@127.0.0.1:1/nope", exitFailed},
		{"subscribe", ann + "@tuser:sesame@127.0.0.1", exitFailed},
		{"opml import", ann + "list.opml", exitDone},
		{"opml export", ann, exitDone},
		{"opml export --with-credentials", ann, exitDone},
		{"key list", "", exitDone},
		{"key new", "", exitDone},
		{"key rotate", "", exitDone},
		{"feeds", "", exitDone},
		{"feeds", secret, exitDone},
		{"feeds", open, exitDone},
		{"feeds", "http://other:sesame@" + host + "/", exitFailed},
		{"poll", open, exitDone},
		{"fence show", "", exitDone},
		{"fence release", "", exitDone},
		{"hosts set", secret + " --interval 48h", exitDone},
		{"hosts set", "tuser:sesame@127.0.0.1:9911/a.xml --interval 48h", exitFailed},
		{"hosts block", "https://tuser:sesame@blocked.example/a.xml", exitDone},
		{"hosts list", "", exitDone},
		{"hosts remove", secret, exitDone},
		{"preview", ann, exitDone},
		{"preview", ann + "--html", exitDone},
		{"newsletter create", "news --owner" + ann + "--feed " + secret, exitFailed},
		{"newsletter create", "news --owner" + ann + "--feed " + site.URL + "/open", exitDone},
		{"newsletter show", "news", exitDone},
		{"newsletter set", "news --add-feed " + secret, exitFailed},
		{"newsletter set", "news --remove-feed http://other:sesame@" + host + "/", exitFailed},
		{"newsletter letter", "news --pull " + secret, exitFailed},
		{"newsletter preview", "news", exitDone},
		{"newsletter test", "news", exitDone},
		{"newsletter token", "news", exitDone},
		{"newsletter domain", "news letters@anna.example", exitDone},
		{"newsletter end", "news", exitDone},
		{"newsletter remove", "news", exitDone},
		{"tick", "--now 2036-11-20T00:00:00Z", exitDone},
		{"queue list", "", exitDone},
		{"user resend", ann, -1}, // there may be no edition to send again
		{"backup", "all.backup --replace", exitDone},
		{"restore", "all.backup --check", exitDone},
		{"restore", "all.backup", exitFailed},
		{"copy", "--to copy.db --replace", exitDone},
		{"prune", "", exitDone},
		{"user list", "", exitDone},
		{"user show", ann, exitDone},
		{"user set", ann + "--days daily", exitDone},
		{"doctor", "--offline", -1}, // its result depends on the machine
		{"parse", "list.opml", exitDone},
		{"unsubscribe", ann + open, exitDone},
		{"user remove", ann, exitDone},
	} {
		tried[line.command] = true
		for _, how := range []string{"", "--json"} {
			if how != "" && (line.command == "parse" || line.status == exitDone && changes(line.command)) {
				continue // parse prints the document for scripts; the others cannot run twice
			}
			args := strings.Fields("--log-level debug " + how + " " + line.command + " " + line.arguments)
			status, out, said := ran(t, args...)
			out += said
			if status != line.status && line.status >= 0 {
				t.Errorf("%v: status %d: %s", args, status, out)
			}
			if line.command == "preview" && !strings.Contains(out, "No link") {
				t.Errorf("%v shows no post: %s", args, out)
			}
			if found := strings.Contains(out, "sesa") ||
				strings.Contains(out, "tuser"); found != (line.command == "opml export --with-credentials") {
				t.Errorf("%v prints: %s", args, out)
			}
		}
	}
	if status, out, said := ran(t, "subscribe", "ann@example.org", "http://tuser:ses ame@127.0.0.1/x"); status !=
		exitFailed || strings.Contains(out+said, "ses") || strings.Contains(out+said, "tuser") {
		t.Errorf("an address with a space: status %d: %s", status, out+said)
	}
	mails, err := filepath.Glob("mail/new/*")
	if err != nil || len(mails) != 3 { // an edition and two tests of a newsletter
		t.Errorf("%d mails, %v", len(mails), err)
	}
	for _, name := range mails {
		if mail, err := os.ReadFile(name); err != nil || strings.Contains(string(mail), "sesa") ||
			strings.Contains(string(mail), "tuser") {
			t.Errorf("the mail has it, %v: %s", err, mail)
		}
	}
	for _, command := range commands(t) {
		if !tried[command] && !feedless(command) {
			t.Errorf("%s is not tried: may it print a feed's address?", command)
		}
	}
}

// changes reports whether a command can be run only once.
func changes(command string) bool {
	return command == "user add" || command == "unsubscribe" || command == "user remove" || command == "user resend" ||
		command == "hosts remove" ||
		command == "newsletter create" || command == "newsletter remove"
}

// feedless reports whether a command does not use the feeds of the database.
func feedless(command string) bool {
	switch command {
	case "serve", "work": // they log what tick logs
		return true
	case "demo", "config check", "migrate", "version", "manual", "completion", "help", "invite", "bounce",
		"user sign-in", "queue resume":
		return true
	case "newsletter list", "newsletter members", "newsletter numbers", "newsletter import", "newsletter export",
		"newsletter join", "newsletter leave", "newsletter hold", "newsletter release", "newsletter approve",
		"newsletter refuse", "newsletter limit":
		return true
	}
	family, _, _ := strings.Cut(command, " ")
	return family == "dkim" || family == "limits" || family == "suppressions"
}

func commands(t *testing.T) (all []string) {
	t.Helper()
	c := new(cli)
	parser, err := kong.New(c, append(c.valueReaders(), kong.Name("digest"), kong.DefaultEnvars("DIGEST"),
		kong.Vars{"version": ""}, kong.Writers(io.Discard, io.Discard))...)
	must(t, err)
	for _, leaf := range parser.Model.Leaves(true) {
		var words []string
		for node := leaf; node != nil && node.Type == kong.CommandNode; node = node.Parent {
			words = append([]string{node.Name}, words...)
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// TestNoPasswordIsLogged checks that all types of log values are cleaned.
func TestNoPasswordIsLogged(t *testing.T) {
	const secret = "http://tuser:sesame@a.example/feed"
	u, err := url.Parse(secret)
	must(t, err)
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{ReplaceAttr: withoutCredentials}))
	log.Info("of "+secret, "text", secret, "err",
		fmt.Errorf("asking: %w", &url.Error{Op: "Get", URL: secret, Err: io.EOF}),
		"list", []string{secret}, "url", u, "panic", any(struct{ at string }{secret}), slog.Group("in", "a", secret),
		"n", 7, "none", nil)
	log.With("feed", secret).WithGroup("g").Warn("again", "err", errors.Join(io.EOF, errors.New(secret)))
	if got := said.String(); strings.Contains(got, "sesame") || strings.Contains(got, "tuser") ||
		strings.Count(got, "a.example") != 9 || !strings.Contains(got, "n=7") {
		t.Error(got)
	}
}
