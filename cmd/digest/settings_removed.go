package main

import (
	"fmt"
	"maps"
	"slices"
)

// removedSettings returns the settings that this version no longer has, each with what to do about it. A line of the file
// with one of them has no effect, so that an upgraded instance starts.
func removedSettings() map[string]string {
	return map[string]string{
		"DIGEST_HUB":      "the feeds of newsletters have no WebSub hub any more; remove the setting",
		"DIGEST_RSSCLOUD": "feeds with rssCloud are polled and pinged like all others; remove the setting",
	}
}

func removedNames() []string { return slices.Sorted(maps.Keys(removedSettings())) }

// removed returns a warning for each line of the file with a removed setting.
func (c configFile) removed() (warnings []string) {
	for _, s := range c.all {
		if remedy, ok := removedSettings()[s.Name]; ok {
			warnings = append(warnings, fmt.Sprintf("%s (%s) is not a setting any more: %s", s.Name, c.place(s),
				remedy))
		}
	}
	return warnings
}
