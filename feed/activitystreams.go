package feed

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// What an account of the fediverse has written is an outbox: an OrderedCollection, or a page
// of one, of activities (w3.org/TR/activitypub sections 5 and 6, w3.org/TR/activitystreams-core).
// Servers write one value, a list of one, or an address where the object could stand, as they
// like. So a field is kept as it is written and read where it is needed: nothing is read deeper
// than the fields that are asked for, and not more of a list than is wanted.

// Bounds of what is read of an outbox.
const (
	maxActivities = 1000 // of a page; servers give 10 to 50
	maxInList     = 32   // of any other list
)

// An asObject is any object: an actor, a collection, an activity, a note, a link.
type asObject struct {
	address string // its ID; of a link, where it leads

	ID, Type, Name, NameMap, Content, ContentMap, Summary, SummaryMap, MediaType, URL asValue
	Href, Size, Width, Published, Updated, AttributedTo, Actor, Object, To, CC        asValue
	InReplyTo, Sensitive, Attachment, Image, Icon, OneOf, AnyOf, Tag, Duration        asValue
	MimeType, Language, StartTime, EndTime, Timezone, Location, Address, Audience     asValue

	AtID   asValue `json:"@id"`
	AtType asValue `json:"@type"`

	// Of the address of a place (schema.org/PostalAddress).
	StreetAddress, PostalCode, AddressLocality, AddressCountry, Country asValue
	Identifier                                                          asValue // of a language of Lemmy

	Quote, QuoteURI, QuoteURL asValue
	MisskeyQuote              asValue `json:"_misskey_quote"`

	Value asValue // of a field of an actor's page

	First, Next, Items, OrderedItems, TotalItems    asValue // of a collection
	Outbox, PreferredUsername, MovedTo, AlsoKnownAs asValue // of an actor
	Suspended                                       asValue // of an account of Mastodon
}

// is reports whether an object has one of some types.
func (o *asObject) is(types ...string) bool {
	return slices.ContainsFunc(o.Type.list(maxInList), func(t asValue) bool {
		return slices.Contains(types, term(t.text()))
	})
}

// published is when an activity or an object says that it was; zero where it does not.
func (o *asObject) published() time.Time { return parseDate(o.Published.text()) }

func (o *asObject) isActor() bool {
	return o.is("Person", "Group", "Organization", "Service", "Application")
}

func (o *asObject) isCollection() bool {
	return o.is("OrderedCollection", "OrderedCollectionPage", "Collection", "CollectionPage")
}

func isActivityStreams(fields map[string]string) bool {
	for _, t := range []string{"OrderedCollection", "OrderedCollectionPage", "CollectionPage"} {
		if strings.Contains(fields["type"]+fields["@type"], t+`"`) {
			return true
		}
	}
	return strings.Contains(fields["@context"], "www.w3.org/ns/activitystreams") || fields["outbox"] != "" &&
		fields["inbox"] != ""
}

// parseActivityStreams reads an outbox, or one page of it. Of an actor, of a collection
// without its items and of a single object it says what that is, and where posts are.
func parseActivityStreams(src *source) (*Document, error) {
	d := &Document{Kind: ActivityStreams}
	var o asObject
	if err := o.read([]byte(src.text)); err != nil {
		return nil, refusal("JSON of ActivityStreams that is broken", err)
	}
	o.address = o.ID.text()
	own := hostAndPort(firstOf(src.address, o.address))
	if !o.isCollection() {
		d.single = true
		d.describeActor(&o, own)
		return d, nil
	}
	d.Self = o.address
	page := &o
	items := o.items()
	if first := o.First.object(); len(items) == 0 {
		if items = first.items(); len(first.OrderedItems)+len(first.Items) > 0 { // which may hold no posts yet
			page = &first
		} else if d.Outbox = first.address; hostAndPort(d.Outbox) != own {
			d.Outbox = ""
		}
	}
	if d.Next = page.Next.object().address; hostAndPort(d.Next) != own || d.Next == src.address {
		d.Next = ""
	}
	for _, body := range src.more.Pages {
		items = append(items, itemsOf(body, own)...)
	}
	d.Withholds = len(items) == 0 && o.TotalItems.number() > 0
	r := &asReader{own: own, bases: basesOf(firstOf(src.address, page.address)), posts: map[string]bool{},
		more: src.more, parsed: map[string]asObject{}}
	d.Posts, d.Unread = r.read(items), r.unread
	d.Withholds = d.Withholds || len(d.Posts) == 0 && slices.ContainsFunc(items, isAddressOnly)
	if r.foreign > 0 {
		d.Repairs = append(d.Repairs, fmt.Sprintf("%d posts of other sites left out", r.foreign))
	}
	return d, nil
}

