package digest

import "strings"

// An Enclosure is a file that belongs to a post: sound, film or a picture. The database stores its JSON, and `digest
// parse --json` prints it.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type"`   // media type in the feed; "": none
	Length int64  `json:"length"` // in bytes; 0: unknown

	Seconds    int64  `json:"seconds,omitempty"`    // duration; 0: unknown
	Chapters   string `json:"chapters,omitempty"`   // address of a list of chapters; "": none
	Transcript string `json:"transcript,omitempty"` // address of a transcript; "": none

	ChapterList []Chapter `json:"chapter_list,omitempty"` // chapters in the feed itself, in order of Start
}

// A Chapter is a part of a recording.
type Chapter struct {
	Start int64  `json:"start"` // seconds from the beginning
	Title string `json:"title"` // one line of plain text
}

// A Medium says whether a file is sound, film or a picture.
type Medium string

// The media. Other is any other file.
const (
	Sound   Medium = "audio"
	Film    Medium = "video"
	Picture Medium = "image"
	Other   Medium = ""
)

// endings maps file name endings to media, for files without a type or with a generic one.
var endings = map[string]Medium{
	"mp3": Sound, "m4a": Sound, "m4b": Sound, "aac": Sound, "ogg": Sound, "oga": Sound, "opus": Sound, "flac": Sound,
	"wav": Sound,
	"mp4": Film, "m4v": Film, "mov": Film, "webm": Film, "mkv": Film, "avi": Film, "ogv": Film,
	"jpg": Picture, "jpeg": Picture, "png": Picture, "gif": Picture, "webp": Picture, "avif": Picture,
}

// Medium returns the medium by the type of the file, or by the ending of its address if the type is missing or generic.
func (e Enclosure) Medium() Medium {
	typ, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(e.Type)), ";")
	switch top, _, _ := strings.Cut(typ, "/"); {
	case top == "audio", typ == "application/ogg":
		return Sound
	case top == "video":
		return Film
	case top == "image":
		return Picture
	case typ == "", typ == "application/octet-stream", typ == "binary/octet-stream",
		typ == "application/force-download":
		return endings[e.Ending()]
	}
	return Other
}

// maxEnding is the length of an ending including its dot.
const maxEnding = 6

// Ending returns the ending of the file's name in its address, in lower case and without the dot, or "".
func (e Enclosure) Ending() string {
	path, _, _ := strings.Cut(e.URL, "?")
	path, _, _ = strings.Cut(path, "#")
	_, path, _ = strings.Cut(path, "://")
	slash, dot := strings.LastIndexByte(path, '/'), strings.LastIndexByte(path, '.')
	if slash < 0 || dot < slash || len(path)-dot > maxEnding {
		return ""
	}
	return strings.ToLower(path[dot+1:])
}
