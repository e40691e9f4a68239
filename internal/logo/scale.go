package logo

import (
	"image"
	"image/draw"
	"math"
)

// scaled scales a picture down to the maximum size. It keeps the size of smaller ones.
func scaled(m image.Image) *image.RGBA {
	from := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(from, from.Rect, m, m.Bounds().Min, draw.Src)
	w, h := float64(from.Rect.Dx()), float64(from.Rect.Dy())
	share := min(1, maxWidth/w, maxHeight/h)
	to := image.NewRGBA(image.Rect(0, 0, int(math.Round(w*share)), int(math.Round(h*share))))
	if to.Rect == from.Rect {
		return from
	}
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			average(to, x, y, from)
		}
	}
	return to
}

// average sets a pixel to the average of the corresponding pixels of a larger picture. Colours are premultiplied by
// opacity, so that transparent pixels add none.
func average(to *image.RGBA, x, y int, from *image.RGBA) {
	within := func(i, most, all int) (first, last int) {
		first = i * all / most
		return first, max(first+1, (i+1)*all/most)
	}
	left, right := within(x, to.Rect.Dx(), from.Rect.Dx())
	top, bottom := within(y, to.Rect.Dy(), from.Rect.Dy())
	var sum [4]int
	for j := top; j < bottom; j++ {
		row := from.Pix[from.PixOffset(left, j) : from.PixOffset(right-1, j)+4]
		for i, v := range row {
			sum[i%4] += int(v)
		}
	}
	n := (right - left) * (bottom - top)
	at := to.PixOffset(x, y)
	for i, v := range sum {
		to.Pix[at+i] = uint8((v + n/2) / n)
	}
}
