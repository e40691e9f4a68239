package main

import (
	"fmt"
	"strings"
	"time"

	"digest/timezone"
)

// zones returns time zones with their share of readers in thousandths. Most are in Europe and America, as for a
// program in English, and some in zones with odd offsets.
func zones() []zone {
	return []zone{
		{"America/New_York", 145}, {"America/Chicago", 80}, {"America/Denver", 25}, {"America/Los_Angeles", 95},
		{"America/Toronto", 25}, {"America/Sao_Paulo", 30}, {"America/Mexico_City", 15}, {"America/Halifax", 5},
		{"America/St_Johns", 2}, {"America/Anchorage", 2}, {"Pacific/Honolulu", 4}, {"America/Bogota", 10},
		{"Europe/London", 90}, {"Europe/Berlin", 90}, {"Europe/Paris", 50}, {"Europe/Madrid", 25}, {"Europe/Rome", 20},
		{"Europe/Athens", 10}, {"Europe/Helsinki", 12}, {"Europe/Istanbul", 12}, {"Europe/Moscow", 15},
		{"Africa/Cairo", 8},
		{"Africa/Lagos", 12}, {"Africa/Johannesburg", 10}, {"Asia/Dubai", 8}, {"Asia/Tehran", 5}, {"Asia/Karachi", 8},
		{"Asia/Kolkata", 70}, {"Asia/Kathmandu", 2}, {"Asia/Dhaka", 6}, {"Asia/Yangon", 2}, {"Asia/Bangkok", 12},
		{"Asia/Shanghai", 25}, {"Asia/Singapore", 15}, {"Asia/Tokyo", 22}, {"Asia/Seoul", 8}, {"Australia/Adelaide", 3},
		{"Australia/Sydney", 14}, {"Pacific/Auckland", 5}, {"Pacific/Apia", 1}, {"Atlantic/Azores", 1},
		{"Pacific/Pago_Pago", 1},
	}
}

type zone struct {
	name        string
	inAThousand int
}

// zoneTable returns zones as rows of VALUES: from, to, name, the first midnight after now. Each number from 0 to 999
// is in one range.
func zoneTable(zones []zone, now time.Time) (string, error) {
	var rows []string
	from := 0
	for i, z := range zones {
		loc, err := timezone.Load(z.name)
		if err != nil {
			return "", err
		}
		to := from + z.inAThousand
		if i == len(zones)-1 {
			to = 1000
		}
		rows = append(rows, fmt.Sprintf("(%d, %d, '%s', %d)", from, to, z.name, timezone.NextMidnight(now, loc).Unix()))
		from = to
	}
	return strings.Join(rows, ", "), nil
}

// period is the time between two posts of a feed, in seconds: a reader of 20 feeds gets 10 posts a day.
const period = 48 * 3600

// written returns the number of posts of a feed since 1970. fill computes the same in SQL, so that the validators in
// the database are equal to the sites'.
func written(feed, now int64) int64 { return (now + feed*7919%period) / period }
