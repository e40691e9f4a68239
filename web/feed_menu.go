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
	"digest/web/page"
)

// A feedMenu contains the actions for one feed or for several selected ones. All pages use the same
// menu; templates/layout.html has its texts.
type feedMenu struct {
	Path    string          // prefix of the paths of its forms
	Chosen  []digest.FeedID // selected feeds; empty for a menu of one feed
	From    string          // address of the page to return to; "": the list
	Own     digest.Subscription
	Called  string // the feed's own title, or its host
	Titled  bool   // the feed has its own title
	Folders []string
	Paused  bool           // at least one feed is paused
	Letters bool           // posts of the feed arrive only in issues of a newsletter
	Account bool           // the feed is an account, which has boosts and replies
	Tried   *mostRehearsal // what Own.Most and Own.RollUp would have done; nil if not tried
	Answers bool           // the feed includes replies; Bluesky feeds are requested without them
	Wrong   feedWrongs

	Day         page.DateField // end of the pause, as entered
	First, Last digest.Date    // the range of Day
}

// feedWrongs contains the error of each field.
type feedWrongs struct{ Title, Folder, Display, Day catalogue.Sayable }

func mosts() []int { return []int{1, 2, 3, 5, 10, 20} }

// highestMost is the highest limit of posts per edition.
const highestMost = 1000

// menuFor returns a menu with the dates that the reader can choose.
func (s *site) menuFor(d digest.Digest, path, from string) feedMenu {
	today := s.todayIn(d)
	return feedMenu{Path: path, From: from, First: today.Plus(2), Last: today.Plus(page.FarthestPause)}
}

func (m feedMenu) Displays() []page.Choice {
	return page.Chosen([]page.Choice{
		{Value: "", Name: catalogue.Key("Same as the rest of the edition")},
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines only")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Excerpts")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text")},
	}, string(m.Own.Display))
}

// Mosts returns the choices for the limit of posts per edition, including a limit set by another
// program.
func (m feedMenu) Mosts() []page.Choice {
	all, known := []page.Choice{{Value: "0", Name: catalogue.Key("All posts")}}, m.Own.Most == 0
	for _, n := range mosts() {
		if !known && m.Own.Most < n { // set by another program
			all, known = append(all, offeredMost(m.Own.Most)), true
		}
		all, known = append(all, offeredMost(n)), known || n == m.Own.Most
	}
	if !known {
		all = append(all, offeredMost(m.Own.Most))
	}
	return page.Chosen(all, strconv.Itoa(m.Own.Most))
}

// RollUps returns the choices for the day of a roll-up.
func (m feedMenu) RollUps() []page.Choice {
	all := []page.Choice{{Name: catalogue.Key("No")}}
	for _, day := range catalogue.Week() {
		all = append(all, page.Choice{Value: digest.Weekdays(1 << day).Name(), Name: catalogue.Weekday(day)})
	}
	return page.Chosen(all, m.Own.RollUp.Name())
}

func offeredMost(n int) page.Choice {
	return page.Choice{Value: strconv.Itoa(n), Name: catalogue.Key("At most %d posts").With(n)}
}

// Boosts reports whether the reader wants the boosts of an account.
func (m feedMenu) Boosts() bool { return m.Own.Extras&digest.Repeat != 0 }

// Replies reports whether the reader wants an account's replies to others.
func (m feedMenu) Replies() bool { return m.Own.Extras&digest.Reply != 0 }

// Unfolded reports whether the feed is never folded.
func (m feedMenu) Unfolded() bool { return m.Own.Extras&digest.Unfolded != 0 }

// subscriptionOf returns sub with the changes of a form. Values without a field in the form stay
// unchanged.
func subscriptionOf(form url.Values, sub digest.Subscription, today digest.Date) (_ digest.Subscription,
	wrong feedWrongs) {
	if form.Has("title") {
		sub.Title, wrong.Title = page.NameOfForm(page.TooLongName, form.Get("title"), page.MaxName)
	}
	if form.Has("folder") {
		sub.Folder, wrong.Folder = folderOf(form)
	}
	sub, wrong.Display = displayOf(form, sub)
	if form.Has("trial") {
		var ok bool
		if sub.Trial, ok = sub.Named(form.Get("trial"), today); !ok {
			wrong.Display = noSuchChoice
		}
	}
	if !form.Has("display") {
		return sub, wrong
	}
	sub.Extras = 0 // browsers omit unticked boxes, but these boxes are always next to display
	for name, extra := range extras() {
		if form.Has(name) {
			sub.Extras |= extra
		}
	}
	return sub, wrong
}

