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
	tryAll(t, "from", []finding{
		{"well", nil, ok, "From is at example.org", ""},
		{"localhost", from("digest@localhost"), wrong, "not a public domain", "DIGEST_FROM"},
		{"localhost, Maildir", all(from("digest@localhost"), mailTo(t.TempDir())), warn, "not a public domain",
			"DIGEST_FROM"},
		{"home", from("digest@nas.lan"), wrong, "not a public domain", "DIGEST_FROM"},
		{"public suffix", from("digest@co.uk"), wrong, "anyone can register a domain", "DIGEST_FROM"},
		{"Gmail", from("me@gmail.com"), wrong, "only its provider may send", "your own domain"},
		{"Yahoo", from("me@yahoo.co.uk"), wrong, "only its provider may send", "your own domain"},
		{"Gmail through Gmail", all(from("me@gmail.com"), mailAt("smtp.gmail.com")), warn, "limits how many",
			"your own domain"},
		{"no such domain", from("digest@nothing.example"), wrong, "no MX record and no address",
			"publish an MX record for nothing.example"},
		{"null MX", replace("example.org MX", "example.org MX 0 ."), wrong, "does not accept email",
			"publish an MX record"},
		{"address alone", replace("example.org MX", "example.org A 198.51.100.7"), ok, "From is at example.org", ""},
		{"trouble", sick("example.org"), warn, "could not be looked up", "try again"},
	})
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
	tryAll(t, "ptr", []finding{
		{"well", nil, ok,
			"198.51.100.7 is mail.example.org, and its name resolves to it; 2001:db8::7 is mail.example.org, and " +
				"its name resolves to it", ""},
		{"none", replace(four), wrong, "198.51.100.7 has no name in the DNS", "at your hosting provider"},
		{"none for IPv6", replace(reverse("2001:db8::7")), wrong, "2001:db8::7 has no name", "PTR"},
		{"one way", replace(four, four+" PTR host7.isp.example"), wrong,
			"is named host7.isp.example, which does not resolve to it", "PTR"},
		{"to another", replace(four, four+" PTR host7.isp.example", "host7.isp.example A 198.51.100.70"), wrong,
			"does not resolve to it", "PTR"},
		{"one of two", with(four + " PTR host7.isp.example"), ok, "mail.example.org", ""},
		{"trouble", replace(four, four+" SERVFAIL x"), warn, "could not be looked up", "try again"},
		{"smarthost", all(mailAt("smtp.relay.example"), with("smtp.relay.example A 203.0.113.9")), skipped,
			"belongs to your mail provider", ""},
		{"here", mailAt("127.0.0.1"), skipped, "on this machine", ""},
		{"private", mailAt("10.9.9.9"), skipped, "private network", ""},
		{"by its address", mailAt("198.51.100.7"), ok, "198.51.100.7 is mail.example.org", ""},
	})
}

func TestReturnPath(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	tryAll(t, "return-path", []finding{
		{"well", nil, ok,
			"mail for bounce.example.org goes to mail.example.org; digest serve receives bounces at smtp://0.0.0.0:25",
			""},
		{"not set", func(w *world) { w.ReturnPath = "" }, skipped, "is not set", "bounces@example.org"},
		{"no MX", replace("bounce.example.org MX"), wrong, "no MX record and no address",
			"publish an MX record for bounce.example.org"},
		{"address alone", replace("bounce.example.org MX", "bounce.example.org A 198.51.100.7"), ok,
			"goes to bounce.example.org", ""},
		{"null MX", replace("bounce.example.org MX", "bounce.example.org MX 0 ."), wrong, "does not accept email",
			"publish an MX"},
		{"MX to nowhere", replace("bounce.example.org MX", "bounce.example.org MX 10 gone.example.org"), wrong,
			"gone.example.org, which has no address", "correct the MX"},
		{"one MX to nowhere", replace("nothing", "bounce.example.org MX 20 gone.example.org"), warn,
			"gone.example.org has no address in the DNS", "remove it"},
		{"trouble", sick("bounce.example.org"), warn, "could not be looked up", "try again"},
		{"nobody takes them in", func(w *world) { w.BounceListen = "" }, warn, "does not receive bounces itself",
			"pipe mail for bounces+…@bounce.example.org to \"digest bounce\""},
		{"Maildir", func(w *world) { w.BounceListen, w.BounceMaildir = "", folder }, ok, "from the Maildir", ""},
		{"no Maildir", func(w *world) { w.BounceListen, w.BounceMaildir = "", filepath.Join(folder, "none") }, wrong,
			"cannot be read (no such file or directory)", "DIGEST_BOUNCE_MAILDIR"},
	})
}

func TestAccount(t *testing.T) {
	tryAll(t, "account", []finding{
		{"one address", func(w *world) { w.AccountFrom = "Sign in <DIGEST@example.org>" }, warn,
			"readers who block that sender cannot sign in", "set DIGEST_ACCOUNT_FROM"},
	})
}

