-- +goose Up
-- How large the pictures of posts are of which their pages do not say it: learned when one is passed on to a reader.
-- address is a hash of the picture's address (store/pictures.go).
CREATE TABLE picture_sizes (
	address    BIGINT PRIMARY KEY,
	width      BIGINT NOT NULL,
	height     BIGINT NOT NULL,
	learned_at BIGINT NOT NULL
);
