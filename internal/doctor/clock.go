package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/timezone"
)

const (
	apart   = 10 * time.Second
	tooFar  = time.Minute // a larger difference shifts leases and midnights
	unfixed = "synchronize the clock of this machine over the network: install chrony, or enable systemd-timesyncd"
)

func (x *checker) clock(ctx context.Context) Finding {
	if x.Frozen {
		return skip("the time is set by --now")
	}
	now := x.Now()
	f := verdict(OK, "it is "+now.UTC().Format("2006-01-02 15:04:05 MST"), "")
	if synced, known := x.Machine.Synced(); known && !synced {
		f.note(Warn, "the clock of this machine is not synchronized", unfixed)
	} else if known {
		f.note(OK, "the clock is synchronized", "")
	}
	if ahead := x.Database.Ahead; ahead.Abs() > apart {
		f.note(howFar(ahead), fmt.Sprintf("the clock of the database is %s", distance(ahead)),
			"correct the clocks of both machines; "+unfixed)
	}
	if beat := x.Database.Beat; beat.Sub(now) > apart {
		f.note(howFar(beat.Sub(now)), fmt.Sprintf("the database was last used at %s, which is in the future",
			beat.UTC().Format("2006-01-02 15:04:05 MST")),
			"correct the clock of this machine, or of the other machine that uses the database; "+
				"if a clock was fast, restore a backup from before that; "+unfixed)
	}
	if x.Offline || reachOf(digest.HostOf(x.BaseURL)) == everywhere && x.noDNS() != "" {
		return f
	}
	a, err := x.fetch(ctx, "/healthz")
	if err != nil || a.date.IsZero() {
		return f
	}
	if ahead := a.date.Sub(x.Now()); ahead.Abs() > apart {
		f.note(howFar(ahead), fmt.Sprintf("the clock of %s is %s", digest.HostOf(x.BaseURL), distance(ahead)),
			"correct the clock of this machine, or of the web server; "+unfixed)
	}
	return f
}

func howFar(d time.Duration) Status {
	if d.Abs() > tooFar {
		return Wrong
	}
	return Warn
}

func distance(ahead time.Duration) string {
	if ahead < 0 {
		return ahead.Abs().Round(time.Second).String() + " behind"
	}
	return ahead.Round(time.Second).String() + " ahead"
}

func (x *checker) zones(context.Context) Finding {
	var lost []string
	all := timezone.Names()
	for _, name := range all {
		if _, err := x.Machine.LoadZone(name); err != nil {
			lost = append(lost, name)
		}
	}
	f := verdict(OK, fmt.Sprintf("%d zones", len(all)-len(lost)), "")
	if len(lost) > 0 {
		f.note(Wrong, fmt.Sprintf("%d cannot be read, such as %s", len(lost), lost[0]),
			"reinstall the package tzdata, or unset ZONEINFO")
	}
	x.zoneAge(&f)
	gone := make([]string, 0, len(x.Database.Zones))
	for zone := range x.Database.Zones {
		if _, err := x.Machine.LoadZone(zone); err != nil {
			gone = append(gone, zone)
		}
	}
	slices.Sort(gone)
	for _, zone := range gone {
		readers := x.Database.Zones[zone]
		f.note(Wrong, fmt.Sprintf("the time zone %s no longer exists, but readers use it", zone),
			fmt.Sprintf("set another, such as: digest user set %s --time-zone Europe/Paris", readers[0]))
	}
	return f
}

func (x *checker) zoneAge(f *Finding) {
	version, found := zoneVersion(x.Machine.ZoneDirs)
	year := 0
	if _, err := fmt.Sscanf(version, "%4d", &year); version != "" && err != nil {
		version = ""
	}
	switch {
	case !found:
		f.note(OK, "from the copy built into digest", "")
	case version == "":
		f.note(OK, "from this machine, release unknown", "")
	case year < x.Now().Year()-1:
		f.note(Warn, "release "+version+" is out of date", "update the package tzdata on this machine")
	default:
		f.note(OK, "release "+version, "")
	}
}

// zoneVersion returns the release, such as 2026b, of the first existing folder of zones; empty if the release is
// unknown.
func zoneVersion(dirs []string) (version string, found bool) {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		for _, name := range []string{"tzdata.zi", "+VERSION", "VERSION"} {
			if content, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				return releaseOf(string(content)), true
			}
		}
		return "", true
	}
	return "", false
}

// releaseOf returns the release in the first line of a file of the time zone database.
func releaseOf(content string) string {
	line, _, _ := strings.Cut(content, "\n")
	fields := strings.Fields(strings.TrimPrefix(line, "#"))
	if len(fields) == 0 {
		return ""
	}
	release := fields[len(fields)-1]
	if len(release) != len("2026b") || strings.Trim(release[:4], "0123456789") != "" {
		return ""
	}
	return release
}
