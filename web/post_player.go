package web

import (
	"encoding/base64"
	"slices"
	"strconv"

	"digest"
	"digest/render"
	"digest/web/page"
)

type player struct{ URL, Label string }

// playersOf returns the players for a post's audio files, nil if the reader has not chosen the player.
func (s *site) playersOf(me page.Reader, files []render.File) (all []player) {
	if s.Sounds == nil || !me.Player {
		return nil
	}
	for _, f := range files {
		if f.Sound {
			all = append(all, player{"/sound/" + s.Signer.SignText(digest.ForSound, f.URL) + "/" +
				base64.RawURLEncoding.EncodeToString([]byte(f.URL)), f.Label})
		}
	}
	return all
}

// filesOf returns the files of a post for its edition. With playsHere, audio files link to the post's page, which has
// the player.
func filesOf(p *render.Post, playsHere bool) []render.File {
	if !playsHere {
		return p.Files
	}
	files := slices.Clone(p.Files)
	for i := range files {
		if files[i].Sound {
			files[i].URL = "/posts/" + strconv.FormatInt(int64(p.ID), 10)
		}
	}
	return files
}
