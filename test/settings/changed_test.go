package settings

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/config"
	"tasker/internal/core"
)

// said is a log that a test can wait for.
type said struct{ lines chan string }

func (s said) Write(p []byte) (int, error) {
	s.lines <- string(p)
	return len(p), nil
}

// served starts a server like the command, and returns its address and its log.
func (p *place) served() (url string, log <-chan string) {
	p.Helper()
	s := p.serving()
	lines, at, ended := make(chan string, 1000), make(chan string, 1), make(chan error, 1)
	s.Log = said{lines}
	s.Listening = func(address string, _ core.Caller, _ bool) { at <- "http://" + address }
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- app.CommandLine().Serve(ctx, s) }()
	p.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			p.Errorf("the server ended with %v", err)
		}
	})
	select {
	case url = <-at:
	case err := <-ended:
		ended <- err
		p.Fatalf("the server ended: %v", err)
	}
	return url, lines
}

func (p *place) post(url, body string) string {
	p.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	return p.whole(resp)
}

func (p *place) whole(resp *http.Response) string {
	p.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return resp.Status + " " + string(text)
}

func (p *place) ask(url string) string {
	p.Helper()
	resp, err := http.Get(url)
	if err != nil {
		p.Fatal(err)
	}
	return p.whole(resp)
}

func leased(lease string) string {
	return `{"version": 1, "project": "demo", "agentDefaults": {"lease": "` + lease + `"}}`
}

// TestAServerFollowsItsFileAndKeepsTheLastGoodOne changes the file under a running server: the next request uses it, an
// invalid or missing file changes nothing, and the log, /readyz and `config show` say so.
func TestAServerFollowsItsFileAndKeepsTheLastGoodOne(t *testing.T) {
	p := settle(t, leased("10m"))
	p.run("planner", twoTasks, "apply", "-f", "-", "--quiet")
	url, log := p.served()
	claim := func(when, lease string) {
		t.Helper()
		if got := p.post(url+"/v1/tasks/demo-1/claim", ""); !strings.Contains(got, `"leaseMs":`+lease+`}`) &&
			!strings.Contains(got, `"leaseMs":`+lease+`,`) {
			t.Errorf("%s a claim is %s, want a lease of %s", when, got, lease)
		}
		p.post(url+"/v1/tasks/demo-1/release", "")
	}
	hears := func(want string) {
		t.Helper()
		late := time.After(time.Minute)
		for {
			select {
			case line := <-log:
				if strings.Contains(line, want) {
					return
				}
			case <-late:
				t.Fatalf("the log does not say %q", want)
			}
		}
	}
	shows := func(want string) {
		t.Helper()
		if got := p.run("", "", "config", "show", "--server", url); !strings.Contains(got, want) {
			t.Errorf("config show says %q, want %q", got, want)
		}
	}
	claim("at first", "600000")
	if got := p.ask(url + "/readyz"); !strings.HasPrefix(got, "200") || !strings.Contains(got, `"warnings":[]`) {
		t.Errorf("at first readiness is %s", got)
	}
	p.write(config.FileName, leased("20m"))
	claim("with a changed file", "1200000")

	p.write(config.FileName, `{"version": 1, "project": "demo", "agentDefoults": {"lease": "30m"}}`)
	claim("with an invalid file", "1200000")
	if got := p.ask(url + "/readyz"); !strings.HasPrefix(got, "200") || !strings.Contains(got, `"warnings":["configuration: `) ||
		!strings.Contains(got, "the last good one stays in force") {
		t.Errorf("with an invalid file readiness is %s", got)
	}
	hears("the last good one stays in force")
	shows("warning: the server at " + url + " says: configuration: ")
	shows("agentDefoults")

	p.write(config.FileName, leased("40m"))
	claim("with a mended file", "2400000")
	if got := p.ask(url + "/readyz"); !strings.Contains(got, `"warnings":[]`) {
		t.Errorf("with a corrected file readiness is %s", got)
	}
	if got := p.run("", "", "config", "show", "--server", url, "--json", "--origins"); !strings.HasPrefix(got, "0 ") || !strings.Contains(got, `"warnings":[]`) {
		t.Errorf("with a corrected file config show says %s", got)
	}

	if err := os.Remove(filepath.Join(p.dir, config.FileName)); err != nil {
		t.Fatal(err)
	}
	claim("without the file", "2400000")
	if got := p.ask(url + "/readyz"); !strings.Contains(got, "is gone") {
		t.Errorf("without the file readiness is %s", got)
	}
	hears("is gone")
}
