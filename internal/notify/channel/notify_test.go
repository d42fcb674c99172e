//go:build unix

package channel_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tasker/internal/child"
	"tasker/internal/notify/channel"
	"tasker/internal/task/delivery"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var message = delivery.Message{
	ID: "msg_1", Kind: "blocking_question", Project: "demo", Task: "demo-1", Body: `{"id":"blocking_question:demo-1:5","why":"ann asks: \"é\""}`,
}

func sender() channel.Sender {
	return channel.Sender{Secret: secret, Agent: "tasker/1", Now: time.Now, Env: []string{"PATH=" + os.Getenv("PATH")}, Run: run}
}

func run(ctx context.Context, c channel.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{Args: c.Args, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin})
	return res.ExitCode, err
}

// received is a request as it arrived.
type received struct {
	header http.Header
	body   []byte
}

// receiver answers with a status, and remembers what it got.
func receiver(t *testing.T, answer http.HandlerFunc) (url string, got *[]received) {
	t.Helper()
	got = &[]received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s: %v", r.Method, err)
		}
		*got = append(*got, received{r.Header, body})
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func hook(url string) delivery.Channel { return delivery.Channel{Type: delivery.Webhook, Target: url} }

func TestAWebhookIsTheItemWithASignatureThatThePublicLibraryVerifies(t *testing.T) {
	url, got := receiver(t, status(204))
	if o := sender().Send(t.Context(), hook(url+"/a?b=c"), message); !o.OK() {
		t.Fatal(o.Error)
	}
	r := (*got)[0]
	if string(r.body) != message.Body || r.header.Get("Content-Type") != "application/json" || r.header.Get("webhook-id") != "msg_1" {
		t.Errorf("%s %v", r.body, r.header)
	}
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := wh.Verify(r.body, r.header); err != nil {
		t.Errorf("the signature is not accepted: %v", err)
	}
	if err := wh.Verify(append(r.body, ' '), r.header); err == nil {
		t.Error("the signature is accepted for another body")
	}
	other, err := standardwebhooks.NewWebhook("whsec_c29tZSBvdGhlciBzZWNyZXQ=")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Verify(r.body, r.header); err == nil {
		t.Error("the signature is accepted under another secret")
	}
}

func TestWithoutASecretNothingIsSignedAndWithAFaultyOneNothingIsSent(t *testing.T) {
	url, got := receiver(t, status(200))
	s := sender()
	s.Secret = ""
	if o := s.Send(t.Context(), hook(url), message); !o.OK() {
		t.Fatal(o.Error)
	}
	if h := (*got)[0].header; h.Get("webhook-signature") != "" || h.Get("webhook-id") == "" || h.Get("webhook-timestamp") == "" {
		t.Errorf("%v", h)
	}
	for _, bad := range []string{"whsec_hunter-2", "whsec_", "hunter2!"} {
		s.Secret = bad
		if o := s.Send(t.Context(), hook(url), message); o.OK() || !strings.Contains(o.Error, "TASKER_WEBHOOK_SECRET") || strings.Contains(o.Error, "hunter") {
			t.Errorf("%q: %+v", bad, o)
		}
	}
	if len(*got) != 1 {
		t.Errorf("%d requests came", len(*got))
	}
}

func TestTheStatusDecides(t *testing.T) {
	for _, c := range []struct {
		code      int
		ok, final bool
	}{
		{200, true, false}, {202, true, false}, {204, true, false}, {301, false, false}, {307, false, false}, {400, false, true}, {401, false, true},
		{404, false, true}, {408, false, false}, {410, false, true}, {429, false, false}, {500, false, false}, {503, false, false},
	} {
		url, got := receiver(t, status(c.code))
		o := sender().Send(t.Context(), hook(url+"/hunter2"), message)
		if o.OK() != c.ok || o.Final != c.final || len(*got) != 1 || strings.Contains(o.Error, "hunter2") {
			t.Errorf("%d: %+v after %d requests", c.code, o, len(*got))
		}
		if !c.ok && !strings.Contains(o.Error, fmt.Sprint(c.code)) {
			t.Errorf("%d is not in the error: %s", c.code, o.Error)
		}
	}
}

