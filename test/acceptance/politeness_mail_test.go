package acceptance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A reading is a successful response of a site, with the time of the previous one.
type reading struct {
	at, before time.Time
	version    int
}

// readings returns the responses with a document, in order.
func (w *world) readings() map[*site][]reading {
	all, last, before := map[*site][]reading{}, map[*site]time.Time{}, map[*site]time.Time{}
	for _, e := range w.recorder.entries(0) {
		if e.site == nil || e.reply.version == 0 || e.reply.cut || e.reply.status >= 400 {
			continue
		}
		if !last[e.site].Equal(e.at) {
			last[e.site], before[e.site] = e.at, last[e.site]
		}
		if e.req.Method == "GET" && e.reply.status == 200 {
			all[e.site] = append(all[e.site], reading{e.at, before[e.site], e.reply.version})
		}
	}
	return all
}

func found(readings []reading, n int) (reading, bool) {
	i := slices.IndexFunc(readings, func(r reading) bool { return r.version >= n+2 })
	if i < 0 {
		return reading{}, false
	}
	return readings[i], true
}

var rule = strings.Repeat("-", 72)

// betweenPosts matches the separators of posts in a letter's text, and the items of its lists.
var betweenPosts = regexp.MustCompile(`\n\n\n|\n +\* |` + rule)

// lateByline matches the line that marks a late post.
var lateByline = regexp.MustCompile(`(?m)^ *From an earlier day( · .*)?$`)

func (l letter) lateLinks() map[string]bool {
	late := map[string]bool{}
	for _, post := range betweenPosts.Split(strings.ReplaceAll(l.Text, "\r", ""), -1) {
		if lateByline.MatchString(post) {
			for url := range links(post) {
				late[url] = true
			}
		}
	}
	return late
}

// checkLate checks that exactly the late posts are marked: posts published before the last midnight but one, of a
// site that could not be read until that edition.
func (w *world) checkLate() {
	readings, marked := w.readings(), 0
	zones := map[string]string{}
	for _, r := range w.model.readers {
		zones[r.email] = r.zone
	}
	byURL := map[string]*site{}
	for _, p := range w.sites {
		for _, post := range p.posts {
			byURL[post.url] = p
		}
	}
	for _, l := range w.inbox.letters {
		late := l.lateLinks()
		marked += len(late)
		due := lastMidnight(w.t, l.Date, zones[l.To])
		before := lastMidnight(w.t, due.Add(-time.Minute), zones[l.To])
		for url := range l.posts {
			p := byURL[url]
			post := p.posts[slices.IndexFunc(p.posts, func(q post) bool { return q.url == url })]
			r, ok := found(readings[p], post.n)
			if !ok || r.before.IsZero() || r.at.After(before) && r.at.Sub(before) < 2*time.Hour {
				continue
			}
			want := post.at.Before(before) && r.before.Before(before) && r.at.After(before)
			if late[url] != want {
				w.broken(p, l.Date, "late mark",
					"post of day %.2f, found on day %.2f, read before on day %.2f, in the mail to %s of the "+
						"midnight of day %.2f: marked as late %v, want %v",
					w.day(post.at), w.day(r.at), w.day(r.before), l.To, w.day(due), late[url], want)
			}
		}
	}
	w.t.Logf("%d posts are marked as late", marked)
}

var spaces = regexp.MustCompile(`[\s\x{2068}\x{2069}]+`)

// notices returns the sentences about a site, by its title, in the letters to a reader. They must be in the text and
// in the HTML.
func (w *world) notices(to, title string) (told []string) {
	for _, l := range w.inbox.letters {
		if l.To != to {
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(l.Text, "\r", ""), "\n\n") {
			line = strings.TrimSpace(spaces.ReplaceAllString(line, " "))
			speaks := strings.Contains(line, "no longer") || strings.Contains(line, "issed posts")
			if speaks && strings.Contains(line+" ", title+" ") {
				told = append(told, l.Date.UTC().Format(time.DateOnly)+": "+line)
				if first, _, _ := strings.Cut(line, title); !strings.Contains(spaces.ReplaceAllString(l.HTML, " "),
					strings.TrimSpace(first)) {
					w.t.Errorf("the HTML of %q does not say %q", l.Subject, line)
				}
			}
		}
	}
	return told
}

// checkNotices checks that readers get exactly one notice, immediately, when a site is removed, and a notice with the
// period when posts are lost, and no notices about other sites.
func (w *world) checkNotices() {
	for _, r := range w.model.readers {
		list := w.at(w.ticks[len(w.ticks)-1], "opml", "export", r.email)
		for _, p := range r.sites {
			told := w.notices(r.email, fmt.Sprintf("Site %d", p.n))
			gone := slices.DeleteFunc(slices.Clone(told),
				func(s string) bool { return !strings.Contains(s, "no longer follow") })
			gaps := len(told) - len(gone)
			stays := strings.Contains(list, p.door.base+p.path+`"`) || p.moved != nil || p.query != "" || p.user != ""
			switch {
			case p.ends == stays || p.ends && len(gone) != 1 || !p.ends && len(gone) != 0:
				w.broken(p, w.ticks[0], "gone", "%s was told %q; still subscribed: %v", r.email, told, stays)
			case p.burst[1] > 0 && gaps == 0:
				w.broken(p, w.ticks[0], "gap", "%s was told nothing", r.email)
			case p.burst[1] == 0 && p.robots == nil && gaps > 0: // weeks without a request may lose some
				w.broken(p, w.ticks[0], "gap", "%s was told %q", r.email, told)
			}
			if p.burst[1] > 0 {
				w.t.Logf("of the busy site %s was told %q", r.email, told)
			}
		}
	}
}

// lastMidnight returns the last midnight up to a time.
func lastMidnight(t interface{ Fatal(...any) }, at time.Time, zone string) time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	y, m, d := at.In(loc).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, loc)
}
