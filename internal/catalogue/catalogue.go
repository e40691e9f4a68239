// Package catalogue holds every sentence that the program shows to readers, in each of their languages.
//
// Each language is a file in languages/. The file holds the language's name, its direction, its date formats and
// its messages. The key of a message is the whole English sentence. The program shows the English sentence where a
// file has no translation, and a test fails until somebody adds it.
//
// Code marks a message where it uses it: {{t "Sign in"}} in a template, catalogue.Key("Sign in") in Go.
// CONTRIBUTING.md describes the steps ("Add a message").
//
//	catalogue.go  finds the language of a reader
//	file.go       reads the file of a language
//	message.go    formats messages
//	dates.go      formats dates and times
//	cities.go     names the cities of time zones
//	template.go   provides the functions of templates
//	illness.go    explains why a feed fails
//
// Translators use one word for one thing, the word that products in their language use:
//
//	                   de                       fr                        es
//	follow (a site)    folgen                   suivre                    seguir
//	unfollow           nicht mehr folgen        ne plus suivre            dejar de seguir
//	subscribe          abonnieren               s’abonner                 suscribirse
//	unsubscribe        abbestellen              se désabonner             darse de baja
//	save, saved        speichern, Gespeichert   enregistrer, Enregistrés  guardar, Guardados
//	email              E-Mail                   e-mail                    correo electrónico, correo
//	newsletter         Newsletter               newsletter                boletín
//	issue (of one)     Ausgabe                  numéro                    número
//	member             Mitglied                 membre                    miembro
//	publisher          Herausgeber              éditeur                   responsable
//	owner, editor      Inhaber, Redakteur       propriétaire, rédacteur   propietario, redactor
//	operator           Betreiber                administrateur            administrador
//	edition            Ausgabe                  édition                   edición
//	post               Beitrag                  article                   artículo
//	site               Website                  site                      sitio
//	feed               Feed                     flux                      fuente
//	folder             Ordner                   dossier                   carpeta
//	filter, filtered   Filter, gefiltert        filtre, filtrés           filtro, filtrados
//	pause, paused      pausieren, pausiert      mettre en pause, en pause pausar, en pausa
//	resume             fortsetzen               reprendre                 reanudar
//	trip; Travel       Reise; Reisen            voyage ; Voyages          viaje; Viajes
//	schedule, send at  Zeitplan, Senden um      planning, Envoyer à       horario, Enviar a las
//	delivery           Zustellung               envoi                     envío
//	appearance         Darstellung              apparence                 apariencia
//	account            Konto                    compte                    cuenta
//	settings           Einstellungen            réglages                  ajustes
//	full text          Volltext                 texte intégral            texto completo
//	excerpt            Auszug                   extrait                   extracto
//	headline (only)    (nur) Überschrift        titre (seul)              (solo) titular
//	offline reading    Offline lesen            lecture hors ligne        lectura sin conexión
//	links in old emails Links in alten E-Mails  liens des anciens e-mails enlaces de correos antiguos
//	access token       Zugriffstoken            jeton d’accès             token de acceso
//	passkey            Passkey                  clé d’accès               llave de acceso
//	private feed       privater Feed            flux privé                fuente privada
//	import, export     importieren, exportieren importer, exporter        importar, exportar
//	sign in            anmelden                 se connecter              iniciar sesión
//	sign out           abmelden                 se déconnecter            cerrar sesión
//	sign up            registrieren             s’inscrire                registrarse
//	undo, cancel       rückgängig, abbrechen    annuler                   deshacer, cancelar
//	delete, remove     löschen, entfernen       supprimer, retirer        eliminar, quitar
//
//	                   pt                       ja                        ar
//	follow (a site)    seguir                   フォローする              تابع، متابعة
//	unfollow           deixar de seguir         フォローをやめる          ألغى المتابعة، إلغاء المتابعة
//	subscribe          assinar                  購読する                  اشترك، اشتراك
//	unsubscribe        cancelar a assinatura    購読を解除する            ألغى الاشتراك، إلغاء الاشتراك
//	save, saved        salvar, Salvos           保存する、保存済み        حفظ، المحفوظات
//	email              e-mail                   メール                    بريد إلكتروني، رسالة إلكترونية
//	newsletter         newsletter               ニュースレター            نشرة بريدية
//	issue (of one)     edição                   号                        عدد
//	member             membro                   メンバー                  عضو
//	publisher          responsável              発行者                    ناشر
//	owner, editor      proprietário, editor     所有者、編集者            مالك، محرر
//	operator           administrador            運営者                    مشرف
//	edition            edição                   号                        عدد
//	post               artigo                   記事                      مقالة
//	site               site                     サイト                    موقع
//	feed               feed                     フィード                  خلاصة
//	folder             pasta                    フォルダー                مجلد
//	filter, filtered   filtro, filtrados        フィルター、除外した記事  عامل تصفية، مقالات مستبعدة
//	pause, paused      pausar, em pausa         一時停止する、一時停止中  إيقاف مؤقت، متوقف مؤقتًا
//	resume             retomar                  再開する                  استئناف
//	trip; Travel       viagem; Viagens          旅行                      رحلة؛ السفر
//	schedule, send at  programação, Enviar às   スケジュール、送信時刻    الجدول الزمني، وقت الإرسال
//	delivery           envio                    配信                      الإرسال
//	appearance         aparência                表示                      المظهر
//	account            conta                    アカウント                الحساب
//	settings           configurações            設定                      الإعدادات
//	full text          texto completo           全文                      النص الكامل
//	excerpt            trecho                   抜粋                      مقتطف
//	headline (only)    (só) título              見出し（のみ）            العنوان (فقط)
//	offline reading    leitura off-line         オフラインで読む          القراءة دون اتصال
//	links in old emails links de e-mails antigos 過去のメールのリンク     روابط الرسائل القديمة
//	access token       token de acesso          アクセストークン          رمز الوصول
//	passkey            chave de acesso          パスキー                  مفتاح مرور
//	private feed       feed privado             非公開フィード            خلاصة خاصة
//	import, export     importar, exportar       インポート、エクスポート  استيراد، تصدير
//	sign in            entrar                   ログイン                  تسجيل الدخول
//	sign out           sair                     ログアウト                تسجيل الخروج
//	sign up            criar conta              アカウントを作成          إنشاء حساب
//	undo, cancel       desfazer, cancelar       元に戻す、キャンセル      تراجع، إلغاء
//	delete, remove     excluir, remover         削除、取り除く            حذف، إزالة
//
// Address readers politely and calmly: Sie, vous, usted, você, です/ます, and in Arabic the plain masculine singular
// that programs use. Write Brazilian Portuguese, and modern standard Arabic with the digits 0 to 9.
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

