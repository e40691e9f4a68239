package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest"
	format "digest/internal/backup"
	"digest/store"
	"digest/store/backup"
	"digest/store/db"
)

type copyCmd struct {
	To      string `required:"" placeholder:"DATABASE" help:"The other database: a file, or postgres://user:password@host:5432/digest."`
	Replace bool   `env:"-" help:"Replace everything in the other database."`
}

// Run copies the database into another one, as backup and restore would. It fences both.
func (c copyCmd) Run(a *app) error {
	if err := c.elsewhere(a.Database); err != nil {
		return err
	}
	st, err := a.openWhatIsThere()
	if err != nil {
		return err
	}
	defer st.Close()
	now := a.now()
	to, on := fullName(c.To), now.UTC().Format("2006-01-02 15:04 MST")
	// The source is fenced first: if this process is killed at any point, only one of the two sends mail.
	undo, err := st.Operator.FenceSource(a.soft,
		fmt.Sprintf("a copy of this database to %s was begun on %s and may not be complete", to, on))
	if err != nil {
		return err
	}
	b, err := copyTo(a.soft, st, c.To, now, a.restoration(c.Replace,
		fmt.Sprintf("this database was copied from %s on %s", fullName(a.Database), on)))
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(a.hard), farewell)
		defer cancel()
		if still := undo(ctx); still != nil {
			return fmt.Errorf("%w; and %s stays fenced (%w): see digest fence", err, a.databaseName(), still)
		}
		return a.unlessStopped(err)
	}
	if _, err := st.Operator.FenceSource(a.hard, fmt.Sprintf("this database moved to %s on %s", to, on)); err != nil {
		return err
	}
	r := reportBackup(b, c.To, now)
	r.SourceFenced = true
	w, works, err := a.whoWorks(st, true)
	if err != nil {
		return err
	}
	next := []string{fmt.Sprintf(
		"stop using %s: it is fenced, and digest polls and sends nothing from it", a.databaseName())}
	if works {
		next = append(next, fmt.Sprintf("process %d on %s was using it, and the copy may lack its latest changes: "+
			"stop it, then copy again with --replace", w.PID, w.Host))
	}
	return a.sayBrought(r, "copied", c.To, append(next,
		"set DIGEST_DATABASE to the address in --to; then run digest fence to see which emails would be sent, and "+
			"digest fence release to send them"))
}

// fullName returns the name of a database without its password, or the full path of a file.
func fullName(database string) string {
	if path, err := filepath.Abs(database); err == nil && !strings.Contains(database, "://") {
		return path
	}
	return withoutSecret("DIGEST_DATABASE", database)
}

// elsewhere returns an error if the other database is invalid or the same.
func (c copyCmd) elsewhere(database string) error {
	if strings.Contains(c.To, "://") {
		if err := db.CheckAddress(c.To); err != nil {
			return wrongLine(
				"--to is not a PostgreSQL address; write it like postgres://user:password@host:5432/digest")
		}
	}
	one, err := os.Stat(database)
	other, missing := os.Stat(c.To)
	if c.To == database || err == nil && missing == nil && os.SameFile(one, other) {
		return wrongLine("--to is the database itself; name another")
	}
	return nil
}

// copyTo writes a backup of a store and restores it into another database at the same time.
func copyTo(ctx context.Context, st *store.Store, to string, now time.Time, how backup.Restoration) (b backup.Backup,
	err error) {
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		_, err := backup.Write(ctx, st.DB, w, version(), now)
		_ = w.CloseWithError(err) // nil ends the stream
		written <- err
	}()
	from, err := format.NewReader(r)
	if err == nil {
		b, err = backup.Restore(ctx, to, from, how)
		err = blameTo(err)
	}
	_ = r.CloseWithError(errStopped) // stops the writer if it has more
	if wrong := <-written; wrong != nil && !errors.Is(wrong, errStopped) {
		err = wrong
	}
	return b, err
}

// blameTo replaces the setting's name in an error of the target database by the flag --to.
func blameTo(err error) error {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok || !strings.Contains(e.Message, "DIGEST_DATABASE") {
		return err
	}
	named := *e
	named.Message = strings.ReplaceAll(e.Message, "DIGEST_DATABASE", "--to")
	return &named
}

var errStopped = errors.New("the new database was not read completely")
