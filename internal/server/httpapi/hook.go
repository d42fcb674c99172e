package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
)

// hookPath is where a code host reports changes. The request's signature replaces token and session, so it is let in
// without them; if no secret is set, there is no such route.
const hookPath = "/hooks/code_host"

// hookBody limits the size of a code host's report.
const hookBody = 1 << 20

// Hook configures the webhook of a code host.
type Hook struct {
	Secret string
	// Pull requests a pull of a repository, and does not wait for it.
	Pull func(repo string)
}

// hook receives a code host's reports. It reads only the repository from them: a pull fetches the changes.
func (s *Server) hook(w *recorder, r *http.Request) error {
	given := signed(r.Header)
	if given == nil { // without reading the body
		return unsigned()
	}
	body, err := readBody(w, r, hookBody)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(s.opts.Hook.Secret))
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), given) {
		return unsigned()
	}
	var in struct {
		Repository struct {
			Name string `json:"full_name"`
		} `json:"repository"`
	}
	if json.Unmarshal(body, &in) != nil || in.Repository.Name == "" {
		return fault.Bad("the body names no repository").WithMissing("repository.full_name").
			WithHint("set up the hook in a repository, with the content type application/json")
	}
	s.opts.Hook.Pull(in.Repository.Name)
	return Answer(w, http.StatusAccepted, map[string]bool{"ok": true})
}

// signed returns the signature of a request, as GitHub or Gitea writes it; nil if it cannot be valid.
func signed(h http.Header) []byte {
	text, ok := strings.CutPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
	if !ok {
		text = h.Get("X-Gitea-Signature")
	}
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return nil
	}
	return sum
}

func unsigned() error {
	return fault.New(fault.Unauthorized, "the request is not signed with the secret of this server").
		WithHint("give the code host the secret that the server has in TASKER_CODE_HOST_SECRET")
}
