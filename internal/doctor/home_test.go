package doctor_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"digest"
	"digest/internal/doctor"
	"digest/mailer"
	"digest/timezone"
)

func TestFrom(t *testing.T) {
	from := func(address string) func(*world) {
		return func(w *world) { w.From, w.ReturnPath = address, "" }
	}
	folder := func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }
	for _, tt := range []finding{
		{"well", func(*world) {}, "from", doctor.OK, "From is at example.org", ""},
		{"localhost", from("digest@localhost"), "from", doctor.Wrong, "not a public domain", "DIGEST_FROM"},
		{"localhost, Maildir", func(w *world) { from("digest@localhost")(w); folder(w) }, "from", doctor.Warn,
			"not a public domain", "DIGEST_FROM"},
		{"home", from("digest@nas.lan"), "from", doctor.Wrong, "not a public domain", "DIGEST_FROM"},
		{"public suffix", from("digest@co.uk"), "from", doctor.Wrong, "anyone can register a domain", "DIGEST_FROM"},
		{"Gmail", from("me@gmail.com"), "from", doctor.Wrong, "only its provider may send", "your own domain"},
		{"Yahoo", from("me@yahoo.co.uk"), "from", doctor.Wrong, "only its provider may send", "your own domain"},
		{"Gmail through Gmail", func(w *world) { from("me@gmail.com")(w); w.Mail.Host = "smtp.gmail.com" }, "from",
			doctor.Warn, "limits how many", "your own domain"},
		{"no such domain", from("digest@nothing.example"), "from", doctor.Wrong, "no MX record and no address",
			"publish an MX record for nothing.example"},
		{"null MX", replace("example.org MX", "example.org MX 0 ."), "from", doctor.Wrong, "does not accept email",
			"publish an MX record"},
		{"address alone", replace("example.org MX", "example.org A 198.51.100.7"), "from", doctor.OK,
			"From is at example.org", ""},
		{"trouble", replace("example.org MX", "example.org SERVFAIL x"), "from", doctor.Warn, "could not be looked up",
			"try again"},
	} {
		tt.try(t)
	}
	gmail := wellWorld(t)
	from("me@gmail.com")(gmail)
	for name, f := range gmail.examine(t) {
		if f.Status == doctor.Wrong && name != "from" {
			t.Errorf("said twice: %+v", f)
		}
	}
}

func TestPTR(t *testing.T) {
	four := reverse("198.51.100.7")
	for _, tt := range []finding{
		{"well", func(*world) {}, "ptr", doctor.OK,
			"198.51.100.7 is mail.example.org, and its name resolves to it; 2001:db8::7 is mail.example.org, and its name resolves to it", ""},
		{"none", replace(four), "ptr", doctor.Wrong, "198.51.100.7 has no name in the DNS", "at your hosting provider"},
		{"none for IPv6", replace(reverse("2001:db8::7")), "ptr", doctor.Wrong, "2001:db8::7 has no name", "PTR"},
		{"one way", replace(four, four+" PTR host7.isp.example"), "ptr", doctor.Wrong,
			"is named host7.isp.example, which does not resolve to it", "PTR"},
		{"to another", replace(four, four+" PTR host7.isp.example", "host7.isp.example A 198.51.100.70"), "ptr",
			doctor.Wrong, "does not resolve to it", "PTR"},
		{"one of two", func(w *world) { w.zone = w.zone.with(four + " PTR host7.isp.example") }, "ptr", doctor.OK,
			"mail.example.org", ""},
		{"trouble", replace(four, four+" SERVFAIL x"), "ptr", doctor.Warn, "could not be looked up", "try again"},
		{"smarthost", func(w *world) {
			w.Mail.Host = "smtp.relay.example"
			w.zone = w.zone.with("smtp.relay.example A 203.0.113.9")
		}, "ptr", doctor.Skipped, "belongs to your mail provider", ""},
		{"here", func(w *world) { w.Mail.Host = "127.0.0.1" }, "ptr", doctor.Skipped, "on this machine", ""},
		{"private", func(w *world) { w.Mail.Host = "10.9.9.9" }, "ptr", doctor.Skipped, "private network", ""},
		{"by its address", func(w *world) { w.Mail.Host = "198.51.100.7" }, "ptr", doctor.OK,
			"198.51.100.7 is mail.example.org", ""},
		{"Maildir", func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }, "ptr", doctor.Skipped,
			"a folder on this machine", ""},
	} {
		tt.try(t)
	}
}

