// Package catalogue holds what the program says to readers, in each of their languages.
//
// A language is one file in languages/: its name, its direction, how it writes dates, and its
// messages, each under the whole English sentence that it stands for. A message that a file
// lacks is said in English; the tests are red until it is there.
//
// What may be said is marked where it is written: in a template by {{t "Sign in"}}, in Go by
// catalogue.Key("Sign in"). CONTRIBUTING.md says how ("A sentence in every language").
//
//	catalogue.go  the languages, and which of them a reader gets
//	file.go       the file of a language is read
//	message.go    sentences, and how they are said
//	dates.go      dates and times
//	template.go   the functions of templates
//	illness.go    why a feed cannot be read
//
// The words of this house, so that all translators use the same:
//
//	           de           fr             es             pt            ja          ar
//	edition    Ausgabe      édition        edición        edição        号           عدد
//	post       Beitrag      article        artículo       artigo        記事          مقالة
//	feed       Feed         flux           fuente         feed          フィード       خلاصة
//	site       Website      site           sitio          site          サイト        موقع
//	folder     Ordner       dossier        carpeta        pasta         フォルダー     مجلد
//	subscribe  abonnieren   s’abonner      suscribirse    assinar       購読する       اشترك
//	unsub.     abbestellen  se désabonner  darse de baja  cancelar      購読をやめる    ألغى الاشتراك
//	filter     Filter       filtre         filtro         filtro        フィルター     مرشّح
//	saved      Gemerkt      enregistrés    guardados      salvos        保存した記事    المحفوظات
//	newsletter Newsletter   newsletter     boletín        newsletter    ニュースレター  نشرة
//	letter     Brief        lettre         carta          carta         お便り        رسالة
//	paused     pausiert     en pause       en pausa       em pausa      一時停止中      متوقف مؤقتًا
//	sign in    anmelden     se connecter   iniciar sesión entrar        ログイン       تسجيل الدخول
//	settings   Einstellungen réglages      ajustes        configurações 設定          الإعدادات
//
// Readers are addressed politely and calmly: Sie, vous, usted, você, です/ます, and in Arabic the
// plain masculine singular that programs use. Portuguese is that of Brazil; Arabic is modern
// standard Arabic, with the digits 0 to 9.
package catalogue

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"digest"
)

//go:embed languages/*.json
var files embed.FS

// all are the languages there are; they never change.
var all = sync.OnceValue(func() *languages { return load(files, "languages") })

// A Language says messages and dates as one language does. Its file is read once it says something: a process that speaks
// English does without the time that all of them take.
type Language struct {
	Code      string           // its BCP 47 tag, the name of its file: "de"
	Name      string           // in itself: "Deutsch"
	Direction digest.Direction // of its lines

	tag     language.Tag
	said    func() *said // reads its file, once
	english *Language    // says what its file lacks; nil: it is English
}

// said is what the file of a language holds.
type said struct {
	dates   dates
	has     map[string]bool // the messages
	printer *message.Printer
}

// languages are all there are, English first and then by their tags.
type languages struct {
	list    []*Language
	matcher language.Matcher
}

// All are the languages there are: English, then the others by their tags.
func All() []*Language { return slices.Clone(all().list) }

// English is the language of the program's own words.
func English() *Language { return all().list[0] }

// Of gives the language of a tag; English where there is none of it, or where the tag is empty.
func Of(code string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	return English()
}

// Find gives the language of a tag that is exactly that of a file.
func Find(code string) (*Language, bool) {
	for _, l := range all().list {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

// maxAccepted bounds what is read of an Accept-Language header, in bytes.
const maxAccepted = 500

// Match gives the language that a browser asks for by its Accept-Language header; English
// where it asks for none that there is.
func Match(accepted string) *Language {
	if len(accepted) > maxAccepted {
		accepted = accepted[:strings.LastIndexByte(accepted[:maxAccepted], ',')+1]
	}
	wanted, _, err := language.ParseAcceptLanguage(accepted)
	if err != nil || len(wanted) == 0 {
		return English()
	}
	_, index, _ := all().matcher.Match(wanted...)
	return all().list[index]
}
