package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

var ErrNoneChosen = &Problem{http.StatusBadRequest, catalogue.Key("Nothing selected"),
	catalogue.Key("Go back, select the sites you want to change, and try again.")}

// A Problem is an error that a visitor may see. All other errors are shown as errInternal.
type Problem struct {
	Status int
	Title  any // catalogue.Sayable, or text that is shown unchanged
	Text   any // like Title
}

// Error returns the title.
func (p *Problem) Error() string { return fmt.Sprint(p.Title) }

// SignIn reports whether the error page links to the sign-in page.
func (p *Problem) SignIn() bool {
	return p == errSignedOut || p == ErrSpentLink || p == ErrSpentSignUp || p == ErrSpentAgree || p == ErrOldLink ||
		p == ErrSpentEdition ||
		p == ErrSpentUndo
}

// OfFeeds reports whether the error page links to the list of feeds.
func (p *Problem) OfFeeds() bool { return p == ErrNoneChosen }

var (
	ErrNotFound = &Problem{http.StatusNotFound, catalogue.Key("Page not found"),
		catalogue.Key("The page may have moved, or the link may be incomplete.")}
	errMethod = &Problem{http.StatusMethodNotAllowed, catalogue.Key("Method not allowed"),
		catalogue.Key("This address doesn’t accept this kind of request.")}
	errForeignForm = &Problem{http.StatusForbidden, catalogue.Key("This form came from another site"),
		catalogue.Key("For your safety, we only accept forms from this site. Open the page here and try again.")}
	errSignedOut = &Problem{http.StatusForbidden, catalogue.Key("You were signed out"),
		catalogue.Key("Nothing was changed. Sign in, then send the form again.")}
	ErrSpentLink = &Problem{http.StatusForbidden, catalogue.Key("This link no longer works"),
		catalogue.Key("A sign-in link works once and expires after a while. Get a new one on the sign-in page.")}
	ErrBadForm = &Problem{http.StatusBadRequest, catalogue.Key("We couldn’t read that form"),
		catalogue.Key("Go back, reload the page and try again.")}
	errNoButton = &Problem{http.StatusForbidden, catalogue.Key("Please press the button"),
		catalogue.Key("Nothing was changed, because nobody pressed the button on our page. Open your link again and press the button.")}
	ErrNewsletterFull = &Problem{http.StatusConflict, catalogue.Key("This newsletter is full"),
		catalogue.Key("It can’t accept more members for now. You can read every issue on its page.")}
	ErrTooLarge = &Problem{http.StatusRequestEntityTooLarge, catalogue.Key("Your text is too long"),
		catalogue.Key("Nothing was changed. Go back, shorten your text and send it again.")}
	ErrMembersOnly = &Problem{http.StatusForbidden, catalogue.Key("You only get newsletters here"),
		catalogue.Key("This page is for readers with a daily edition. Your newsletters are on the front page.")}
	ErrSpentJoin = &Problem{http.StatusForbidden, catalogue.Key("This link no longer works"),
		catalogue.Key("The link works once and expires after a day. If you already pressed the button on its page, you’re done. If not, fill in the form again.")}
	ErrOwnerOnly = &Problem{http.StatusForbidden, catalogue.Key("Only the owner can do that"),
		catalogue.Key("You’re an editor. Only the owner can change the team or the sender address, or end the newsletter.")}
	ErrHeldByOthers = &Problem{http.StatusForbidden, catalogue.Key("The operator put this newsletter on hold"),
		catalogue.Key("The newsletter’s page shows the reason. Ask the operator to resume it.")}
	ErrLastOwner = &Problem{http.StatusConflict, catalogue.Key("A newsletter needs an owner"),
		catalogue.Key("Make someone else an owner first.")}
	ErrPublishingClosed = &Problem{http.StatusForbidden, catalogue.Key("Only the operator can create newsletters"),
		catalogue.Key("If you’d like to publish one here, ask the operator of this site.")}
	ErrTooManyTests = &Problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
		catalogue.Key("You’ve done this too many times. Try again in a few minutes.")}
	ErrTooMany = &Problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
		catalogue.Key("There were too many requests from your network. Try again in a minute.")}
	ErrOneByOne = &Problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
		catalogue.Key("We’re still receiving another large form from you. When that is done, send this one again.")}
	errBusy = &Problem{http.StatusServiceUnavailable, catalogue.Key("Back in a moment"),
		catalogue.Key("Many people are sending long lists, so yours wasn’t saved. Send it again in a minute.")}
	errUnavailable = &Problem{http.StatusServiceUnavailable, catalogue.Key("Back in a moment"),
		catalogue.Key("The database isn’t responding. Nothing is lost. Try again in a minute.")}
	ErrSpentSignUp = &Problem{http.StatusForbidden, catalogue.Key("This link no longer works"),
		catalogue.Key("A sign-up link works once and expires after a day. If you already used it, sign in. If not, sign up again.")}
	ErrSpentInvitation = &Problem{http.StatusConflict, catalogue.Key("This link no longer works"),
		catalogue.Key("This invitation was already used or cancelled, or it has expired. Ask for a new one.")}
	ErrSignUpClosed = &Problem{http.StatusForbidden, catalogue.Key("This link no longer works"),
		catalogue.Key("Sign-up is closed. The operator of this site can add you.")}
	ErrSpentAgree = &Problem{http.StatusForbidden, catalogue.Key("This link no longer works"),
		catalogue.Key("Your address was already changed, the change was cancelled, or the link has expired. Sign in and check your settings.")}
	ErrSpentMove = &Problem{http.StatusGone, catalogue.Key("Nothing to undo"),
		catalogue.Key("You already undid this, or the link has expired. You can still follow either address under Feeds.")}
	ErrSpentEdition = &Problem{http.StatusGone, catalogue.Key("This link no longer works"),
		catalogue.Key("We no longer store the edition this link belongs to. Nothing was changed. Sign in to save a post or change how you follow a site.")}
	ErrSpentUndo = &Problem{http.StatusGone, catalogue.Key("This link no longer works"),
		catalogue.Key("You can undo a change for 30 days. Nothing was changed. Sign in to change your settings.")}
	ErrGoneEdition = &Problem{http.StatusGone, catalogue.Key("This link no longer works"),
		catalogue.Key("We delete old editions after a while, including this one. You can still read it in the email.")}
	ErrOldLink = &Problem{http.StatusGone, catalogue.Key("This link no longer works"),
		catalogue.Key("Links in older emails were turned off, so nothing was changed. To unsubscribe, use the latest email or sign in.")}
	errInternal = &Problem{http.StatusInternalServerError, catalogue.Key("Something went wrong"),
		catalogue.Key("This is our fault, and we’ve logged the error. Try again in a minute.")}
)

