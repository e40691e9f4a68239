package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
	"digest/store"
)

// operatorShown is how many feeds, mails and addresses are listed of each kind.
const operatorShown = 25

// An operatorPage is how this instance stands.
type operatorPage struct {
	Saved string     // what the last form did
	Mails bool       // a test can be mailed
	Fence *fencePart // nil: none stands
	Needs []need     // what somebody has to see to

	Dial      template.HTML
	DialWords catalogue.Sayable
	Midnights []midnightRow
	CountedAt time.Time // when the feeds of each midnight were counted; zero: they are being counted

	Work      template.HTML
	WorkTotal chart.Hour
	Hours     []chart.Hour // in which something was done, the latest first

	Troubled     []troubledRow
	TroubledMore int

	Mail mailPart

	Suppressed     []digest.Suppression
	SuppressedMore int

	Numbers store.Numbers
	Beat    time.Time // of the hourly job; zero: never
	Lags    digest.Lags
}

// A need is something that somebody has to see to.
type need struct {
	Words catalogue.Message
	Place string // where on these pages it is done; "": elsewhere
}

// operatorPage shows how this instance stands.
func (s *site) operatorPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	ctx, now := r.Context(), s.Now()
	work := chart.NewWork(now, workHours)
	v, err := s.Store.OperatorView(ctx, now, work.Hours[0].At, s.Spread.Deadline, operatorShown)
	if err != nil {
		return err
	}
	fence, err := s.fencePart(ctx)
	if err != nil {
		return err
	}
	p := operatorPage{
		Saved: savedOf(r, "mailed-again", "was-mailed", "opened", "opened-later", "was-open", "tested", "resumed", "was-resumed"), Mails: s.mails(), Fence: fence,
		Numbers: v.Numbers, Beat: v.Heartbeat, Lags: v.Lags, TroubledMore: v.TroubledMore,
		Suppressed: v.Suppressions, SuppressedMore: -len(v.Suppressions),
	}
	for _, n := range p.Numbers.Suppressed {
		p.SuppressedMore += n
	}
	for _, f := range v.Troubled {
		p.Troubled = append(p.Troubled, s.troubledRow(f, now))
	}
	l := s.language(r)
	p.drawMidnights(l, v.Midnights, s.countFeeds(ctx, now), now)
	p.drawWork(l, work, v.Hours)
	p.listMail(v.Mail, v.Lanes, now)
	s.listNeeds(&p, v, now)
	return s.show(w, r, http.StatusOK, "operator", catalogue.Key("Operator"), p)
}

// listNeeds says what somebody has to see to, in the order of its weight. What
// the other parts have found is there already.
func (s *site) listNeeds(p *operatorPage, v store.OperatorView, now time.Time) {
	if p.Fence == nil { // behind one all of it is late
		s.needJob(p, v.Heartbeat, now)
		p.needHour(p.Lags.Late(digest.LimitsOfLags(s.Spread.Deadline), now))
	}
	s.needRoom(p)
	p.needPrune(v.PruneWaits)
	p.needMail()
	p.needClock(v.Clock, now)
	s.needProxies(p, v.Proxies)
	needLetters(p, v.Letters, now)
	if v.Pending > 0 {
		p.needAt("/operator/newsletters", catalogue.Key("%d newsletters wait for your approval: see Newsletters, at the foot of this page."), v.Pending)
	}
}

// needJob says that the hourly job is not at work.
func (s *site) needJob(p *operatorPage, beat, now time.Time) {
	if beat.IsZero() && p.Numbers.Readers > 0 && s.Beats {
		p.need(catalogue.Key("The hourly job was never at work here. See that “digest serve” or “digest work” runs."))
	} else if !beat.IsZero() && now.Sub(beat) > beatPatience {
		p.need(catalogue.Key("The hourly job was last at work %s. See that “digest serve” or “digest work” runs."), minute(beat))
	}
}

// needClock says for a week that a clock was wrong.
func (p *operatorPage) needClock(note digest.ClockNote, now time.Time) {
	const week = 7 * 24 * time.Hour
	if note.Any() && !note.At.After(now) && now.Sub(note.At) < week {
		p.need(catalogue.Key("A clock was wrong, or a command was run with --now: what it had put too far ahead was put right %s (%s). Readers may have had an edition early. “digest doctor” compares the clocks."), minute(note.At), note)
	}
}

