package faults

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// receiver is a webhook's other end: it records what it gets, and answers as the test wants.
type receiver struct {
	w       *world
	url     string
	arrived chan delivered

	mu     sync.Mutex
	status int           // 0: 200
	hang   chan struct{} // nil: it answers at once
}

// delivered is a request that arrived.
type delivered struct {
	message string // webhook-id
	task    string
	why     string
}

func (w *world) receiver() *receiver {
	r := &receiver{w: w, arrived: make(chan delivered, 1000)}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var item struct {
			Task string `json:"task"`
			Why  string `json:"why"`
		}
		if err == nil {
			err = json.Unmarshal(body, &item)
		}
		if err != nil {
			w.Errorf("%s came: %v", body, err)
		}
		r.mu.Lock()
		status, hang := r.status, r.hang
		r.mu.Unlock()
		r.arrived <- delivered{req.Header.Get("webhook-id"), item.Task, item.Why}
		if hang != nil {
			select {
			case <-hang:
			case <-req.Context().Done():
			}
		}
		if status != 0 {
			rw.WriteHeader(status)
		}
	}))
	r.url = s.URL
	w.Cleanup(s.Close)
	return r
}

func (r *receiver) answer(status int, hang chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.hang = status, hang
}

// next returns the next delivery.
func (r *receiver) next() delivered {
	r.w.Helper()
	select {
	case d := <-r.arrived:
		return d
	case <-time.After(patience):
		r.w.Fatal("nothing came")
		return delivered{}
	}
}

// none checks that nothing more has arrived.
func (r *receiver) none() {
	r.w.Helper()
	select {
	case d := <-r.arrived:
		r.w.Errorf("%+v came too", d)
	default:
	}
}

// channels declares webhooks.
func (w *world) channels(targets ...*receiver) {
	w.Helper()
	var list []string
	for _, t := range targets {
		list = append(list, `{"type": "webhook", "target": "`+t.url+`/in"}`)
	}
	text := strings.TrimSuffix(settings, "}") + `, "notifications": {"channels": [` + strings.Join(list, ",") + `]}}`
	w.must(os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte(text), 0o600))
}

// ask asks a blocking question through a server.
func (s *server) ask(n int, text string) {
	s.w.Helper()
	s.post(who{}, fmt.Sprintf("/v1/tasks/demo-%d/questions", n), object{"text": text, "blocking": true}, nil)
}

// deliveries waits until n deliveries are in a state.
func (w *world) deliveries(state string, n int) {
	w.Helper()
	var log []object
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * pause) {
		log = nil
		w.must(json.Unmarshal(w.tasker("ann", "notify", "log", "--state", state, "--json"), &log))
		if len(log) == n {
			return
		}
	}
	w.Fatalf("%d deliveries are %s, and not %d: %v", len(log), state, n, log)
}

func TestAServerThatIsKilledBeforeADeliveryMakesItAfterItsRestart(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		r := w.receiver()
		w.channels(r)
		w.apply(plain(2))
		s := w.serve("bot")
		hang := make(chan struct{})
		r.answer(500, hang)
		s.ask(1, "before")
		first := r.next() // it is being sent, and nobody knows yet how it ends
		s.ask(2, "behind it")
		s.kill()
		close(hang)
		r.answer(0, nil)
		w.exec(w.engine(), `UPDATE channel SET expires_at = 1`) // a quarter of a minute later
		s = w.serve("bot")
		if again := r.next(); again != first || again.task != "demo-1" {
			w.Errorf("%+v came before, and %+v after the restart", first, again)
		}
		if then := r.next(); then.task != "demo-2" {
			w.Errorf("then came %+v", then)
		}
		w.deliveries("delivered", 2)
		s.stop()
		r.none()
		w.healthy()
	})
}

