package faults

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/task"
)

// How many write while others read.
const writers = 64

var writesEach = often(4, 16)

// pager reads the log page by page until it has seen the last event.
type pager struct {
	name  string
	s     *server
	query string
	limit int
	seen  []int64
}

// read continues until it has seen everything up to the last event, which is known only when nobody writes any more.
// It reads again at once while there is more.
func (p *pager) read(last *atomic.Int64) error {
	since := int64(0)
	stop := time.Now().Add(patience)
	for {
		end := last.Load() // before the page: what it says was committed before the page is read
		r, err := p.s.call(who{}, fmt.Sprintf("/v1/events?limit=%d&since_id=%d%s", p.limit, since, p.query), nil)
		if err != nil {
			return err
		}
		if r.status != 200 {
			return fmt.Errorf("%d %s", r.status, r.body)
		}
		var page []task.Event
		if err := r.into(&page); err != nil {
			return err
		}
		for _, e := range page {
			p.seen = append(p.seen, e.ID)
			since = e.ID
		}
		if len(page) == 0 && end > 0 || since == end && end > 0 {
			return nil
		}
		if time.Now().After(stop) {
			return fmt.Errorf("the last event seen is %d", since)
		}
		if len(page) == 0 {
			time.Sleep(pause / 10)
		}
	}
}

func TestPagingByIDLosesNothingUnderManyWriters(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", 8))
		w.apply(flat("side", 8))
		servers := []*server{w.serve("bot"), w.serve("bee")}
		var last atomic.Int64 // of the whole history; 0 while it is still being written
		pagers := []*pager{
			{name: "one by one", s: servers[0], limit: 1},
			{name: "by three", s: servers[1], limit: 3},
			{name: "by seven", s: servers[0], limit: 7},
			{name: "by a hundred", s: servers[1], limit: 100},
			{name: "of one project", s: servers[1], limit: 5, query: "&project=side"},
			{name: "of one kind", s: servers[0], limit: 2, query: "&kind=note.added"},
		}
		var reading, writing sync.WaitGroup
		for _, p := range pagers {
			reading.Go(func() {
				if err := p.read(&last); err != nil {
					w.Errorf("%s: %v", p.name, err)
				}
			})
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		streams := make([][]int64, 2)
		for i := range streams {
			reading.Go(func() {
				var err error
				if streams[i], err = servers[i].stream(ctx, &last); err != nil {
					w.Errorf("stream %d: %v", i+1, err)
				}
			})
		}
		for i := range writers {
			writing.Go(func() { servers[i%2].scribble(i) })
		}
		writing.Wait()
		// One more event ends the streams: a stream that has seen it has seen all.
		var note struct {
			ID int64 `json:"id"`
		}
		servers[0].post(who{}, "/v1/tasks/demo-1/notes", object{"text": "the last"}, &note)
		last.Store(note.ID)
		servers[1].post(who{}, "/v1/tasks/demo-1/notes", object{"text": "to wake who waits"}, nil)
		reading.Wait()

		want := make([]int64, note.ID)
		for i := range want {
			want[i] = int64(i + 1)
		}
		whole := &ledger{}
		kinds, projects := map[task.Kind][]int64{}, map[string][]int64{}
		for whole.last < note.ID {
			var page []task.Event
			servers[0].get("/v1/events?limit=1000&since_id="+strconv.FormatInt(whole.last, 10), &page)
			for _, e := range page {
				whole.last = e.ID
				if e.ID <= note.ID {
					kinds[e.Kind] = append(kinds[e.Kind], e.ID)
					projects[string(e.Project)] = append(projects[string(e.Project)], e.ID)
				}
			}
		}
		for _, p := range pagers {
			expected := want
			switch {
			case strings.Contains(p.query, "project"):
				expected = projects["side"]
			case strings.Contains(p.query, "kind"):
				expected = kinds[task.NoteAdded]
			}
			w.sameIDs(p.name, upTo(p.seen, note.ID), expected)
		}
		for i, s := range streams {
			w.sameIDs(fmt.Sprintf("stream %d", i+1), upTo(s, note.ID), want)
		}
		w.Logf("%d events", note.ID)
	})
}

// upTo leaves out what came after the history under test.
func upTo(ids []int64, last int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id > last })
}

func (w *world) sameIDs(name string, got, want []int64) {
	w.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			w.Errorf("%s: %d events, want %d; they differ at %d: %v, want %v", name, len(got), len(want), i,
				got[min(i, len(got)):min(i+5, len(got))], want[min(i, len(want)):min(i+5, len(want))])
			return
		}
	}
}

// scribble writes in many ways: one event, several at once, and requests that are refused and leave none.
func (s *server) scribble(n int) {
	by := who{instance: strconv.Itoa(n)}
	for i := range writesEach {
		project := []string{"demo", "side"}[(n+i)%2]
		path := fmt.Sprintf("/v1/tasks/%s-%d", project, 1+(n+i)%8)
		var r reply
		var err error
		switch i % 8 {
		case 0, 1, 2:
			r, err = s.call(by, path+"/notes", object{"text": fmt.Sprintf("%d wrote %d", n, i)})
		case 3:
			item := object{"kind": "test", "value": strconv.Itoa(i)}
			r, err = s.call(by, path+"/evidence", object{"items": []object{item, item, item}})
		case 4:
			r, err = s.call(by, path+"/claim", object{"leaseMs": 1})
		case 5: // ticked, and then refused: the tick is rolled back
			r, err = s.call(by, path+"/transition", object{"to": "done", "check": []int{1}})
		case 6:
			r, err = s.call(by, path+"/criteria", object{"index": 1, "checked": i%16 < 8})
		default:
			r, err = s.call(by, path+"/edit", object{"title": fmt.Sprintf("%d named it %d", n, i), "expectedVersion": n})
		}
		if err != nil || !slices.Contains([]int{200, 201, 409, 422}, r.status) {
			s.w.Errorf("POST %s: %v %d %s", path, err, r.status, r.body)
			return
		}
	}
}

// stream follows the log as server-sent events from its beginning, until it has seen the last one.
func (s *server) stream(ctx context.Context, last *atomic.Int64) ([]int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events/stream?since_id=0", nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var seen []int64
	var id int64
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "id:"); ok {
			if id, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
				return nil, err
			}
		}
		if !strings.HasPrefix(lines.Text(), "data:") {
			continue
		}
		seen = append(seen, id)
		if end := last.Load(); end > 0 && id > end {
			return seen, nil
		}
	}
	return seen, fmt.Errorf("the stream ended: %w", lines.Err())
}
