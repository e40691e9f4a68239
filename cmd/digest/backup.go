package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest"
	format "digest/internal/backup"
	"digest/internal/seal"
	"digest/store"
	"digest/store/backup"
)

type backupCmd struct {
	File           string   `arg:"" help:"The file to write; only its owner can read it."`
	Recipient      []string `placeholder:"AGE1..." help:"Encrypt the backup for this age public key; repeat it for several keys."`
	RecipientsFile string   `placeholder:"FILE" help:"Encrypt the backup for the public keys in a file, one a line."`
	Replace        bool     `env:"-" help:"Replace the file if it exists."`
}

type reportedBackup struct {
	File      string          `json:"file,omitempty"`
	Database  string          `json:"database"`
	Schema    int64           `json:"schema"`
	MadeAt    time.Time       `json:"made_at"`
	Bytes     int64           `json:"bytes,omitempty"`
	Encrypted bool            `json:"encrypted,omitempty"`
	Rows      int64           `json:"rows"`
	Tables    []reportedTable `json:"tables"`
	KeyFile   string          `json:"key_file,omitempty"` // of private feeds; not part of the backup
	Next      []string        `json:"next,omitempty"`     // next steps for the operator

	SourceFenced bool `json:"source_fenced,omitempty"` // the copied database is fenced
}

type reportedTable struct {
	Name string     `json:"name"`
	Rows int64      `json:"rows"`
	Sum  format.Sum `json:"sum"`
}

func reportBackup(b backup.Backup, database string, madeAt time.Time) reportedBackup {
	r := reportedBackup{Database: withoutSecret("DIGEST_DATABASE", database), Schema: b.Schema, MadeAt: madeAt.UTC(),
		Rows: b.Rows, Tables: []reportedTable{}}
	for _, t := range b.Tables {
		r.Tables = append(r.Tables, reportedTable{t.Name, t.Rows, t.Sum})
	}
	return r
}

func (r reportedBackup) contents() string {
	return fmt.Sprintf("%s in %s, as of %s", digest.Counted(int(r.Rows), "row"), digest.Counted(len(r.Tables), "table"),
		r.MadeAt.Format("2006-01-02 15:04 MST"))
}