// needRoom says what of the storage is used up.
func (s *site) needRoom(p *operatorPage) {
	if n := p.Numbers.OverQuota; n > 0 {
		p.needAt("#trouble", catalogue.Key("More came from %d feeds than is stored in a day (DIGEST_FEED_QUOTA, DIGEST_ACCOUNT_QUOTA): posts wait. See the feeds in trouble."), n)
	}
	if s.Storage == nil {
		return
	}
	if size := s.Storage(p.Numbers.Bytes); size.Large() {
		p.need(catalogue.Key("The database has %s, more than the %s of DIGEST_DATABASE_ALARM. Keep less (DIGEST_KEEP), see which feeds bring most, or set a higher alarm."), chart.Size(size.Bytes), chart.Size(size.Alarm))
	} else if size.Tight() {
		p.need(catalogue.Key("Only %s are free on the disk of the database. Make room, or keep less (DIGEST_KEEP)."), chart.Size(size.Free))
	}
}

// needPrune tells the operator that a large prune waits for a confirmation.
func (p *operatorPage) needPrune(w *digest.Prune) {
	if w != nil {
		p.need(catalogue.Key("DIGEST_KEEP would delete %d of %d editions and %d of %d posts: keep more, or run “digest prune --confirm”."),
			w.Editions, w.AllEditions, w.Posts, w.AllPosts)
	}
}

// needHour says what of the hour is late.
func (p *operatorPage) needHour(late digest.Lags) {
	if !late.Editions.IsZero() {
		p.need(catalogue.Key("An edition that should have been made at %s at the latest is not made yet. The log says why."), minute(late.Editions))
	}
	if !late.Polls.IsZero() {
		p.need(catalogue.Key("Feeds wait since %s to be asked, although they may be: there is more to ask than this instance gets done. The log says what takes so long."), minute(late.Polls))
	}
	if !late.Mail.IsZero() {
		p.need(catalogue.Key("Mail that is due since %s has not been sent yet."), minute(late.Mail))
	}
}

func (p *operatorPage) need(what catalogue.Key, values ...any) {
	p.needAt("", what, values...)
}

// needAt is need, for what is done at a place on these pages.
func (p *operatorPage) needAt(place string, what catalogue.Key, values ...any) {
	p.Needs = append(p.Needs, need{what.With(values...), place})
}

// mailAgain lets a suppressed address be mailed again.
func (s *site) mailAgain(w http.ResponseWriter, r *http.Request, me reader) error {
	done := "mailed-again"
	switch err := s.Store.Unsuppress(r.Context(), r.PostForm.Get("address")); {
	case digest.KindOf(err) == digest.NotFound:
		done = "was-mailed"
	case err != nil:
		return err
	default:
		s.Log.InfoContext(r.Context(), "a suppressed address is mailed again", "operator", int64(me.ID))
	}
	return showSaved(w, r, nil, "/operator", done)
}

// Lag says since when something waits.
func (p operatorPage) Lag(since time.Time) catalogue.Sayable {
	if since.IsZero() {
		return catalogue.Key("on time")
	}
	return catalogue.Key("since %s").With(minute(since))
}

// Digests counts those of a state.
func (p operatorPage) Digests(state string) int { return p.Numbers.Digests[digest.DigestState(state)] }

// Feeds counts those of a state.
func (p operatorPage) Feeds(state string) int { return p.Numbers.Feeds[digest.FeedState(state)] }

// workHours is how far back the page shows what was done.
const workHours = 48

// drawWork draws what the last hours did.
func (p *operatorPage) drawWork(l *catalogue.Language, work chart.Work, done []store.HourCounter) {
	for _, t := range done {
		if h := work.Hour(t.At); h != nil {
			p.addCounter(h, t)
		}
	}
	p.WorkTotal = work.Total()
	for _, h := range slices.Backward(work.Hours) {
		if !h.Quiet() {
			p.Hours = append(p.Hours, h)
		}
	}
	if len(p.Hours) > 0 {
		// The picture holds numbers, dates and words of our own only.
		p.Work = template.HTML(work.SVG(l, catalogue.Key("Polls, bytes, editions and mail of the last 48 hours, by hour; the table below has the numbers").In(l)))
	}
}