func TestAReceiverSaysWhenToComeAgain(t *testing.T) {
	url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "70")
		w.WriteHeader(429)
	})
	if o := sender().Send(t.Context(), hook(url), message); o.After != 70*time.Second {
		t.Errorf("%+v", o)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	inner, got := receiver(t, status(200))
	url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner+"/hunter2", http.StatusTemporaryRedirect)
	})
	o := sender().Send(t.Context(), hook(url), message)
	if o.OK() || len(*got) != 0 || !strings.Contains(o.Error, "redirect") || !strings.Contains(o.Error, "TASKER_WEBHOOK_HOSTS") ||
		strings.Contains(o.Error, "hunter2") {
		t.Errorf("%+v", o)
	}
}

// names is a resolver that knows one name: it answers queries for A records with an address.
func names(t *testing.T, address string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ip := net.ParseIP(address)
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(answered(b[:n], ip), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answered returns the answer to a DNS query: the address, if the question asks for one of its kind.
func answered(query []byte, ip net.IP) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	kind := query[end+2]
	data, want := ip.To4(), byte(1)
	if data == nil {
		data, want = ip.To16(), 28
	}
	out := append([]byte{}, query[:end+5]...)
	out[2], out[3] = 0x81, 0x80
	out[6], out[7], out[8], out[9], out[10], out[11] = 0, 0, 0, 0, 0, 0
	if kind != want {
		return out
	}
	out[7] = 1
	out = append(out, 0xc0, 12, 0, want, 0, 1, 0, 0, 0, 1, 0, byte(len(data)))
	return append(out, data...)
}

func TestNamesDoNotLeadToWhereOnlyThisMachineGets(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "fd00::1",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
	} {
		s := sender()
		s.Resolver = names(t, address)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		o := s.Send(ctx, hook("http://hooks.example.com:9/x"), message)
		cancel()
		if o.OK() || !strings.Contains(o.Error, "hooks.example.com") || strings.Contains(o.Error, "cannot be reached") {
			t.Errorf("%s: %+v", address, o)
		}
		if named := strings.Contains(o.Error, "TASKER_WEBHOOK_HOSTS"); !named && address != "0.0.0.0" && address != "224.0.0.1" {
			t.Errorf("%s: the variable is not named: %s", address, o.Error)
		}
	}
}

func TestAHostThatTheEnvironmentNamesMayBePrivateButNotLinkLocal(t *testing.T) {
	url, got := receiver(t, status(200))
	port := url[strings.LastIndex(url, ":")+1:]
	s := sender()
	s.Hosts = channel.ParseHosts("other.example, Hooks.Example.com")
	s.Resolver = names(t, "127.0.0.1")
	if o := s.Send(t.Context(), hook("http://hooks.example.com:"+port), message); !o.OK() || len(*got) != 1 {
		t.Errorf("%+v", o)
	}
	if o := s.Send(t.Context(), hook("http://others.example.com:"+port), message); o.OK() || len(*got) != 1 {
		t.Errorf("a host that is not named: %+v", o)
	}
	s.Resolver = names(t, "169.254.169.254")
	if o := s.Send(t.Context(), hook("http://hooks.example.com:"+port), message); o.OK() || !strings.Contains(o.Error, "link-local") {
		t.Errorf("%+v", o)
	}
}

