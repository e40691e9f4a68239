package api

import (
	"net/http"
	"strconv"
	"strings"

	"digest"
	"digest/newsletter"
)

type apiNext struct {
	newsletter.Letter
	Posts []apiPost `json:"posts"`
	HTML  string    `json:"html"`
	Text  string    `json:"text"`
}

// An apiPost is a post that waits for an issue.
type apiPost struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
	Site  string `json:"site"`
}

// An apiLetters lists the issues that wait for approval and the sent issues.
type apiLetters struct {
	Waiting []string  `json:"waiting"`
	Left    []apiLeft `json:"left"`
}

// An apiLeft is a sent issue.
type apiLeft struct {
	Date string `json:"date"`
	Page string `json:"page"`
}

func (s *site) listLetters(r *http.Request, me apiCaller) (int, any, error) {
	waiting, err := s.Store.Newsletters.LettersWaiting(r.Context(), me.Newsletter, s.Now())
	if err != nil {
		return 0, nil, err
	}
	left, err := s.Store.Newsletters.LettersLeft(r.Context(), me.Newsletter, s.Now(), membersListed)
	answer := apiLetters{Waiting: []string{}, Left: []apiLeft{}}
	for _, d := range waiting {
		answer.Waiting = append(answer.Waiting, d.String())
	}
	for _, e := range left {
		answer.Left = append(answer.Left, apiLeft{e.LocalDate.String(), s.BaseURL + "/n/" + me.Newsletter.Slug + "/" +
			e.LocalDate.String()})
	}
	return http.StatusOK, answer, err
}

func (s *site) next(r *http.Request, me apiCaller) (int, any, error) {
	archive, letter, err := s.Store.Newsletters.NextLetter(r.Context(), me.Newsletter)
	if err != nil {
		return 0, nil, err
	}
	m, err := s.Editions.Rehearse(r.Context(), archive, me.Newsletter, letter, "", me.Email)
	if err != nil {
		return 0, nil, err
	}
	refs, err := s.Store.Editions.WaitingPosts(r.Context(), archive.ID)
	if err != nil {
		return 0, nil, err
	}
	posts, err := s.Rehearsed(r, refs)
	answer := apiNext{newsletter.LetterJSON(letter), []apiPost{}, m.HTML, m.Text}
	answer.Subject = m.Subject
	for _, p := range posts {
		answer.Posts = append(answer.Posts, apiPost{strconv.FormatInt(int64(p.ID), 10), p.Title, p.URL, p.Site})
	}
	return http.StatusOK, answer, err
}

// An apiLetterChange is a change of one issue. Absent fields keep their values.
type apiLetterChange struct {
	Subject *string `json:"subject"`
	Note    *string `json:"note"`
	Skipped *bool   `json:"skipped"`
}

// changeLetter changes the subject or the note of an issue, or skips it.
func (s *site) changeLetter(r *http.Request, me apiCaller) (int, any, error) {
	date, err := apiDate(r)
	if err != nil {
		return 0, nil, err
	}
	var c apiLetterChange
	if err := readJSON(r, &c); err != nil {
		return 0, nil, err
	}
	l, err := s.Store.Newsletters.NewsletterLetter(r.Context(), me.Newsletter.ID, date)
	if err != nil {
		return 0, nil, err
	}
	if c.Subject != nil {
		l.Subject = *c.Subject
	}
	if c.Note != nil {
		l.Note = strings.TrimSpace(*c.Note)
	}
	if c.Skipped != nil {
		l.Skipped = *c.Skipped
	}
	return http.StatusOK, newsletter.LetterJSON(l.Tidy()), s.Store.Newsletters.SetNewsletterLetter(r.Context(), l)
}

func apiDate(r *http.Request) (digest.Date, error) {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return date, apiError(http.StatusNotFound, "the date of an issue has the form 2026-12-01")
	}
	return date, nil
}

// approve approves the issue of a date, so that it is sent.
func (s *site) approve(r *http.Request, me apiCaller) (int, any, error) {
	date, err := apiDate(r)
	if err != nil {
		return 0, nil, err
	}
	if _, err := s.Store.Newsletters.ApproveNewsletterLetter(r.Context(), me.Newsletter.ID, date, s.Now()); err != nil {
		return 0, nil, err
	}
	l, err := s.Store.Newsletters.NewsletterLetter(r.Context(), me.Newsletter.ID, date)
	return http.StatusOK, newsletter.LetterJSON(l), err
}

// pull excludes a waiting post from all future issues.
func (s *site) pull(r *http.Request, me apiCaller) (int, any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	refs, reading := s.Store.Newsletters.UnsentPosts(r.Context(), me.Newsletter, s.Now())
	if reading != nil {
		return 0, nil, reading
	}
	for _, ref := range refs {
		if err == nil && ref.PostID == digest.PostID(id) {
			return http.StatusNoContent, nil, s.Store.Newsletters.PullPost(r.Context(), me.Newsletter.ID, ref.PostID,
				s.Now())
		}
	}
	return 0, nil, apiError(http.StatusNotFound, "no waiting post has this ID")
}

// unpull includes a pulled post again.
func (s *site) unpull(r *http.Request, me apiCaller) (int, any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, nil, apiError(http.StatusNotFound, "no post has this ID")
	}
	return http.StatusNoContent, nil, s.Store.Newsletters.UnpullPost(r.Context(), me.Newsletter.ID, digest.PostID(id))
}
