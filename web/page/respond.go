package page

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Plain sends a text.
func Plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = io.Copy(w, strings.NewReader(text))
	return nil
}

const (
	// ImagePolicy prevents a picture that is opened directly from running or loading anything.
	ImagePolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"
)

// WriteJSON sends a value as JSON.
func WriteJSON(w http.ResponseWriter, status int, answer any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has disconnected is not our error
	return nil
}
