package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// log is a feed of a fixed list of events that cuts each connection after a few of them.
type log struct {
	events []task.Event
	each   int
	froms  []int64
}

func (l *log) Newest(context.Context) (int64, error) { return l.events[len(l.events)-1].ID, nil }

func (l *log) Follow(ctx context.Context, _ reading.EventsIn, from int64, send func([]task.Event) error) error {
	l.froms = append(l.froms, from)
	var page []task.Event
	for _, e := range l.events {
		if e.ID > from && len(page) < l.each {
			page = append(page, e)
		}
	}
	if len(page) > 0 {
		if err := send(page); err != nil {
			return err
		}
		return errors.New("cut off")
	}
	<-ctx.Done()
	return ctx.Err()
}

func eventsUpTo(n int64) []task.Event {
	var out []task.Event
	for i := int64(1); i <= n; i++ {
		out = append(out, task.Event{ID: i, Kind: task.NoteAdded, Payload: jsontext.Value(`{}`)})
	}
	return out
}

func TestFollowingMissesNothingAndDoublesNothingAcrossBrokenConnections(t *testing.T) {
	l := &log{events: eventsUpTo(10), each: 3}
	url := serve(t, &behind{do: func(*op.Op, any) (any, error) { return []task.Event{}, nil }}, func(o *httpapi.Options) { o.Feed = l })
	c, _ := dial(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []int64
	err := c.Follow(ctx, reading.EventsIn{Project: "demo"}, 2, func(page []task.Event) error {
		for _, e := range page {
			got = append(got, e.ID)
		}
		if len(got) == 8 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(got, []int64{3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("%v, %v; connections began after %v", got, err, l.froms)
	}
}

func TestFollowingEndsWhenItsReaderSaysSo(t *testing.T) {
	l := &log{events: eventsUpTo(3), each: 1}
	url := serve(t, &behind{do: func(*op.Op, any) (any, error) { return []task.Event{}, nil }}, func(o *httpapi.Options) { o.Feed = l })
	c, _ := dial(t, url, nil)
	enough := errors.New("enough")
	if err := c.Follow(t.Context(), reading.EventsIn{}, 0, func([]task.Event) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}

func TestFollowingWhatIsRefusedIsRefused(t *testing.T) {
	l := &log{events: eventsUpTo(1), each: 1}
	url := serve(t, &behind{do: func(*op.Op, any) (any, error) { return nil, fault.Missing("no such project") }}, func(o *httpapi.Options) { o.Feed = l })
	c, slept := dial(t, url, nil)
	err := c.Follow(t.Context(), reading.EventsIn{Project: "nope"}, 0, func([]task.Event) error { return nil })
	if !fault.Is(err, fault.NotFound) || len(slept.all) != 0 {
		t.Errorf("%v after %v", err, slept.all)
	}
}

func TestFollowingGivesUpOnAServerThatStaysAway(t *testing.T) {
	c, slept := dial(t, "http://127.0.0.1:1", nil)
	err := c.Follow(t.Context(), reading.EventsIn{}, 0, func([]task.Event) error { return nil })
	if !fault.Is(err, fault.Unavailable) || len(slept.all) != 10 || slept.all[9] != 5*time.Second {
		t.Errorf("%v after %v", err, slept.all)
	}
}

func TestAnEventThatCannotBeReadEndsTheStream(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "id: 5\ndata: {\"id\":\"five\"}\n\n")
	}))
	defer srv.Close()
	c, _ := dial(t, srv.URL, nil)
	if err := c.Follow(t.Context(), reading.EventsIn{}, 0, func([]task.Event) error { return nil }); !fault.Is(err, fault.Internal) {
		t.Errorf("%v", err)
	}
}