func TestReturnPath(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []finding{
		{"well", func(*world) {}, "return-path", doctor.OK,
			"mail for bounce.example.org goes to mail.example.org; digest serve receives bounces at smtp://0.0.0.0:25",
			""},
		{"not set", func(w *world) { w.ReturnPath = "" }, "return-path", doctor.Skipped, "is not set",
			"bounces@example.org"},
		{"no MX", replace("bounce.example.org MX"), "return-path", doctor.Wrong, "no MX record and no address",
			"publish an MX record for bounce.example.org"},
		{"address alone", replace("bounce.example.org MX", "bounce.example.org A 198.51.100.7"), "return-path",
			doctor.OK, "goes to bounce.example.org", ""},
		{"null MX", replace("bounce.example.org MX", "bounce.example.org MX 0 ."), "return-path", doctor.Wrong,
			"does not accept email", "publish an MX"},
		{"MX to nowhere", replace("bounce.example.org MX", "bounce.example.org MX 10 gone.example.org"), "return-path",
			doctor.Wrong, "gone.example.org, which has no address", "correct the MX"},
		{"one MX to nowhere", replace("nothing", "bounce.example.org MX 20 gone.example.org"), "return-path",
			doctor.Warn, "gone.example.org has no address in the DNS", "remove it"},
		{"trouble", replace("bounce.example.org", "bounce.example.org SERVFAIL x"), "return-path", doctor.Warn,
			"could not be looked up", "try again"},
		{"nobody takes them in", func(w *world) { w.BounceListen = "" }, "return-path", doctor.Warn,
			"does not receive bounces itself", "pipe mail for bounces+…@bounce.example.org to \"digest bounce\""},
		{"Maildir", func(w *world) { w.BounceListen, w.BounceMaildir = "", folder }, "return-path", doctor.OK,
			"from the Maildir", ""},
		{"no Maildir", func(w *world) { w.BounceListen, w.BounceMaildir = "", filepath.Join(folder, "none") },
			"return-path", doctor.Wrong, "cannot be read (no such file or directory)", "DIGEST_BOUNCE_MAILDIR"},
	} {
		tt.try(t)
	}
}

func TestComplaints(t *testing.T) {
	at := func(address string, more ...func(*world)) func(*world) {
		return func(w *world) {
			w.CFBLAddress = address
			for _, change := range more {
				change(w)
			}
		}
	}
	for _, tt := range []finding{
		{"one address", func(w *world) { w.AccountFrom = "Sign in <DIGEST@example.org>" }, "account", doctor.Warn,
			"readers who block that sender cannot sign in", "set DIGEST_ACCOUNT_FROM"},
		{"not set", at(""), "complaints", doctor.Skipped, "have no address for complaints", ""},
		{"below", at("c@bounce.example.org"), "complaints", doctor.OK, "complaints go to c@bounce.example.org", ""},
		{"of somebody else", at("c@relay.example"), "complaints", doctor.Wrong, "at example.org or a subdomain",
			"correct DIGEST_CFBL_ADDRESS"},
		{"unsigned", at("c@bounce.example.org", func(w *world) { w.Database.Keys = nil }), "complaints", doctor.Wrong,
			"a DKIM signature for exactly example.org", "digest dkim new example.org"},
		{"no database", at("c@bounce.example.org", func(w *world) { w.Database.Absent = true }), "complaints",
			doctor.Skipped, "needs the database", ""},
		{"no server", at("c@bounce.example.org", replace("bounce.example.org MX")), "complaints", doctor.Wrong,
			"no server receives mail for bounce.example.org", "publish an MX record"},
		{"Maildir", at("c@bounce.example.org", func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }),
			"complaints", doctor.Skipped, "a folder on this machine", ""},
	} {
		tt.try(t)
	}
}

