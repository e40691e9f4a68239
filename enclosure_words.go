package digest

import (
	"fmt"
	"strconv"
	"strings"
)

// Label says what can be done with the file, and how long that takes; where nobody
// says, how large it is: "Listen · 43 min", "PDF, 2 MB".
func (e Enclosure) Label() string {
	m := e.Medium()
	played := m == Sound || m == Film
	switch {
	case played && e.Seconds > 0:
		return e.verb() + " · " + lengthWords(e.Seconds)
	case e.Length <= 0:
		return e.verb()
	case played:
		return e.verb() + " · " + bytesWords(e.Length)
	}
	return e.verb() + ", " + bytesWords(e.Length)
}

// Facts is what Label does not say of a file that is played, its format and its size:
// "MP3, 41 MB"; "" where the feed tells neither.
func (e Enclosure) Facts() string {
	if m := e.Medium(); m != Sound && m != Film {
		return ""
	}
	format := e.format()
	switch {
	case e.Length <= 0 || e.Seconds <= 0: // the size is in Label
		return format
	case format == "":
		return bytesWords(e.Length)
	}
	return format + ", " + bytesWords(e.Length)
}

// formats are the names of formats that are played, by the second half of a media type
// and by the ending of an address.
var formats = map[string]string{
	"mpeg": "MP3", "mp3": "MP3", "x-mp3": "MP3", "mpeg3": "MP3", "mp4": "MP4", "x-m4a": "M4A", "m4a": "M4A", "m4b": "M4B", "x-m4v": "MP4", "m4v": "MP4",
	"aac": "AAC", "ogg": "Ogg", "oga": "Ogg", "ogv": "Ogg", "opus": "Opus", "flac": "FLAC", "x-flac": "FLAC", "wav": "WAV", "x-wav": "WAV",
	"webm": "WebM", "quicktime": "QuickTime", "mov": "QuickTime", "x-matroska": "Matroska", "mkv": "Matroska",
}

// format is the name of the format of a file that is played; "" if it is not known.
func (e Enclosure) format() string {
	_, sub, _ := strings.Cut(strings.ToLower(e.Type), "/")
	sub, _, _ = strings.Cut(sub, ";")
	if name := formats[strings.TrimSpace(sub)]; name != "" && !(name == "MP3" && e.Medium() == Film) {
		return name
	}
	return formats[e.Ending()]
}

// verb is what is done with a file, or what it is.
func (e Enclosure) verb() string {
	switch e.Medium() {
	case Sound:
		return "Listen"
	case Film:
		return "Watch"
	case Picture:
		return "Picture"
	}
	kind := e.Ending()
	if _, sub, found := strings.Cut(e.Type, "/"); found && e.Type != "application/octet-stream" {
		kind, _, _ = strings.Cut(strings.ToLower(sub), ";")
	}
	switch kind {
	case "pdf", "epub", "zip", "csv":
		return strings.ToUpper(kind)
	case "epub+zip":
		return "EPUB"
	case "x-bittorrent", "torrent":
		return "Torrent"
	}
	return "File"
}

// lengthWords is a number of seconds: "43 min", "1 h 12".
func lengthWords(seconds int64) string {
	minutes := max(1, (seconds+30)/60)
	hours, minutes := minutes/60, minutes%60
	switch {
	case hours == 0:
		return strconv.FormatInt(minutes, 10) + " min"
	case minutes == 0:
		return strconv.FormatInt(hours, 10) + " h"
	}
	return fmt.Sprintf("%d h %02d", hours, minutes)
}

// bytesWords is a number of bytes: "850 KB", "2 MB", "1.2 GB".
func bytesWords(n int64) string {
	switch {
	case n < 999_500:
		return strconv.FormatInt(max(1, (n+500)/1000), 10) + " KB"
	case n < 999_500_000:
		return strconv.FormatInt((n+500_000)/1_000_000, 10) + " MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64), ".0") + " GB"
}
