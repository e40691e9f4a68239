package doctor

import (
	"net"
	"net/netip"
	"os"

	"digest/timezone"
)

// ThisMachine returns the facts about the machine that runs this process.
func ThisMachine() Machine {
	// The folders of package time.
	dirs := []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}
	if own := os.Getenv("ZONEINFO"); own != "" {
		dirs = append([]string{own}, dirs...)
	}
	return Machine{Addresses: ownAddresses(), Space: spaceOf, Synced: synced, LoadZone: timezone.Load, ZoneDirs: dirs}
}

// ownAddresses returns the addresses of the network interfaces; none if they are unknown.
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
