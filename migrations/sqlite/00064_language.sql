-- +goose Up
-- The language in which a reader is spoken to, on the web and in mail: a tag of BCP 47 such as de ('': as the browser
-- asks, and English in mail). A sign-up keeps that of the page on which it was made. The column direction now says
-- rtl where the pages run from right to left whatever the language, and ltr where they run as it does.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ups ADD COLUMN language TEXT NOT NULL DEFAULT '';
