package feed

import "testing"

// TestRefresh reads refreshes that browsers follow within ten seconds.
func TestRefresh(t *testing.T) {
	for content, want := range map[string]string{
		"0;url=/rss.xml":                "https://a.example/rss.xml",
		"0; URL='https://b.example/x'":  "https://b.example/x",
		` 5 , url = "rss.xml" and more`: "https://a.example/dir/rss.xml",
		"0 rss.xml":                     "https://a.example/dir/rss.xml",
		"0;/rss.xml":                    "https://a.example/rss.xml",
		"0.5;url=/rss.xml":              "https://a.example/rss.xml",
		";url=/rss.xml":                 "",
		"url=/rss.xml":                  "",
		"0":                             "",
		"0;":                            "",
		"0;url=":                        "",
		"11;url=/rss.xml":               "",
		"99999999999999999999;url=/x":   "",
		"0;url=javascript:alert(1)":     "",
		"0;url=mailto:ann@a.example":    "",
		"0x;url=/rss.xml":               "",
		"":                              "",
	} {
		d := parsePage(`<title>Moved</title><meta http-equiv=REFRESH content="`+escape(content)+`">`,
			"https://a.example/dir/feed")
		if d.Refresh != want {
			t.Errorf("%q: %q, want %q", content, d.Refresh, want)
		}
	}
}
