package feed

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
)

func TestDomain(t *testing.T) {
	for host, want := range map[string]string{
		"example.com": "example.com", "Blog.Example.COM": "example.com", "a.b.example.co.uk": "example.co.uk",
		"example.com.": "example.com", "x.github.io": "x.github.io", "co.uk": "co.uk",
		"localhost": "localhost", "127.0.0.1": "127.0.0.1", "10.1.2.3": "10.1.2.3", "2001:db8::1": "2001:db8::1",
		"[::1]":            "::1",
		"::ffff:127.0.0.1": "127.0.0.1", "0:0:0:0:0:ffff:7f00:1": "127.0.0.1", "2001:db8:0::1": "2001:db8::1",
		"0135.0270.0330.042": "0135.0270.0330.042",
		"blog.Bücher.de":     "xn--bcher-kva.de", "ｅxample.com": "example.com",
		"blog.xn--bcher-kva.de": "xn--bcher-kva.de", "a.example.test": "example.test", "": "",
		".": "", "a..b": "a..b", ".com": ".com", "..": "", "example.com..": "example.com",
	} {
		if got := Domain(host); got != want {
			t.Errorf("Domain(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestPlatform(t *testing.T) {
	for host, want := range map[string]string{
		"ann.github.io": "github.io", "github.io": "github.io", "ann.blogspot.com": "blogspot.com",
		"www.ann.wordpress.com": "wordpress.com",
		"ann.uk.com":            "uk.com", "bucket.s3.eu-west-1.amazonaws.com": "amazonaws.com",
		"ann.blogs.example.co.uk": "example.co.uk",
		"example.com":             "example.com", "co.uk": "co.uk", "a.example.test": "example.test",
		"localhost": "localhost",
		"127.0.0.1": "127.0.0.1", "[2001:db8::1]": "2001:db8::1", "": "",
	} {
		if got := Platform(host); got != want {
			t.Errorf("Platform(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestNewestAt(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		posts, want string // hours from now; a dash is no date
	}{
		"none":                   {"", "-"},
		"undated":                {"- -", "-"},
		"the newest of three":    {"-50 -2 -30", "-2"},
		"undated ones beside it": {"- -1", "-1"},
		"a mistaken zone":        {"-50 5", "0"},
		"an announcement":        {"-50 720", "-50"},
		"announcements alone":    {"720 1440", "-"},
	} {
		at := func(hours string) time.Time {
			n, err := strconv.Atoi(hours)
			if err != nil {
				return time.Time{}
			}
			return now.Add(time.Duration(n) * time.Hour)
		}
		doc := &Document{}
		for hours := range strings.FieldsSeq(c.posts) {
			doc.Posts = append(doc.Posts, Post{Published: at(hours)})
		}
		if got := doc.NewestAt(now); !got.Equal(at(c.want)) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct{ ttl, sy, want time.Duration }{
		{0, 0, 0}, {time.Hour, 0, time.Hour}, {0, time.Hour, time.Hour},
		{30 * time.Minute, 12 * time.Hour, 12 * time.Hour}, {6 * time.Hour, time.Hour, 6 * time.Hour},
		{0, 7 * 24 * time.Hour, 24 * time.Hour}, {48 * time.Hour, time.Hour, 24 * time.Hour},
		{-time.Hour, -time.Minute, 0},
	} {
		if got := (&Document{TTL: c.ttl, UpdateEvery: c.sy}).Interval(); got != c.want {
			t.Errorf("ttl %v, sy %v: %v, want %v", c.ttl, c.sy, got, c.want)
		}
	}
}

const day = 24 * time.Hour

func TestTTL(t *testing.T) {
	for minutes, texts := range map[string][]string{
		"60": {"60", " 60\n", "<![CDATA[60]]>", "<!-- an hour -->60", "060", "&#54;0", "60.0", "60 minutes", "60min"},
		"90": {"+90"}, "1.5": {"1.5"}, "120": {"2h"}, "720": {"12 hours"}, "1440": {"1 day"}, "9": {"9e99"},
		"0":     {"", " ", "0", "-1", "-60", "a", "NaN", "inf", ".", "1.2.3", "sixty"},
		"43200": {"43200", "99999999", strings.Repeat("9", 400)},
	} {
		want, err := time.ParseDuration(minutes + "m")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range texts {
			if d := mustParse(t, channel+"<ttl>"+s+"</ttl></channel></rss>", ""); d.TTL != want {
				t.Errorf("ttl %.20q: %v, want %v", s, d.TTL, want)
			}
		}
	}
	if d := mustParse(t, channel+
		"<TTL/><ttl></ttl><Ttl>42</Ttl><ttl>43</ttl><item><ttl>99</ttl></item></channel></rss>",
		""); d.TTL != 42*time.Minute {
		t.Errorf("the first that is not empty counts, not %v", d.TTL)
	}
}

func TestSkipHoursAndDays(t *testing.T) {
	const week = "monday tuesday wednesday thursday friday saturday"
	hours := ""
	for hour := 1; hour < 24; hour++ {
		hours += fmt.Sprint(" ", hour)
	}
	for name, c := range map[string]struct {
		doc   string
		hours uint32
		days  digest.Weekdays
	}{
		"as the standard says": {
			"<skipHours><hour>0</hour><hour>23</hour></skipHours><skipDays><day>Sunday</day></skipDays>", 1 | 1<<23,
			1 << time.Sunday},
		"every hour": {"<skipHours>0" + hours + "</skipHours><skipDays>monday</skipDays>", 0,
			1 << time.Monday},
		"every day": {"<skipHours>5</skipHours><skipDays>sunday " + week + "</skipDays>", 1 << 5, 0},
		"all but one": {"<skipHours>" + hours + "</skipHours><skipDays>" + week + "</skipDays>", 1<<24 - 2,
			digest.EveryDay - 1<<time.Sunday},
		"24 is midnight": {"<skipHours><hour>24</hour></skipHours>", 1, 0},
		"twice": {
			"<skipHours><hour>24</hour><hour>0</hour><hour>12</hour><hour>12</hour></skipHours><skipDays>" +
				"<day>Monday</day><day>mon</day></skipDays>", 1 | 1<<12, 1 << time.Monday},
		"padded": {
			"<skipHours><hour> 07\n</hour><hour>+8</hour><hour>09:00</hour><hour>10.0</hour></skipHours>",
			1<<7 | 1<<8 | 1<<9 | 1<<10, 0},
		"none that is an hour": {
			"<skipHours><hour>-1</hour><hour>25</hour><hour>x</hour><hour/><hour>99999999999999999999</hour>" +
				"</skipHours>", 0, 0},
		"capitals, cut": {
			"<SKIPHOURS><Hour>5</Hour></SKIPHOURS><SkipDays><DAY>MON</DAY><day>tues.</day><day> friday </day>" +
				"<day>Sundays</day></SkipDays>", 1 << 5,
			1<<time.Monday | 1<<time.Tuesday | 1<<time.Friday | 1<<time.Sunday},
		"none that is a day": {
			"<skipDays><day>Someday</day><day>m</day><day>mo</day><day/><day>1</day><day>Mondayish</day></skipDays>",
			0, 0},
		"lists in one element": {"<skipHours><hour>1, 2;3</hour></skipHours><skipDays><day>Sat,Sun</day></skipDays>",
			1<<1 | 1<<2 | 1<<3, 1<<time.Saturday | 1<<time.Sunday},
		"without the inner tag": {"<skipHours> 1 2 </skipHours><skipDays>saturday</skipDays>", 1<<1 | 1<<2,
			1 << time.Saturday},
		"several lists": {
			"<skipHours><hour>3</hour></skipHours><skipHours/><skipHours><hour>4</hour></skipHours>", 1<<3 | 1<<4, 0},
		"of another's calendar": {
			"<item><day>Monday</day><hour>3</hour></item><day>Tuesday</day><hour>4</hour><item><skipHours>" +
				"<hour>5</hour></skipHours></item>", 0, 0},
		"wrong inner tags": {"<skipHours><hours>3</hours></skipHours><skipDays><days>Monday</days></skipDays>",
			0, 0},
	} {
		d := mustParse(t, channel+c.doc+"</channel></rss>", "")
		if d.SkipHours != c.hours || d.SkipDays != c.days {
			t.Errorf("%s: %b %b, want %b %b", name, d.SkipHours, d.SkipDays, c.hours, c.days)
		}
	}
}

func TestSyndication(t *testing.T) {
	// Each is a period, a frequency, and the hours between two updates.
	for _, c := range strings.Split("|| 0,hourly|| 1,hourly|1| 1,\n\thourly\t|\n\t1\t| 1,HOURLY|2| 0.5,daily|| 24,"+
		"Daily|4| 6,weekly|1| 168,weekly|14| 12,monthly|| 720,yearly|| 720,|2| 12,|0| 0,|x| 0,daily|0| 24,"+
		"daily|-1| 24,daily|x| 24,daily|1.5| 16,daily|0.5| 48,daily|NaN| 24,daily|1e-300| 720,daily|1e300| 0,"+
		"fortnightly|1| 0,foo|| 0", ",") {
		part := strings.Split(c, "|")
		want, err := time.ParseDuration(strings.TrimSpace(part[2]) + "h")
		if err != nil {
			t.Fatal(err)
		}
		sy := "<sy:updatePeriod>" + part[0] + "</sy:updatePeriod><sy:updateFrequency>" + part[1] +
			"</sy:updateFrequency>"
		for kind, doc := range map[Kind]string{
			RSS: channel + sy + "</channel></rss>",
			RDF: `<rdf:RDF><channel>` + sy + `</channel></rdf:RDF>`,
			Atom: `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:s="http://purl.org/rss/1.0/modules/syndication/">` +
				strings.ReplaceAll(sy, "sy:", "s:") + `</feed>`,
		} {
			if d := mustParse(t, doc, ""); d.UpdateEvery != want || d.Kind != kind {
				t.Errorf("%s: %q: %v, want %v", d.Kind, c, d.UpdateEvery, want)
			}
		}
	}
}

func TestRhythmSuite(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "corpus", "suites", "feedvalidator", "testcases")
	for file, want := range map[string]struct {
		interval time.Duration
		hours    uint32
		days     digest.Weekdays
	}{
		"rss20/element-channel-ttl/ttl.xml":                    {interval: time.Hour},
		"rss20/element-channel-ttl/invalid_ttl_blank.xml":      {},
		"rss20/element-channel-ttl/invalid_ttl_negative.xml":   {},
		"rss20/element-channel-ttl/invalid_ttl_nonnumeric.xml": {},
		"rss20/element-channel-ttl/invalid_ttl_zero.xml":       {},
		"rss20/element-channel/multiple_ttl.xml":               {interval: 42 * time.Minute},
		"rss20/element-channel/multiple_skipHours.xml":         {hours: 1<<3 | 1<<4},
		"rss20/element-channel/multiple_skipDays.xml": {
			days: 1<<time.Monday | 1<<time.Tuesday},
		"rss20/element-channel-skiphours-hour/duplicate_skipHours_midnight.xml": {hours: 1},
		"rss20/element-channel-skiphours-hour/skipHours_obsolete_midnight.xml":  {hours: 1},
		"rss20/element-channel-skiphours-hour/skipHours_valid_hour_high.xml":    {hours: 1 << 23},
		"rss20/element-channel-skiphours-hour/skipHours_invalid_hour_high.xml":  {},
		"rss20/element-channel-skiphours-hour/skipHours_invalid_hour_low.xml":   {},
		"rss20/element-channel-skiphours-hour/skipHours_24_hours.xml":           {},
		"rss20/element-channel-skiphours/invalid_skipHours_unknown_child.xml":   {},
		"rss20/element-channel-skipdays-day/skipDays_wednesday.xml":             {days: 1 << time.Wednesday},
		"rss20/element-channel-skipdays-day/duplicate_skipDays.xml":             {days: 1 << time.Sunday},
		"rss20/element-channel-skipdays-day/invalid_skipDays_bad_day.xml":       {},
		"rss20/element-channel-skipdays/skipDays_7_days.xml":                    {},
		"rss20/element-channel-skipdays/invalid_skipDays_too_many_days.xml":     {},
		"rss/must/sy_updatePeriod_hourly.xml":                                   {interval: time.Hour},
		"rss/must/sy_updatePeriod_weekly.xml":                                   {interval: day},
		"rss/must/sy_updatePeriod_yearly.xml":                                   {interval: day},
		"rss/must/invalid_sy_updatePeriod.xml":                                  {},
		"rss/must/invalid_sy_updatePeriod_blank.xml":                            {},
		"rss/must/invalid_sy_updateFrequency_blank.xml":                         {},
		"rss/must/invalid_sy_updateFrequency_zero.xml":                          {},
		"rss/must/sy_updateFrequency.xml":                                       {interval: day},
	} {
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(body, "", "https://example.org/feed")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if d.Interval() != want.interval || d.SkipHours != want.hours || d.SkipDays != want.days {
			t.Errorf("%s: %v, %b, %b, want %+v", file, d.Interval(), d.SkipHours, d.SkipDays, want)
		}
	}
}
