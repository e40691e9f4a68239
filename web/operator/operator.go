package operator

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
	"digest/store"
	"digest/web/page"
)

// operatorShown is how many feeds, emails and addresses each list of the page has.
const operatorShown = 25

type operatorPage struct {
	*page.Visit
	Mails bool       // the instance can send a test email
	Fence *fencePart // nil if the fence is not active
	Needs []need     // problems that need somebody's attention

	Dial      template.HTML
	DialWords catalogue.Sayable
	Midnights []midnightRow
	CountedAt time.Time // time of the feed counts of the midnights; zero before the first count

	Work      template.HTML
	WorkTotal chart.Hour
	Hours     []chart.Hour // hours with work, newest first

	Troubled     []troubledRow
	TroubledMore int

	Mail mailPart

	Suppressed     []digest.Suppression
	SuppressedMore int

	Numbers store.Numbers
	Beat    time.Time // of the hourly job; zero: never
	Lags    digest.Lags
}

// A need is a problem that needs somebody's attention.
type need struct {
	Words catalogue.Message
	Place string // address of the place to solve it; "" if there is none
}

func (s *site) operatorPage(v *page.Visit) error {
	ctx, now := v.Ctx, v.Now
	work := chart.NewWork(now, workHours)
	view, err := s.Store.Operator.OperatorView(ctx, now, work.Hours[0].At, s.Spread.Deadline, operatorShown)
	if err != nil {
		return err
	}
	fence, err := s.fencePart(ctx)
	if err != nil {
		return err
	}
	p := operatorPage{
		Visit: v, Mails: s.Mails(), Fence: fence,
		Numbers: view.Numbers, Beat: view.Heartbeat, Lags: view.Lags, TroubledMore: view.TroubledMore,
		Suppressed: view.Suppressions, SuppressedMore: -len(view.Suppressions),
	}
	for _, n := range p.Numbers.Suppressed {
		p.SuppressedMore += n
	}
	for _, f := range view.Troubled {
		p.Troubled = append(p.Troubled, s.troubledRow(f, now))
	}
	l := v.PageLanguage()
	p.drawMidnights(l, view.Midnights, s.countFeeds(ctx, now), now)
	p.drawWork(l, work, view.Hours)
	p.listMail(view.Mail, view.Lanes, now)
	s.listNeeds(&p, view, now)
	return v.Show(nil, "operator/operator", catalogue.Key("Operator"), p)
}

// listNeeds adds the problems of this instance, most important first. Problems that other parts of
// the page have found are already listed.
func (s *site) listNeeds(p *operatorPage, v store.OperatorView, now time.Time) {
	if p.Fence == nil { // behind the fence, everything is late
		s.needJob(p, v.Heartbeat, now)
		p.needHour(p.Lags.Late(digest.LimitsOfLags(s.Spread.Deadline), now))
	}
	s.needRoom(p)
	p.needPrune(v.PruneWaits)
	p.needMail()
	s.needProxies(p, v.Proxies)
	needLetters(p, v.Letters, now)
	if v.Pending > 0 {
		p.needAt("/operator/newsletters", catalogue.Key("%d newsletters are waiting for your approval."), v.Pending)
	}
}

// needJob reports that the hourly job is not running.
func (s *site) needJob(p *operatorPage, beat, now time.Time) {
	never := beat.IsZero() && p.Numbers.Readers > 0 && s.Beats
	stopped := !beat.IsZero() && now.Sub(beat) > page.BeatPatience
	if never || stopped {
		p.need(catalogue.Key("The hourly job isn’t running. Start “digest serve” or “digest work”."))
	}
}

// needRoom reports exceeded quotas, a large database and a full disk.
func (s *site) needRoom(p *operatorPage) {
	if n := p.Numbers.OverQuota; n > 0 {
		p.needAt("#trouble", catalogue.Key(
			"%d feeds are over their daily quota (DIGEST_FEED_QUOTA, DIGEST_ACCOUNT_QUOTA). Their other posts wait."),
			n)
	}
	if s.Storage == nil {
		return
	}
	if size := s.Storage(p.Numbers.Bytes); size.Large() {
		p.need(catalogue.Key("The database has grown to %s, above the alarm threshold of %s (DIGEST_DATABASE_ALARM). Set a shorter DIGEST_KEEP, or a higher threshold."),
			chart.Size(size.Bytes), chart.Size(size.Alarm))
	} else if size.Tight() {
		p.need(catalogue.Key("The database’s disk has only %s free. Free some space, or set a shorter DIGEST_KEEP."),
			chart.Size(size.Free))
	}
}