// itemsOf returns the items of a page that follows another one.
func itemsOf(body []byte, own string) []asValue {
	text, _ := decode(body, "")
	var page asObject
	if page.read([]byte(text)) != nil || !page.isCollection() ||
		hostAndPort(page.ID.text()) != own && page.ID.text() != "" {
		return nil
	}
	return page.items()
}

// isAddressOnly reports whether an item of an outbox names a post and does not give it.
func isAddressOnly(item asValue) bool {
	if item.text() != "" {
		return true
	}
	a := item.object()
	return a.is("Create") && a.Object.text() != ""
}

func (o *asObject) items() []asValue {
	return append(o.OrderedItems.list(maxActivities), o.Items.list(maxActivities)...)
}

// describeActor takes over what an actor says of itself; of any other object its name
// and page.
func (d *Document) describeActor(o *asObject, own string) {
	d.Title = o.title()
	d.Link = o.page()
	if o.Outbox == nil {
		if by := firstOf(o.AttributedTo.object().address, o.Actor.object().address); !o.isActor() &&
			hostAndPort(by) == own {
			d.By = by
		}
		return
	}
	d.Link = firstOf(d.Link, o.address)
	d.Actor = o.address
	if name := oneLine(o.PreferredUsername.text()); d.Title == "" && name != "" {
		d.Title = "@" + name + "@" + own
	}
	d.Description = plainLine(o.Summary.words(o.SummaryMap), markup)
	if d.Outbox = o.Outbox.object().address; hostAndPort(d.Outbox) != own {
		d.Outbox = ""
	}
	d.Suspended = o.Suspended.isTrue()
	d.MovedTo = o.MovedTo.object().address
	d.Aliases = o.AlsoKnownAs.addresses()
	for _, field := range o.Attachment.list(maxInList) {
		if f := field.object(); f.is("PropertyValue") {
			d.Me = append(d.Me, relMe(f.Value.text())...)
		}
	}
}

// maxOwnPage bounds a field of an actor's page, in bytes.
const maxOwnPage = 4096

// relMe gives where the links of a text lead that say that the page is its author's.
func relMe(markup string) (all []string) {
	if len(markup) > maxOwnPage {
		return nil
	}
	tokens := hypertext.Tokenizer(markup)
	for tokens.Next() != html.ErrorToken {
		t := tokens.Token()
		if t.DataAtom == atom.A && slices.Contains(strings.Fields(strings.ToLower(valueOf(t.Attr, "rel"))), "me") {
			all = append(all, valueOf(t.Attr, "href"))
		}
	}
	return all
}

// title is the name of an object as plain text.
func (o *asObject) title() string {
	return plainLine(o.Name.words(o.NameMap), markup)
}

// language returns the language of the text: the stated one, or the one whose version in the map is the text.
func (o *asObject) language() string {
	of := languagesOf(o.ContentMap)
	for _, v := range []asValue{o.Content, o.Name} {
		if tag := v.wrapped("@language").text(); tag != "" {
			return tag
		}
		if len(v) > 0 && v[0] == '{' && len(of) == 0 {
			of = languagesOf(v)
		}
	}
	content := o.Content.text()
	for l, v := range of {
		if len(of) == 1 || content != "" && v.text() == content {
			return cleanText(l)
		}
	}
	language := o.Language.object()
	return firstOf(o.Language.text(), language.Identifier.text())
}

// mediaType is that of an object or of what a link leads to, without parameters; Funkwhale calls
// it otherwise.
func (o *asObject) mediaType() string {
	typ, _, _ := strings.Cut(firstOf(o.MediaType.text(), o.MimeType.text()), ";")
	return strings.TrimSpace(typ)
}

// page is where people read an object: the address that is a web page, else the first.
func (o *asObject) page() string {
	var first string
	for _, one := range o.URL.list(maxInList) {
		link := one.object()
		if !isWeb(link.address) {
			continue
		}
		if t := link.mediaType(); t == "" || t == "text/html" {
			return link.address
		}
		first = firstOf(first, link.address)
	}
	return first
}

// isPublic reports whether some objects are for everybody: each that says for whom it is says
// so, and one does (activitypub section 5.6).
func isPublic(all ...*asObject) bool {
	said := false
	for _, o := range all {
		to := append(o.To.addresses(), o.CC.addresses()...)
		if len(to) == 0 {
			continue
		}
		if said = slices.ContainsFunc(to, isEverybody); !said {
			return false
		}
	}
	return said
}

// hostAndPort is the host of an address with its port, unless that is its scheme's own.
func hostAndPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
}

func isEverybody(address string) bool {
	switch address {
	case "https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public":
		return true
	}
	return false
}
