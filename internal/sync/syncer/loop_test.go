package syncer_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/links"
	"tasker/internal/sync/syncer"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/jiratest"
	"tasker/internal/work"
)

func TestOneServerPullsAProjectAndLogsAPlanOnce(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		site := jiratest.New(true)
		defer site.Close()
		k.ConfigFile = fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": %q, "projects": ["DEMO"]}}}`, site.URL)
		k.Tasks(`{"key": "a", "title": "A"}`)
		site.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "A" })
		_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-1"})
		k.Must(err)
		var log bytes.Buffer
		server := func(name string) *syncer.Loop {
			return &syncer.Loop{Syncer: linkedTo(k, site), Projects: k.Reading.Projects, Every: time.Hour, Holder: name, Log: slog.New(slog.NewTextHandler(&log, nil))}
		}
		one, other := server("one"), server("other")
		ctx := syncer.Background(t.Context())
		one.Once(ctx)
		asked := site.Asked("search")
		other.Once(ctx) // the first has the lease
		if n := site.Asked("search"); asked == 0 || n != asked {
			t.Errorf("%d requests by the first, %d more by the second", asked, n-asked)
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "in_review"})
		planned := func() int { return strings.Count(log.String(), "planned, not sent") }
		one.Once(ctx)
		one.Once(ctx)
		if planned() != 1 {
			t.Errorf("a write was logged %d times: %s", planned(), log.String())
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		one.Once(ctx)
		one.Once(ctx)
		if planned() != 2 {
			t.Errorf("two writes were logged %d times: %s", planned(), log.String())
		}

		pulls := func() bool {
			out, err := k.Links.Sync(coretest.Ann, core.ProjectIn{Slug: "demo"})
			k.Must(err)
			return out.Loop != nil
		}
		coretest.Equal(k, "a server pulls", pulls(), true)
		ended, end := context.WithCancel(t.Context())
		end()
		other.Run(ended) // it has no loop to give up
		coretest.Equal(k, "a server pulls once another has ended", pulls(), true)
		one.Run(ended)
		coretest.Equal(k, "a server pulls once it has ended", pulls(), false)
	})
}

// ends is a log that calls a function at its first line.
type ends struct {
	bytes.Buffer
	end func()
}

func (e *ends) Write(p []byte) (int, error) {
	e.end()
	return e.Buffer.Write(p)
}

func TestALoopWithNothingToPullSaysSoAtItsStart(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		ctx, end := context.WithCancel(t.Context())
		log := &ends{end: end}
		l := &syncer.Loop{
			Syncer: &syncer.Syncer{Links: k.Links}, Projects: k.Reading.Projects,
			Every: time.Hour, Holder: "one", Log: slog.New(slog.NewTextHandler(log, nil)),
		}
		l.Run(ctx)
		if !strings.Contains(log.String(), "no project is linked to another system") {
			t.Errorf("it says %s", log.String())
		}
	})
}

// TestAPullOfManyIssues checks that a pull makes one request per page and takes the same memory for
// any number of issues, and that the next one writes nothing.
func TestAPullOfManyIssues(t *testing.T) {
	coretest.EachAlone(t, func(k *coretest.Kit) {
		const many, bound, most = 10_000, 50, 24 << 20
		site := jiratest.New(true)
		defer site.Close()
		k.ConfigFile = fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": %q, "projects": ["DEMO"]}}}`, site.URL)
		var tasks []string
		for n := range bound + 1 {
			tasks = append(tasks, fmt.Sprintf(`{"key": "k%d", "title": "T"}`, n))
		}
		k.Tasks(strings.Join(tasks, ", "))
		for n := range many {
			site.Put(fmt.Sprintf("DEMO-%d", n+1), func(i *jiratest.Issue) { i.Description = strings.Repeat("words ", 100) })
		}
		for n := range bound {
			_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: fmt.Sprintf("demo-%d", n+1), Ref: fmt.Sprintf("DEMO-%d", n*150+1)})
			k.Must(err)
		}
		_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: fmt.Sprintf("demo-%d", bound+1), Ref: "DEMO-99999"}) // does not exist
		k.Must(err)
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		start, grown, steps := heap(), uint64(0), 0
		s := linkedTo(k, site)
		out, err := s.Pull(coretest.Ann, "demo", false, func(int) {
			if steps++; steps%25 == 0 {
				grown = max(grown, heap()-min(start, heap()))
			}
		})
		k.Must(err)
		if pages := site.Asked("search"); out.Read != many || len(out.Updated) != bound || pages != many/100 || steps != pages {
			t.Errorf("%d read, %d updated by %d requests, progress %d times", out.Read, len(out.Updated), pages, steps)
		}
		if w := strings.Join(out.Warnings, " "); !strings.Contains(w, "DEMO-99999 does not exist at the tracker") || strings.Count(w, "DEMO-99999") != 1 {
			t.Errorf("%q", w)
		}
		if grown > most {
			t.Errorf("it took %d bytes", grown)
		}
		site.Pass(time.Hour)
		site.Delete("DEMO-1")
		events := len(k.Events(""))
		out, err = s.Pull(coretest.Ann, "demo", false, nil)
		k.Must(err)
		if n := len(k.Events("")) - events; n != 0 || len(out.Updated) != 0 {
			t.Errorf("pulling again wrote %d events: %+v", n, out)
		}
	})
}