func TestClock(t *testing.T) {
	dated := func(ahead time.Duration) func(*world) {
		return func(w *world) {
			page := w.page
			w.page = func(out http.ResponseWriter, r *http.Request) {
				out.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
				page(out, r)
			}
		}
	}
	for _, tt := range []finding{
		{"kept", func(*world) {}, "clock", doctor.OK, "is synchronized", ""},
		{"not kept", func(w *world) { w.Machine.Synced = func() (bool, bool) { return false, true } }, "clock",
			doctor.Warn, "is not synchronized", "chrony"},
		{"who knows", func(w *world) { w.Machine.Synced = func() (bool, bool) { return false, false } }, "clock",
			doctor.OK, "it is 20", ""},
		{"database ahead", func(w *world) { w.Database.Ahead = time.Hour }, "clock", doctor.Wrong,
			"the clock of the database is 1h0m0s ahead", "correct the clocks"},
		{"database a little behind", func(w *world) { w.Database.Ahead = -20 * time.Second }, "clock", doctor.Warn,
			"is 20s behind", "correct the clocks"},
		{"database near", func(w *world) { w.Database.Ahead = time.Second }, "clock", doctor.OK, "is synchronized", ""},
		{"heartbeat to come", func(w *world) { w.Database.Beat = time.Now().Add(time.Hour) }, "clock", doctor.Wrong,
			"in the future", "correct the clock"},
		{"heartbeat", func(w *world) { w.Database.Beat = time.Now().Add(-time.Hour) }, "clock", doctor.OK,
			"is synchronized", ""},
		{"web server ahead", dated(time.Hour), "clock", doctor.Wrong, "the clock of paper.example.org is ",
			"web server"},
		{"web server a little behind", dated(-30 * time.Second), "clock", doctor.Warn, "s behind", "web server"},
		{"frozen", func(w *world) { w.Frozen, w.Database.Ahead = true, time.Hour }, "clock", doctor.Skipped, "--now",
			""},
	} {
		tt.try(t)
	}
}

