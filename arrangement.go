package digest

import "strconv"

// An Arrangement is how the sections of an edition are put together in the mail, and where the pages differ
// from the mail.
type Arrangement struct {
	Grouping    Grouping // in the mail
	WebLayout   Layout   // on pages; empty: as in the mail
	WebGrouping Grouping // on pages; empty: as in the mail
	WebImages   Images   // on pages: NoImages or ProxiedImages
}

// Check gives what is wrong with an arrangement, of the kind Invalid.
func (a Arrangement) Check() error {
	if !a.Grouping.exists() || a.WebGrouping != "" && !a.WebGrouping.exists() {
		return &Error{Kind: Invalid, Message: "posts are grouped by folders or sites, not by " +
			strconv.Quote(string(a.Grouping)) + " and " + strconv.Quote(string(a.WebGrouping))}
	}
	if a.WebImages == LinkedImages {
		return &Error{Kind: Invalid, Message: "on pages images are off or proxy, not linked"}
	}
	layout := a.WebLayout
	if layout == "" {
		layout = Excerpts
	}
	return Look{Layout: layout, Images: a.WebImages}.Check()
}

// Grouping says what of an edition stands together.
type Grouping string

// The groupings.
const (
	ByFolders Grouping = "folders" // the sites of a folder, under its name
	BySites   Grouping = "sites"   // the posts of a site; folders are not shown
)

func (g Grouping) exists() bool { return g == ByFolders || g == BySites }

// Pages is how a reader wants the pages around their posts.
type Pages struct {
	Direction Direction // right to left whatever their language, or as that runs
	Shortcuts bool      // single keys do something
	Player    bool      // what a post comes with to be heard is played on its page
	Theme     Theme
	TypeSize  TypeSize
}

// UsualPages are the pages of whoever has chosen nothing.
func UsualPages() Pages {
	return Pages{Direction: LeftToRight, Shortcuts: true, Theme: AsDevice, TypeSize: AsBrowser}
}

// Check gives what is wrong with pages, of the kind Invalid.
func (p Pages) Check() error {
	switch p.Direction {
	case LeftToRight, RightToLeft:
	default:
		return &Error{Kind: Invalid, Message: "pages run ltr or rtl, not " + strconv.Quote(string(p.Direction))}
	}
	switch p.Theme {
	case AsDevice, LightTheme, DarkTheme:
	default:
		return &Error{Kind: Invalid, Message: "a theme is device, light or dark, not " + strconv.Quote(string(p.Theme))}
	}
	switch p.TypeSize {
	case Smaller, AsBrowser, Larger, Largest:
		return nil
	}
	return &Error{Kind: Invalid,
		Message: "letters are smaller, as the browser has them (browser), larger or largest, not " +
			strconv.Quote(string(p.TypeSize))}
}

// Direction says in which direction lines of text run.
type Direction string

// The directions.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Theme says in which colours pages are.
type Theme string

// The themes.
const (
	AsDevice   Theme = "device" // light or dark, as the device asks for
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// TypeSize says how large letters are on pages.
type TypeSize string

// The sizes.
const (
	Smaller   TypeSize = "smaller"
	AsBrowser TypeSize = "browser" // as the browser is set
	Larger    TypeSize = "larger"
	Largest   TypeSize = "largest"
)
