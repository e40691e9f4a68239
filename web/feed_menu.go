package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
)

// A feedMenu is what a reader can do with a feed, or with several at once: the same, in the same words, wherever it
// stands. templates/layout.html has its words.
type feedMenu struct {
	Path    string          // below which its forms are answered
	Chosen  []digest.FeedID // several; none: it is of one
	From    string          // where it leads back to; "": to the list
	Own     digest.Subscription
	Called  string // by the feed itself, else where it is
	Titled  bool   // the feed has a title of its own
	Folders []string
	Paused  bool // one at least of them
	Letters bool // posts of the one come in letters of a newsletter alone
	Account bool // it is a person's on a network, where there are boosts and replies
	Answers bool // its feed has answers to others; Bluesky is not asked for them
	Wrong   feedWrongs

	Day         dateField   // until which it is paused, as it was typed
	First, Last digest.Date // that can be chosen
}

// feedWrongs says of each field what is wrong with it.
type feedWrongs struct{ Title, Folder, Display, Day catalogue.Sayable }

// mosts are the numbers of posts an edition that can be chosen.
func mosts() []int { return []int{1, 2, 3, 5, 10, 20} }

// highestMost bounds the number of posts an edition.
const highestMost = 1000

// menuFor gives a menu for a reader, with the days that they can choose.
func (s *site) menuFor(d digest.Digest, path, from string) feedMenu {
	today := digest.DateOf(s.Now().In(zoneOr(d.TimeZone)))
	return feedMenu{Path: path, From: from, First: today.Plus(2), Last: today.Plus(farthestPause)}
}

// Displays are the ways of showing posts.
func (m feedMenu) Displays() []choice {
	return chosen([]choice{
		{Value: "", Name: catalogue.Key("Same as the edition")},
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines only")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Excerpts")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text")},
	}, string(m.Own.Display))
}

// Mosts are the numbers of posts that an edition may show.
func (m feedMenu) Mosts() []choice {
	all, known := []choice{{Value: "0", Name: catalogue.Key("All posts")}}, m.Own.Most == 0
	for _, n := range mosts() {
		if !known && m.Own.Most < n { // chosen by a program
			all, known = append(all, offeredMost(m.Own.Most)), true
		}
		all, known = append(all, offeredMost(n)), known || n == m.Own.Most
	}
	if !known {
		all = append(all, offeredMost(m.Own.Most))
	}
	return chosen(all, strconv.Itoa(m.Own.Most))
}

func offeredMost(n int) choice {
	return choice{Value: strconv.Itoa(n), Name: catalogue.Key("At most %d posts").With(n)}
}

// Boosts reports whether the reader wants what an account passes on.
func (m feedMenu) Boosts() bool { return m.Own.Extras&digest.Repeat != 0 }

// Replies reports whether the reader wants an account's answers to others.
func (m feedMenu) Replies() bool { return m.Own.Extras&digest.Reply != 0 }

// subscriptionOf gives a subscription with what a form says of it. What the form has no field for stays as it is.
func subscriptionOf(form url.Values, sub digest.Subscription) (_ digest.Subscription, wrong feedWrongs) {
	if form.Has("title") {
		sub.Title, wrong.Title = nameOfForm(tooLongName, form.Get("title"), maxName)
	}
	if form.Has("folder") {
		sub.Folder, wrong.Folder = folderOf(form)
	}
	if form.Has("most") {
		_, sub.Most, wrong.Display = displayOf(url.Values{"most": form["most"]})
	}
	if !form.Has("display") {
		return sub, wrong
	}
	var none catalogue.Sayable
	if sub.Display, _, none = displayOf(url.Values{"display": form["display"]}); none != nil {
		wrong.Display = none
	}
	sub.Extras = 0 // boxes that are not ticked are not sent, but stand beside that choice
	for name, extra := range extras() {
		if form.Has(name) {
			sub.Extras |= extra
		}
	}
	return sub, wrong
}