// LinkToken returns the token from the hidden field of the form behind a link. A program that scans mail posts to the
// link without that field; the link may still work then.
func LinkToken(form url.Values) (string, error) {
	if token := form.Get("token"); token != "" {
		return token, nil
	}
	return "", errNoButton
}

// problemWith returns the problem for a status that net/http chose.
func problemWith(status int) *Problem {
	switch status {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusMethodNotAllowed:
		return errMethod
	}
	p := *ErrBadForm
	p.Status = status
	return &p
}

// AsProblem returns the problem that a visitor sees for err. Messages of other errors are written for the operator,
// so they appear only in the log.
func AsProblem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return ErrTooLarge
	}
	switch digest.KindOf(err) {
	case digest.NotFound:
		return ErrNotFound
	case digest.Unavailable:
		return errUnavailable
	case digest.Conflict:
		return &Problem{http.StatusConflict, catalogue.Key("That isn’t possible right now"), catalogue.Refusal(err)}
	}
	return errInternal
}

// A Handler serves one route, or returns an error for the error page.
type Handler func(http.ResponseWriter, *http.Request) error

// Handle makes h an http.Handler that shows its errors as pages. Hubs and pingers get one line of plain text instead,
// which is cheap however many requests they send.
func (s *Site) Handle(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w, told := s.tellChange(w, r)
		defer told()
		err := h(w, r)
		if err == nil {
			return
		}
		p := s.ProblemOf(r, err)
		if p == errSignedOut || p == ErrTooLarge || p == ErrOneByOne || p == errBusy {
			Drain(r)
		}
		if isForPrograms(r.URL.Path) {
			if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "60")
			}
			_ = Plain(w, p.Status, fmt.Sprint(p.Title)+".\n") // it never returns an error
			return
		}
		if err := s.Show(w, r, p.Status, "problem", p.Title, p); err != nil {
			s.Log.ErrorContext(r.Context(), "cannot render an error page", "err", err)
			http.Error(w, s.Language(r).Text(p.Title), p.Status)
		}
	})
}

func isForPrograms(path string) bool {
	return strings.HasPrefix(path, PushRoot) || path == "/ping" || path == "/RPC2"
}

// ProblemOf returns the problem that a visitor sees for err, and logs internal errors.
func (s *Site) ProblemOf(r *http.Request, err error) *Problem {
	p := AsProblem(err)
	if p.Status >= http.StatusInternalServerError {
		// The pattern, not the path: paths contain tokens.
		s.Log.ErrorContext(r.Context(), "web request failed", "route", r.Pattern, "err", err)
	}
	return p
}

// OrSpent returns p if err is digest.NotFound, which a used or expired link causes, and err otherwise.
func OrSpent(err error, p *Problem) error {
	if digest.KindOf(err) == digest.NotFound {
		return p
	}
	return err
}
