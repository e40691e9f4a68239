package web_test

import (
	"net/url"
)

// typedSettings returns the form of a newsletter's settings.
func typedSettings() url.Values {
	return url.Values{
		"name": {"Anna\nwrites"}, "description": {"Of boats.\r\n\r\nAnd kites."}, "site": {" https://anna.example/ "},
		"address": {"Anna, 1 Quay, Whitby"},
		"header":  {" Read\r\nslowly. "}, "footer": {"https://anna.example/books"}, "paper": {"#fff1e5"},
		"ink": {"#1F1D1A"}, "accent": {" #990F3D "}, "from": {"Anna"}, "reply": {"anna@anna.example"},
		"every": {"week"}, "days": {"sun"}, "month": {"monthly on 1"}, "at": {"07:30"},
		"approve": {"6"}, "clicks": {"1"}, "layout": {"excerpts"}, "images": {"linked"},
		"returns": {"https://anna.example/thanks\nhttps://anna.example/hello"},
	}
}