func TestOfTwoServersEachItemComesOnceAndInOrder(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		r := w.receiver()
		w.channels(r)
		w.apply(plain(12))
		servers := []*server{w.serve("bot"), w.serve("bot")}
		for n := 1; n <= 12; n++ {
			servers[n%2].ask(n, "which?")
			if n == 6 { // the other server takes over its lease
				servers[0].stop()
				servers[0] = servers[1]
			}
		}
		// If the machine freezes in the middle of a delivery, that delivery is repeated: once, not by both servers.
		var last delivered
		again := 0
		for n := 1; n <= 12; n++ {
			got := r.next()
			if got == last && again == 0 {
				again++
				got = r.next()
			}
			if last = got; got.task != fmt.Sprintf("demo-%d", n) {
				w.Errorf("delivery %d is %s", n, got.task)
			}
		}
		w.deliveries("delivered", 12)
		servers[1].stop()
		r.none()
	})
}

func TestAChannelThatHangsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		slow, quick := w.receiver(), w.receiver()
		w.channels(slow, quick)
		w.apply(plain(3))
		hang := make(chan struct{})
		slow.answer(0, hang)
		s := w.serve("bot")
		s.ask(1, "one")
		slow.next()
		for n := 1; n <= 3; n++ {
			if n > 1 {
				s.ask(n, "more")
			}
			if got := quick.next(); got.task != fmt.Sprintf("demo-%d", n) {
				w.Errorf("%s came, and not demo-%d", got.task, n)
			}
		}
		slow.answer(0, nil)
		close(hang)
		got := slow.next()
		for got.task == "demo-1" { // again, if it hung for too long
			got = slow.next()
		}
		if then := slow.next(); got.task != "demo-2" || then.task != "demo-3" {
			w.Errorf("then came %s and %s", got.task, then.task)
		}
		s.stop()
	})
}

func TestABusyReceiverIsTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		r := w.receiver()
		w.channels(r)
		w.apply(plain(1))
		s := w.serve("bot")
		r.answer(503, nil)
		s.ask(1, "which?")
		first := r.next()
		r.answer(0, nil)
		if again := r.next(); again != first {
			w.Errorf("%+v came after %+v", again, first)
		}
		s.stop()
	})
}

func TestACommandThatGoesOnTellsOfWhatItCausedMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		r := w.receiver()
		w.channels(r)
		w.apply(plain(2))
		cmd := w.command(t.Context(), "bot", "ask", "demo-1", "which?", "--blocking", "--wait", "1m")
		w.must(cmd.Start())
		asked := r.next()
		var events []struct {
			ID int64 `json:"id"`
		}
		w.must(json.Unmarshal(w.tasker("ann", "events", "--kind", "question.asked", "--json"), &events))
		w.tasker("ann", "answer", fmt.Sprint(events[0].ID), "this one")
		w.must(cmd.Wait())
		if asked.task != "demo-1" {
			w.Errorf("%+v", asked)
		}

		tools := w.command(t.Context(), "bot", "mcp")
		in, err := tools.StdinPipe()
		w.must(err)
		w.must(tools.Start())
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasker_ask","arguments":{"id":"demo-2","text":"from a tool","blocking":true}}}`,
		} {
			_, err := io.WriteString(in, line+"\n")
			w.must(err)
		}
		if got := r.next(); got.task != "demo-2" || !strings.Contains(got.why, "from a tool") {
			w.Errorf("%+v", got)
		}
		w.must(in.Close())
		w.must(tools.Wait())
		r.none()
	})
}

func TestACommandEndsWhateverTheReceiverDoes(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		r := w.receiver()
		w.channels(r)
		w.apply(plain(2))
		hang := make(chan struct{})
		defer close(hang)
		r.answer(0, hang)
		w.tasker("bot", "ask", "demo-1", "which?", "--blocking")
		first := r.next()
		w.deliveries("pending", 1)
		r.answer(0, nil)
		if out := string(w.tasker("ann", "notify", "flush", "--json")); out != `{"delivered":1,"failed":0,"pending":0}`+"\n" {
			w.Errorf("%s", out)
		}
		if again := r.next(); again != first {
			w.Errorf("%+v came, and then %+v", first, again)
		}
	})
}
