package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tasker/internal/op"
)

// All combinations of request properties against the rules in one place: a foreign host is always refused, a foreign site
// on writes, a missing token on writes in token mode, and only then does the route decide.
func TestTheDoorIsTheSameForEveryRoute(t *testing.T) {
	const token = "s3cret"
	routes := []struct {
		path     string
		ok       map[string]int // by method, if it is not 405
		fallback int            // for every other method
	}{
		{"/v1/version", map[string]int{"GET": 200, "HEAD": 200}, 405},
		{"/v1/next?project=demo", map[string]int{"GET": 200, "HEAD": 200, "POST": 422}, 405}, // POST takes no query
		{"/v1/tasks/demo-1/claim", map[string]int{"POST": 200}, 405},
		{"/healthz", map[string]int{"GET": 200, "HEAD": 200}, 405},
		{"/readyz", map[string]int{"GET": 200, "HEAD": 200}, 405},
		{"/v1/openapi.json", map[string]int{"GET": 200, "HEAD": 200}, 405},
		{"/", map[string]int{"GET": 200, "HEAD": 200}, 405},
		{"/extra", map[string]int{"POST": 200}, 405},
		{"/v1/nothing", nil, 404},
		{"/v1//version", nil, 404},
	}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO"}
	credentials := []struct {
		header string
		good   bool
	}{{"", false}, {"Bearer " + token, true}, {"bearer " + token, true}, {"Bearer wrong", false}, {"Bearer ", false}, {"Basic " + token, false}, {token, false}}
	sites := []struct {
		headers []string
		ours    bool
	}{
		{nil, true},
		{[]string{"Sec-Fetch-Site", "same-origin"}, true},
		{[]string{"Sec-Fetch-Site", "none"}, true},
		{[]string{"Sec-Fetch-Site", "same-site"}, false},
		{[]string{"Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Origin", "http://HOST"}, true},
		{[]string{"Origin", "null"}, false},
		{[]string{"Origin", "http://evil.example"}, false},
		{[]string{"Origin", "http://localhost:1"}, false},
		{[]string{"Sec-Fetch-Site", "same-origin", "Origin", "http://evil.example"}, false},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "http://HOST"}, false},
	}
	hosts := []struct {
		name string
		ours bool
	}{{"localhost:7777", true}, {"127.0.0.1:7777", true}, {"tasker.example", true}, {"evil.example:7777", false}}

	for _, withToken := range []bool{false, true} {
		opts := options(&calls{do: func(context.Context, *op.Op, any) (any, error) { return "done", nil }})
		opts.Hosts = []string{"tasker.example"}
		opts.Extra["POST /extra"] = func(w http.ResponseWriter, _ *http.Request) error { return Answer(w, 200, nil) }
		if withToken {
			opts.Token = token
		}
		s := New(opts)
		for _, route := range routes {
			for _, method := range methods {
				for _, credential := range credentials {
					for _, site := range sites {
						for _, host := range hosts {
							writes := method != "GET" && method != "HEAD" && method != "OPTIONS"
							want, ok := route.ok[method]
							switch {
							case !host.ours, writes && !site.ours:
								want = 403
							case writes && withToken && !credential.good:
								want = 401
							case !ok:
								want = route.fallback
							}
							headers := []string{"Host", host.name}
							if credential.header != "" {
								headers = append(headers, "Authorization", credential.header)
							}
							for i := 0; i < len(site.headers); i += 2 {
								value := site.headers[i+1]
								if value == "http://HOST" {
									value = "http://" + host.name
								}
								headers = append(headers, site.headers[i], value)
							}
							name := fmt.Sprintf("token %v: %s %s %v", withToken, method, route.path, headers)
							resp := ask(s, request(method, route.path, "", headers...))
							if resp.Status != want {
								t.Fatalf("%s: %d, want %d", name, resp.Status, want)
							}
							if want >= 400 {
								failure(t, resp)
							}
							for header := range resp.Header {
								if header == "Access-Control-Allow-Origin" || header == "Access-Control-Allow-Methods" {
									t.Fatalf("%s: answered with %s", name, header)
								}
							}
						}
					}
				}
			}
		}
	}
}