// addCounter adds what was done of one kind to its hour.
func (p *operatorPage) addCounter(h *chart.Hour, t store.HourCounter) {
	switch n := int(t.N); t.Kind {
	case store.CounterEdition:
		h.Editions += n
	case store.CounterMail + string(digest.EditionSent):
		h.Sent += n
	default:
		if state, ok := strings.CutPrefix(t.Kind, store.CounterMail); ok && p.Mail.count(digest.EditionState(state), n) {
			h.Failed += n
		} else if kind, ok := strings.CutPrefix(t.Kind, store.CounterPoll); ok {
			h.Count[kindNamed(kind)] += n
			h.Bytes += t.Bytes
		}
	}
}

// kindNamed gives the kind of answer of that name.
func kindNamed(name string) chart.Kind {
	for _, k := range chart.Kinds() {
		if k.Class() == name {
			return k
		}
	}
	return chart.Silent
}

// A troubledRow is a feed as operators see it, mostly one that does not answer well.
type troubledRow struct {
	Path    string // of its page
	Title   string
	Status  string // path of its status page; empty: there is none
	Shown   string // without what may be secret
	State   string
	Reason  catalogue.Sayable
	Since   time.Time
	Readers int
	Next    time.Time
	Late    bool
	News    catalogue.Sayable // how it comes
}

func (s *site) troubledRow(f store.FeedInfo, now time.Time) troubledRow {
	state, reason := poller.Status(f.Feed, now)
	next := poller.NextPoll(f.Feed, f.NextDueAt, now, s.Spread)
	shown, _ := shownURL(f.URL, false)
	shown = digest.PublicAddress(shown)
	since := f.FailingSince
	if since.IsZero() {
		since = f.FirstErrorAt
	}
	if f.State == digest.FeedGone {
		since = f.GoneAt
	}
	return troubledRow{
		Path:  operatedFeedPath(f.ID),
		Title: shortened(f.Title), Status: statusPath(f.Feed), Shown: shortened(shown), State: state,
		Reason: reason, Since: since,
		Readers: f.Subscribers, Next: next, Late: !next.IsZero() && !next.After(now),
		News: poller.NewsWords(f.News, now),
	}
}

// A mailPart is the mail that waits, and what hinders it.
type mailPart struct {
	Waits   catalogue.Sayable // in words; nil: none does
	Lanes   []laneRow
	Waiting []mailRow // that had trouble
	GivenUp []mailRow

	// Of the last hours: how many editions were refused, never confirmed, and not delivered in time.
	Refused, Unconfirmed, Late int
}

// count counts what became of mail, and reports whether that was a failure.
func (m *mailPart) count(state digest.EditionState, n int) bool {
	switch state {
	case digest.EditionFailed:
		m.Refused += n
	case digest.EditionUnconfirmed:
		m.Unconfirmed += n
	case digest.EditionExpired:
		m.Late += n
	default:
		return false
	}
	return true
}

// Failures returns how many editions did not reach their readers; nil: all did.
func (m mailPart) Failures() catalogue.Sayable {
	if m.Refused+m.Unconfirmed+m.Late == 0 {
		return nil
	}
	return catalogue.Key("In the last 48 hours: %d refused, %d never confirmed, %d not delivered in time.").With(m.Refused, m.Unconfirmed, m.Late)
}

// A laneRow is a lane that is paused or recovers.
type laneRow struct {
	digest.Lane
	Paused bool
}

// Title names the mail that takes it.
func (l laneRow) Title() catalogue.Sayable {
	if l.Name == "" {
		return catalogue.Key("All mail")
	}
	return catalogue.Key("Mail to %s").With(l.Name)
}

// A mailRow is one mail, and what is to become of it or became.
type mailRow struct {
	store.QueuedEdition
	When catalogue.Sayable
	Why  catalogue.Sayable // what was recorded of it; nil: nothing
}