func TestZones(t *testing.T) {
	version := func(name, content string) func(*world) {
		return func(w *world) {
			dir := w.Machine.ZoneDirs[0]
			if err := os.Remove(filepath.Join(dir, "tzdata.zi")); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	for _, tt := range []finding{
		{"well", func(*world) {}, "zones", doctor.OK, "597 zones; release 2026b", ""},
		{"old", version("tzdata.zi", "# version 2019a\n"), "zones", doctor.Warn, "release 2019a", "tzdata"},
		{"BSD", version("+VERSION", "2026a\n"), "zones", doctor.OK, "release 2026a", ""},
		{"says nothing", version("tzdata.zi", "\n"), "zones", doctor.OK, "release unknown", ""},
		{"no file that says", version("other", ""), "zones", doctor.OK, "release unknown", ""},
		{"own copy", func(w *world) { w.Machine.ZoneDirs = []string{"/nowhere"} }, "zones", doctor.OK,
			"copy built into digest", ""},
		{"one cannot be read", func(w *world) {
			w.Machine.LoadZone = func(name string) (*time.Location, error) {
				if name == "Asia/Tokyo" {
					return nil, errors.New("malformed")
				}
				return time.UTC, nil
			}
		}, "zones", doctor.Wrong, "1 cannot be read, such as Asia/Tokyo", "reinstall the package tzdata"},
		{"a reader's is gone", func(w *world) { w.Database.Zones["Europe/Atlantis"] = []string{"eve@example.org"} },
			"zones", doctor.Wrong, "Europe/Atlantis no longer exists", "digest user set eve@example.org --time-zone"},
	} {
		change := tt.change
		tt.change = func(w *world) { w.Machine.LoadZone = timezone.Load; change(w) }
		tt.try(t)
	}
}

func TestSize(t *testing.T) {
	for _, tt := range []finding{
		{"small enough", func(w *world) { w.Database.Storage = digest.Storage{Bytes: 20 << 30, Alarm: 20 << 30} },
			"size", doctor.OK, "has a size of 20.0 GiB", ""},
		{"too large", func(w *world) { w.Database.Storage = digest.Storage{Bytes: 21 << 30, Alarm: 20 << 30} }, "size",
			doctor.Wrong,
			"has a size of 21.0 GiB, more than the 20.0 GiB of DIGEST_DATABASE_ALARM", "keep less (DIGEST_KEEP)"},
		{"over a quota", func(w *world) { w.Database.OverQuota = 3 }, "size", doctor.Warn, "so that some wait: 3",
			"digest feeds"},
		{"no size", func(w *world) { w.Database.Absent = true }, "size", doctor.Skipped, "needs the database", ""},
	} {
		tt.try(t)
	}
}

func TestHour(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 30, 0, 0, time.UTC)
	for _, tt := range []finding{
		{"on time", func(*world) {}, "hour", doctor.OK, "on time", ""},
		{"editions", func(w *world) { w.Database.Late.Editions = at }, "hour", doctor.Wrong,
			"editions due at 2026-11-20 00:30 UTC", "see its log"},
		{"polls", func(w *world) { w.Database.Late.Polls = at }, "hour", doctor.Wrong,
			"feeds due at 2026-11-20 00:30 UTC", "takes so long"},
		{"mail", func(w *world) { w.Database.Late.Mail = at }, "hour", doctor.Wrong,
			"emails due at 2026-11-20 00:30 UTC", "digest queue"},
		{"not read", func(w *world) { w.Database.Absent = true }, "hour", doctor.Skipped, "needs the database", ""},
	} {
		tt.try(t)
	}
}

func TestDisk(t *testing.T) {
	room := func(free, total uint64) func(*world) {
		return func(w *world) {
			w.Machine.Space = func(string) (doctor.Space, bool) { return doctor.Space{Free: free, Total: total}, true }
		}
	}
	for _, tt := range []finding{
		{"well", func(*world) {}, "disk", doctor.OK, "50.0 GiB free of 100.0 GiB for the database", ""},
		{"mail too", func(w *world) { w.Mail = mailer.Place{Folder: filepath.Join(t.TempDir(), "to", "come")} }, "disk",
			doctor.OK, "for the mail", ""},
		{"little", room(1<<30-1, 8<<30), "disk", doctor.Warn, "free of 8.0 GiB", "free space on the disk"},
		{"little of much", room(40<<30, 1000<<30), "disk", doctor.Warn, "40.0 GiB free", "free space on the disk"},
		{"enough", room(1<<30, 8<<30), "disk", doctor.OK, "1.0 GiB free", ""},
		{"too little", room(100<<20-1, 200<<20), "disk", doctor.Wrong, "100.0 MiB free", "free space on the disk"},
		{"who knows", func(w *world) {
			w.Machine.Space = func(string) (doctor.Space, bool) { return doctor.Space{}, false }
		}, "disk", doctor.OK, "its free space is unknown", ""},
		{"no folder", func(w *world) { w.Database.File += "/x/digest.db" }, "disk", doctor.Wrong, "is not writable",
			"set a different folder"},
		{"no folder for mail", func(w *world) { w.Mail = mailer.Place{Folder: w.Database.File} }, "disk", doctor.Wrong,
			"the folder of the mail", "set a different folder"},
		{"a folder in its place", func(w *world) { w.Database.File = filepath.Dir(w.Database.File) }, "disk",
			doctor.Wrong, "is not writable (is a directory)", "make it writable"},
		{"no disk", func(w *world) { w.Database.File = "" }, "disk", doctor.Skipped,
			"nothing is stored on this machine", ""},
		{"bounces", func(w *world) { w.Database.File, w.BounceMaildir = "", t.TempDir() }, "disk", doctor.OK,
			"for the bounces", ""},
	} {
		tt.try(t)
	}
	if space, known := doctor.ThisMachine().Space(t.TempDir()); known &&
		(space.Total == 0 || space.Free > space.Total) {
		t.Errorf("this machine: %+v", space)
	}
}

func TestDatabase(t *testing.T) {
	for _, tt := range []finding{
		{"well", func(*world) {}, "database", doctor.OK, "digest.db works, its schema is current, readers: 2", ""},
		{"absent", func(w *world) { w.Database.Absent = true }, "database", doctor.Warn, "no database at digest.db yet",
			"digest serve"},
		{"copy", func(w *world) { w.Database.Closed = true }, "database", doctor.Warn, "a copy that was never used",
			"digest migrate"},
		{"old", func(w *world) { w.Database.Old = true }, "database", doctor.Warn,
			"has the schema of a different version", "digest migrate"},
		{"away", func(w *world) {
			w.Database.Err = &digest.Error{Message: "PostgreSQL cannot be reached; see that it runs",
				Err: errors.New("refused")}
		}, "database", doctor.Wrong, "PostgreSQL cannot be reached (refused)", "see that it runs"},
		{"odd", func(w *world) { w.Database.Err = errors.New("odd") }, "database", doctor.Wrong, "odd", ""},
		{"fenced", func(w *world) { w.Database.Fenced = "it was last at work elsewhere" }, "database", doctor.Wrong,
			"nothing is polled or mailed: it was last at work elsewhere", "digest fence"},
	} {
		tt.try(t)
	}
}

func TestKey(t *testing.T) {
	key := func(k doctor.Key) func(*world) { return func(w *world) { w.Key = k } }
	none := &digest.Error{Kind: digest.Invalid,
		Message: "private feeds need a key, and no file with one is named; make one with digest key new"}
	away := &digest.Error{Kind: digest.Unavailable, Message: "the key file k cannot be used: no such file or directory",
		Err: os.ErrNotExist}
	for _, tt := range []finding{
		{"well", key(doctor.Key{File: "k", Mode: 0o600, Feeds: 3}), "key", doctor.OK,
			"k decrypts all stored credentials; private feeds: 3", ""},
		{"of a group", key(doctor.Key{File: "k", Mode: 0o640, Feeds: 3}), "key", doctor.OK,
			"k decrypts all stored credentials; private feeds: 3", ""},
		{"open to all", key(doctor.Key{File: "k", Mode: 0o644, Feeds: 3}), "key", doctor.Warn,
			"every user of this machine can read or change it (mode 0644)", "chmod 600 k"},
		{"not yet", key(doctor.Key{File: "k", Absent: true}), "key", doctor.OK, "the first one creates k", ""},
		{"gone", key(doctor.Key{File: "k", Absent: true, Feeds: 3}), "key", doctor.Wrong,
			"k is missing; private feeds that cannot be polled: 3", "from its backup"},
		{"none, and none is needed", key(doctor.Key{Err: none}), "key", doctor.OK, "there are no private feeds", ""},
		{"none", key(doctor.Key{Err: none, Feeds: 3}), "key", doctor.Wrong,
			"no file with one is named; private feeds that cannot be polled: 3", "make one with digest key new"},
		{"named and away", key(doctor.Key{File: "k", Err: away}), "key", doctor.Wrong,
			"the key file k cannot be used: no such file or directory", "correct DIGEST_KEY_FILE"},
		{"another", key(doctor.Key{File: "k", Feeds: 3, Lost: 2,
			Why: "its password is sealed with the key abc, which is not in k"}), "key", doctor.Wrong,
			"2 of 3; the reason for the first: its password is sealed with the key abc", "from its backup"},
		{"in the clear", key(doctor.Key{Err: none, InClear: 2}), "key", doctor.Warn,
			"feeds with a password in their address: 2", "set DIGEST_KEY_FILE"},
		{"no database", func(w *world) { w.Database.Old = true; w.Key = doctor.Key{File: "k", Err: away} }, "key",
			doctor.Skipped, "needs the database", ""},
	} {
		tt.try(t)
	}
}
