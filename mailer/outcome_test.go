package mailer

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"digest"
)

// refusedAt returns the error for a reply that rejects a message.
func refusedAt(stage Stage, code int, enhanced, text string) error {
	return &NotAcceptedError{Stage: stage, Reply: Reply{Code: code, Enhanced: enhanced, Text: text}}
}

// TestOutcome is a table of results for an edition. By default it is edition 7 in its first attempt, to a domain
// without history, an hour after midnight.
func TestOutcome(t *testing.T) {
	now := midnight.Add(time.Hour)
	lost := func(stage Stage) error { return &NotAcceptedError{Stage: stage, Err: errors.New("the line is dead")} }
	fenced := &NotAcceptedError{Stage: StageBody, Err: fmt.Errorf("%w: %w", errQueue, errFenced)}
	broken := &NotAcceptedError{Stage: StageBody, Err: fmt.Errorf("%w: the disk is full", errQueue)}
	doubt := &InDoubtError{Err: errNoAnswer}
	const dead, noAnswer = "not accepted at %s: the line is dead",
		"acceptance unknown: the server did not answer the final dot"

	mark := func(state digest.EditionState, reply, reason string) digest.Mark {
		return digest.Mark{ID: 7, State: state, Reply: reply, Error: reason}
	}
	wait := func(m digest.Mark, d time.Duration) digest.Mark { m.NextAt = now.Add(d); return m }
	uncounted := func(m digest.Mark) digest.Mark { m.Uncounted = true; return m }
	bounced := func(m digest.Mark, kind digest.BounceKind, status string) digest.Mark {
		m.Bounce = &digest.Bounce{Edition: 7, Kind: kind, Status: status, Evidence: m.Reply}
		return m
	}
	retry := func(reply string, d time.Duration, stage Stage) digest.Mark {
		return wait(mark(digest.EditionReady, reply, "not accepted at "+string(stage)+": "+reply), d)
	}
	try := func(attempt int) digest.Delivery { return digest.Delivery{Edition: digest.Edition{Attempt: attempt}} }
	many := Answers{All: 10, Refusals: 3, Deferrals: 3}
	const spam, slow = "550 5.7.1 spam", "451 4.7.0 slow down"

	for name, row := range map[string]struct {
		a    Attempt
		want Result
	}{
		// Accepted.
		"accepted": {Attempt{Reply: Reply{Code: 250, Text: "queued as 1"}},
			Result{Mark: mark(digest.EditionSent, "250 queued as 1", ""), Answered: true}},
		"accepted by a domain that recovers": {Attempt{Reply: Reply{Code: 250}, Delivery: digest.Delivery{Slow: true}},
			Result{Mark: mark(digest.EditionSent, "250", ""),
				Lane: LaneChange{Event: LaneDomainAccepted, Domain: "example.net"}, Answered: true}},

		// Neither side has failed.
		"stopped before the dot": {Attempt{Err: &NotAcceptedError{Stage: StageBody, Err: errTooLate}},
			Result{PutBack: true}},
		"the lease was lost":          {Attempt{Err: fenced}, Result{}},
		"the queue cannot be written": {Attempt{Err: broken}, Result{Err: broken}},

		// In doubt.
		"no answer to the dot": {Attempt{Err: doubt, Dotted: true},
			Result{Mark: wait(mark(digest.EditionInDoubt, "", noAnswer), 15*time.Minute), Answered: true}},
		"no answer to the dot, again": {Attempt{Err: doubt, Dotted: true, Delivery: digest.Delivery{WasInDoubt: true}},
			Result{Mark: mark(digest.EditionUnconfirmed, "", noAnswer), Answered: true}},
		"no answer, where sending again replaces": {Attempt{Err: doubt, Dotted: true, Idempotent: true},
			Result{Mark: wait(mark(digest.EditionReady, "", noAnswer), 5*time.Minute), Answered: true}},

		// The route.
		"nobody listens": {Attempt{Err: lost(StageConnect)},
			Result{PutBack: true, Lane: LaneChange{Event: LaneRouteFailed, Reason: "the line is dead"}}},
		"421 to MAIL": {Attempt{Err: refusedAt(StageMail, 421, "", "busy")},
			Result{PutBack: true, Lane: LaneChange{Event: LaneRouteFailed, Reason: "421 busy"}}},
		"421 to the dot": {Attempt{Err: refusedAt(StageDot, 421, "", "busy"), Dotted: true},
			Result{Mark: uncounted(wait(mark(digest.EditionReady, "421 busy", "421 busy"), time.Minute)),
				Lane: LaneChange{Event: LaneRouteFailed, Reason: "421 busy"}}},
		"login refused": {Attempt{Err: refusedAt(StageAuth, 535, "5.7.8", "no")},
			Result{PutBack: true, Lane: LaneChange{Event: LaneRoutePaused, Reason: "535 5.7.8 no"}}},
		"our DMARC refused at the dot": {Attempt{Err: refusedAt(StageDot, 550, "5.7.26", "unauthenticated"),
			Dotted: true},
			Result{
				Mark: uncounted(wait(mark(digest.EditionReady, "550 5.7.26 unauthenticated",
					"550 5.7.26 unauthenticated"), time.Hour)),
				Lane: LaneChange{Event: LaneRoutePaused, Reason: "550 5.7.26 unauthenticated"},
			}},

		// The mailbox.
		"no such mailbox": {Attempt{Err: refusedAt(StageRcpt, 550, "5.1.1", "nobody")},
			Result{Mark: bounced(mark(digest.EditionFailed, "550 5.1.1 nobody", "550 5.1.1 nobody"), digest.HardBounce,
				"5.1.1"), Answered: true}},
		"full for good": {Attempt{Err: refusedAt(StageRcpt, 552, "5.2.2", "full"), Domain: many},
			Result{Mark: retry("552 5.2.2 full", 5*time.Minute, StageRcpt), Answered: true}},
		"full at the dot": {Attempt{Err: refusedAt(StageDot, 552, "5.2.2", "full"), Dotted: true, Domain: many},
			Result{Mark: bounced(mark(digest.EditionFailed, "552 5.2.2 full", "552 5.2.2 full"), digest.SoftBounce,
				"5.2.2"), Answered: true}},
		"full in the last attempt": {Attempt{Err: refusedAt(StageRcpt, 452, "4.2.2", "full"), Delivery: try(10)},
			Result{Mark: bounced(mark(digest.EditionExpired, "452 4.2.2 full", "not accepted at rcpt: 452 4.2.2 full"),
				digest.SoftBounce, "4.2.2"), Answered: true}},

		// The message, and refusals by policy.
		"cannot be composed": {Attempt{Err: &NotAcceptedError{Stage: StageCompose, Err: errors.New("no date")},
			Domain: many},
			Result{Mark: mark(digest.EditionFailed, "", "no date")}},
		"one refused by policy": {Attempt{Err: refusedAt(StageDot, 550, "5.7.1", "spam"), Dotted: true,
			Domain: Answers{All: 100, Refusals: 3}},
			Result{Mark: mark(digest.EditionFailed, spam, spam), Answered: true}},
		"many refused by policy": {Attempt{Err: refusedAt(StageDot, 550, "5.7.1", "spam"), Dotted: true, Domain: many},
			Result{
				Mark:     mark(digest.EditionFailed, spam, spam),
				WithLane: uncounted(wait(mark(digest.EditionReady, spam, spam), time.Hour+time.Minute)),
				Lane:     LaneChange{Event: LaneDomainRefused, Domain: "example.net", Reason: spam}, Answered: true,
			}},
		"one refused by a slow domain": {
			Attempt{Err: refusedAt(StageDot, 550, "5.7.1", "spam"), Dotted: true, Domain: Answers{All: 1, Refusals: 1},
				Delivery: digest.Delivery{Slow: true}},
			Result{
				Mark:     mark(digest.EditionFailed, spam, spam),
				WithLane: uncounted(wait(mark(digest.EditionReady, spam, spam), time.Hour+time.Minute)),
				Lane:     LaneChange{Event: LaneDomainRefused, Domain: "example.net", Reason: spam, IfAlarmed: true},
				Answered: true,
			}},

		// Later.
		"lost before the dot": {Attempt{Err: lost(StageData)},
			Result{Mark: wait(mark(digest.EditionReady, "", fmt.Sprintf(dead, StageData)), 5*time.Minute)}},
		"the third time": {Attempt{Err: lost(StageData), Delivery: try(3)},
			Result{Mark: wait(mark(digest.EditionReady, "", fmt.Sprintf(dead, StageData)), 20*time.Minute)}},
		"the schedule ends": {Attempt{Err: lost(StageData), Delivery: try(10)},
			Result{Mark: mark(digest.EditionExpired, "", fmt.Sprintf(dead, StageData))}},
		"its time ends": {Attempt{Err: lost(StageData),
			Delivery: digest.Delivery{Edition: digest.Edition{ExpiresAt: now.Add(5 * time.Minute)}}},
			Result{Mark: mark(digest.EditionExpired, "", fmt.Sprintf(dead, StageData))}},
		"its time ends after the next attempt": {Attempt{Err: lost(StageData),
			Delivery: digest.Delivery{Edition: digest.Edition{ExpiresAt: now.Add(5*time.Minute + 1)}}},
			Result{Mark: wait(mark(digest.EditionReady, "", fmt.Sprintf(dead, StageData)), 5*time.Minute)}},
		"the server names a time": {Attempt{Err: refusedAt(StageRcpt, 450, "4.2.0", "greylisted for 600 seconds")},
			Result{Mark: retry("450 4.2.0 greylisted for 600 seconds", 10*time.Minute, StageRcpt), Answered: true}},

		// Effects of 4xx on the domain.
		"one deferral that could be a greylist's": {Attempt{Err: refusedAt(StageRcpt, 451, "4.7.1", "later"),
			Domain: Answers{All: 1, Deferrals: 1}},
			Result{Mark: retry("451 4.7.1 later", 5*time.Minute, StageRcpt), Answered: true}},
		"many of them": {Attempt{Err: refusedAt(StageRcpt, 451, "4.7.1", "later"), Domain: many},
			Result{
				Mark: retry("451 4.7.1 later", 5*time.Minute, StageRcpt), Answered: true,
				Lane: LaneChange{Event: LaneDomainSlowed, Domain: "example.net", Reason: "451 4.7.1 later"},
			}},
		"many of them, when greylists have had their way": {
			Attempt{Err: refusedAt(StageRcpt, 451, "4.7.1", "later"), Domain: many, Delivery: try(2)},
			Result{
				Mark: retry("451 4.7.1 later", 10*time.Minute, StageRcpt), Answered: true,
				Lane: LaneChange{Event: LaneDomainSlowed, Domain: "example.net", Reason: "451 4.7.1 later",
					Pause: true},
			}},
		"one about the domain": {Attempt{Err: refusedAt(StageRcpt, 451, "4.7.0", "slow down")},
			Result{
				Mark: retry(slow, 5*time.Minute, StageRcpt), Answered: true,
				Lane: LaneChange{Event: LaneDomainSlowed, Domain: "example.net", Reason: slow, Pause: true},
			}},
		"many about their mailboxes": {Attempt{Err: refusedAt(StageRcpt, 452, "4.2.2", "full"), Domain: many},
			Result{Mark: retry("452 4.2.2 full", 5*time.Minute, StageRcpt), Answered: true}},
	} {
		row.a.Delivery.ID, row.a.Delivery.Domain = 7, "example.net"
		row.a.Delivery.Attempt = max(row.a.Delivery.Attempt, 1)
		if got := Outcome(row.a, now, nil); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, row.want)
		}
	}
}