func (p *operatorPage) needPrune(w *digest.Prune) {
	if w != nil {
		p.need(catalogue.Key("DIGEST_KEEP would delete %d of %d editions and %d of %d posts. Set a longer time, or run “digest prune --confirm”."),
			w.Editions, w.AllEditions, w.Posts, w.AllPosts)
	}
}

// needHour reports late editions, polls and mail.
func (p *operatorPage) needHour(late digest.Lags) {
	if !late.Editions.IsZero() {
		p.need(catalogue.Key("An edition due by %s hasn’t been created yet. See the log."),
			page.Minute(late.Editions))
	}
	if !late.Polls.IsZero() {
		p.need(catalogue.Key(
			"Feeds have been waiting for a poll since %s. This instance can’t keep up. See the log."),
			page.Minute(late.Polls))
	}
	if !late.Mail.IsZero() {
		p.need(catalogue.Key("Email due at %s hasn’t been sent yet."), page.Minute(late.Mail))
	}
}

func (p *operatorPage) need(what catalogue.Key, values ...any) {
	p.needAt("", what, values...)
}

// needAt adds a problem with the address of the place to solve it.
func (p *operatorPage) needAt(place string, what catalogue.Key, values ...any) {
	p.Needs = append(p.Needs, need{what.With(values...), place})
}

// mailAgain removes an address from the suppression list.
func (s *site) mailAgain(v *page.Visit) error {
	done := "mailed-again"
	switch err := s.Store.Editions.Unsuppress(v.Ctx, v.PostForm.Get("address")); {
	case digest.KindOf(err) == digest.NotFound:
		done = "was-mailed"
	case err != nil:
		return err
	default:
		s.Log.InfoContext(v.Ctx, "an operator removed a suppression", "operator", int64(v.ID))
	}
	return v.SeeSaved(nil, "/operator", done)
}

// Lag returns how late something is.
func (p operatorPage) Lag(since time.Time) catalogue.Sayable {
	if since.IsZero() {
		return catalogue.Key("on time")
	}
	return catalogue.Key("since %s").With(page.Minute(since))
}

func (p operatorPage) Digests(state string) int { return p.Numbers.Digests[digest.DigestState(state)] }

func (p operatorPage) Feeds(state string) int { return p.Numbers.Feeds[digest.FeedState(state)] }

// workHours is how many hours the chart of work covers.
const workHours = 48

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
		// The SVG contains only our own numbers, dates and words.
		p.Work = template.HTML(work.SVG(l,
			l.Text(catalogue.List{catalogue.Key("Polls"), catalogue.Key("Bytes"),
				catalogue.Key("Editions and email")})))
	}
}

func (p *operatorPage) addCounter(h *chart.Hour, t store.HourCounter) {
	switch n := int(t.N); t.Kind {
	case store.CounterEdition:
		h.Editions += n
	case store.CounterMail + string(digest.EditionSent):
		h.Sent += n
	default:
		if state, ok := strings.CutPrefix(t.Kind, store.CounterMail); ok &&
			p.Mail.count(digest.EditionState(state), n) {
			h.Failed += n
		} else if kind, ok := strings.CutPrefix(t.Kind, store.CounterPoll); ok {
			h.Count[page.KindNamed(kind)] += n
			h.Bytes += t.Bytes
		}
	}
}

// A troubledRow describes a feed for operators, usually one with a problem.
type troubledRow struct {
	Path    string // path of its page
	Title   string
	Status  string // path of its status page; "" if there is none
	Shown   string // address without secrets
	State   string
	Reason  catalogue.Sayable
	Since   time.Time
	Readers int
	Next    time.Time
	Late    bool
	News    catalogue.Sayable // how its posts arrive
}

func (s *site) troubledRow(f store.FeedInfo, now time.Time) troubledRow {
	state, reason := poller.Status(f.Feed, now)
	next := poller.NextPoll(f.Feed, f.NextDueAt, now, s.Spread)
	shown, _ := page.ShownURL(f.URL, false)
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
		Title: page.Shortened(f.Title), Status: page.StatusPath(f.Feed), Shown: page.Shortened(shown), State: state,
		Reason: reason, Since: since,
		Readers: f.Subscribers, Next: next, Late: !next.IsZero() && !next.After(now),
		News: poller.NewsWords(f.News, now),
	}
}

// A mailPart describes the waiting mail and its problems.
type mailPart struct {
	Waits   catalogue.Sayable // nil if no mail waits
	Lanes   []laneRow
	Waiting []mailRow // mail with failed attempts
	GivenUp []mailRow

	// Editions of the last workHours that were refused, not confirmed and not delivered in time.
	Refused, Unconfirmed, Late int
}

// count adds n emails in a state. It reports whether the state is a failure.
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

