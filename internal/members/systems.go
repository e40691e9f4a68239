package members

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"digest"
)

type system struct {
	name    string
	foreign bool                                                              // not our own format
	is      func(t *table) bool                                               // recognises the columns
	read    func(r *record) Row                                               // converts one row
	sort    func(t *table, file string) (part string, state State, err error) // nil: one file with people in all states
}

// systems returns the known systems, those with the most distinctive columns first.
func systems() []system {
	return []system{
		{"Mailchimp", true, isMailchimp, readMailchimp, sortMailchimp},
		{"Substack", true, isSubstack, readSubstack, nil},
		{"Substack", true, isSubstackTable, readSubstackTable, nil},
		{"Buttondown", true, isButtondown, readButtondown, sortButtondown},
		{"Ghost", true, isGhost, readGhost, nil},
		{"listmonk", true, isListmonk, readListmonk, nil},
		{"digest", false, isOurs, readOurs, sortOurs},
	}
}

var (
	errUnknown = errors.New("it is not a list of members")
	errNever   = errors.New("the people in this list never subscribed")
)

func unknown(columns []string) error {
	const most = 12
	var odd []string
	email := false
	for _, name := range columns {
		email = email || normal(name) == "email"
		if !ours(normal(name)) && len(odd) < most {
			odd = append(odd, fmt.Sprintf("%q", digest.Shortened(name, mostShown)))
		}
	}
	wrong := digest.Refuse(digest.Invalid,
		"there is no column named email, only %s; the first line must have the column names, such as email,name,joined_at", strings.Join(odd, ", "))
	if email {
		wrong = digest.Refuse(digest.Invalid, "the columns %s are unknown; remove them, or rename them to one of %s",
			strings.Join(odd, ", "), strings.Join(ourColumns[:], ", "))
	}
	wrong.Err = errUnknown
	return wrong
}

// recognise finds the system of a file by its header.
func (s *source) recognise(t *table) error {
	for _, known := range systems() {
		if !known.is(t) {
			continue
		}
		s.system = known
		if known.sort == nil {
			return nil
		}
		var err error
		s.part, s.state, err = known.sort(t, strings.ToLower(s.name))
		return err
	}
	return unknown(t.names)
}

// ourColumns are the columns of our own format. Only email is required.
var ourColumns = [...]string{"email", "name", "state", "time_zone", "days", "joined_at", "form", "address", "asked_at",
	"confirmed_at", "left_at", "reason"}

func ours(column string) bool { return slices.Contains(ourColumns[:], column) }

// isOurs rejects unknown columns, because one of them could say who left.
func isOurs(t *table) bool {
	for _, name := range t.names {
		if !ours(normal(name)) {
			return false
		}
	}
	return t.has("email")
}

func sortOurs(_ *table, file string) (string, State, error) {
	if file == suppressedFile {
		return "suppressed", "", nil
	}
	return "members", "", nil
}

const paused = "paused"

func readOurs(r *record) Row {
	row := Row{
		Email: r.email(r.get("email")), Name: r.name("name"), TimeZone: r.zone("time_zone"),
		JoinedAt: r.time("joined_at"),
		Proof: digest.Proof{Form: digest.Shortened(r.get("form"), mostForm),
			Address: digest.Shortened(r.get("address"), mostName),
			AskedAt: r.time("asked_at"), At: r.time("confirmed_at")},
		LeftAt: r.time("left_at"), Reason: digest.Shortened(r.get("reason"), mostForm),
	}
	row.State, row.Paused = r.state(row)
	if days := r.get("days"); days != "" {
		var err error
		if row.Cadence, err = digest.ParseCadence(days); err != nil {
			r.fail("days: %v", err)
		}
	}
	return row
}

// state parses a state in our words, or in the words of other systems.
func (r *record) state(row Row) (State, bool) {
	switch word := strings.ToLower(r.get("state")); word {
	case paused:
		return Joined, true
	case "":
		if !row.LeftAt.IsZero() || row.Reason != "" || r.get("left_at") != "" {
			return stateOf(row.Reason), false
		}
		return Joined, false
	default:
		if s := stateNamed(word); s != "" {
			return s, false
		}
		r.fail("the state %q is not known; write joined, pending, left, bounced, complained or blocked",
			digest.Shortened(word, mostShown))
		return "", false
	}
}

// stateNamed returns the state for a word in lower case, or "".
func stateNamed(word string) State {
	switch word {
	case "joined", "subscribed", "active", "confirmed":
		return Joined
	case "pending", "unconfirmed", "unactivated":
		return Pending
	case "left", "unsubscribed", "removed", "archived":
		return Left
	case "bounced", "cleaned", "unreachable", "undeliverable":
		return Bounced
	case "complained", "complaint", "spam":
		return Complained
	case "blocked", "blocklisted", "banned":
		return Blocked
	default:
		return ""
	}
}
