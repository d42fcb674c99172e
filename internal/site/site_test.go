package site

import (
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/testkit/fakesite"
)

const (
	secret = "s3cr3t/Tok+n=9"
	header = "Bearer " + secret
)

// asked returns a client for a test server.
func asked(t *testing.T, serve http.HandlerFunc) *Client {
	t.Helper()
	return within(t, serve, 0)
}

// within is asked with another time limit.
func within(t *testing.T, serve http.HandlerFunc, total time.Duration) *Client {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	c, err := New(Options{
		Name: "tracker", URL: s.URL, Trust: Trusting(s.URL), Total: total, Secrets: []string{secret},
		Authorize: func(r *http.Request) { r.Header.Set("Authorization", header) },
		Pause:     func(context.Context, time.Duration) error { return nil },
		Said: func(answer []byte) []string {
			var said struct{ Message string }
			if json.Unmarshal(answer, &said, json.MatchCaseInsensitiveNames(true)) != nil || said.Message == "" {
				return nil
			}
			return []string{said.Message}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// echoes are the ways in which a site may return what it was sent.
func echoes() map[string]string {
	out := map[string]string{}
	add := func(name, s string) {
		all := func(format string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, format, c)
			}
			return b.String()
		}
		quoted, _ := json.Marshal(s)
		quotedTwice, _ := json.Marshal(string(quoted))
		out[name] = s
		out[name+" in capitals"] = strings.ToUpper(s)
		out[name+" in base64"] = base64.StdEncoding.EncodeToString([]byte(s))
		out[name+" in base64 for addresses"] = base64.URLEncoding.EncodeToString([]byte(s))
		for _, before := range []string{"x", "xy", "user:"} {
			out[name+" in base64 behind "+before] = base64.StdEncoding.EncodeToString([]byte(before + s + "behind"))
		}
		out[name+" in hex"] = hex.EncodeToString([]byte(s))
		out[name+" in HEX"] = strings.ToUpper(hex.EncodeToString([]byte(s)))
		out[name+" in a query"] = url.QueryEscape(s)
		out[name+" in a path"] = url.PathEscape(s)
		out[name+" in percents"] = all("%%%02x")
		out[name+" in JSON"] = string(quoted)
		out[name+" in JSON in JSON"] = string(quotedTwice)
		out[name+" in escapes"] = all(`\u%04X`)
		out[name+" with slashes escaped"] = strings.ReplaceAll(s, "/", `\/`)
	}
	add("secret", secret)
	add("header", header)
	add("the end of the secret", secret[len(secret)-8:])
	return out
}

// twisted are more ways, of which only refusals are searched.
func twisted() map[string]string {
	out := map[string]string{}
	for name, s := range map[string]string{"secret": secret, "header": header} {
		back := []byte(s)
		slices.Reverse(back)
		out[name+" backwards"] = string(back)
		var pieces []string
		for piece := range slices.Chunk([]byte(s), run-1) {
			pieces = append(pieces, string(piece))
		}
		out[name+" in pieces"] = strings.Join(pieces, " - ")
		for _, before := range []string{"", "x", "xy", "xyz", "user"} {
			out[name+" in base32 behind "+before] = base32.StdEncoding.EncodeToString([]byte(before + s + "behind"))
		}
		out[name+" in base32 in small letters"] = strings.ToLower(base32.HexEncoding.EncodeToString([]byte(s)))
	}
	return out
}

func TestARefusalThatShowsACredentialIsAStatusAlone(t *testing.T) {
	t.Parallel()
	all := echoes()
	maps.Copy(all, twisted())
	for name, echo := range all {
		c := asked(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.MarshalWrite(w, map[string]string{"message": "you sent " + echo + ", sir"})
		})
		_, err := c.Get(t.Context(), "/x", nil)
		if err == nil || err.Error() != "the tracker answers 400 with one of our credentials in it, so nothing else of it is kept" {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := asked(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.MarshalWrite(w, map[string]string{"message": "s3cr3t/ is seven of it, Bearer is a word: " + strings.Repeat("é", 400), "other": "left out"})
	})
	_, err := c.Get(t.Context(), "/x", nil)
	if got := err.Error(); !strings.HasPrefix(got, "the tracker answers 400: s3cr3t/ is seven of it, Bearer is a word: éé") || len([]rune(got)) > 330 {
		t.Errorf("%d characters: %s", len([]rune(got)), got)
	}
}

func TestItemsThatShowACredentialArePassedOver(t *testing.T) {
	t.Parallel()
	type thing struct {
		Key   string         `json:"key"`
		Title jsontext.Value `json:"title"`
	}
	for name, echo := range echoes() {
		var alone bool
		c := asked(t, func(w http.ResponseWriter, _ *http.Request) {
			next := ""
			if alone {
				next = echo
			}
			_ = json.MarshalWrite(w, map[string]any{"things": []any{
				map[string]any{"key": "A-1", "title": "one"}, map[string]any{"key": "A-2", "title": "so: " + echo}, map[string]any{"key": echo, "title": echo},
			}, "next": next})
		})
		var page struct {
			Things []Item[thing] `json:"things"`
			Next   string        `json:"next"`
		}
		if _, err := c.Get(t.Context(), "/x", &page); err != nil || len(page.Things) != 3 {
			t.Fatalf("%s: %v %v", name, page, err)
		}
		if one := page.Things[0]; one.Shows || one.Value.Key != "A-1" || string(one.Value.Title) != `"one"` {
			t.Errorf("%s: %+v", name, one)
		}
		if two := page.Things[1]; !two.Shows || two.Name != "A-2" || two.Value.Key != "" || two.Value.Title != nil {
			t.Errorf("%s: %+v", name, two)
		}
		if three := page.Things[2]; !three.Shows || three.Name != "" {
			t.Errorf("%s: %+v", name, three)
		}
		alone = true
		if _, err := c.Get(t.Context(), "/x", &page); !ProblemOf(err).Shows || strings.Contains(err.Error(), echo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestABrokenAnswerIsNotQuoted answers with invalid HTTP, which the errors of package http quote.
func TestABrokenAnswerIsNotQuoted(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"%s\r\n\r\n", "HTTP/1.1 %s\r\n\r\n", "HTTP/1.1 200 OK\r\n%s\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: http://[%s\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n",
	} {
		c := asked(t, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, answer, r.Header.Get("Authorization"))
		})
		_, err := c.Get(t.Context(), "/x", nil)
		if err == nil || strings.Contains(err.Error(), secret[:8]) {
			t.Errorf("%q: %v", answer, err)
		}
		for u := err; u != nil; u = errors.Unwrap(u) {
			if strings.Contains(u.Error(), secret) {
				t.Errorf("%q: beneath: %v", answer, u)
			}
		}
	}
}

func TestOrdinaryTextShowsNothing(t *testing.T) {
	t.Parallel()
	g := newGuard(secret, header)
	for _, text := range []string{
		"", "Bearer", "the token is refused", `{"message":"Bad credentials","documentation_url":"https://docs.example/rest"}`, `\`, `\u12`, `%`, `%4`, "100%25",
		strings.Repeat("0123456789abcdef", 1000),
	} {
		if g.shows([]byte(text)) {
			t.Errorf("%.60q shows a credential", text)
		}
	}
	if g := newGuard("abc", "wxyz1"); g.shows([]byte("abcdef")) || !g.shows([]byte("say WXYZ1!")) {
		t.Error("a short credential counts as a whole, and one of three characters not at all")
	}
}

func BenchmarkGuard(b *testing.B) {
	g := newGuard(secret, header)
	text := []byte(strings.Repeat(`{"key":"DEMO-1","fields":{"summary":"Something to do\nsoon"}},`, 1<<14))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if g.shows(text) {
			b.Fatal("it shows nothing")
		}
	}
}

// TestASiteThatDripsEndsInTime calls sites that never finish, in their response or in the retries they ask for.
func TestASiteThatDripsEndsInTime(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	drip := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			_, _ = w.Write([]byte(before))
			fakesite.Drip(w, r)
		}
	}
	c := within(t, drip("{"), 200*time.Millisecond)
	var into map[string]any
	_, err := c.Get(t.Context(), "/x", &into)
	if err == nil || err.Error() != "the answer from the tracker did not end within 200ms" || asked.Load() != 1 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
	if err := c.Send(t.Context(), http.MethodPut, "/x", "y"); err == nil || !strings.Contains(err.Error(), "did not end within") {
		t.Error(err)
	}
	silent := within(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 50*time.Millisecond)
	if _, err := silent.Get(t.Context(), "/x", nil); err == nil || err.Error() != "the tracker cannot be reached: it gave no answer in time" {
		t.Error(err)
	}

	// Retries and their pauses count: after 20 and 30 seconds there is no time for 30 more.
	asked.Store(0)
	busy := within(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", []string{"20", "30", "30"}[min(asked.Add(1), 3)-1])
		w.WriteHeader(http.StatusTooManyRequests)
	}, 0)
	var paused time.Duration
	busy.Pause = func(_ context.Context, d time.Duration) error { paused += d; return nil }
	_, err = busy.Get(t.Context(), "/x", nil)
	if p := ProblemOf(err); asked.Load() != 3 || paused != 50*time.Second || p.Wait != 30*time.Second {
		t.Errorf("asked %d times, paused for %s: %v", asked.Load(), paused, err)
	}
}

// TestThePublicBeginningOfATokenIsNoCredential mentions a kind of token, as issues about tokens do.
func TestThePublicBeginningOfATokenIsNoCredential(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"github_pat_11ABCDEFG0123456789", "ghp_0123456789abcdef", "ATATT3xFfGF0T4JlkTZ-x"} {
		g := forRecords(token, "token "+token)
		begins := token[:strings.IndexAny(token, "01")]
		if strings.HasPrefix(token, "ATATT") {
			begins = "ATATT3xFfGF0"
		}
		if text := "a token " + begins + " is leaked"; g.shows([]byte(text)) {
			t.Errorf("%q shows a credential", text)
		}
		if text := "a token " + token[:len(begins)+6]; !g.shows([]byte(text)) {
			t.Errorf("%q shows none", text)
		}
		if len(begins) >= run && !newGuard(token).shows([]byte(begins)) {
			t.Errorf("%s is kept of a refusal", begins)
		}
	}
}
