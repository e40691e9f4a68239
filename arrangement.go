package digest

import "strconv"

// An Arrangement describes how an email groups the sections of an edition, and how the web pages differ from the email.
type Arrangement struct {
	Grouping    Grouping // in emails
	WebLayout   Layout   // on web pages; empty: as in emails
	WebGrouping Grouping // on web pages; empty: as in emails
	WebImages   Images   // on web pages: NoImages or ProxiedImages
}

// Check returns an error of the kind Invalid if an arrangement is not valid.
func (a Arrangement) Check() error {
	if !a.Grouping.exists() || a.WebGrouping != "" && !a.WebGrouping.exists() {
		return &Error{Kind: Invalid, Message: "posts can be grouped by folders or sites, not by " +
			strconv.Quote(string(a.Grouping)) + " and " + strconv.Quote(string(a.WebGrouping))}
	}
	if a.WebImages == LinkedImages {
		return &Error{Kind: Invalid, Message: "pictures on web pages can be off or proxy, not linked"}
	}
	layout := a.WebLayout
	if layout == "" {
		layout = Excerpts
	}
	return Look{Layout: layout, Images: a.WebImages}.Check()
}

// Grouping says how an edition groups its posts.
type Grouping string

const (
	ByFolders Grouping = "folders" // by folder, under its name
	BySites   Grouping = "sites"   // by site, without folders
)

func (g Grouping) exists() bool { return g == ByFolders || g == BySites }

// Pages holds a reader's settings for the web pages.
type Pages struct {
	Direction Direction // of the text; LeftToRight follows the language
	Shortcuts bool      // enables single-key shortcuts
	Player    bool      // plays the audio of a post on its page
	Theme     Theme
	TypeSize  TypeSize
}

// UsualPages returns the default settings.
func UsualPages() Pages {
	return Pages{Direction: LeftToRight, Shortcuts: true, Theme: AsDevice, TypeSize: AsBrowser}
}

// Check returns an error of the kind Invalid if a setting is not valid.
func (p Pages) Check() error {
	switch p.Direction {
	case LeftToRight, RightToLeft:
	default:
		return &Error{Kind: Invalid, Message: "the text direction can be ltr or rtl, not " + strconv.Quote(string(p.Direction))}
	}
	switch p.Theme {
	case AsDevice, LightTheme, DarkTheme:
	default:
		return &Error{Kind: Invalid, Message: "a theme can be device, light or dark, not " + strconv.Quote(string(p.Theme))}
	}
	switch p.TypeSize {
	case Smaller, AsBrowser, Larger, Largest:
		return nil
	}
	return &Error{Kind: Invalid,
		Message: "the text size can be smaller, browser (browser default), larger or largest, not " +
			strconv.Quote(string(p.TypeSize))}
}

// Direction is the direction of text.
type Direction string

const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Theme selects the colours of pages.
type Theme string

const (
	AsDevice   Theme = "device" // follows the device's setting
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// TypeSize is the size of text on pages.
type TypeSize string

const (
	Smaller   TypeSize = "smaller"
	AsBrowser TypeSize = "browser" // follows the browser's setting
	Larger    TypeSize = "larger"
	Largest   TypeSize = "largest"
)
