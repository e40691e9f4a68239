package feed

import (
	"strings"
	"testing"
)

func TestEntitiesOfDoctype(t *testing.T) {
	d := mustParse(t, `<?xml version="1.0"?><!DOCTYPE rss [
<!ENTITY pub "The &#8220;Daily&#8221; "><!ENTITY % no "no"> <!ENTITY site 'http://x.org/'> <!ENTITY both "&pub;&site;"><!ENTITY pub "other">
<!ENTITY far SYSTEM "file:///etc/passwd"><!ENTITY em "<em>well</em>"><!ENTITY amp "no"><!ENTITY self "&self;"><!ENTITY éa "é"> ]>
<rss version="2.0"><channel><title>&pub;News &amp; more</title><link>&site;</link>
<item><title>&both; &no; &far; &self; &éa;</title><guid>&site;1</guid><description>&em; &lt;b&gt;&eacute;</description><content:encoded><![CDATA[<p>&pub;</p>]]></content:encoded></item>
</channel></rss>`, "")
	p := &d.Posts[0]
	if d.Title != "The “Daily” News & more" || d.Link != "http://x.org/" || p.GUID != "http://x.org/1" {
		t.Errorf("%+v", d)
	}
	if want := "The “Daily” http://x.org/ &no; &far; &self; é"; p.Title != want {
		t.Errorf("title %q, want %q", p.Title, want)
	}
	if p := p.Sanitise(seenAt); p.Content != "<p>&amp;pub;</p>" {
		t.Errorf("content %q", p.Content)
	}
}

func TestEntityBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString(`<!ENTITY a "ha">`)
	for c := 'b'; c <= 'z'; c++ {
		laughs.WriteString(`<!ENTITY ` + string(c) + ` "` + strings.Repeat("&"+string(c-1)+";", 10) + `">`)
	}
	for name, c := range map[string]struct{ declared, used string }{
		"a billion laughs": {laughs.String(), "&z;&y;&x;"},
		"many of one": {`<!ENTITY a "` + strings.Repeat("ha", maxEntityText/2) + `">`,
			strings.Repeat("&a;", 100_000)},
		"too long": {`<!ENTITY a "` + strings.Repeat("ha", maxEntityText) + `">`,
			strings.Repeat("&a;", 100_000)},
		"itself": {`<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">`, strings.Repeat("&a;", 1000)},
		"no end": {`<!ENTITY a "` + strings.Repeat(`<!ENTITY b "`, 10_000),
			strings.Repeat("<![CDATA[&b;", 100_000)},
	} {
		s := &source{text: "<!DOCTYPE rss [" + c.declared + "]>" + "<rss>" + c.used}
		s.root.at = strings.Index(s.text, "<rss>")
		before := len(s.text)
		if s.expand(); len(s.text)-before > maxGrowth {
			t.Errorf("%s: %d bytes became %d", name, before, len(s.text))
		}
	}
}