func TestWhichHostsAreOurs(t *testing.T) {
	d := newDoor("", []string{"Box", "tasker.example.", ""})
	for host, want := range map[string]bool{
		"": true, "localhost": true, "LOCALHOST:80": true, "localhost.": true, "a.b.localhost:1": true,
		"127.0.0.1": true, "10.1.2.3:8080": true, "[::1]:8080": true, "[::1]": true, "::1": true, "8.8.8.8": true,
		"box": true, "BOX:9": true, "tasker.example": true, "tasker.example.:1": true,
		"evil.example": false, "localhost.evil.example": false, "127.0.0.1.nip.io": false, "xlocalhost": false,
		"box.evil": false, "sub.tasker.example": false, "2130706433": false, "0x7f.1": false, "localhost:x": false,
		"localhost:80:80": false, "a@localhost": false, "[": false, " ": false, ".localhost.evil": false,
	} {
		if got := d.ours(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestWhatIsTheSameOrigin(t *testing.T) {
	for _, c := range []struct {
		origin, host string
		want         bool
	}{
		{"http://localhost:7777", "localhost:7777", true},
		{"https://tasker.example", "tasker.example", true},
		{"http://tasker.example", "tasker.example:80", true},
		{"https://tasker.example:443", "tasker.example", true},
		{"http://LOCALHOST:7777", "localhost:7777", true},
		{"http://localhost:7778", "localhost:7777", false},
		{"http://localhost", "localhost:7777", false},
		{"http://127.0.0.1:7777", "localhost:7777", false},
		{"null", "localhost:7777", false},
		{"", "localhost:7777", false},
		{"", "", false},
		{"http://", "", false},
		{"chrome-extension://localhost:7777", "localhost:7777", false},
		{"http://user@localhost:7777", "localhost:7777", false},
		{"http://evil.example#localhost:7777", "localhost:7777", false},
		{"%zz", "localhost:7777", false},
	} {
		if got := sameOrigin(c.origin, c.host); got != c.want {
			t.Errorf("origin %q at %q: %v", c.origin, c.host, got)
		}
	}
}

func TestASecondCredentialOrOriginIsLookedAtToo(t *testing.T) {
	opts := options(&calls{})
	opts.Token = "x"
	s := New(opts)
	if resp := ask(s, request("POST", "/v1/next", "", "Authorization", "Bearer x", "Authorization", "Bearer y")); resp.Status != 401 {
		t.Errorf("two credentials: %d", resp.Status)
	}
	twice := request("POST", "/v1/next", "", "Authorization", "Bearer x", "Origin", "http://localhost:7777", "Origin", "http://evil.example")
	if resp := ask(s, twice); resp.Status != 403 {
		t.Errorf("two origins: %d", resp.Status)
	}
}

func TestTheRefusalsOfTheDoorSayWhatToDo(t *testing.T) {
	opts := options(&calls{})
	opts.Token = "x"
	s := New(opts)
	for _, c := range []struct {
		name string
		r    *http.Request
		code string
		hint string
	}{
		{"host", request("GET", "/v1/version", "", "Host", "evil.example"), "forbidden",
			"ask for it by address or as localhost, or start it with the command `tasker serve --allowed-host NAME`"},
		{"token", request("POST", "/v1/next", ""), "unauthorized", "send the header Authorization: Bearer <token>; commands take it from TASKER_TOKEN"},
	} {
		resp := ask(s, c.r)
		if f := failure(t, resp); f.Error != c.code || !strings.HasSuffix(f.Message+string(f.Hint), c.hint) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if c.name == "token" && resp.Header.Get("WWW-Authenticate") == "" {
			t.Error("401 does not say which scheme it asks for")
		}
	}
}

func TestListeningBeyondThisMachineNeedsATokenOrAWord(t *testing.T) {
	for _, c := range []struct {
		host          string
		guarded, open bool
		ok            bool
	}{
		{"", false, false, true}, {"127.0.0.1", false, false, true}, {"127.8.8.8", false, false, true}, {"::1", false, false, true},
		{"[::1]", false, false, true}, {"localhost", false, false, true}, {"a.localhost", false, false, true}, {"::ffff:127.0.0.1", false, false, true},
		{"0.0.0.0", false, false, false}, {"::", false, false, false}, {"10.0.0.1", false, false, false}, {"box", false, false, false},
		{"0.0.0.0", true, false, true}, {"0.0.0.0", false, true, true},
	} {
		if err := CheckBinding(c.host, c.guarded, c.open); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestAnAllowedHostIsANameAlone(t *testing.T) {
	for name, ok := range map[string]bool{
		"tasker.example": true, "box": true, "": false, "http://x": false, "x:80": false, "*": false, "*.x": false, "a b": false,
	} {
		if err := CheckHost(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
