package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"digest/timezone"
)

// zones finds out whether every zone can be read, above all the readers'.
func (x *exam) zones(context.Context) finding {
	var lost []string
	all := timezone.Names()
	for _, name := range all {
		if _, err := x.Machine.LoadZone(name); err != nil {
			lost = append(lost, name)
		}
	}
	f := one(OK, fmt.Sprintf("%d zones", len(all)-len(lost)), "")
	if len(lost) > 0 {
		f.note(Wrong, fmt.Sprintf("%d cannot be read, such as %s", len(lost), lost[0]), "install the package tzdata again, or take ZONEINFO out of the environment")
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
		f.note(Wrong, fmt.Sprintf("%s is a zone no more, and readers live in it", zone), fmt.Sprintf("give them another, such as: digest user set %s --time-zone Europe/Paris", readers[0]))
	}
	return f
}

// zoneAge tells by which release of the zone database the local days are made.
func (x *exam) zoneAge(f *finding) {
	version, found := zoneVersion(x.Machine.ZoneDirs)
	year := 0
	if _, err := fmt.Sscanf(version, "%4d", &year); version != "" && err != nil {
		version = ""
	}
	switch {
	case !found:
		f.note(OK, "from this program's own copy, as old as the program", "")
	case version == "":
		f.note(OK, "from this machine, of an age that cannot be told", "")
	case year < x.Now().Year()-1:
		f.note(Warn, "release "+version+": governments have changed their clocks since", "bring the package tzdata of this machine up to date")
	default:
		f.note(OK, "release "+version, "")
	}
}

// zoneVersion reads the release, such as 2026b, of the first folder of zones
// that is there; empty if it does not say.
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

// releaseOf finds the release in the first line of a file of the zone database.
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
