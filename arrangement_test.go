package digest_test

import (
	"testing"

	"digest"
)

func TestArrangementCheck(t *testing.T) {
	for _, c := range []struct {
		arrangement digest.Arrangement
		good        bool
	}{
		{digest.Arrangement{Grouping: digest.ByFolders, WebImages: digest.ProxiedImages}, true},
		{digest.Arrangement{Grouping: digest.BySites, WebLayout: digest.FullText, WebGrouping: digest.ByFolders,
			WebImages: digest.NoImages}, true},
		{digest.Arrangement{WebImages: digest.ProxiedImages}, false},
		{digest.Arrangement{Grouping: "colour", WebImages: digest.ProxiedImages}, false},
		{digest.Arrangement{Grouping: digest.ByFolders, WebGrouping: "colour", WebImages: digest.ProxiedImages}, false},
		{digest.Arrangement{Grouping: digest.ByFolders, WebLayout: "tabloid", WebImages: digest.ProxiedImages}, false},
		{digest.Arrangement{Grouping: digest.ByFolders, WebImages: digest.LinkedImages}, false},
		{digest.Arrangement{Grouping: digest.ByFolders}, false},
	} {
		err := c.arrangement.Check()
		if good := err == nil; good != c.good || !good && digest.KindOf(err) != digest.Invalid {
			t.Errorf("%+v: %v", c.arrangement, err)
		}
	}
}

func TestPagesCheck(t *testing.T) {
	with := func(change func(*digest.Pages)) error {
		p := digest.UsualPages()
		change(&p)
		return p.Check()
	}
	for name, change := range map[string]func(*digest.Pages){
		"usual": func(*digest.Pages) {}, "dark": func(p *digest.Pages) { p.Theme = digest.DarkTheme },
		"large": func(p *digest.Pages) { p.TypeSize = digest.Largest },
		"rtl":   func(p *digest.Pages) { p.Direction = digest.RightToLeft },
	} {
		if err := with(change); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*digest.Pages){
		"direction": func(p *digest.Pages) { p.Direction = "up" },
		"theme":     func(p *digest.Pages) { p.Theme = `dark" onload="` },
		"size":      func(p *digest.Pages) { p.TypeSize = "" },
	} {
		if err := with(change); digest.KindOf(err) != digest.Invalid {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
}