// listMail lists the mail that waits, and why.
func (p *operatorPage) listMail(waiting store.MailWaiting, lanes []digest.Lane, now time.Time) {
	p.Mail.Waits = mailWords(waiting)
	for _, l := range lanes {
		if l.Alarm || l.IsPaused(now) || l.Width > 0 || l.Reason != "" {
			p.Mail.Lanes = append(p.Mail.Lanes, laneRow{l, l.IsPaused(now)})
		}
	}
	p.Mail.Waiting = mailRows(waiting.Troubled, func(e store.QueuedEdition) catalogue.Sayable {
		if !e.NextAt.After(now) {
			return catalogue.Key("waits for its turn, after %d attempts").With(e.Attempt)
		}
		return catalogue.Key("after %d attempts, again %s").With(e.Attempt, minute(e.NextAt))
	})
	p.Mail.GivenUp = mailRows(waiting.GivenUp, func(e store.QueuedEdition) catalogue.Sayable {
		if e.State == digest.EditionUnconfirmed {
			return catalogue.Key("sent twice, never confirmed")
		}
		return catalogue.Key("failed after %d attempts").With(e.Attempt)
	})
}

// resumeMail has a lane that is in trouble tried again now, as digest queue resume does.
func (s *site) resumeMail(w http.ResponseWriter, r *http.Request, me reader) error {
	l, err := s.Store.Lane(r.Context(), r.PostForm.Get("lane"))
	if err != nil {
		return err
	}
	if !l.Alarm && l.Until.IsZero() && l.Width == 0 && l.Reason == "" {
		return showSaved(w, r, nil, "/operator", "was-resumed")
	}
	if err := s.Store.ResumeLane(r.Context(), s.Now(), l.Name); err != nil {
		return err
	}
	s.Log.InfoContext(r.Context(), "an operator lets mail go on", "operator", int64(me.ID), "lane", l.Name)
	return showSaved(w, r, nil, "/operator", "resumed")
}

func mailRows(list []store.QueuedEdition, when func(store.QueuedEdition) catalogue.Sayable) []mailRow {
	rows := make([]mailRow, len(list))
	for i, e := range list {
		rows[i] = mailRow{e, when(e), unsentWords(e.Edition)}
	}
	return rows
}

// mailWords says how much mail waits, and why.
func mailWords(w store.MailWaiting) catalogue.Sayable {
	words := map[store.MailReason]catalogue.Key{
		store.MailSending: catalogue.Key("%d on the way"), store.MailDue: catalogue.Key("%d due, waiting for a turn"), store.MailRetried: catalogue.Key("%d refused for now, to be tried again"),
		store.MailLanePaused: catalogue.Key("%d held up while their lane is paused"), store.MailScheduled: catalogue.Key("%d for a later hour of their readers’"),
	}
	var all catalogue.Sayable
	for _, reason := range store.MailReasons() {
		n := w.Counts[reason]
		switch {
		case n == 0:
		case all == nil:
			all = words[reason].With(n)
		default:
			all = catalogue.Key("%s; %s").With(all, words[reason].With(n))
		}
	}
	return all
}

// needMail says what of the mail somebody has to see to.
func (p *operatorPage) needMail() {
	for _, l := range p.Mail.Lanes {
		switch why := strings.TrimSuffix(shortened(l.Reason), "."); {
		case l.Alarm:
			p.needAt("#mail", catalogue.Key("%s waits for you: %s. Once it is put right, let it go on, under Mail on this page."), l.Title(), why)
		case l.Paused && l.Name == "":
			p.needAt("#mail", catalogue.Key("All mail is paused until %s: %s. Then it goes on by itself."), minute(l.Until), why)
		}
	}
	sent, failed := 0, 0
	for _, h := range p.Hours {
		sent, failed = sent+h.Sent, failed+h.Failed
	}
	if failed >= 3 && failed*10 >= sent {
		p.needAt("#mail", catalogue.Key("Of the last 48 hours’ mails %d of %d were given up; the reasons are below."), failed, sent+failed)
	}
}

// suppressedFor says why an address is not mailed.
func suppressedFor(r digest.Reason) catalogue.Key {
	switch r {
	case digest.ForHardBounce:
		return catalogue.Key("It bounced")
	case digest.ForSoftBounces:
		return catalogue.Key("It has bounced for a week")
	case digest.ForComplaint:
		return catalogue.Key("Its reader called a mail spam")
	}
	return catalogue.Key("By the operator’s word")
}
