package syncer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/links"
	"tasker/internal/site"
	"tasker/internal/sync/jira"
	"tasker/internal/sync/syncer"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/jiratest"
	"tasker/internal/work"
)

// histories is how many seeded histories run on a database: fewer on PostgreSQL, where each takes
// four times as long. TASKER_HISTORIES overrides it, and TASKER_SEED names a single one.
func histories(k *coretest.Kit) int {
	if n, err := strconv.Atoi(os.Getenv("TASKER_HISTORIES")); err == nil {
		return n
	}
	if strings.HasSuffix(k.Name(), "/postgres") {
		return 8
	}
	return 50
}

// onceFailed lists histories that found a bug: a write that had arrived although its answer was
// lost.
var onceFailed = []int{4381}

// TestBothSidesConverge runs histories in which people change both sides and the site misbehaves. A
// pull changes no field that we own, no change made here is lost without a conflict, nothing exists
// twice, and once every conflict is resolved both sides are equal.
func TestBothSidesConverge(t *testing.T) {
	t.Parallel() // most of a history is waiting for the disk
	coretest.Each(t, func(k *coretest.Kit) {
		if seed, err := strconv.Atoi(os.Getenv("TASKER_SEED")); err == nil {
			live(k, uint64(seed))
			return
		}
		n := histories(k)
		for seed := range n {
			live(k, uint64(seed))
		}
		for _, seed := range onceFailed {
			if seed >= n {
				live(k, uint64(seed))
			}
		}
		k.Healthy()
	})
}

// history is one such history.
type history struct {
	*coretest.Kit
	*syncer.Syncer
	r       *rand.Rand
	site    *jiratest.Site
	slug    string
	ours    merge.Values // as they must be here
	dirty   map[string]bool
	was     map[string]string // value of a dirty field before it was changed here
	owners  map[string]merge.Owner
	deleted bool
}

func live(k *coretest.Kit, seed uint64) {
	k.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	h := &history{
		Kit: k, r: r, site: jiratest.New(r.IntN(2) == 0), slug: fmt.Sprintf("h%d", seed), dirty: map[string]bool{}, was: map[string]string{},
		owners: map[string]merge.Owner{},
	}
	defer h.site.Close()
	h.Syncer = &syncer.Syncer{Links: k.Links, Plans: k.Planning, Open: func(context.Context, string) (syncer.Link, error) {
		c, err := jira.New(jira.Options{URL: h.site.URL, Trust: site.Trusting(h.site.URL), User: h.site.User, Token: h.site.Token, Status: jiratest.Map, Fields: jiratest.Fields,
			Pause: func(context.Context, time.Duration) error { return nil }})
		return syncer.Link{Tracker: c, Projects: []string{"DEMO"}}, err
	}}
	k.Apply(fmt.Sprintf(`{"project": %q, "tasks": [{"key": "a", "title": "A"}]}`, h.slug))
	h.site.Put("DEMO-1", func(i *jiratest.Issue) { i.Summary = "A" })
	_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: h.id(), Ref: "DEMO-1"})
	k.Must(err)
	if preset := []string{"split", "local", "tracker"}[r.IntN(3)]; preset != "split" {
		_, err := k.Links.SetOwnership(coretest.Ann, links.OwnershipSetIn{Slug: h.slug, Changes: []string{preset}})
		k.Must(err)
	}
	h.know()
	h.site.Misbehave(seed)
	for range 5 + r.IntN(15) {
		h.step()
		if k.Failed() {
			k.Fatalf("seed %d", seed)
		}
	}
	h.converge()
	if k.Failed() {
		k.Fatalf("seed %d", seed)
	}
}

func (h *history) id() string { return h.slug + "-1" }

// know reads who owns what, and the values here.
func (h *history) know() {
	own, err := h.Links.Ownership(coretest.Ann, core.ProjectIn{Slug: h.slug})
	h.Must(err)
	for _, f := range own.Fields {
		h.owners[f.Field] = merge.Owner(f.Owner)
	}
	h.ours = merge.Of(h.Task(h.id()))
}

var fields = []string{"title", "body", "priority", "status", "severity", "due"}

// value returns some value of a field.
func (h *history) value(field string) string {
	n := h.r.IntN(3)
	switch field {
	case "title":
		return "T" + strconv.Itoa(n)
	case "priority":
		return strconv.Itoa(n)
	case "severity":
		return strconv.Itoa(n + 1)
	case "status":
		return []string{"open", "in_review", "done"}[n]
	case "due":
		return "2031-01-0" + strconv.Itoa(n+1)
	}
	return []string{"", "one", "one\ntwo\n\nthree"}[n]
}

func (h *history) step() {
	h.Helper()
	switch field := fields[h.r.IntN(len(fields))]; h.r.IntN(7) {
	case 0, 1:
		h.editHere(field, h.value(field))
	case 2, 3:
		h.editThere(field, h.value(field))
	case 4:
		h.pull()
	case 5:
		_, _ = h.Push(coretest.Ann, h.slug, false)
		h.know()
	case 6:
		h.resolve(true)
	}
}