func folderOf(form url.Values) (folder string, wrong catalogue.Sayable) {
	folder, wrong = nameOfForm(tooLongName, form.Get("folder"), maxName)
	return strings.Trim(folder, "/ "), wrong
}

// displayOf reads how posts are shown, and how many.
func displayOf(form url.Values) (d digest.Layout, most int, wrong catalogue.Sayable) {
	wrong = catalogue.Key("That isn’t one of the choices. Nothing was changed.")
	d = digest.Layout(form.Get("display"))
	switch d {
	case "", digest.Headlines, digest.Excerpts, digest.FullText:
	default:
		return "", 0, wrong
	}
	if typed := form.Get("most"); typed != "" {
		n, err := strconv.Atoi(typed)
		if err != nil || n < 0 || n > highestMost {
			return d, 0, wrong
		}
		most = n
	}
	return d, most, nil
}

// extras names the fields by which a form chooses posts of an account beside its own.
func extras() map[string]digest.Extra {
	return map[string]digest.Extra{"boosts": digest.Repeat, "replies": digest.Reply}
}

// pauseOf reads until when a form of the menu pauses. It says what is wrong with the day.
func (m *feedMenu) pauseOf(form url.Values, d digest.Digest, now time.Time) (until time.Time, wrong catalogue.Sayable,
	err error) {
	until, day, wrong, err := pauseEnd(form, m.First, m.Last, zoneOr(d.TimeZone), now)
	if wrong != nil {
		m.Day = day
	}
	return until, wrong, err
}

// pauseEnd reads until when a form pauses a site: zero without an end, which it has to say. It says what is wrong with
// the day that was typed.
func pauseEnd(form url.Values, first, last digest.Date, zone *time.Location, now time.Time) (until time.Time,
	typed dateField, wrong catalogue.Sayable, err error) {
	switch way := form.Get("for"); {
	case way == "week":
		until = calendar.InWeeks(1, now, zone)
	case way == "month":
		until = calendar.InAMonth(now, zone)
	case way != "":
		return until, typed, nil, errBadForm
	case form.Has("until"):
		typed = typedDate(form, "until")
		day, wrong := typed.read(first, last)
		if wrong == nil {
			until, wrong = begins(day, zone)
		}
		if wrong != nil {
			return time.Time{}, typed, wrong, nil
		}
	default:
		return until, typed, nil, hasAll(form, "for")
	}
	return until.Add(-backBefore), typed, nil, nil
}

// fromOf is where the menu leads back to, as a request says; "" for the list.
func fromOf(r *http.Request) string {
	given := r.URL.Query().Get("from")
	if r.Method == http.MethodPost {
		given = r.PostForm.Get("from")
	}
	path, _ := localPath(given)
	return path
}

// FromWords name where the menu leads back to.
func (m feedMenu) FromWords() catalogue.Key {
	switch path, _, _ := strings.Cut(m.From, "?"); {
	case m.From == "", path == "/feeds":
		return catalogue.Key("Feeds")
	case strings.HasPrefix(m.From, "/posts/"):
		return catalogue.Key("Back to post")
	case m.From == "/", strings.HasPrefix(m.From, "/#"), strings.HasPrefix(m.From, "/?"),
		strings.HasPrefix(m.From, "/editions/"):
		return catalogue.Key("Back to the edition")
	}
	return catalogue.Key("Back")
}

// Back is where it leads back to.
func (m feedMenu) Back() string {
	if m.From == "" {
		return "/feeds"
	}
	return m.From
}

// menuPath is where a feed's own menu is, which leads back to from.
func menuPath(id digest.FeedID, from string) string {
	return feedPath(id) + "?from=" + url.QueryEscape(from)
}

// showChanged leads back to a menu, which says what was changed.
func showChanged(w http.ResponseWriter, r *http.Request, err error, id digest.FeedID, word string) error {
	if err != nil {
		return err
	}
	path := fmt.Sprintf("%s?%s=%s", feedPath(id), savedWord, word)
	if from := fromOf(r); from != "" {
		path += "&from=" + url.QueryEscape(from)
	}
	return seeOther(w, r, path)
}
