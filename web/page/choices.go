package page

import (
	"digest"
	"digest/internal/catalogue"
)

// LayoutsToChoose returns the layouts of emails and pages.
func LayoutsToChoose() []Choice {
	return []Choice{
		{Value: string(digest.Headlines), Name: catalogue.Key("Headlines")},
		{Value: string(digest.Excerpts), Name: catalogue.Key("Excerpts")},
		{Value: string(digest.FullText), Name: catalogue.Key("Full text"),
			Hint: catalogue.Key("As much text as the feed provides. Emails shorten long posts.")},
	}
}

// PicturesToChoose returns the ways to show pictures.
func PicturesToChoose() []Choice {
	return []Choice{
		{Value: string(digest.NoImages), Name: catalogue.Key("No pictures")},
		{Value: string(digest.LinkedImages), Name: catalogue.Key("Links only")},
		{Value: string(digest.ProxiedImages), Name: catalogue.Key("Pictures"),
			Hint: catalogue.Key("All pictures in full posts, one with each excerpt")},
	}
}
