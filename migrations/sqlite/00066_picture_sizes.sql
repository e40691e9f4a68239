-- +goose Up
-- How large the pictures of posts are of which their pages do not say it: learned when one is passed on to a reader.
-- address is a hash of the picture's address (store/pictures.go).
CREATE TABLE picture_sizes (
	address    INTEGER PRIMARY KEY,
	width      INTEGER NOT NULL,
	height     INTEGER NOT NULL,
	learned_at INTEGER NOT NULL
);
