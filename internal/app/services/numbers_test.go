package services_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/server/web"
	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// in returns the tasks that are in a state, by number.
func (f facts) in(s task.State) (ids []task.ID) {
	for _, t := range f.tasks {
		if t.State() == s {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// checkNumbers compares every read that lists or counts tasks by state with the records: a list is as long as its count,
// and the counts add up to the number of tasks. Leases that have lapsed but are not swept yet are included.
func (h *saga) checkNumbers(f facts) {
	ctx := as("ann")
	sum := 0
	for i, name := range task.States {
		want := f.in(task.State(i))
		sum += len(want)
		h.checkList(ctx, reading.ListIn{State: name}, want)
	}
	if sum != len(f.tasks) {
		h.t.Fatalf("the states have %d tasks, and there are %d", sum, len(f.tasks))
	}
	yes, no := true, false
	h.checkList(ctx, reading.ListIn{Ready: &yes}, f.in(task.StateReady))
	h.checkList(ctx, reading.ListIn{Blocked: &yes}, f.in(task.StateWaiting))
	for _, c := range []struct {
		in reading.ListIn
		is func(*task.Task) bool
	}{
		{reading.ListIn{}, func(*task.Task) bool { return true }},
		{reading.ListIn{Ready: &no}, func(t *task.Task) bool { return !t.Ready() }},
		{reading.ListIn{Blocked: &no}, func(t *task.Task) bool { return t.State() != task.StateWaiting }},
		{reading.ListIn{Status: "open"}, func(t *task.Task) bool { return t.Status == task.Open }},
		{reading.ListIn{Status: "in_progress"}, func(t *task.Task) bool { return t.Status == task.InProgress }},
		{reading.ListIn{HeldBy: "bee"}, func(t *task.Task) bool { return t.Claim != nil && strings.HasPrefix(t.Claim.Actor, "bee") }},
		{reading.ListIn{HeldBy: "bee/2"}, func(t *task.Task) bool { return t.Claim != nil && t.Claim.Actor == "bee/2" }},
		{reading.ListIn{Q: "t"}, func(t *task.Task) bool { return strings.Contains(strings.ToLower(t.Title), "t") }},
	} {
		var want []task.ID
		for _, t := range f.tasks {
			if c.is(t) {
				want = append(want, t.ID)
			}
		}
		h.checkList(ctx, c.in, want)
	}
	h.checkWork(ctx, f)
	for _, name := range []string{"ann", "bot", "bee", "bee/2"} {
		h.checkIdle(f, name)
	}
}

func (h *saga) checkList(ctx context.Context, in reading.ListIn, want []task.ID) {
	in.Project, in.Limit = h.slug, new(1000)
	out, err := h.s.Reading.List(ctx, in)
	if err != nil {
		h.t.Fatal(err)
	}
	var got []task.ID
	for _, t := range out.Tasks {
		got = append(got, t.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || out.Total != len(want) || out.TotalMore {
		h.t.Fatalf("the list %+v has %v, total %d; want %v", in, got, out.Total, want)
	}
}

// checkWork compares the lists and totals of work, the ready list and the project's own counts.
func (h *saga) checkWork(ctx context.Context, f facts) {
	out, err := h.s.Reading.Work(ctx, reading.WorkIn{Slug: h.slug, Limit: new(1000)})
	if err != nil {
		h.t.Fatal(err)
	}
	want := reading.WorkTotals{
		Ready: len(f.in(task.StateReady)), Blocked: len(f.in(task.StateWaiting)), Asked: len(f.in(task.StateAsked)),
		Held: len(f.in(task.StateHeld)), Unheld: len(f.in(task.StateUnheld)),
	}
	listed := reading.WorkTotals{
		Ready: len(out.Frontier), Blocked: len(out.Blocked), Asked: len(out.Asked), Held: len(out.Leases), Unheld: len(out.Unheld),
	}
	if out.Totals != want || listed != want {
		h.t.Fatalf("work counts %+v and lists %+v, want %+v", out.Totals, listed, want)
	}
	ready, err := h.s.Reading.Ready(ctx, reading.ReadyIn{Slug: h.slug, Limit: new(1000)})
	if err != nil || ready.Total != want.Ready || len(ready.Tasks) != want.Ready {
		h.t.Fatalf("%d of %d are ready, want %d (%v)", len(ready.Tasks), ready.Total, want.Ready, err)
	}
	p, err := h.s.Reading.Project(ctx, core.ProjectIn{Slug: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	var tasks task.Counts
	for _, t := range f.tasks {
		*tasks.Of(t.Status)++
	}
	if diff := gocmp.Diff(tasks, p.Tasks); diff != "" {
		h.t.Fatalf("the project's counts (-want +got):\n%s", diff)
	}
}

// checkIdle compares the answer of next to an actor that finds no task.
func (h *saga) checkIdle(f facts, name string) {
	who := core.CallerOf(as(name)).Actor
	want, holdable, open := work.Idle{}, 0, 0
	for _, t := range f.tasks {
		if !t.Status.Closed() {
			open++
		}
		if t.WaitsForHuman(houseRules) {
			want.WaitingForHuman++
		}
		switch t.State() {
		case task.StateReady:
			switch {
			case houseRules.MayHold(who, t.Autonomy, t.MayExecute) == nil:
				holdable++
			case !houseRules.ForPeople(t.Autonomy):
				want.NotForYou++
			}
		case task.StateHeld:
			if t.Claim.Actor == name {
				want.Yours++
			} else {
				want.Held++
			}
			if at := t.Claim.ExpiresAt; at != 0 && (want.NextExpiry == 0 || at < want.NextExpiry) {
				want.NextExpiry = at
			}
		case task.StateUnheld:
			want.Unheld++
		case task.StateWaiting:
			want.Blocked++
		}
	}
	want.Finished = open == 0
	out, err := h.s.Work.Peek(as(name), work.PeekIn{Project: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	if (out.Task != nil) != (holdable > 0) || (out.Idle == nil) != (out.Task != nil) {
		h.t.Fatalf("%s may hold %d, and is offered %+v, idle %+v", name, holdable, out.Task, out.Idle)
	}
	if out.Idle != nil {
		want.WaitMs = out.Idle.WaitMs
		if (want.WaitMs > 0) != (want.Held > 0) {
			h.t.Fatalf("%s is told to wait for %d ms, and others hold %d", name, want.WaitMs, want.Held)
		}
	}
	if out.Idle == nil {
		return
	}
	counted, others := 0, 0 // that are counted as waiting for somebody else, and that will be for somebody else
	for _, t := range f.tasks {
		if t.State() == task.StateWaiting && !t.KeptBack() && houseRules.MayHold(who, t.Autonomy, t.MayExecute) != nil {
			others++
		}
	}
	for j, w := range out.Idle.Waits {
		if w.Kind != work.WaitsForTask {
			counted++
		}
		i := slices.IndexFunc(f.tasks, func(t *task.Task) bool { return t.ID == w.Task })
		if t := f.tasks[i]; w.Title != t.Title || !t.WaitsForHuman(houseRules) && houseRules.MayHold(who, t.Autonomy, t.MayExecute) == nil ||
			(w.Kind == work.WaitsForTask) != (j >= want.WaitingForHuman+want.NotForYou) {
			h.t.Fatalf("%s is told that %s waits: %+v", name, t.ID, w)
		}
	}
	if n := len(out.Idle.Waits); n != min(20, want.WaitingForHuman+want.NotForYou+others) || counted != min(20, want.WaitingForHuman+want.NotForYou) {
		h.t.Fatalf("%s is told that %d wait: %+v", name, n, out.Idle)
	}
	want.Waits = out.Idle.Waits
	if diff := gocmp.Diff(want, *out.Idle); diff != "" {
		h.t.Fatalf("what %s is told (-want +got):\n%s", name, diff)
	}
}

// page returns the text of a page as ann sees it in the snapshot.
func (h *saga) page(f facts, path string) string {
	h.at = f.now
	w := httptest.NewRecorder()
	h.pages.ServeHTTP(w, httptest.NewRequestWithContext(as("ann"), http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		h.t.Fatalf("%s answers %d: %s", path, w.Code, w.Body)
	}
	return regexp.MustCompile(`\s+`).ReplaceAllString(w.Body.String(), " ")
}

// serve makes the pages once for all reads of a history: reading their templates costs much more than a page.
func (h *saga) serve() {
	mux := http.NewServeMux()
	for pattern, serve := range web.Routes(web.Options{Ops: op.NewLocal(h.s.All()...), Now: func() time.Time { return h.at() }, Version: "test"}) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	h.pages = mux
}

// number returns the number that a pattern finds on a page, or 0 if there is no match.
func number(page, pattern string) int {
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// checkPages reads the numbers on the pages: they equal those of the operations, and lists are as long as they say.
func (h *saga) checkPages(f facts) {
	overview := h.page(f, "/p/"+h.slug)
	sum := 0
	for i, name := range task.States { // a state without tasks may have no tile
		tile := `<a href="/p/` + h.slug + `/tasks\?state=` + name + `"><b>(\d+)</b>`
		if task.State(i) == task.StateAsked { // its tile counts the mark, held ones included
			tile = `<small>\+(\d+) for an answer</small>`
		}
		n, want := number(overview, tile), len(f.in(task.State(i)))
		if n != want {
			h.t.Fatalf("the overview says that %d are %s, want %d", n, name, want)
		}
		sum += n
	}
	if sum != len(f.tasks) {
		h.t.Fatalf("the numbers of the overview add up to %d, and there are %d tasks", sum, len(f.tasks))
	}
	for i, name := range task.States {
		page := h.page(f, "/p/"+h.slug+"/tasks?state="+name)
		want := len(f.in(task.State(i)))
		if n, rows := number(page, `<h1>Tasks <small>(\d+)</small>`), strings.Count(page, "<tr data-key="); n != want || rows != min(want, core.DefaultLimit) {
			h.t.Fatalf("the page of %s tasks says %d and lists %d, want %d", name, n, rows, want)
		}
	}
	for _, mark := range task.Marks {
		n := number(overview, `<a href="/p/`+h.slug+`/tasks\?mark=`+mark+`"><b>(\d+)</b>`)
		if listed := number(h.page(f, "/p/"+h.slug+"/tasks?mark="+mark), `<h1>Tasks <small>(\d+)</small>`); n != listed {
			h.t.Fatalf("the tile %s says %d, and its list %d", mark, n, listed)
		}
	}
	workPage := h.page(f, "/p/"+h.slug+"/work")
	for heading, s := range map[string]task.State{
		"Ready": task.StateReady, "Held": task.StateHeld, "Waiting": task.StateWaiting, "Kept back by a question": task.StateAsked,
		"In progress, held by nobody": task.StateUnheld,
	} {
		want := len(f.in(s))
		if n := number(workPage, `<h2>`+heading+` <small>(?:<a [^>]*>\d+ of )?(\d+)`); n != want {
			h.t.Fatalf("the work page says %d below %q, want %d", n, heading, want)
		}
	}
	held := len(f.in(task.StateHeld))
	if n := number(h.page(f, "/p/"+h.slug+"/machine"), `workers? holds? (\d+) tasks?`); n != held {
		h.t.Fatalf("the machine page says that %d are held, want %d", n, held)
	}
	inboxOut, err := h.s.Inbox.Inbox(as("ann"), inbox.InboxIn{Slug: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	page := h.page(f, "/p/"+h.slug+"/inbox")
	rows := strings.Count(page, `<li class="need"`)
	for _, alike := range regexp.MustCompile(`<b>(\d+) alike</b>`).FindAllStringSubmatch(page, -1) { // several in one row
		n, _ := strconv.Atoi(alike[1])
		rows += n - 1
	}
	if n := number(page, `<h1>Inbox <small>(\d+)</small>`); n != inboxOut.Total || rows != len(inboxOut.Items) {
		h.t.Fatalf("the inbox page says %d and lists %d, want %d and %d", n, rows, inboxOut.Total, len(inboxOut.Items))
	}
	if n := number(overview, `Needs you</a> <small>(\d+)</small>`); n != inboxOut.Total {
		h.t.Fatalf("the overview says that %d wait for somebody, want %d", n, inboxOut.Total)
	}
	board := h.page(f, "/p/"+h.slug+"/board")
	for lane, state := range map[string]task.State{
		"ready": task.StateReady, "waiting": task.StateWaiting, "in_progress": task.StateHeld, "in_review": task.StateInReview, "done": task.StateDone,
		"waiting.*?st-asked": task.StateAsked, "in_progress.*?st-unheld": task.StateUnheld,
	} {
		name, second, _ := strings.Cut(lane, ".*?")
		head := regexp.MustCompile(`<h2 id="c-` + name + `">.*?</h2>`).FindString(board)
		if n, want := number(head, second+`.*?<small>(\d+)</small>`), len(f.in(state)); n != want {
			h.t.Fatalf("the board says that %d are %s, want %d", n, task.States[state], want)
		}
	}
	h.checkEstatePage(f)
}

// checkEstatePage compares the page of all projects with the estate.
func (h *saga) checkEstatePage(f facts) {
	out, err := h.s.Inbox.Estate(as("ann"), inbox.EstateIn{})
	if err != nil {
		h.t.Fatal(err)
	}
	page := h.page(f, "/?all=false")
	if n := number(page, `<h1>What needs [^<]* <small>(?:<a[^>]*>\d+ of )?(\d+)`); n != out.Matching-out.ReadyMatching {
		h.t.Fatalf("the first page says that %d wait for ann, want %d", n, out.Matching-out.ReadyMatching)
	}
	if n := number(page, `<h2 id="ready">Ready for [^<]* <small>(?:<a[^>]*>\d+ of )?(\d+)`); n != out.ReadyMatching {
		h.t.Fatalf("the first page says that %d are ready for ann, want %d", n, out.ReadyMatching)
	}
}

// checkStandings compares the status and holder in every read that shows single tasks with the records.
func (h *saga) checkStandings(f facts) {
	ctx := as("ann")
	byID := map[task.ID]*task.Task{}
	for _, t := range f.tasks {
		byID[t.ID] = t
	}
	holder := func(id task.ID) (name task.Opt) {
		if c := byID[id].Claim; c != nil {
			name = task.Opt(c.Actor)
		}
		return name
	}
	is := func(where string, id task.ID, status task.Status) {
		if byID[id].Status != status {
			h.t.Fatalf("%s says that %s is %s, and it is %s", where, id, status, byID[id].Status)
		}
	}
	held := func(where string, id task.ID, by task.Opt) {
		if by != holder(id) {
			h.t.Fatalf("%s says that %q holds %s, and %q does", where, by, id, holder(id))
		}
	}
	root := task.ID(h.pick())
	shown, err := h.s.Reading.Show(ctx, reading.ShowIn{Task: string(root)})
	h.ok(err)
	if diff := gocmp.Diff(byID[root], shown.Task); diff != "" {
		h.t.Fatalf("show of %s (-want +got):\n%s", root, diff)
	}
	for _, t := range shown.Deps {
		is("show", t.ID, t.Status)
	}
	for _, t := range shown.Dependents {
		is("show", t.ID, t.Status)
	}
	around, err := h.s.Picture.Graph(ctx, picture.GraphIn{Task: string(root)})
	h.ok(err)
	for _, n := range around.Nodes {
		is("graph", n.ID, n.Status)
	}
	below, err := h.s.Picture.Subtree(ctx, core.TaskIn{Task: string(root)})
	h.ok(err)
	var counts task.Counts
	for todo := below.Children; len(todo) > 0; todo = append(todo[1:], todo[0].Children...) {
		is("subtree", todo[0].ID, todo[0].Status)
		held("subtree", todo[0].ID, todo[0].Holder)
		*counts.Of(todo[0].Status)++
	}
	if below.Rollup.ByStatus != counts {
		h.t.Fatalf("below %s there are %+v, and the subtree counts %+v", root, counts, below.Rollup.ByStatus)
	}
	net, err := h.s.Picture.Network(ctx, picture.NetworkIn{Slug: h.slug, Show: "all"})
	h.ok(err)
	for _, n := range net.Nodes {
		is("network", n.ID, n.Task.Status)
		if (n.State == "ready") != byID[n.ID].Ready() {
			h.t.Fatalf("the network draws %s as %s, and it is %s", n.ID, n.State, task.States[byID[n.ID].State()])
		}
	}
	presses, err := h.s.Reading.Bottlenecks(ctx, reading.ProjectIn{Slug: h.slug})
	h.ok(err)
	for _, b := range presses.Items {
		is("bottlenecks", b.Task, b.Status)
		held("bottlenecks", b.Task, b.Holder)
	}
	for _, name := range []string{"bee", "bee/2"} {
		me, err := h.s.Reading.Whoami(as(name), reading.WhoamiIn{Project: h.slug})
		h.ok(err)
		for _, t := range me.Holding {
			if c := byID[t.Task].Claim; c == nil || !strings.HasPrefix(c.Actor, "bee") {
				h.t.Fatalf("%s is told that it holds %s, which %q does", name, t.Task, holder(t.Task))
			}
		}
	}
}