var all = sync.OnceValue(func() *languages { return load(files, "languages") })

// A Language formats messages and dates in one language. It reads its file at the first message, so that a process that
// only needs English does not wait for the others.
type Language struct {
	Code      string           // the BCP 47 tag, also the name of its file: "de"
	Name      string           // in the language itself: "Deutsch"
	Direction digest.Direction // of a line of text

	tag     language.Tag
	said    func() *said // reads the file, once
	english *Language    // for messages that the file lacks; nil for English
}

type said struct {
	dates   dates
	cities  map[string]string
	has     map[string]bool // messages with a translation
	printer *message.Printer
}

// languages lists English first, then the others by their tags.
type languages struct {
	list    []*Language
	matcher language.Matcher
}

// All returns the languages of the program: English, then the others by their tags.
func All() []*Language { return slices.Clone(all().list) }

// English returns the language of the keys.
func English() *Language { return all().list[0] }

// Of returns the language of a tag, or English for an unknown or empty tag.
func Of(code string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	return English()
}

// Find returns the language whose tag equals code.
func Find(code string) (*Language, bool) {
	for _, l := range all().list {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

// maxAccepted limits the part of an Accept-Language header that Match parses, in bytes.
const maxAccepted = 500

// Match returns the language that a browser prefers by its Accept-Language header, or English if the header has none of
// ours.
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
