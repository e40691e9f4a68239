package digest

import "strings"

// An Enclosure is a file that belongs to a post: sound, film, a picture. Its
// JSON is what is stored of it and what `digest parse --json` prints.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type"`   // the media type as the feed states it; "" where it does not
	Length int64  `json:"length"` // in bytes; 0: not given

	Seconds    int64  `json:"seconds,omitempty"`    // how long it plays; 0: not given
	Chapters   string `json:"chapters,omitempty"`   // where its chapters are listed; "" where nowhere
	Transcript string `json:"transcript,omitempty"` // where its words can be read; "" where nowhere

	ChapterList []Chapter `json:"chapter_list,omitempty"` // where the feed itself lists them, by their starts
}

// A Chapter is a part of what is heard or watched.
type Chapter struct {
	Start int64  `json:"start"` // seconds from the beginning
	Title string `json:"title"` // one line, plain
}

// A Medium is what a file is for: to be heard, to be watched, to be looked at.
type Medium string

// The media. A file of another one is read by a program of its own.
const (
	Sound   Medium = "audio"
	Film    Medium = "video"
	Picture Medium = "image"
	Other   Medium = ""
)

// endings are the media of files whose feed does not state their type, or no more of
// it than that they are files.
var endings = map[string]Medium{
	"mp3": Sound, "m4a": Sound, "m4b": Sound, "aac": Sound, "ogg": Sound, "oga": Sound, "opus": Sound, "flac": Sound,
	"wav": Sound,
	"mp4": Film, "m4v": Film, "mov": Film, "webm": Film, "mkv": Film, "avi": Film, "ogv": Film,
	"jpg": Picture, "jpeg": Picture, "png": Picture, "gif": Picture, "webp": Picture, "avif": Picture,
}

// Medium tells what the file is for by its type, else by how its address ends.
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

// maxEnding is the length of an ending with its dot.
const maxEnding = 6

// Ending is what follows the last dot of the file's name in its address, in lower
// case; "" if that is no ending.
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
