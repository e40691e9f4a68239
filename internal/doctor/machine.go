package doctor

import (
	"net"
	"net/netip"
	"os"

	"digest/timezone"
)

// ThisMachine is what can be asked of the machine that this runs on.
func ThisMachine() Machine {
	// as package time looks
	dirs := []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}
	if own := os.Getenv("ZONEINFO"); own != "" {
		dirs = append([]string{own}, dirs...)
	}
	return Machine{Addresses: ownAddresses(), Space: spaceOf, Synced: synced, LoadZone: timezone.Load, ZoneDirs: dirs}
}

// ownAddresses gives those of the network interfaces; none where they cannot be told.
func ownAddresses() (list []netip.Addr) {
	found, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, f := range found {
		if n, ok := f.(*net.IPNet); ok {
			if a, ok := netip.AddrFromSlice(n.IP); ok {
				list = append(list, a.Unmap())
			}
		}
	}
	return list
}
