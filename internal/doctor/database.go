package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"digest"
	"digest/mailer"
)

func (x *checker) database(context.Context) Finding {
	d := x.Database
	switch {
	case d.Absent:
		return verdict(Warn, "there is no database at "+d.Name+
			" yet", "run digest serve to create it; if it should exist, correct DIGEST_DATABASE")
	case d.Closed:
		return verdict(Warn, d.Name+
			" is a copy that was never used; it was not checked, because opening it would change it",
			"run digest migrate to start using it")
	case d.Err != nil:
		return broken(d.Err)
	case d.Old:
		return verdict(Warn, d.Name+" has the schema of a different version",
			"run digest migrate (serve, work and tick do so automatically)")
	case d.Fenced != "":
		return verdict(Wrong, "nothing is polled or mailed: "+d.Fenced, "see digest fence")
	}
	return verdict(OK, fmt.Sprintf("%s works, its schema is current, readers: %d", d.Name, d.Readers), "")
}

func (x *checker) hour(context.Context) Finding {
	late := x.Database.Late
	f := verdict(OK, "editions, polls and mail are on time", "")
	if late == (digest.Lags{}) {
		return f
	}
	f = Finding{}
	const minute = "2006-01-02 15:04 MST"
	if t := late.Editions; !t.IsZero() {
		f.note(Wrong, "editions due at "+t.UTC().Format(minute)+" have not been made yet",
			"check that digest serve or digest work is running, and see its log")
	}
	if t := late.Polls; !t.IsZero() {
		f.note(Wrong, "feeds due at "+t.UTC().Format(minute)+" have not been polled yet",
			"check that digest serve or digest work is running, and see its log for what takes so long")
	}
	if t := late.Mail; !t.IsZero() {
		f.note(Wrong, "emails due at "+t.UTC().Format(minute)+" have not been sent yet", "see: digest queue")
	}
	return f
}

// size checks the size of the database, a waiting prune, and feeds over their quota.
func (x *checker) size(context.Context) Finding {
	d := x.Database
	var f Finding
	size := bytesText(uint64(d.Storage.Bytes))
	if d.Storage.Large() {
		f.note(Wrong, fmt.Sprintf("the database has a size of %s, more than the %s of DIGEST_DATABASE_ALARM", size,
			bytesText(uint64(d.Storage.Alarm))),
			"keep less (DIGEST_KEEP), see which feeds are largest (digest feeds), or raise DIGEST_DATABASE_ALARM")
	} else {
		f.note(OK, "the database has a size of "+size, "")
	}
	if p := d.Prune; p != nil {
		f.note(Wrong, fmt.Sprintf("%d of %d editions and %d of %d posts are older than DIGEST_KEEP; "+
			"that is more than half, so they are not deleted",
			p.Editions, p.AllEditions, p.Posts, p.AllPosts), "set a longer DIGEST_KEEP, or run: digest prune --confirm")
	}
	if d.OverQuota > 0 {
		f.note(Warn, fmt.Sprintf("feeds with more posts than are stored in a day, so that some wait: %d", d.OverQuota),
			"see: digest feeds")
	}
	return f
}

// broken splits the message of an error for people at the semicolon: the problem before it, the remedy after it.
func broken(err error) Finding {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok {
		return verdict(Wrong, digest.Bare(err).Error(), "")
	}
	found, todo, _ := strings.Cut(e.Message, "; ")
	if e.Err != nil {
		found += " (" + digest.Bare(e.Err).Error() + ")"
	}
	return verdict(Wrong, found, todo)
}

const (
	littleRoom = 1 << 30
	littlePart = 20 // a twentieth of the disk
	tooLittle  = 100 << 20
)

func (x *checker) disk(context.Context) Finding {
	var f Finding
	if x.Database.File != "" {
		x.room("the database", filepath.Dir(x.Database.File), &f)
		x.writable(&f)
	}
	if x.Mail.Folder != "" {
		x.room("the mail", x.Mail.Folder, &f)
	}
	if x.BounceMaildir != "" {
		x.room("the bounces", x.BounceMaildir, &f)
	}
	if f.Status == "" {
		return skip("nothing is stored on this machine")
	}
	return f
}

func (x *checker) room(what, folder string, f *Finding) {
	folder = existing(folder)
	if err := mailer.TryFolder(folder); err != nil {
		f.note(Wrong, fmt.Sprintf("the folder of %s, %s, is not writable (%s)", what, folder, digest.Bare(err)),
			"make it writable for the user that digest runs as, or set a different folder")
		return
	}
	space, known := x.Machine.Space(folder)
	if !known {
		f.note(OK, fmt.Sprintf("the folder of %s is writable; its free space is unknown", what), "")
		return
	}
	status, todo := roomStatus(space), ""
	if status != OK {
		todo = "free space on the disk of " + folder + ", or keep less (DIGEST_KEEP)"
	}
	f.note(status, fmt.Sprintf("%s free of %s for %s", bytesText(space.Free), bytesText(space.Total), what), todo)
}

func roomStatus(s Space) Status {
	switch {
	case s.Free < tooLittle:
		return Wrong
	case s.Free < littleRoom, s.Free < s.Total/littlePart:
		return Warn
	}
	return OK
}

func (x *checker) writable(f *Finding) {
	file, err := os.OpenFile(x.Database.File, os.O_RDWR, 0)
	if err == nil {
		file.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		f.note(Wrong, fmt.Sprintf("%s is not writable (%s)", x.Database.File, digest.Bare(err)),
			"make it writable for the user that digest runs as")
	}
}

// existing returns a folder, or its nearest parent that exists.
func existing(folder string) string {
	for {
		above := filepath.Dir(folder)
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || above == folder {
			return folder
		}
		folder = above
	}
}

func bytesText(n uint64) string {
	const unit = 1024
	size, names := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; size >= unit && i < len(names)-1; i++ {
		size /= unit
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", size, names[i])
}
