package digest

// A PictureSize is the width and height of a picture in pixels.
type PictureSize struct{ Width, Height int }
