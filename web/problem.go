package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A problem is an error that a visitor may see; all others show as errInternal.
type problem struct {
	Status int
	Title  any // catalogue.Sayable, or a text that is shown as it is
	Text   any // like Title
}

func (p *problem) Error() string { return fmt.Sprint(p.Title) }

// SignIn says that the way on from here is the sign-in page.
func (p *problem) SignIn() bool {
	return p == errSpentLink || p == errSpentSignUp || p == errSpentAgree || p == errOldLink || p == errSpentEdition || p == errSpentUndo
}

// OfFeeds says that the way on from here is the list of feeds.
func (p *problem) OfFeeds() bool { return p == errNoneChosen }

var (
	errNotFound         = &problem{http.StatusNotFound, catalogue.Key("Nothing at this address"), catalogue.Key("The page may have moved, or the link may have lost a letter on its way.")}
	errMethod           = &problem{http.StatusMethodNotAllowed, catalogue.Key("That cannot be done here"), catalogue.Key("This address answers another kind of request.")}
	errForeignForm      = &problem{http.StatusForbidden, catalogue.Key("That form came from elsewhere"), catalogue.Key("For your safety only forms on this site are taken. Open the page here and press the button again.")}
	errSpentLink        = &problem{http.StatusForbidden, catalogue.Key("This link no longer works"), catalogue.Key("A sign-in link works once, and only for a while. Ask for a new one on the sign-in page.")}
	errBadForm          = &problem{http.StatusBadRequest, catalogue.Key("That form could not be read"), catalogue.Key("Go back, reload the page and try again.")}
	errNoButton         = &problem{http.StatusForbidden, catalogue.Key("Press the button on the page"), catalogue.Key("This request did not come from the button on our page, so nothing was changed. If your link is not too old, open it again and press the button.")}
	errNewsletterFull   = &problem{http.StatusConflict, catalogue.Key("It takes no more members for now"), catalogue.Key("As many people get this newsletter as may. Its letters are on its page for everybody; come back another day to get them by mail.")}
	errNoChoice         = &problem{http.StatusBadRequest, catalogue.Key("That was none of the choices"), catalogue.Key("Nothing was changed. Go back, choose again and press the button.")}
	errTooLarge         = &problem{http.StatusRequestEntityTooLarge, catalogue.Key("That was too much"), catalogue.Key("The form held more than this page takes, and nothing was changed. Go back, shorten what you typed and send it again.")}
	errMembersOnly      = &problem{http.StatusForbidden, catalogue.Key("Newsletters come to you here"), catalogue.Key("This page belongs to a newspaper of one’s own, and you have not begun one. Your newsletters are on the first page.")}
	errSpentJoin        = &problem{http.StatusForbidden, catalogue.Key("This link no longer works"), catalogue.Key("It works once, within a day. If you pressed its button already, all is well. Otherwise ask for another one where you found the form.")}
	errOwnerOnly        = &problem{http.StatusForbidden, catalogue.Key("That is for its owner"), catalogue.Key("You may edit this newsletter. Who publishes it, from which address it comes, and whether it goes on, is for its owner to say.")}
	errHeldByOthers     = &problem{http.StatusForbidden, catalogue.Key("It was held by whoever runs this"), catalogue.Key("Its page says why. Write to them: they release it.")}
	errLastOwner        = &problem{http.StatusConflict, catalogue.Key("It needs an owner"), catalogue.Key("Make somebody else its owner first.")}
	errPublishingClosed = &problem{http.StatusForbidden, catalogue.Key("Newsletters are made by whoever runs this"), catalogue.Key("Write to them if you would like to publish one here.")}
	errTooManyTests     = &problem{http.StatusTooManyRequests, catalogue.Key("A little slower, please"), catalogue.Key("Many test letters were mailed to you just now. Nothing was mailed; try again in a few minutes.")}
	errTooMany          = &problem{http.StatusTooManyRequests, catalogue.Key("A little slower, please"), catalogue.Key("So many questions came from your address that this page takes a break. Try again in a minute.")}
	errOneByOne         = &problem{http.StatusTooManyRequests, catalogue.Key("One at a time, please"), catalogue.Key("Another long form of yours is still on its way. Nothing is lost: wait until it is done, and send this one again.")}
	errBusy             = &problem{http.StatusServiceUnavailable, catalogue.Key("Too much at once"), catalogue.Key("Others send long lists just now, and there is no room for yours. Nothing of it was taken: send it again in a minute.")}
	errUnavailable      = &problem{http.StatusServiceUnavailable, catalogue.Key("Back in a moment"), catalogue.Key("The database does not answer just now. Nothing is lost. Try again in a minute.")}
	errSpentSignUp      = &problem{http.StatusForbidden, catalogue.Key("This link no longer works"), catalogue.Key("The link of a sign-up works once, within a day. If you have pressed its button before, sign in; else sign up again.")}
	errSpentInvitation  = &problem{http.StatusConflict, catalogue.Key("This invitation was used"), catalogue.Key("Somebody else came in with it, or it was taken back. Ask for another one.")}
	errSignUpClosed     = &problem{http.StatusForbidden, catalogue.Key("Sign-up is closed"), catalogue.Key("It was closed since you began. Whoever runs this can add you.")}
	errSpentAgree       = &problem{http.StatusForbidden, catalogue.Key("This link no longer works"), catalogue.Key("The address was changed already, or the wish was taken back, or a day has passed. Sign in and look at your settings.")}
	errSpentMove        = &problem{http.StatusGone, catalogue.Key("Nothing to undo"), catalogue.Key("You went back already, or this link is older than what is kept of moves. Under Feeds you can still subscribe to the address that you want, and unsubscribe from the other.")}
	errSpentEdition     = &problem{http.StatusGone, catalogue.Key("This link no longer works"), catalogue.Key("It works as long as the edition that brought it is stored, and that one is not any more. Nothing was changed. Sign in to change how a site comes, or to save a post.")}
	errSpentUndo        = &problem{http.StatusGone, catalogue.Key("This link no longer works"), catalogue.Key("A change can be undone for 30 days. Nothing was changed. Sign in to change your settings.")}
	errGoneEdition      = &problem{http.StatusGone, catalogue.Key("This edition is no longer kept"), catalogue.Key("The link is right, but what it leads to is not stored any more: editions are kept only for a while, and go with their reader. The mail that brought the link still has it.")}
	errOldLink          = &problem{http.StatusGone, catalogue.Key("This link no longer works"), catalogue.Key("The reader to whom this mail was sent has made the links in older mail void. Nothing was changed. To unsubscribe, use the link in the latest mail, or sign in and open “Links in mail” in the settings.")}
	errInternal         = &problem{http.StatusInternalServerError, catalogue.Key("Something went wrong here"), catalogue.Key("The mistake is ours and has been noted. Try again in a minute.")}
)

