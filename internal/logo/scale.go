package logo

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// scaled scales a picture down to the maximum size. It keeps the size of smaller ones.
func scaled(m image.Image) *image.RGBA {
	from := m.Bounds()
	w, h := float64(from.Dx()), float64(from.Dy())
	share := min(1, maxWidth/w, maxHeight/h)
	to := image.NewRGBA(image.Rect(0, 0, int(math.Round(w*share)), int(math.Round(h*share))))
	if to.Rect.Size() == from.Size() {
		draw.Copy(to, image.Point{}, m, from, draw.Src, nil)
	} else {
		draw.BiLinear.Scale(to, to.Rect, m, from, draw.Src, nil)
	}
	return to
}
