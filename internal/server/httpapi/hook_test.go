package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestACodeHostIsHeardByItsSignatureAlone(t *testing.T) {
	t.Parallel()
	sum := func(secret, body string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	const good, secret = `{"action": "closed", "repository": {"full_name": "own/code"}}`, "of the hook"
	large := `{"repository": {"full_name": "own/code"}, "x": "` + strings.Repeat("x", hookBody) + `"}`
	for _, mode := range []string{"", "s3cret"} { // without a token and with one
		var asked []string
		o := options(nil)
		o.Token, o.Hook = mode, &Hook{Secret: secret, Pull: func(repo string) { asked = append(asked, repo) }}
		s := New(o)
		for _, c := range []struct {
			name, body string
			headers    []string
			want       int
			asks       bool
		}{
			{"as GitHub signs", good, []string{"X-Hub-Signature-256", "sha256=" + sum(secret, good)}, 202, true},
			{"as Gitea signs", good, []string{"X-Gitea-Signature", sum(secret, good)}, 202, true},
			{"both", good, []string{"X-Hub-Signature-256", "sha256=" + sum(secret, good), "X-Gitea-Signature", sum(secret, good)}, 202, true},
			{"nothing", good, nil, 401, false},
			{"another secret", good, []string{"X-Hub-Signature-256", "sha256=" + sum("x", good)}, 401, false},
			{"no secret", good, []string{"X-Hub-Signature-256", "sha256=" + sum("", good)}, 401, false},
			{"another body", good + " ", []string{"X-Hub-Signature-256", "sha256=" + sum(secret, good)}, 401, false},
			{"an older algorithm", good, []string{"X-Hub-Signature", "sha1=" + sum(secret, good)[:40]}, 401, false},
			{"a part of it", good, []string{"X-Gitea-Signature", sum(secret, good)[:32]}, 401, false},
			{"the token", good, []string{"Authorization", "Bearer s3cret"}, 401, false},
			{"another site", good, []string{"X-Gitea-Signature", sum(secret, good), "Origin", "http://evil.example"}, 403, false},
			{"another host", good, []string{"X-Gitea-Signature", sum(secret, good), "Host", "evil.example"}, 403, false},
			{"no repository", `{"zen": "x"}`, []string{"X-Gitea-Signature", sum(secret, `{"zen": "x"}`)}, 422, false},
			{"no JSON", `payload=x`, []string{"X-Gitea-Signature", sum(secret, `payload=x`)}, 422, false},
			{"too much", large, []string{"X-Gitea-Signature", sum(secret, large)}, 413, false},
		} {
			asked = nil
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, request("POST", hookPath, c.body, c.headers...))
			if rec.Code != c.want || slices.Equal(asked, []string{"own/code"}) != c.asks || strings.Contains(rec.Body.String(), secret) {
				t.Errorf("token %q, %s: %d, want %d; asked for %q: %s", mode, c.name, rec.Code, c.want, asked, rec.Body)
			}
		}
		o.Hook = nil
		rec := httptest.NewRecorder()
		New(o).ServeHTTP(rec, request("POST", hookPath, good, "X-Gitea-Signature", sum("", good)))
		if rec.Code != 404 {
			t.Errorf("token %q, without a secret: %d", mode, rec.Code)
		}
	}
}
