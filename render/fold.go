package render

import "digest/internal/catalogue"

// A Fold describes the posts of a site that published far more than usual.
type Fold struct {
	Posts   int  // in the edition
	Usual   int  // at most, on a day of the month before
	Days    int  // of the edition
	Changed bool // their language or authors differ from the earlier posts
}

// Line returns the line that the edition shows in place of the posts.
func (f *Fold) Line(site string) catalogue.Sayable {
	site = SiteName(site, "")
	if f.Days > 1 {
		return catalogue.Key("%s published %d posts in %d days (usually at most %d a day)").With(site, f.Posts, f.Days,
			f.Usual)
	}
	return catalogue.Key("%s published %d posts today (usually at most %d a day)").With(site, f.Posts, f.Usual)
}

// FoldWarning warns of a takeover.
const FoldWarning = catalogue.Key("Its language or owner may have changed. Someone else may have taken over this site.")
