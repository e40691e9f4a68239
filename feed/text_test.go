package feed

import (
	"strings"
	"testing"
)

func TestEmptyTexts(t *testing.T) {
	for raw, want := range map[string]bool{
		"": true, " \n": true, "<![CDATA[]]>": true, "<![CDATA[ \n]]> <![CDATA[]]>": true, "<!-- nothing -->": true, "<![CDATA[": true,
		"a": false, "<![CDATA[a]]>": false, "<![CDATA[]]>a": false, "<!-- a --><img/>": false, "<br/>": false, "&#160;": false,
	} {
		if got := (text{raw: raw}).empty(); got != want {
			t.Errorf("%q is empty: %t, want %t", raw, got, want)
		}
	}
}

// TestEmptyCDATA holds that an element with nothing in its CDATA is as if it were absent.
func TestEmptyCDATA(t *testing.T) {
	long := strings.Repeat("All of it. ", 40) + "End"
	d := mustParse(t, channel+`<item><title>a</title><content:encoded><![CDATA[]]></content:encoded><description>`+long+`</description></item>
		<item><title><![CDATA[]]></title><content:encoded><![CDATA[ ]]></content:encoded><description><![CDATA[]]></description><description>b</description></item>
		<item><title>c</title><description><![CDATA[]]></description></item></channel></rss>`, "")
	if p := d.Posts[0].Sanitise(seenAt); p.Content != "<p>"+long+"</p>" {
		t.Errorf("content %q", p.Content)
	}
	r := Report(d)
	if !r.Posts[0].HasContent || !r.Posts[1].HasContent || r.Posts[2].HasContent || r.Posts[1].Title != nil {
		t.Errorf("%+v", r.Posts)
	}
}