// Failures returns the number of failed deliveries in words, or nil if there are none.
func (m mailPart) Failures() catalogue.Sayable {
	if m.Refused+m.Unconfirmed+m.Late == 0 {
		return nil
	}
	return catalogue.Key("Last 48 hours: %d rejected, %d unconfirmed, %d expired.").With(m.Refused, m.Unconfirmed,
		m.Late)
}

// A laneRow is a lane that is paused or recovering.
type laneRow struct {
	digest.Lane
	Paused bool
}

func (l laneRow) Title() catalogue.Sayable {
	if l.Name == "" {
		return catalogue.Key("all email")
	}
	return catalogue.Key("email to %s").With(l.Name)
}

// A mailRow is an email with its last or next attempt.
type mailRow struct {
	store.QueuedEdition
	When catalogue.Sayable
	Why  catalogue.Sayable // error or reply of the last attempt; nil if there is none
}

// listMail lists lanes with problems, waiting mail and failed mail.
func (p *operatorPage) listMail(waiting store.MailWaiting, lanes []digest.Lane, now time.Time) {
	p.Mail.Waits = mailWords(waiting)
	for _, l := range lanes {
		if l.Alarm || l.IsPaused(now) || l.Width > 0 || l.Reason != "" {
			p.Mail.Lanes = append(p.Mail.Lanes, laneRow{l, l.IsPaused(now)})
		}
	}
	p.Mail.Waiting = mailRows(waiting.Troubled, func(e store.QueuedEdition) catalogue.Sayable {
		return catalogue.Key("%d attempts, next one %s").With(e.Attempt, page.Minute(e.NextAt))
	})
	p.Mail.GivenUp = mailRows(waiting.GivenUp, func(e store.QueuedEdition) catalogue.Sayable {
		if e.State == digest.EditionUnconfirmed {
			return catalogue.Key("sent, delivery not confirmed")
		}
		return catalogue.Key("%d attempts").With(e.Attempt)
	})
}

// resumeMail retries a lane with a problem now, as "digest queue resume" does.
func (s *site) resumeMail(v *page.Visit) error {
	l, err := s.Store.Editions.Lane(v.Ctx, v.PostForm.Get("lane"))
	if err != nil {
		return err
	}
	if !l.Alarm && l.Until.IsZero() && l.Width == 0 && l.Reason == "" {
		return v.SeeSaved(nil, "/operator", "was-resumed")
	}
	if err := s.Store.Editions.ResumeLane(v.Ctx, v.Now, l.Name); err != nil {
		return err
	}
	s.Log.InfoContext(v.Ctx, "an operator resumed a lane", "operator", int64(v.ID), "lane", l.Name)
	return v.SeeSaved(nil, "/operator", "resumed")
}

func mailRows(list []store.QueuedEdition, when func(store.QueuedEdition) catalogue.Sayable) []mailRow {
	rows := make([]mailRow, len(list))
	for i, e := range list {
		rows[i] = mailRow{e, when(e), unsentWords(e.Edition)}
	}
	return rows
}

// mailWords returns how many emails wait, by reason.
func mailWords(w store.MailWaiting) catalogue.Sayable {
	words := map[store.MailReason]catalogue.Key{
		store.MailSending: catalogue.Key("%d sending"), store.MailDue: catalogue.Key("%d due now"),
		store.MailRetried:    catalogue.Key("%d to retry"),
		store.MailLanePaused: catalogue.Key("%d in paused lanes"),
		store.MailScheduled:  catalogue.Key("%d scheduled for later"),
	}
	var parts []catalogue.Sayable
	for _, reason := range store.MailReasons() {
		if n := w.Counts[reason]; n > 0 {
			parts = append(parts, words[reason].With(n))
		}
	}
	return catalogue.Listed(parts)
}

// needMail reports stopped lanes and a high rate of failures.
func (p *operatorPage) needMail() {
	for _, l := range p.Mail.Lanes {
		switch why := strings.TrimSuffix(page.Shortened(l.Reason), "."); {
		case l.Alarm:
			p.needAt("#mail", catalogue.Key("%s has stopped: %s. Fix the cause, then resume it."), l.Title(), why)
		case l.Paused && l.Name == "":
			p.needAt("#mail", catalogue.Key("All email is paused until %s: %s. It resumes automatically."),
				page.Minute(l.Until), why)
		}
	}
	sent, failed := 0, 0
	for _, h := range p.Hours {
		sent, failed = sent+h.Sent, failed+h.Failed
	}
	if failed >= 3 && failed*10 >= sent {
		p.needAt("#mail", catalogue.Key("%d of %d emails failed in the last 48 hours. The reasons are below."), failed,
			sent+failed)
	}
}
