package digest

const (
	trialDays  = 14 // from the beginning of a trial to its question
	answerDays = 7  // from the question to the decision without an answer
)

// A Trial is a subscription that its reader tries out. An edition asks whether to keep it, and a later one decides if
// the reader has not answered. The zero Trial means that the subscription is no trial.
type Trial struct {
	TrialUntil Date // the first date on which an edition asks or, after that, decides
	TrialEnds  bool // the subscription ends without an answer; otherwise it stays
	TrialAsked bool // an edition has asked, and its reader has not paused since
}

// NewTrial returns a trial that begins on a date in its reader's zone.
func NewTrial(today Date, ends bool) Trial {
	return Trial{TrialUntil: today.Plus(trialDays), TrialEnds: ends}
}

// IsTrial reports whether the subscription is a trial.
func (t Trial) IsTrial() bool { return !t.TrialUntil.IsZero() }

// A TrialStep is what an edition does with a trial.
type TrialStep uint8

const (
	TrialWaits  TrialStep = iota
	TrialAsks             // the edition asks
	TrialLapses           // the subscription stays, and is no trial any more
	TrialStops            // the subscription ends
)

// On returns what the edition of a date does with a trial, and the trial after it.
func (t Trial) On(date Date) (Trial, TrialStep) {
	switch {
	case !t.IsTrial() || date.Before(t.TrialUntil):
		return t, TrialWaits
	case !t.TrialAsked:
		return Trial{TrialUntil: date.Plus(answerDays), TrialEnds: t.TrialEnds, TrialAsked: true}, TrialAsks
	case t.TrialEnds:
		return Trial{}, TrialStops
	}
	return Trial{}, TrialLapses
}

// The names of what happens to a trial without an answer.
const (
	TrialStaysName = "stays"
	TrialEndsName  = "ends"
)

// TrialName returns the name of what happens without an answer, or "" if the subscription is no trial.
func (t Trial) TrialName() string {
	switch {
	case !t.IsTrial():
		return ""
	case t.TrialEnds:
		return TrialEndsName
	}
	return TrialStaysName
}

// Named returns the trial after the reader chose an end by its name. A trial that has not begun begins today. An empty
// name is no trial. ok is false for an unknown name.
func (t Trial) Named(name string, today Date) (_ Trial, ok bool) {
	switch {
	case name == "":
		return Trial{}, true
	case name != TrialStaysName && name != TrialEndsName:
		return t, false
	case !t.IsTrial():
		return NewTrial(today, name == TrialEndsName), true
	}
	t.TrialEnds = name == TrialEndsName
	return t, true
}
