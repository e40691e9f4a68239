package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// A storedRow is a row that a test has stored, by column.
type storedRow map[string]any

// A filling returns the values of columns that a test does not name. Times, counts and booleans are numbers; i is the
// position of the column.
type filling struct {
	name   string
	number func(i int64) any
	text   func(column string) string
}

func fillings() []filling {
	same := func(n int64) func(int64) any { return func(int64) any { return n } }
	named := func(column string) string { return "the " + column }
	none := func(string) string { return "" }
	return []filling{
		{"a value of its own in each column", func(i int64) any { return noon.Unix() + 86_400*400 + 4_001*i }, named},
		{"nothing", same(0), none},
		{"NULL where that may stand", func(int64) any { return nil }, none},
		{"the year 1", same(time.Time{}.Unix() + 1), named},
		{"before 1970", same(-1), named},
		{"the year 9999", same(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()), named},
		{"letters of four bytes", same(1), func(column string) string { return column + " 𝒶\n\"\\\u2028" }},
	}
}

// insert adds a row with the values of given, and of f in the other columns.
func (w world) insert(f filling, table string, given storedRow) storedRow {
	w.Helper()
	columns := must(w.Columns(w.ctx, table))
	row := storedRow{}
	var names, marks []string
	var args []any
	for i, c := range columns {
		value, ok := given[c.Name]
		switch {
		case ok:
		case c.IsText:
			value = f.text(c.Name)
		case c.IsBytes:
			value = []byte(f.text(c.Name))
		default:
			value = f.number(int64(i))
		}
		if !ok && value == nil && !c.Nullable {
			value = int64(0)
		}
		row[c.Name] = value
		names, marks, args = append(names, c.Name), append(marks, "?"), append(args, value)
	}
	w.exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`,
		args...)
	return row
}

// isReadAs checks that a struct has the values of a row. as has the columns of fields with other names; "" means that
// a field is not of the row.
func (r storedRow) isReadAs(t testing.TB, read any, as map[string]string) {
	t.Helper()
	r.isRead(t, reflect.TypeOf(read).String(), reflect.ValueOf(read), as)
}

func (r storedRow) isRead(t testing.TB, path string, read reflect.Value, as map[string]string) {
	t.Helper()
	for i := range read.NumField() {
		field := read.Type().Field(i)
		column, renamed := as[field.Name]
		if renamed && column == "" {
			continue
		}
		_, isTime := read.Field(i).Interface().(time.Time)
		_, isDate := read.Field(i).Interface().(digest.Date)
		if field.Type.Kind() == reflect.Struct && !isTime && !isDate {
			r.isRead(t, path+"."+field.Name, read.Field(i), as)
			continue
		}
		for name := range r {
			if !renamed && strings.EqualFold(strings.ReplaceAll(name, "_", ""), field.Name) {
				column = name
			}
		}
		value, ok := r[column]
		if got, wanted := fmt.Sprint(read.Field(i).Interface()), fmt.Sprint(asField(field.Type, value)); !ok ||
			got != wanted {
			t.Errorf("%s.%s: got %q, want the column %q, %q", path, field.Name, got, column, wanted)
		}
	}
}

// asField converts the value of a column to the type of a field.
func asField(kind reflect.Type, value any) any {
	if value == nil {
		return reflect.Zero(kind).Interface()
	}
	number, isNumber := value.(int64)
	switch reflect.Zero(kind).Interface().(type) {
	case time.Time:
		if number == 0 {
			return time.Time{}
		}
		return time.Unix(number, 0).UTC()
	case time.Duration:
		return time.Duration(number) * time.Second
	case bool:
		return number == 1
	case []digest.Enclosure:
		var all []digest.Enclosure
		_ = json.Unmarshal([]byte(value.(string)), &all)
		return all
	}
	if isNumber && kind.Kind() != reflect.String {
		return reflect.ValueOf(number).Convert(kind).Interface()
	}
	return value
}

// TestRowsAreReadWhole stores a row of each table with various values. It checks that every field of the structs read
// from it has its column's value. A column that no query names and a field that no column fills are errors.
func TestRowsAreReadWhole(t *testing.T) {
	for _, f := range fillings() {
		t.Run(f.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := newWorld(t, s)
				p := w.insertPeople(f)
				w.readPeople(f, p)
				w.readFeeds(f, p)
				w.readMail(f, p)
				w.readSecrets(f, p)
				w.readNewsletters(f, p)
			})
		})
	}
}

// people are the rows to which others refer.
type people struct {
	user, digest, feed, post storedRow
}

func (p people) userID() digest.UserID     { return digest.UserID(p.user["id"].(int64)) }
func (p people) digestID() digest.DigestID { return digest.DigestID(p.digest["id"].(int64)) }
func (p people) feedID() digest.FeedID     { return digest.FeedID(p.feed["id"].(int64)) }

const (
	yes      = int64(1)
	toCome   = int64(4_000_000_000) // an instant after noon
	fileList = `[{"url":"https://f.example/1.mp3","type":"audio/mpeg","length":7}]`
)

func (w world) insertPeople(f filling) (p people) {
	w.Helper()
	p.user = w.insert(f, "users", storedRow{"id": int64(11), "email": "u@example.org", "email_key": "u@example.org",
		"operator": yes, "shortcuts": yes, "player": yes, "member_only": yes})
	p.digest = w.insert(f, "digests", storedRow{"id": int64(12), "user_id": p.user["id"], "newsletter_id": nil,
		"cadence": int64(5),
		"state":   string(digest.DigestActive), "threaded": yes, "date_subject": yes, "read_here": yes, "mailed": yes,
		"filtered":   yes,
		"was_paused": yes})
	p.feed = w.insert(f, "feeds", storedRow{"id": int64(13), "merged_into": int64(0), "skip_hours": int64(5),
		"skip_days": int64(3),
		"by_date":   yes, "validators_doubted": yes, "public_only": yes, "move_undone": yes})
	w.exec(`DELETE FROM feed_times`) // a row that Exec has added
	times := w.insert(f, "feed_times", storedRow{"feed_id": p.feed["id"], "unchanged": ""})
	delete(times, "feed_id")
	maps.Copy(p.feed, times)
	p.post = w.insert(f, "posts", storedRow{"id": int64(14), "feed_id": p.feed["id"], "enclosures": fileList,
		"untitled": yes})
	return p
}

func (w world) readPeople(f filling, p people) {
	w.Helper()
	u := must(w.Readers.UserByEmail(w.ctx, "u@example.org"))
	p.user.isReadAs(w, u, map[string]string{"Publisher": ""})
	columns := map[string]string{"TimeZone": "", "Folders": "folder_order", "Editions": "edition_count"}
	d := must(w.Readers.Digest(w.ctx, p.digestID()))
	p.digest.isReadAs(w, d, columns)
	users := storetest.All(w, w.Readers.Users(w.ctx))
	p.user.isReadAs(w, users[0].User, map[string]string{"Publisher": ""})
	p.digest.isReadAs(w, users[0].Digest, columns)

	stay := w.insert(f, "trips", storedRow{"id": int64(20), "user_id": p.user["id"], "from_date": "0001-01-01",
		"to_date": "9999-12-31", "begun": yes})
	stay["home"] = p.user["home_zone"]
	stays := must(w.Readers.Stays(w.ctx, p.userID()))
	stay.isReadAs(w, stays[0], map[string]string{"From": "from_date", "To": "to_date"})

	filter := w.insert(f, "filters", storedRow{"digest_id": p.digest["id"]})
	filters := must(w.Subscriptions.Filters(w.ctx, p.digestID()))
	filter.isReadAs(w, filters[0], nil)

	held := w.insert(f, "filtered_posts", storedRow{"digest_id": p.digest["id"], "post_id": p.post["id"],
		"due_at": toCome})
	withheld := must(w.Subscriptions.HeldPosts(w.ctx, p.digestID(), time.Time{}, 1))
	held.isReadAs(w, withheld[0], map[string]string{"Post": "", "Label": ""})
	p.post.isReadAs(w, withheld[0].Post, map[string]string{"Content": "", "Alias": "", "Former": "", "PartOf": "",
		"Links": "", "SiteURL": "", "SiteTitle": ""})

	saved := w.insert(f, "saved_posts",
		storedRow{"user_id": p.user["id"], "post_id": p.post["id"], "local_date": "2026-11-20"})
	all := must(w.Posts.SavedPosts(w.ctx, p.userID(), store.SavedKey{}, 1))
	saved["saved"] = yes
	saved.isReadAs(w, all[0], map[string]string{"Post": "", "Label": "", "Edition": "local_date"})
	p.post.isReadAs(w, all[0].Post, map[string]string{"Content": "", "Alias": "", "Former": "", "PartOf": "",
		"Links": "", "SiteURL": "", "SiteTitle": ""})
}

func (w world) readFeeds(f filling, p people) {
	w.Helper()
	columns := map[string]string{"Head": "head_state", "Conditional": "conditional_state"}
	info := must(w.Feeds.Feed(w.ctx, p.feedID()))
	p.feed.isReadAs(w, info.Feed, columns)

	subscription := w.insert(f, "subscriptions", storedRow{"digest_id": p.digest["id"], "feed_id": p.feed["id"],
		"paused": yes, "leads": yes, "roll_up": yes,
		"trial_until": "2026-12-14", "trial_ends": yes, "trial_asked": yes})
	sub := must(w.Subscriptions.Subscription(w.ctx, p.digestID(), p.feedID()))
	subscription.isReadAs(w, sub.Subscription, nil)
	p.feed.isReadAs(w, sub.Feed, columns)
	want(w, "paused", sub.Paused, true)

	posts := must(w.Editions.Posts(w.ctx, []digest.PostID{digest.PostID(p.post["id"].(int64))}))
	p.post.isReadAs(w, posts[0], map[string]string{"Alias": "", "Former": "", "PartOf": "", "Links": "",
		"SiteURL": "", "SiteTitle": ""})

	poll := w.insert(f, "polls", storedRow{"feed_id": p.feed["id"], "at": toCome, "millis": int64(1500),
		"unchanged": ""})
	polls := must(w.Feeds.Polls(w.ctx, p.feedID(), time.Time{}))
	poll.isReadAs(w, polls[0], map[string]string{"Took": ""})
	want(w, "took", polls[0].Took, 1500*time.Millisecond)

	w.readPushes(f, p)

	robots := w.insert(f, "robots", storedRow{"origin": "https://f.example:443"})
	r, found := must2(w.Feeds.Robots(w.ctx, "https://f.example:443"))
	want(w, "a robots.txt", found, true)
	robots.isReadAs(w, r, nil)

	rule := w.insert(f, "host_rules", storedRow{"host": "f.example", "by_owner": yes, "blocked": yes})
	rules := must(w.Operator.HostRules(w.ctx))
	rule.isReadAs(w, rules[0], nil)

	notice := w.insert(f, "notices", storedRow{"digest_id": p.digest["id"], "kind": string(digest.NoticeMoved)})
	moves := must(w.Subscriptions.Moves(w.ctx, p.digestID()))
	notice.isReadAs(w, moves[0], map[string]string{
		"From": "from_at", "To": "to_at", "At": "", "Back": "", "Stays": "", "Edition": "", "LocalDate": "",
		"Unconfirmed": "", "Change": "",
	})

	change := w.insert(f, "link_changes", storedRow{"digest_id": p.digest["id"], "email_date": "2026-11-18",
		"notify_by": "nobody", "changed_at": toCome})
	changes := must(w.Readers.LinkChanges(w.ctx, p.userID(), time.Time{}))
	change.isReadAs(w, changes[0], map[string]string{"OneClick": "", "LinkRound": ""})
}

func (w world) readMail(f filling, p people) {
	w.Helper()
	edition := w.insert(f, "editions",
		storedRow{"id": int64(15), "digest_id": p.digest["id"], "local_date": "9999-12-31", "was_in_doubt": yes})
	e := must(w.Editions.Edition(w.ctx, 15))
	edition.isReadAs(w, e, map[string]string{"Lead": "lead_post_id"})

	w.readDelivery(f, p)
	bounce := w.insert(f, "bounces", storedRow{"edition_id": edition["id"]})
	queue := must(w.Editions.MailQueue(w.ctx, store.QueueQuery{Now: noon, Most: 1}))
	bounce.isReadAs(w, queue.Returned[0], map[string]string{"Edition": "edition_id", "Email": "email_key"})

	lane := w.insert(f, "lanes", storedRow{"name": "a.example", "alarm": yes})
	l := must(w.Editions.Lane(w.ctx, "a.example"))
	lane.isReadAs(w, l, map[string]string{"Until": "until_at"})

	suppression := w.insert(f, "suppressions", storedRow{"email_key": "u@example.org"})
	s, found := must2(w.Editions.Suppressed(w.ctx, "u@example.org"))
	want(w, "suppressed", found, true)
	suppression.isReadAs(w, s, nil)

	key := w.insert(f, "dkim_keys", storedRow{"active": yes})
	keys := must(w.Editions.DKIMKeys(w.ctx))
	key.isReadAs(w, keys[0], nil)

	tally := w.insert(f, "counters", storedRow{"hour": toCome})
	hours := must(w.Operator.HourCounters(w.ctx, noon))
	tally.isReadAs(w, hours[0], map[string]string{"At": "hour"})
}

func (w world) readDelivery(f filling, p people) {
	w.Helper()
	sent := w.insert(f, "editions", storedRow{"id": int64(16), "digest_id": p.digest["id"], "local_date": "0001-01-01",
		"due_at": int64(16),
		"state":  string(digest.EditionReady), "attempt": int64(3), "next_at": noon.Unix(), "expires_at": toCome,
		"was_in_doubt": yes, "domain": "b.example"})
	claimed := must(w.Editions.ClaimEditions(w.ctx, noon, digest.Claim{Most: 1, Lease: time.Minute, Token: "t"}))
	want(w, "claimed", len(claimed), 1)
	sent["state"], sent["attempt"], sent["lease_token"] = string(digest.EditionLeased), int64(4), "t"
	for _, column := range []string{"user_id", "folder_order", "link_round", "layout", "images", "threaded",
		"date_subject", "budget", "grouping"} {
		sent[column] = p.digest[column]
	}
	sent["email"], sent["time_zone"], sent["language"], sent["digest_name"] = p.user["email"], p.user["time_zone"],
		p.user["language"], p.digest["name"]
	sent.isReadAs(w, claimed[0], map[string]string{"Token": "lease_token", "Folders": "folder_order", "Room": "",
		"Lead": "lead_post_id", "Slow": "", "Newsletter": "", "Letter": ""})
}

func (w world) readSecrets(f filling, p people) {
	w.Helper()
	passkey := w.insert(f, "passkeys", storedRow{"user_id": p.user["id"]})
	passkeys := must(w.Sessions.Passkeys(w.ctx, p.userID()))
	passkey.isReadAs(w, passkeys[0], nil)

	session := w.insert(f, "sessions", storedRow{"user_id": p.user["id"], "passkey_id": yes, "expires_at": toCome})
	sessions := must(w.Sessions.Sessions(w.ctx, p.userID(), noon))
	session.isReadAs(w, sessions[0], map[string]string{"BeganAt": "created_at", "EndsAt": "expires_at",
		"Passkey": "passkey_id"})

	invitation := w.insert(f, "invitations", nil)
	invitations := must(w.Sessions.Invitations(w.ctx))
	invitation.isReadAs(w, invitations[0], nil)

	hash := []byte("hash")
	signUp := w.insert(f, "sign_ups", storedRow{"token_hash": hash, "expires_at": toCome})
	up := must(w.Sessions.SignUp(w.ctx, hash, noon))
	signUp.isReadAs(w, up, map[string]string{"Invitation": "invitation_id"})

	change := w.insert(f, "address_changes",
		storedRow{"user_id": p.user["id"], "old_confirmed": yes, "new_confirmed": yes})
	a := must(w.Readers.AddressChange(w.ctx, p.userID()))
	change.isReadAs(w, a, nil)
}