func folderOf(form url.Values) (folder string, wrong catalogue.Sayable) {
	folder, wrong = page.NameOfForm(page.TooLongName, form.Get("folder"), page.MaxName)
	return strings.Trim(folder, "/ "), wrong
}

const noSuchChoice = catalogue.Key("That isn’t one of the choices. Nothing was changed.")

// displayOf copies display, limit of posts per edition and roll-up from a form to sub. An invalid value
// leaves its field as it was.
func displayOf(form url.Values, sub digest.Subscription) (_ digest.Subscription, wrong catalogue.Sayable) {
	if form.Has("display") {
		switch d := digest.Layout(form.Get("display")); d {
		case "", digest.Headlines, digest.Excerpts, digest.FullText:
			sub.Display = d
		default:
			wrong = noSuchChoice
		}
	}
	if typed := form.Get("most"); typed != "" {
		if n, err := strconv.Atoi(typed); err == nil && n >= 0 && n <= highestMost {
			sub.Most = n
		} else {
			wrong = noSuchChoice
		}
	}
	if form.Has("roll-up") {
		if day, ok := digest.ParseRollUp(form.Get("roll-up")); ok {
			sub.RollUp = day
		} else {
			wrong = noSuchChoice
		}
	}
	return sub, wrong
}

// extras maps form fields to the extra posts of an account, and to the posts of a feed that would be folded.
func extras() map[string]digest.Extra {
	return map[string]digest.Extra{"boosts": digest.Repeat, "replies": digest.Reply, "unfolded": digest.Unfolded}
}

// pauseOf parses the end of a pause. It returns an error text for an invalid date.
func (m *feedMenu) pauseOf(form url.Values, d digest.Digest, now time.Time) (until time.Time, wrong catalogue.Sayable,
	err error) {
	until, day, wrong, err := pauseEnd(form, m.First, m.Last, page.ZoneOr(d.TimeZone), now)
	if wrong != nil {
		m.Day = day
	}
	return until, wrong, err
}

// pauseEnd parses the end of a pause. until is zero for a pause without end, which the form must
// choose explicitly. It also returns the entered date, with an error text if it is invalid.
func pauseEnd(form url.Values, first, last digest.Date, zone *time.Location, now time.Time) (until time.Time,
	typed page.DateField, wrong catalogue.Sayable, err error) {
	switch way := form.Get("for"); {
	case way == "week":
		until = calendar.InWeeks(1, now, zone)
	case way == "month":
		until = calendar.InAMonth(now, zone)
	case way != "":
		return until, typed, nil, page.ErrBadForm
	case form.Has("until"):
		typed = page.TypedDate(form, "until")
		day, wrong := typed.Read(first, last)
		if wrong == nil {
			until, wrong = page.DayBegins(day, zone)
		}
		if wrong != nil {
			return time.Time{}, typed, wrong, nil
		}
	default:
		return until, typed, nil, page.HasAll(form, "for")
	}
	return until.Add(-backBefore), typed, nil, nil
}

// fromOf returns the local path in the request to which the menu returns, or "" for the list.
func fromOf(r *http.Request) string {
	given := r.URL.Query().Get("from")
	if r.Method == http.MethodPost {
		given = r.PostForm.Get("from")
	}
	path, _ := page.LocalPath(given)
	return path
}

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

func (m feedMenu) Back() string {
	if m.From == "" {
		return "/feeds"
	}
	return m.From
}

// menuPath returns the address of a feed's menu with a link back to from.
func menuPath(id digest.FeedID, from string) string {
	return feedPath(id) + "?from=" + url.QueryEscape(from)
}

// showChanged redirects to the menu of a feed, which confirms the change.
func showChanged(w http.ResponseWriter, r *http.Request, err error, id digest.FeedID, word string) error {
	if err != nil {
		return err
	}
	path := fmt.Sprintf("%s?%s=%s", feedPath(id), page.SavedWord, word)
	if from := fromOf(r); from != "" {
		path += "&from=" + url.QueryEscape(from)
	}
	return page.SeeOther(w, r, path)
}