func (h *history) editHere(field, value string) {
	h.Helper()
	if field == "status" {
		h.Move(coretest.Ann, work.MoveIn{Task: h.id(), To: value})
	} else {
		text := strconv.Quote(value)
		if field == "priority" || field == "severity" {
			text = value
		}
		h.Edit(coretest.Ann, h.id(), fmt.Sprintf(`{%q: %s}`, field, text))
	}
	if h.ours[field] == value {
		return
	}
	if !h.dirty[field] {
		h.was[field] = h.ours[field]
	}
	h.ours[field], h.dirty[field] = value, value != h.was[field] // a field that was changed back is not dirty
}

func (h *history) editThere(field, value string) {
	if h.deleted {
		return
	}
	h.site.Put("DEMO-1", func(i *jiratest.Issue) {
		switch field {
		case "title":
			i.Summary = value
		case "body":
			i.Description = value
		case "priority":
			n, _ := strconv.Atoi(value)
			i.Priority = []string{"Highest", "High", "Medium", "Low"}[n]
		case "severity":
			i.Severity = value
		case "due":
			i.Due = value
		case "status":
			i.Status = map[string]string{"open": "To Do", "in_review": "In Review", "done": "Done"}[value]
		}
	})
}

// theirs returns the values there.
func (h *history) theirs() merge.Values {
	i := h.site.Get("DEMO-1")
	n := map[string]string{"Highest": "0", "High": "1", "Medium": "2", "Low": "3"}[i.Priority]
	st := map[string]string{"To Do": "open", "In Progress": "in_progress", "In Review": "in_review", "Done": "done", "Won't Do": "cancelled"}[i.Status]
	return merge.Values{"title": i.Summary, "body": i.Description, "priority": n, "severity": i.Severity, "due": i.Due, "status": st}
}

// pull pulls, and checks that it changed none of our fields.
func (h *history) pull() {
	h.Helper()
	if h.r.IntN(20) == 0 {
		h.site.Delete("DEMO-1") // absence is never deletion
		h.deleted = true
	}
	first := h.Show(h.id()).Bindings[0].SyncedAt == 0
	_, err := h.Pull(coretest.Ann, h.slug, false, nil)
	now, theirs := merge.Of(h.Task(h.id())), h.theirs()
	for _, f := range fields {
		changed := now[f] != h.ours[f]
		switch {
		case changed && err != nil:
			h.Errorf("a pull that failed changed %s from %q to %q: %v", f, h.ours[f], now[f], err)
		case changed && h.owners[f] == merge.Local:
			h.Errorf("%s is ours, and a pull changed it from %q to %q", f, h.ours[f], now[f])
		case changed && h.dirty[f] && !first:
			h.Errorf("%s was changed here to %q, and a pull made it %q", f, h.ours[f], now[f])
		}
		if now[f] == theirs[f] {
			h.dirty[f] = false
		}
	}
	h.ours = now
}

// resolve settles every conflict at random.
func (h *history) resolve(deferring bool) {
	h.Helper()
	out, err := h.Links.Conflicts(coretest.Ann, core.ProjectIn{Slug: h.slug})
	h.Must(err)
	seen := map[string]bool{}
	for _, c := range out.Items {
		if seen[c.Field] {
			h.Errorf("there are two conflicts about %s", c.Field)
		}
		seen[c.Field] = true
		ways := []string{merge.KeepLocal, merge.TakeRemote, merge.SetValue, merge.HandOver, merge.Defer}
		if !deferring {
			ways = ways[:4]
		}
		in := links.ResolveIn{Conflict: c.ID, Resolution: ways[h.r.IntN(len(ways))]}
		if in.Resolution == merge.SetValue {
			in.Value = new(h.value(c.Field))
		}
		_, err := h.Links.Resolve(coretest.Ann, in)
		h.Must(err)
		h.dirty[c.Field] = false
	}
	h.know()
}

// converge lets the site behave, resolves and sends everything, and checks that both sides are
// equal.
func (h *history) converge() {
	h.Helper()
	h.site.Behave()
	for range 4 {
		_, err := h.Pull(coretest.Ann, h.slug, false, nil)
		h.Must(err)
		h.resolve(false)
		plan, err := h.Links.Plan(coretest.Ann, core.ProjectIn{Slug: h.slug})
		h.Must(err)
		for _, w := range plan.Writes { // do not wait until they are due
			_, err := h.Links.Retry(coretest.Ann, links.WriteIn{ID: w.ID})
			h.Must(err)
		}
		_, err = h.Push(coretest.Ann, h.slug, false)
		h.Must(err)
	}
	if h.deleted {
		return // there is nothing to compare with
	}
	now, theirs := merge.Of(h.Task(h.id())), h.theirs()
	for _, f := range fields {
		if now[f] != theirs[f] {
			h.Errorf("%s is %q here and %q there", f, now[f], theirs[f])
		}
	}
	sync, err := h.Links.Sync(coretest.Ann, core.ProjectIn{Slug: h.slug})
	h.Must(err)
	if l := sync.Links[0]; l.Conflicts+l.PendingWrites+l.FailedWrites != 0 || l.Error != "" || l.Auth != merge.AuthOK {
		h.Errorf("%+v", l)
	}
	events := len(h.Events(h.id()))
	out, err := h.Pull(coretest.Ann, h.slug, false, nil)
	h.Must(err)
	if n := len(h.Events(h.id())); n != events || len(out.Updated)+out.Conflicts+out.Planned != 0 {
		h.Errorf("pulling again wrote %d events: %+v", n-events, out)
	}
}
