package newsletter_test

import (
	"encoding/json"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
)

// TestJSON: JSON has the texts of the newsletter, and decoding it changes only the texts that it has.
func TestJSON(t *testing.T) {
	n := digest.Newsletter{Name: "Anna writes", Description: "Of boats.", SiteURL: "https://anna.example/",
		AddressLine: "1 Quay", HeaderText: "Above.", FooterText: "Below.", SubjectPattern: "{title}",
		Colours:  digest.Colours{Paper: "#fff1e5", Ink: "#10243c", Accent: "#990f3d"},
		FromName: "Anna", WantedName: "Anna sings", WantedFromName: "A.", ReplyTo: "a@anna.example",
		Cadence: digest.Daily, DeliverAt: 7 * time.Hour, ApproveWithin: time.Hour, CountClicks: true,
		Look: digest.Look{Layout: digest.FullText, Images: digest.NoImages}}
	texts, senders, sending := newsletter.JSON(&n)
	got, err := json.Marshal([]any{texts, senders, sending})
	if want := `[{"name":"Anna writes","description":"Of boats.","site":"https://anna.example/",` +
		`"address_line":"1 Quay",` +
		`"header":"Above.","footer":"Below.","subject_pattern":"{title}","paper":"#fff1e5","ink":"#10243c",` +
		`"accent":"#990f3d"},{"from_name":"Anna","wanted_name":"Anna sings","wanted_from_name":"A.",` +
		`"reply_to":"a@anna.example"},{"days":"daily","deliver_at":"07:00","layout":"full","images":"off",` +
		`"approve_within":3600,"count_clicks":true}]`; err != nil || string(got) != want {
		t.Errorf("%v:\n%s, want\n%s", err, got, want)
	}
	if err := json.Unmarshal([]byte(`{"subject_pattern":"{name}","site":null}`), &texts); err != nil ||
		n.SubjectPattern != "{name}" || n.SiteURL != "https://anna.example/" || n.Name != "Anna writes" {
		t.Errorf("%v: %+v", err, n)
	}
}