func TestLiteralAddressesAreMeant(t *testing.T) {
	url, got := receiver(t, status(200))
	port := url[strings.LastIndex(url, ":")+1:]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		if o := sender().Send(t.Context(), hook("http://"+host+":"+port), message); !o.OK() {
			t.Errorf("%s: %+v", host, o)
		}
	}
	if len(*got) != 3 {
		t.Errorf("%d requests came", len(*got))
	}
	for _, host := range []string{"169.254.169.254", "[fe80::1]", "0.0.0.0", "[::]"} {
		if o := sender().Send(t.Context(), hook("http://"+host+":"+port), message); o.OK() || strings.Contains(o.Error, "cannot be reached") {
			t.Errorf("%s: %+v", host, o)
		}
	}
	s := sender()
	s.Resolver = names(t, "10.0.0.1") // a private address, whatever the system's resolver says
	if o := s.Send(t.Context(), hook("http://localhost.example:"+port), message); o.OK() {
		t.Error("a name that only begins with localhost is taken for it")
	}
}

func TestNothingOfAnAddressIsInAnError(t *testing.T) {
	closed := httptest.NewServer(status(200))
	closed.Close()
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	go func() {
		for {
			c, err := raw.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "hunter2 is what I say\r\n\r\n")
			_ = c.Close()
		}
	}()
	for _, target := range []string{
		closed.URL + "/hunter2", "https://" + closed.Listener.Addr().String() + "/hunter2", "http://ann:hunter2@" + raw.Addr().String() + "/hunter2",
		"https://" + raw.Addr().String() + "/hunter2", "ftp://127.0.0.1/hunter2", "http://[hunter2", "http:///hunter2", "\x00hunter2",
	} {
		if o := sender().Send(t.Context(), hook(target), message); o.OK() || o.Final || strings.Contains(o.Error, "hunter2") {
			t.Errorf("%q: %+v", target, o)
		}
	}
}

func TestAReceiverThatHangsIsLeft(t *testing.T) {
	ended := make(chan struct{})
	url, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(ended) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if o := sender().Send(ctx, hook(url), message); o.OK() || o.Final || !strings.Contains(o.Error, "in time") {
		t.Errorf("%+v", o)
	}
	<-ended
}

func command(target string) delivery.Channel {
	return delivery.Channel{Type: delivery.Exec, Target: target}
}

func TestACommandGetsTheItemOnItsStandardInput(t *testing.T) {
	s := sender()
	s.Dir = t.TempDir()
	script := `cat > item; echo "$TASKER_ITEM_KIND $TASKER_TASK $TASKER_PROJECT" > names; env > all; yes | head -c 3000000`
	if o := s.Send(t.Context(), command(script), message); !o.OK() {
		t.Fatal(o.Error)
	}
	for name, want := range map[string]string{"item": message.Body, "names": "blocking_question demo-1 demo\n"} {
		if got, err := os.ReadFile(filepath.Join(s.Dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	all, err := os.ReadFile(filepath.Join(s.Dir, "all"))
	if err != nil || strings.Contains(string(all), "whsec_") {
		t.Errorf("its environment is %s, %v", all, err)
	}
}

func TestHowACommandEndsDecides(t *testing.T) {
	for target, want := range map[string]string{
		`echo hunter2; exit 3`:        "its command ended with the exit code 3",
		`no-such-program-here`:        "its command ended with the exit code 127",
		`kill -9 $$`:                  "its command ended with the exit code -1",
		`exec cat /hunter2 2>&1; ":`:  "its command ended with the exit code 2",
		`trap 'exit 0' TERM; exit 1`:  "its command ended with the exit code 1",
		`cat >/dev/null; echo >&2 ""`: "",
	} {
		if o := sender().Send(t.Context(), command(target), message); o.Error != want || o.Final {
			t.Errorf("%s: %+v", target, o)
		}
	}
}

func TestACommandThatHangsIsEndedWithItsGroup(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	o := sender().Send(ctx, command(`trap "" TERM; sleep 1000 & wait`), message)
	if o.OK() || !strings.Contains(o.Error, "in time") || time.Since(began) > 4*time.Second {
		t.Errorf("%+v after %s", o, time.Since(began))
	}
}