func TestComplaints(t *testing.T) {
	at := func(address string) func(*world) { return func(w *world) { w.CFBLAddress = address } }
	tryAll(t, "complaints", []finding{
		{"not set", at(""), skipped, "have no address for complaints", ""},
		{"below", at("c@bounce.example.org"), ok, "complaints go to c@bounce.example.org", ""},
		{"of somebody else", at("c@relay.example"), wrong, "at example.org or a subdomain",
			"correct DIGEST_CFBL_ADDRESS"},
		{"unsigned", all(at("c@bounce.example.org"), unsigned), wrong, "a DKIM signature for exactly example.org",
			"digest dkim new example.org"},
		{"no server", all(at("c@bounce.example.org"), replace("bounce.example.org MX")), wrong,
			"no server receives mail for bounce.example.org", "publish an MX record"},
	})
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
	tryAll(t, "clock", []finding{
		{"kept", nil, ok, "is synchronized", ""},
		{"not kept", func(w *world) { w.Machine.Synced = func() (bool, bool) { return false, true } }, warn,
			"is not synchronized", "chrony"},
		{"who knows", func(w *world) { w.Machine.Synced = func() (bool, bool) { return false, false } }, ok, "it is 20",
			""},
		{"database ahead", func(w *world) { w.Database.Ahead = time.Hour }, wrong,
			"the clock of the database is 1h0m0s ahead", "correct the clocks"},
		{"database a little behind", func(w *world) { w.Database.Ahead = -20 * time.Second }, warn, "is 20s behind",
			"correct the clocks"},
		{"database near", func(w *world) { w.Database.Ahead = time.Second }, ok, "is synchronized", ""},
		{"heartbeat to come", func(w *world) { w.Database.Beat = time.Now().Add(time.Hour) }, wrong, "in the future",
			"correct the clock"},
		{"heartbeat", func(w *world) { w.Database.Beat = time.Now().Add(-time.Hour) }, ok, "is synchronized", ""},
		{"web server ahead", dated(time.Hour), wrong, "the clock of paper.example.org is ", "web server"},
		{"web server a little behind", dated(-30 * time.Second), warn, "s behind", "web server"},
		{"frozen", func(w *world) { w.Frozen, w.Database.Ahead = true, time.Hour }, skipped, "--now", ""},
	})
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
	zones := []finding{
		{"well", func(*world) {}, ok, "597 zones; release 2026b", ""},
		{"old", version("tzdata.zi", "# version 2019a\n"), warn, "release 2019a", "tzdata"},
		{"BSD", version("+VERSION", "2026a\n"), ok, "release 2026a", ""},
		{"says nothing", version("tzdata.zi", "\n"), ok, "release unknown", ""},
		{"no file that says", version("other", ""), ok, "release unknown", ""},
		{"own copy", func(w *world) { w.Machine.ZoneDirs = []string{"/nowhere"} }, ok, "copy built into digest", ""},
		{"one cannot be read", func(w *world) {
			w.Machine.LoadZone = func(name string) (*time.Location, error) {
				if name == "Asia/Tokyo" {
					return nil, errors.New("malformed")
				}
				return time.UTC, nil
			}
		}, wrong, "1 cannot be read, such as Asia/Tokyo", "reinstall the package tzdata"},
		{"a reader's is gone", func(w *world) { w.Database.Zones["Europe/Atlantis"] = []string{"eve@example.org"} },
			wrong, "Europe/Atlantis no longer exists", "digest user set eve@example.org --time-zone"},
	}
	for i, tt := range zones {
		zones[i].change = all(func(w *world) { w.Machine.LoadZone = timezone.Load }, tt.change)
	}
	tryAll(t, "zones", zones)
}

func TestSize(t *testing.T) {
	tryAll(t, "size", []finding{
		{"small enough", func(w *world) { w.Database.Storage = digest.Storage{Bytes: 20 << 30, Alarm: 20 << 30} }, ok,
			"has a size of 20.0 GiB", ""},
		{"too large", func(w *world) { w.Database.Storage = digest.Storage{Bytes: 21 << 30, Alarm: 20 << 30} }, wrong,
			"has a size of 21.0 GiB, more than the 20.0 GiB of DIGEST_DATABASE_ALARM", "keep less (DIGEST_KEEP)"},
		{"over a quota", func(w *world) { w.Database.OverQuota = 3 }, warn, "so that some wait: 3", "digest feeds"},
	})
}

func TestHour(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 30, 0, 0, time.UTC)
	tryAll(t, "hour", []finding{
		{"on time", nil, ok, "on time", ""},
		{"editions", func(w *world) { w.Database.Late.Editions = at }, wrong, "editions due at 2026-11-20 00:30 UTC",
			"see its log"},
		{"polls", func(w *world) { w.Database.Late.Polls = at }, wrong, "feeds due at 2026-11-20 00:30 UTC",
			"takes so long"},
		{"mail", func(w *world) { w.Database.Late.Mail = at }, wrong, "emails due at 2026-11-20 00:30 UTC",
			"digest queue"},
	})
}

