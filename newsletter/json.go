package newsletter

import (
	"time"

	"digest"
)

// Texts are texts of a newsletter in the JSON of the command line and of the API. They point to the fields of the
// newsletter, so decoding JSON changes it.
type Texts struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Site        *string `json:"site"`
	AddressLine *string `json:"address_line"`
	Header      *string `json:"header"`
	Footer      *string `json:"footer"`
	Subject     *string `json:"subject_pattern"` // "": the usual subject
	Paper       *string `json:"paper"`           // such as #fbf9f4; "": the default
	Ink         *string `json:"ink"`
	Accent      *string `json:"accent"`
}

// Senders are the names and the address in the header of a newsletter's emails, in JSON.
type Senders struct {
	FromName   string `json:"from_name"`
	WantedName string `json:"wanted_name"` // waits for approval; "": none
	WantedFrom string `json:"wanted_from_name"`
	ReplyTo    string `json:"reply_to"`
}

// Sending says when and how issues are sent, in JSON.
type Sending struct {
	Days          string        `json:"days"`
	DeliverAt     string        `json:"deliver_at"` // in each member's time zone
	Layout        digest.Layout `json:"layout"`
	Images        digest.Images `json:"images"`
	ApproveWithin int64         `json:"approve_within"` // in seconds
	CountClicks   bool          `json:"count_clicks"`
}

// JSON returns the parts of a newsletter that the command line and the API have in common.
func JSON(n *digest.Newsletter) (Texts, Senders, Sending) {
	return Texts{&n.Name, &n.Description, &n.SiteURL, &n.AddressLine, &n.HeaderText, &n.FooterText,
			&n.SubjectPattern, &n.Paper, &n.Ink, &n.Accent},
		Senders{n.FromName, n.WantedName, n.WantedFromName, n.ReplyTo},
		Sending{n.Cadence.String(), digest.Clock(n.DeliverAt), n.Layout, n.Images,
			int64(n.ApproveWithin / time.Second), n.CountClicks}
}

// A Letter has a publisher's decisions about the issue of one date, in JSON.
type Letter struct {
	Date     string `json:"date"`
	Subject  string `json:"subject"` // "": the usual subject
	Note     string `json:"note"`
	Skipped  bool   `json:"skipped"`
	Approved bool   `json:"approved"`
}

// LetterJSON returns the JSON of a publisher's decisions.
func LetterJSON(l digest.NewsletterLetter) Letter {
	return Letter{l.LocalDate.String(), l.Subject, l.Note, l.Skipped, !l.ApprovedAt.IsZero()}
}
