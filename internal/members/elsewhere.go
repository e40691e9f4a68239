package members

import (
	"strings"

	"digest"
)

// Mailchimp exports an audience as a ZIP with a file for each status. The columns are from the test files of
// TryGhost/migrate (packages/mg-mailchimp-members). The address is in the first column, whose name depends on the
// audience. Columns in capitals have the same names everywhere.
func isMailchimp(t *table) bool {
	return t.has("optin_time", "confirm_time", "leid") || t.has("email_address", "optin_time", "confirm_time") ||
		t.has("email_address", "member_rating")
}

// sortMailchimp recognises unsubscribed and cleaned people by their columns or the file's name. Only the file's name
// identifies people who never subscribed: nonsubscribed_email_audience_export_….csv, before 2021
// nonsubscribed_members_export_….csv.
func sortMailchimp(t *table, file string) (string, State, error) {
	switch {
	case t.has("unsub_time") || strings.HasPrefix(file, "unsubscribed_"):
		return "unsubscribed", Left, nil
	case t.has("clean_time") || strings.HasPrefix(file, "cleaned_"):
		return "cleaned", Bounced, nil
	case strings.HasPrefix(file, "nonsubscribed_"):
		return "", "", &digest.Error{Kind: digest.Invalid,
			Message: "the people in this list never subscribed; use the list of subscribers", Err: errNever}
	default:
		return "subscribed", "", nil
	}
}

// readMailchimp accepts CONFIRM_TIME as a confirmation only beside an OPTIN_TIME and an IP address. For people that a
// publisher added, OPTIN_TIME is empty, and CONFIRM_TIME and CONFIRM_IP are the publisher's.
func readMailchimp(r *record) Row {
	address := r.get("email_address", "email")
	if address == "" && !r.has("email_address") && !r.has("email") {
		address = digest.OneLine(text(r.fields[0]))
	}
	row := Row{State: Joined, Email: r.email(address), Name: r.name("name", "first_name", "last_name")}
	asked, confirmed := r.time("optin_time"), r.time("confirm_time")
	row.AskedAt, row.JoinedAt = asked, confirmed
	if confirmed.IsZero() {
		row.JoinedAt = asked
	}
	if ip := r.ip("confirm_ip", "optin_ip"); ip != "" && !asked.IsZero() {
		row.Address, row.At = ip, confirmed
	}
	row.TimeZone = r.zone("timezone")
	if s := stateNamed(strings.ToLower(r.get("status"))); s.IsSuppressed() || s == Pending {
		// Exports of a segment have this column. An audience may also use the name for something different.
		row.State = s
	}
	if row.LeftAt = r.time("unsub_time"); row.LeftAt.IsZero() {
		row.LeftAt = r.time("clean_time")
	}
	if why := r.get("unsub_reason_other", "unsub_reason"); why != "" {
		row.Reason = digest.Shortened(string(Left)+": "+why, mostForm)
	}
	return row
}

// Substack's full export is a ZIP with email_list.NAME.csv. The columns are from the test files of TryGhost/migrate
// (packages/mg-substack-members-csv); plan, digest_enabled and first_payment_at were added later.
func isSubstack(t *table) bool {
	return t.has("email", "active_subscription", "email_disabled") && !t.has("post_id")
}

func readSubstack(r *record) Row {
	row := Row{State: Joined, Email: r.email(r.get("email")), JoinedAt: r.time("created_at")}
	if r.is("email_disabled") {
		row.State = Left
	}
	return row
}

// Substack's table of subscribers has other columns (buttondown/roadmap, issue 2282). Only receiving_emails_for
// distinguishes people who turned emails off from new ones.
func isSubstackTable(t *table) bool {
	return t.has("email", "subscription_type", "subscription_date", "receiving_emails_for")
}

func readSubstackTable(r *record) Row {
	row := Row{State: Joined, Email: r.email(r.get("email")), Name: r.name("name"),
		JoinedAt: r.time("subscription_date")}
	if r.get("receiving_emails_for") == "" {
		r.fail("it does not say who gets email; use the list in Substack's full export")
	}
	return row
}

// Buttondown's columns have the names of its API's fields (docs.buttondown.com/api-subscribers-introduction). Two of
// them were email and subscriber_type until 2024, and are now email_address and type.
func isButtondown(t *table) bool {
	return t.has("creation_date") && (t.has("email") || t.has("email_address")) &&
		(t.has("type") || t.has("subscriber_type"))
}

// sortButtondown recognises the file of unsubscribed people by its name.
func sortButtondown(_ *table, file string) (string, State, error) {
	if strings.HasPrefix(file, "unsubscriber") {
		return "unsubscribers", Left, nil
	}
	return "subscribers", "", nil
}

func readButtondown(r *record) Row {
	row := Row{Email: r.email(r.get("email_address", "email")), JoinedAt: r.time("creation_date")}
	row.State = r.buttondownState(r.get("type", "subscriber_type"))
	if row.State == Joined && r.get("undeliverability_date") != "" {
		row.State = Bounced
	}
	if ip := r.ip("ip_address"); ip != "" { // of the sign-up
		row.Address, row.AskedAt = ip, row.JoinedAt
	}
	row.Form = digest.Shortened(r.get("referrer_url"), mostForm)
	row.LeftAt = r.time("unsubscription_date")
	if why := r.get("unsubscription_reason", "undeliverability_reason"); why != "" && row.State.IsSuppressed() {
		row.Reason = digest.Shortened(string(row.State)+": "+why, mostForm)
	}
	return row
}

// buttondownState parses a type of subscriber (SubscriberType in enums.json of buttondown/openapi, and
// docs.buttondown.com/subscriber-cleanup).
func (r *record) buttondownState(word string) State {
	switch word = strings.ToLower(word); word {
	case "regular", "premium", "trialed", "unpaid", "gifted", "churning", "churned", "paused", "past_due":
		return Joined
	case "spammy":
		return Blocked
	}
	s := stateNamed(word)
	if s == "" {
		r.fail("the type %q is not known", digest.Shortened(word, mostShown))
	}
	return s
}

// Ghost's columns are from its tests of the export (TryGhost/Ghost, e2e-api/admin/members-exporter.test.js);
// custom_fields.… may follow.
func isGhost(t *table) bool { return t.has("email", "subscribed_to_emails", "created_at") }

func readGhost(r *record) Row {
	row := Row{State: Joined, Email: r.email(r.get("email")), Name: r.name("name"), JoinedAt: r.time("created_at"),
		LeftAt: r.time("deleted_at")}
	if !r.is("subscribed_to_emails") || r.get("deleted_at") != "" {
		row.State = Left
	}
	return row
}

// listmonk's columns are from its cmd/subscribers.go. The status is for the person in all lists. The export does not
// say who left a single list (knadh/listmonk, issue 2855), or who confirmed.
func isListmonk(t *table) bool { return t.has("uuid", "email", "attributes", "status") }

func readListmonk(r *record) Row {
	row := Row{Email: r.email(r.get("email")), Name: r.name("name"), JoinedAt: r.time("created_at")}
	switch word := r.get("status"); word {
	case "enabled":
		row.State = Joined
	case "disabled", "blocklisted":
		row.State, row.LeftAt, row.Reason = Blocked, r.time("updated_at"), string(Blocked)+": "+word
	default:
		r.fail("the status %q is not known", digest.Shortened(word, mostShown))
	}
	return row
}