func (c backupCmd) Run(a *app) error {
	to, err := c.recipients(a)
	if err != nil {
		return err
	}
	st, err := a.openWhatIsThere()
	if err != nil {
		return err
	}
	defer st.Close()
	now := a.now()
	var b backup.Backup
	size, err := writeBeside(c.File, c.Replace, func(w io.Writer) error {
		z, err := format.Compress(w, to)
		if err != nil {
			return err
		}
		if b, err = backup.Write(a.soft, st.DB, z, version(), now); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		return a.unlessStopped(err)
	}
	r := reportBackup(b, a.Database, now)
	r.File, r.Bytes, r.Encrypted = c.File, size, len(to) > 0
	if ids, err := a.keys().IDs(); err == nil && len(ids) > 0 {
		r.KeyFile = a.keys().File()
	}
	return a.show(r, func() error {
		a.printf("%s: %s, %d KB\n", plain(r.File), r.contents(), (size+1023)>>10)
		if r.KeyFile != "" {
			a.printf("it does not contain the key for private feeds; keep a copy of %s in another place\n",
				plain(r.KeyFile))
		}
		return nil
	})
}

// unlessStopped returns err, or errInterrupted if the program was stopped.
func (a *app) unlessStopped(err error) error {
	if a.soft.Err() != nil {
		return fmt.Errorf("%w; nothing was changed", errInterrupted)
	}
	return err
}

// openWhatIsThere opens a database of any schema that this program knows, and changes nothing.
func (a *app) openWhatIsThere() (*store.Store, error) {
	st, err := a.openStore()
	if err != nil {
		return nil, err
	}
	have, _, err := st.Schema(a.soft)
	if err == nil && have == 0 {
		err = a.noDatabase()
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// recipients returns the public keys for the encryption of the backup; none: no encryption.
func (c backupCmd) recipients(a *app) (format.Recipients, error) {
	text := strings.Join(c.Recipient, "\n")
	if c.RecipientsFile != "" {
		content, err := readFile(a.soft, c.RecipientsFile, mostKeys)
		if err != nil {
			return nil, fmt.Errorf("%s %w", plain(c.RecipientsFile), err)
		}
		text += "\n" + string(content)
	}
	if text == "" {
		return nil, nil
	}
	to, err := format.ParseRecipients(text)
	// The text of age is about its encoding.
	if err != nil {
		return nil, digest.Errorf(digest.Invalid,
			"a public key is not valid; copy it as age-keygen prints it (age1...)")
	}
	return to, nil
}

const mostKeys = 1 << 20

// writeBeside writes a file that only its user may read, and returns its size. The file gets its name when all of it is
// on the disk. It replaces an existing file only if replace is set. On an error it leaves no file.
func writeBeside(file string, replace bool, write func(io.Writer) error) (size int64, err error) {
	exists := digest.Errorf(digest.Conflict, "%s exists already; name another file, or add --replace", plain(file))
	switch info, err := os.Lstat(file); {
	case err == nil && !replace:
		return 0, exists
	case err == nil && !info.Mode().IsRegular(): // such as a device
		return 0, digest.Errorf(digest.Conflict, "%s is not a regular file; name another", plain(file))
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // with the mode 0600
	if err != nil {
		return 0, fmt.Errorf("%s cannot be written: %w", plain(file), digest.Bare(err))
	}
	defer os.Remove(f.Name()) // fails if the file was renamed
	if err := write(f); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, fmt.Errorf("%s cannot be written: %w", plain(file), digest.Bare(err))
	}
	name := os.Rename
	if !replace {
		name = os.Link // never replaces a file
	}
	err = name(f.Name(), file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, exists
	case err != nil && !replace: // the file system has no links
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return 0, fmt.Errorf("%s cannot be written: %w", plain(file), digest.Bare(err))
	}
	// The name survives a power failure if the system can sync folders.
	if d, err := os.Open(filepath.Dir(file)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return info.Size(), nil
}

type restoreCmd struct {
	File     string `arg:"" help:"A file that digest backup wrote."`
	Identity string `placeholder:"FILE" help:"The file from age-keygen with the private key of an encrypted backup."`
	Replace  bool   `env:"-" help:"Replace everything in the database."`
	Check    bool   `env:"-" help:"Only read the file and check that it is complete."`
}

func (c restoreCmd) Run(a *app) error {
	with, err := c.identities(a)
	if err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("%s %w", plain(c.File), withoutPath(err))
	}
	defer f.Close()
	content, err := format.Decompress(f, with)
	if err != nil {
		return err
	}
	from, err := format.NewReader(content)
	if err != nil {
		return err
	}
	madeAt := time.Unix(from.Header.MadeAt, 0).UTC()
	if c.Check {
		b, err := backup.Check(a.soft, from)
		if err != nil {
			return a.unlessStopped(err)
		}
		r := reportBackup(b, "", madeAt)
		r.File = c.File
		return a.say(r, "%s is complete: %s", plain(c.File), r.contents())
	}
	b, err := backup.Restore(a.soft, a.Database, from, a.restoration(c.Replace,
		fmt.Sprintf("this database was restored from a backup of %s", madeAt.Format("2006-01-02 15:04 MST"))))
	if err != nil {
		return a.unlessStopped(err)
	}
	r := reportBackup(b, a.Database, madeAt)
	r.File = c.File
	return a.sayBrought(r, "restored", a.Database, []string{
		"stop all processes that use the database of the backup",
		"run digest fence to see which emails would be sent, and digest fence release to send them",
	})
}

func (c restoreCmd) identities(a *app) (format.Identities, error) {
	if c.Identity == "" {
		return nil, nil
	}
	text, err := readFile(a.soft, c.Identity, mostKeys)
	if err != nil {
		return nil, fmt.Errorf("%s %w", plain(c.Identity), err)
	}
	return format.ParseIdentities(string(text))
}

// restoration returns the options of a restore. The restore fails if a process uses the database.
func (a *app) restoration(replace bool, reason string) backup.Restoration {
	return backup.Restoration{Replace: replace, Now: a.now(), Reason: reason,
		Look: func(_ context.Context, st *store.Store) error {
			w, at, err := a.whoWorks(st, true)
			if err == nil && at {
				err = digest.Errorf(digest.Conflict,
					"process %d on %s uses this database; stop it first", w.PID, w.Host)
			}
			return err
		}}
}

func (a *app) sayBrought(r reportedBackup, what, database string, next []string) error {
	keys := a.keysOf(database)
	lacks, err := a.lacksKeys(database, keys)
	if err != nil {
		return err
	}
	if lacks {
		put := "name the key file in DIGEST_KEY_FILE"
		if r.KeyFile = keys.File(); r.KeyFile != "" {
			put = "put the key file at " + r.KeyFile
		}
		next = append([]string{"the key of private feeds is missing, because backups do not hold it: " + put}, next...)
	}
	r.Next = next
	return a.show(r, func() error {
		a.printf("%s: %s; all tables were compared and are equal\n", what, r.contents())
		a.printf("%s is fenced: digest polls and sends nothing until you release it:\n", plain(r.Database))
		for i, line := range next {
			a.printf("  %d. %s\n", i+1, plain(line))
		}
		return nil
	})
}

// lacksKeys reports whether the key of a sealed value in a database is missing.
func (a *app) lacksKeys(database string, keys *seal.Keys) (bool, error) {
	st, err := store.Open(a.soft, database)
	if err != nil {
		return false, err
	}
	defer st.Close()
	feeds, err := st.Feeds.SealedFeeds(a.soft)
	if err != nil {
		return false, err
	}
	signing, err := st.Newsletters.NewsletterDomains(a.soft)
	if err != nil {
		return false, err
	}
	known := map[string]bool{}
	if ids, err := keys.IDs(); err == nil {
		for _, id := range ids {
			known[id] = true
		}
	}
	lacks := false
	for _, f := range feeds {
		lacks = lacks || !known[seal.IDOf(f.Sealed)]
	}
	for _, d := range signing {
		lacks = lacks || !known[seal.IDOf(d.Sealed)]
	}
	return lacks, nil
}