func TestDisk(t *testing.T) {
	room := func(free, total uint64) func(*world) {
		return func(w *world) {
			w.Machine.Space = func(string) (doctor.Space, bool) { return doctor.Space{Free: free, Total: total}, true }
		}
	}
	tryAll(t, "disk", []finding{
		{"well", nil, ok, "50.0 GiB free of 100.0 GiB for the database", ""},
		{"mail too", mailTo(filepath.Join(t.TempDir(), "to", "come")), ok, "for the mail", ""},
		{"little", room(1<<30-1, 8<<30), warn, "free of 8.0 GiB", "free space on the disk"},
		{"little of much", room(40<<30, 1000<<30), warn, "40.0 GiB free", "free space on the disk"},
		{"enough", room(1<<30, 8<<30), ok, "1.0 GiB free", ""},
		{"too little", room(100<<20-1, 200<<20), wrong, "100.0 MiB free", "free space on the disk"},
		{"who knows", func(w *world) {
			w.Machine.Space = func(string) (doctor.Space, bool) { return doctor.Space{}, false }
		}, ok, "its free space is unknown", ""},
		{"no folder", func(w *world) { w.Database.File += "/x/digest.db" }, wrong, "is not writable",
			"set a different folder"},
		{"no folder for mail", func(w *world) { w.Mail = mailer.Place{Folder: w.Database.File} }, wrong,
			"the folder of the mail", "set a different folder"},
		{"a folder in its place", func(w *world) { w.Database.File = filepath.Dir(w.Database.File) }, wrong,
			"is not writable (is a directory)", "make it writable"},
		{"no disk", func(w *world) { w.Database.File = "" }, skipped, "nothing is stored on this machine", ""},
		{"bounces", func(w *world) { w.Database.File, w.BounceMaildir = "", t.TempDir() }, ok, "for the bounces", ""},
	})
	if space, known := doctor.ThisMachine().Space(t.TempDir()); known &&
		(space.Total == 0 || space.Free > space.Total) {
		t.Errorf("this machine: %+v", space)
	}
}

func TestDatabase(t *testing.T) {
	tryAll(t, "database", []finding{
		{"well", nil, ok, "digest.db works, its schema is current, readers: 2", ""},
		{"absent", absent, warn, "no database at digest.db yet", "digest serve"},
		{"copy", func(w *world) { w.Database.Closed = true }, warn, "a copy that was never used", "digest migrate"},
		{"old", func(w *world) { w.Database.Old = true }, warn, "has the schema of a different version",
			"digest migrate"},
		{"away", func(w *world) {
			w.Database.Err = &digest.Error{Message: "PostgreSQL cannot be reached; see that it runs",
				Err: errors.New("refused")}
		}, wrong, "PostgreSQL cannot be reached (refused)", "see that it runs"},
		{"odd", func(w *world) { w.Database.Err = errors.New("odd") }, wrong, "odd", ""},
		{"fenced", func(w *world) { w.Database.Fenced = "it was last at work elsewhere" }, wrong,
			"nothing is polled or mailed: it was last at work elsewhere", "digest fence"},
	})
}

func TestKey(t *testing.T) {
	key := func(k doctor.Key) func(*world) { return func(w *world) { w.Key = k } }
	none := &digest.Error{Kind: digest.Invalid,
		Message: "private feeds need a key, and no file with one is named; make one with digest key new"}
	away := &digest.Error{Kind: digest.Unavailable, Message: "the key file k cannot be used: no such file or directory",
		Err: os.ErrNotExist}
	tryAll(t, "key", []finding{
		{"well", key(doctor.Key{File: "k", Mode: 0o600, Feeds: 3}), ok,
			"k decrypts all stored credentials; private feeds: 3", ""},
		{"of a group", key(doctor.Key{File: "k", Mode: 0o640, Feeds: 3}), ok,
			"k decrypts all stored credentials; private feeds: 3", ""},
		{"open to all", key(doctor.Key{File: "k", Mode: 0o644, Feeds: 3}), warn,
			"every user of this machine can read or change it (mode 0644)", "chmod 600 k"},
		{"not yet", key(doctor.Key{File: "k", Absent: true}), ok, "the first one creates k", ""},
		{"gone", key(doctor.Key{File: "k", Absent: true, Feeds: 3}), wrong,
			"k is missing; private feeds that cannot be polled: 3", "from its backup"},
		{"none, and none is needed", key(doctor.Key{Err: none}), ok, "there are no private feeds", ""},
		{"none", key(doctor.Key{Err: none, Feeds: 3}), wrong,
			"no file with one is named; private feeds that cannot be polled: 3", "make one with digest key new"},
		{"named and away", key(doctor.Key{File: "k", Err: away}), wrong,
			"the key file k cannot be used: no such file or directory", "correct DIGEST_KEY_FILE"},
		{"another", key(doctor.Key{File: "k", Feeds: 3, Lost: 2,
			Why: "its password is sealed with the key abc, which is not in k"}), wrong,
			"2 of 3; the reason for the first: its password is sealed with the key abc", "from its backup"},
		{"in the clear", key(doctor.Key{Err: none, InClear: 2}), warn, "feeds with a password in their address: 2",
			"set DIGEST_KEY_FILE"},
		{"no database", func(w *world) { w.Database.Old = true; w.Key = doctor.Key{File: "k", Err: away} }, skipped,
			"needs the database", ""},
	})
}