// linkToken returns the token from the hidden field of the form behind a link. A program that scans mail posts to the
// link without that field; the link may still work then.
func linkToken(form url.Values) (string, error) {
	if token := form.Get("token"); token != "" {
		return token, nil
	}
	return "", errNoButton
}

// problemWith gives what to show for a status that net/http chose.
func problemWith(status int) *problem {
	switch status {
	case http.StatusNotFound:
		return errNotFound
	case http.StatusMethodNotAllowed:
		return errMethod
	}
	p := *errBadForm
	p.Status = status
	return &p
}

// asProblem finds what a visitor may know of err. Messages of errors from
// elsewhere are written for the operator, and stay in the log.
func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	switch digest.KindOf(err) {
	case digest.NotFound:
		return errNotFound
	case digest.Unavailable:
		return errUnavailable
	case digest.Conflict:
		return &problem{http.StatusConflict, catalogue.Key("That cannot be done now"), catalogue.Refusal(err)}
	}
	return errInternal
}

// A handler answers one route, or says why it cannot.
type handler func(http.ResponseWriter, *http.Request) error

// handle makes h an http.Handler that shows its errors as pages; hubs and pingers are told in a
// line, which costs next to nothing however many they send.
func (s *site) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w, told := s.tellChange(w, r)
		defer told()
		err := h(w, r)
		if err == nil {
			return
		}
		p := s.problemOf(r, err)
		if p == errTooLarge || p == errOneByOne || p == errBusy {
			drain(r)
		}
		if isForPrograms(r.URL.Path) {
			if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "60")
			}
			_ = plain(w, p.Status, fmt.Sprint(p.Title)+".\n") // it never fails
			return
		}
		if err := s.show(w, r, p.Status, "problem", p.Title, p); err != nil {
			s.Log.ErrorContext(r.Context(), "error page failed", "err", err)
			http.Error(w, s.language(r).Text(p.Title), p.Status)
		}
	})
}

// isForPrograms reports whether an address is asked by hubs, rssCloud servers and pingers.
func isForPrograms(path string) bool {
	return strings.HasPrefix(path, pushRoot) || strings.HasPrefix(path, cloudRoot) || path == "/ping" || path == "/RPC2"
}

// problemOf finds what a visitor may know of err, and logs a mistake of ours.
func (s *site) problemOf(r *http.Request, err error) *problem {
	p := asProblem(err)
	if p.Status >= http.StatusInternalServerError {
		// The pattern, not the path: paths hold tokens.
		s.Log.ErrorContext(r.Context(), "web request failed", "route", r.Pattern, "err", err)
	}
	return p
}

// orSpent is p for a link that is no more, else the error.
func orSpent(err error, p *problem) error {
	if digest.KindOf(err) == digest.NotFound {
		return p
	}
	return err
}
