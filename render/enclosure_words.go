package render

import (
	"math"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// FileLabel returns the label of a file's link with its duration, or else its size: "Listen · 43 min", "PDF, 2 MB".
func FileLabel(e digest.Enclosure) catalogue.Sayable {
	m := e.Medium()
	played := m == digest.Sound || m == digest.Film
	switch {
	case played && e.Seconds > 0:
		return catalogue.Key("%s · %s").With(verb(e), lengthWords(e.Seconds))
	case e.Length <= 0:
		return verb(e)
	case played:
		return catalogue.Key("%s · %s").With(verb(e), bytesWords(e.Length))
	}
	return catalogue.Key("%s, %s").With(verb(e), bytesWords(e.Length))
}

// FileFacts returns the format and the size of a sound or film file that FileLabel does not contain: "MP3, 41 MB". It
// returns nil for other files and if the feed states neither.
func FileFacts(e digest.Enclosure) catalogue.Sayable {
	if m := e.Medium(); m != digest.Sound && m != digest.Film {
		return nil
	}
	format := formatOf(e)
	switch {
	case format == "" && e.Length <= 0:
		return nil
	case e.Length <= 0 || e.Seconds <= 0: // FileLabel contains the size
		return nameOrNil(format)
	case format == "":
		return bytesWords(e.Length)
	}
	return catalogue.Key("%s, %s").With(format, bytesWords(e.Length))
}

// formats maps the subtypes of media types and file extensions to the names of formats.
var formats = map[string]string{
	"mpeg": "MP3", "mp3": "MP3", "x-mp3": "MP3", "mpeg3": "MP3", "mp4": "MP4", "x-m4a": "M4A", "m4a": "M4A",
	"m4b": "M4B", "x-m4v": "MP4", "m4v": "MP4",
	"aac": "AAC", "ogg": "Ogg", "oga": "Ogg", "ogv": "Ogg", "opus": "Opus", "flac": "FLAC", "x-flac": "FLAC",
	"wav": "WAV", "x-wav": "WAV",
	"webm": "WebM", "quicktime": "QuickTime", "mov": "QuickTime", "x-matroska": "Matroska", "mkv": "Matroska",
}

func formatOf(e digest.Enclosure) string {
	_, sub, _ := strings.Cut(strings.ToLower(e.Type), "/")
	sub, _, _ = strings.Cut(sub, ";")
	name := formats[strings.TrimSpace(sub)]
	switch {
	case name == "MP4" && e.Medium() == digest.Sound:
		return "M4A"
	case name != "" && !(name == "MP3" && e.Medium() == digest.Film):
		return name
	}
	return formats[e.Ending()]
}

// verb returns the action for a file, or its kind.
func verb(e digest.Enclosure) catalogue.Sayable {
	switch e.Medium() {
	case digest.Sound:
		return catalogue.Key("Listen")
	case digest.Film:
		return catalogue.Key("Watch")
	case digest.Picture:
		return catalogue.Key("Picture")
	}
	kind := e.Ending()
	if _, sub, found := strings.Cut(e.Type, "/"); found && e.Type != "application/octet-stream" {
		kind, _, _ = strings.Cut(strings.ToLower(sub), ";")
	}
	switch kind {
	case "pdf", "epub", "zip", "csv":
		return name(strings.ToUpper(kind))
	case "epub+zip":
		return name("EPUB")
	case "x-bittorrent", "torrent":
		return name("Torrent")
	}
	return catalogue.Key("File")
}

// A name is the same in every language.
type name string

// In returns the name.
func (n name) In(*catalogue.Language) string { return string(n) }

func nameOrNil(s string) catalogue.Sayable {
	if s == "" {
		return nil
	}
	return name(s)
}

// lengthWords formats a number of seconds: "43 min", "1 h 12 min".
func lengthWords(seconds int64) catalogue.Sayable {
	minutes := max(1, (seconds+30)/60)
	hours, minutes := minutes/60, minutes%60
	switch {
	case hours == 0:
		return catalogue.Key("%d min").With(minutes)
	case minutes == 0:
		return catalogue.Key("%d h").With(hours)
	}
	return catalogue.Key("%d h %d min").With(hours, minutes)
}

// bytesWords formats a number of bytes: "850 KB", "2 MB", "1.2 GB".
func bytesWords(n int64) catalogue.Sayable {
	switch {
	case n < 999_500:
		return catalogue.Key("%d KB").With(max(1, (n+500)/1000))
	case n < 999_500_000:
		return catalogue.Key("%d MB").With((n + 500_000) / 1_000_000)
	}
	tenths := int64(math.Round(float64(n) / 1e8))
	if tenths%10 != 0 {
		return catalogue.Key("%.1f GB").With(float64(tenths) / 10)
	}
	return catalogue.Key("%d GB").With(tenths / 10)
}
