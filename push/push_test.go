package push_test

import (
	"encoding/xml"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/push"
)

const form = "application/x-www-form-urlencoded"

// call returns an XML-RPC call. Each parameter is the content of its value element.
func call(method string, params ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><methodCall><methodName>` + method + `</methodName><params>`)
	for _, p := range params {
		b.WriteString("\n <param>\n  <value>" + p + "</value>\n </param>")
	}
	return b.String() + "</params></methodCall>"
}

func parse(t *testing.T, kind, query, body string) (push.Ping, error) {
	t.Helper()
	fields, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return push.Parse(kind, []byte(body), fields)
}

func TestParse(t *testing.T) {
	const site, feed = "https://blog.example/", "https://blog.example/feed.xml?a=1&b=2"
	encoded := url.QueryEscape(feed)
	for name, c := range map[string]struct {
		kind, query, body string
		want              [][]string
	}{
		"weblogs.com": {"text/xml", "", call("weblogUpdates.ping", "<string>A blog</string>", "<string>"+
			site+"</string>"), [][]string{{site}}},
		"values without a type": {"text/xml; charset=utf-8", "", call("weblogUpdates.ping", "A blog", site),
			[][]string{{site}}},
		"the page that changed": {"text/xml", "", call("weblogUpdates.ping", "A blog", site, site+"new", "rss"),
			[][]string{{site + "new", site}}},
		"extended, the feed first": {"application/xml", "", call("weblogUpdates.extendedPing", "A blog", site, "",
			strings.ReplaceAll(feed, "&", "&amp;"), "tag|tag"), [][]string{{feed, site}}},
		"bare ampersands": {"text/xml", "", call("weblogUpdates.extendedPing", "A & B &nbsp;", site, "",
			feed), [][]string{{feed, site}}},
		"the method in another case": {"text/xml", "", call("weblogupdates.Ping", "A blog", site), [][]string{{site}}},
		"an old charset": {"text/xml", "", `<?xml version="1.0" encoding="iso-8859-1"?>` +
			call("weblogUpdates.ping", "Caf\xe9", site)[len(`<?xml version="1.0"?>`):], [][]string{{site}}},
		"rssCloud":              {"text/xml", "", call("rssCloud.ping", feed2), [][]string{{feed2}}},
		"a query":               {"", "name=A+blog&url=" + encoded, "", [][]string{{feed}}},
		"a form":                {form, "", "url=" + encoded, [][]string{{feed}}},
		"a form with a charset": {form + "; charset=UTF-8", "", "url=" + encoded, [][]string{{feed}}},
		"all fields": {form, "", "name=x&url=" + site + "&changesUrl=" + site + "new&rssURL=" +
			encoded, [][]string{{feed, site + "new", site}}},
		"a publisher": {form, "", "hub.mode=publish&hub.url=" + encoded + "&hub.url=" +
			site, [][]string{{feed}, {site}}},
		"a publisher by topic": {form, "", "hub.mode=publish&hub.topic=" + encoded, [][]string{{feed}}},
		"twice the same":       {"", "url=" + site + "&changesURL=" + site, "", [][]string{{site}}},
	} {
		got, err := parse(t, c.kind, c.query, c.body)
		if err != nil || !reflect.DeepEqual(got.Feeds, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got.Feeds, err, c.want)
		}
		if got.Publish != strings.Contains(c.body, "hub.mode") {
			t.Errorf("%s: publish is %t", name, got.Publish)
		}
	}
}

const feed2 = "http://blog.example/rss"

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		kind, query, body string
		want              digest.Kind
	}{
		"nothing":           {"", "", "", digest.Invalid},
		"no address":        {form, "", "name=x&url=blog", digest.Invalid},
		"another scheme":    {"", "url=file:///etc/passwd", "", digest.Invalid},
		"a script":          {"", "url=javascript://x/%250aalert(1)", "", digest.Invalid},
		"line breaks":       {"", "url=https://a.example/%0d%0aX:+y", "", digest.Invalid},
		"a long address":    {"", "url=https://a.example/" + strings.Repeat("a", 2048), "", digest.Invalid},
		"a bad form":        {form, "", "url=%zz", digest.Invalid},
		"a subscription":    {form, "", "hub.mode=subscribe&hub.topic=https://a.example/", digest.Invalid},
		"an unknown method": {"text/xml", "", call("system.listMethods"), digest.NotFound},
		"another's method": {"text/xml", "", call("pingback.ping", "https://a.example/", "https://b.example/"),
			digest.NotFound},
		"no parameters": {"text/xml", "", call("weblogUpdates.ping"), digest.Invalid},
		"a name alone":  {"text/xml", "", call("weblogUpdates.ping", "https://a.example/"), digest.Invalid},
		"no method":     {"text/xml", "", "<methodCall></methodCall>", digest.Invalid},
		"another document": {"text/xml", "", "<rss><methodName>weblogUpdates.ping</methodName></rss>",
			digest.Invalid},
		"no XML": {"text/xml", "", "hello", digest.Invalid},
		"too many parameters": {"text/xml", "",
			call("weblogUpdates.ping", strings.Split(strings.Repeat("x,", 40), ",")...), digest.Invalid},
		"a document type": {"text/xml", "", `<!DOCTYPE x [<!ENTITY a "https://a.example/">]>` +
			call("rssCloud.ping", "&a;")[len(`<?xml version="1.0"?>`):], digest.Invalid},
		"an entity from elsewhere": {"text/xml", "", `<!DOCTYPE x SYSTEM "file:///etc/passwd">` +
			call("rssCloud.ping", feed2), digest.Invalid},
		"a huge body": {"text/xml", "", call("rssCloud.ping", feed2, strings.Repeat("x", push.MaxBody)),
			digest.Invalid},
		"UTF-16": {"text/xml", "",
			"\xff\xfe<\x00m\x00e\x00t\x00h\x00o\x00d\x00C\x00a\x00l\x00l\x00>\x00", digest.Invalid},
	} {
		p, err := parse(t, c.kind, c.query, c.body)
		if digest.KindOf(err) != c.want || len(p.Feeds) != 0 {
			t.Errorf("%s: %v and %v, want %q", name, p, err, c.want)
		}
	}
}

func TestOnePingSpeaksOfFew(t *testing.T) {
	body := "hub.mode=publish" + strings.Repeat("&hub.url=https://a.example/", 100)
	p, err := push.Parse(form, []byte(body), nil)
	if err != nil || len(p.Feeds) != push.MaxFeeds {
		t.Errorf("%d sources, %v", len(p.Feeds), err)
	}
}

// TestBombs holds that deeply nested, repeated or crowded documents are read or refused quickly.
func TestBombs(t *testing.T) {
	for name, unit := range map[string]string{"nested": "<a>", "attributes": " a='1'", "entities": "&lol;",
		"comments": "<!-->", "cdata": "<![CDATA["} {
		body := "<methodCall " + strings.Repeat(unit, push.MaxBody/len(unit)-10)
		if name != "attributes" {
			body = strings.Replace(body, " ", ">", 1)
		}
		best := time.Hour
		for i := 0; i < 10 && best > time.Second; i++ { // on a busy machine, one of ten attempts gets its turn
			began := time.Now()
			if _, err := push.Parse("text/xml", []byte(body), nil); err == nil {
				t.Errorf("%s: read", name)
			}
			best = min(best, time.Since(began))
		}
		if best > time.Second {
			t.Errorf("%s: took %v at the least", name, best)
		}
	}
}

func TestAnswer(t *testing.T) {
	_, unknown := push.Parse("text/xml", []byte(call("x")), nil)
	_, broken := push.Parse("text/xml", []byte("<"), nil)
	_, useless := push.Parse("text/xml", []byte(call("rssCloud.ping", "x")), nil)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"taken":  {nil, "flerror 0 message Thanks for the ping."},
		"method": {unknown, "faultCode 4 faultString unknown method; use weblogUpdates.ping"},
		"broken": {broken, "faultCode 1 faultString the body is not an XML-RPC call"},
		"useless": {useless, "flerror 1 message the ping has no web address; send url=https://… with the feed's " +
			"address, percent-encoded"},
		"inside":  {errors.New("secret"), "flerror 1 message not now; try again later"},
		"escaped": {&digest.Error{Kind: digest.Invalid, Message: "<&"}, "flerror 1 message <&"},
	} {
		if got := texts(t, push.Answer(c.err)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func texts(t *testing.T, document []byte) string {
	t.Helper()
	var all []string
	d := xml.NewDecoder(strings.NewReader(string(document)))
	for {
		token, err := d.Token()
		if token == nil {
			if err.Error() != "EOF" {
				t.Fatalf("%s: %v", document, err)
			}
			return strings.Join(all, " ")
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			all = append(all, string(text))
		}
	}
}

// FuzzParse holds that Parse returns few feeds, all with web addresses, and that every error has an answer.
func FuzzParse(f *testing.F) {
	f.Add("text/xml", call("weblogUpdates.extendedPing", "A", "https://a.example/", "", "https://a.example/feed"), "")
	f.Add("text/xml", call("rssCloud.ping", "<string>https://a.example/</string>"), "")
	f.Add(form, "hub.mode=publish&hub.url=https://a.example/", "")
	f.Add("", "", "name=x&url=https://a.example/")
	f.Fuzz(func(t *testing.T, kind, body, query string) {
		q, _ := url.ParseQuery(query)
		p, err := push.Parse(kind, []byte(body), q)
		if (err == nil) != (len(p.Feeds) > 0) || len(p.Feeds) > push.MaxFeeds {
			t.Fatalf("%d sources and %v", len(p.Feeds), err)
		}
		if err != nil && digest.KindOf(err) == "" {
			t.Fatalf("a bare error: %v", err)
		}
		texts(t, push.Answer(err))
		for _, source := range p.Feeds {
			for _, address := range source {
				if lower := strings.ToLower(address); !strings.HasPrefix(lower, "http://") &&
					!strings.HasPrefix(lower, "https://") || strings.ContainsAny(address, "\r\n \x00") {
					t.Errorf("%q is no address", address)
				}
			}
		}
	})
}
