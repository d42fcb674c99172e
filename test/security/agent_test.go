package security

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/landing"
	"tasker/internal/links"
	"tasker/internal/notify"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/query"
	"tasker/internal/testkit/optest"
	"tasker/internal/transfer/importer"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// guarded is a project that a human guards: nothing is done without the lead, evidence and criteria.
const guarded = `{"project": "demo", "gates": {"ship": ["test", "review"]}, "tasks": [
	{"key": "a", "title": "For a human", "gate": "ship", "criteria": ["one", "two"], "mayExecute": ["lead"], "autonomy": "human_only"},
	{"key": "b", "title": "Bob's", "criteria": ["three"], "gate": "ship"},
	{"key": "c", "title": "For anyone", "criteria": ["four"], "gate": "ship", "autonomy": "supervised", "mayExecute": ["lead", "dev", "any"]},
	{"key": "d", "title": "Asked about", "criteria": ["five"]},
	{"key": "e", "title": "In review", "status": "in_review", "criteria": ["six"], "gate": "ship"}]}`

// attacks are what an agent would try with each operation that changes something, in addition to the samples that are
// tried with all of them. An operation that is missing here fails the test: think of how it could be misused.
var attacks = map[string][]any{
	"approve": {
		work.ApproveIn{Task: "demo-1"}, work.ApproveIn{Task: "demo-5", Kind: "verification"}, work.ApproveIn{Task: "demo-5", Role: "lead"},
		work.ApproveIn{Task: "demo-3", Kind: "approval", Note: "fine"},
	},
	"release": {work.ReleaseIn{Task: "demo-2"}, work.ReleaseIn{Task: "demo-2", Fence: new(int64(1))}, work.ReleaseIn{Task: "demo-2", Failed: true}},
	"claim": {
		work.ClaimIn{
			Task: "demo-2",
		}, work.ClaimIn{Task: "demo-2", Fence: new(int64(1))}, work.ClaimIn{Task: "demo-2", Fence: new(int64(1)), LeaseMs: new(int64(0))},
		work.ClaimIn{Task: "demo-1"},
	},
	"next": {work.NextIn{Project: "demo"}, work.NextIn{Project: "demo", Under: "demo-2"}, work.NextIn{Project: "demo", Resume: true}},
	"move": {
		work.MoveIn{Task: "demo-1", To: "done", Force: true}, work.MoveIn{Task: "demo-2", To: "open"}, work.MoveIn{Task: "demo-2", To: "cancelled"},
		work.MoveIn{Task: "demo-2", To: "in_review", Fence: new(int64(1))}, work.MoveIn{Task: "demo-3", To: "done", Force: true},
		work.MoveIn{
			Task:     "demo-5",
			To:       "done",
			Check:    []int{1},
			Evidence: []task.EvidenceItem{{Kind: "test", Value: "x"}, {Kind: "review", Value: "x"}},
			Note:     new("all done"),
		},
		work.MoveIn{Task: "demo-4", To: "done", Force: true},
	},
	"check": {work.TickIn{Task: "demo-2", Index: 1}},
	"edit": {
		edit("demo-1", `{"gate": null}`), edit("demo-1", `{"gate": "none"}`), edit("demo-1", `{"criteria": []}`), edit("demo-1", `{"criteria": ["one"]}`),
		edit("demo-1", `{"removeCriteria": ["two"]}`), edit("demo-1", `{"mayExecute": []}`), edit("demo-1", `{"mayExecute": ["lead", "dev"]}`),
		edit(
			"demo-1",
			`{"autonomy": "autonomous"}`,
		), edit("demo-1", `{"autonomy": null}`), edit("demo-3", `{"autonomy": ""}`), edit("demo-2", `{"gate": ""}`),
		edit("demo-3", `{"criteria": ["other"], "gate": "", "mayExecute": [], "autonomy": "autonomous"}`),
	},
	"apply": {
		document(`{"project": "demo", "gates": {"ship": []}, "tasks": [{"key": "a", "title": "For a human"}]}`),
		document(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "For a human"}]}`),
		document(`{"project": "demo", "tasks": [{"key": "a", "title": "x", "criteria": []}]}`),
		document(`{"project": "demo", "tasks": [{"key": "a", "title": "x", "gate": null, "mayExecute": [], "autonomy": "autonomous"}]}`),
		document(`{"project": "demo", "tasks": [{"key": "b", "title": "x", "status": "cancelled"}]}`),
		document(`{"project": "demo", "tasks": [{"key": "b", "title": "x", "status": "open"}]}`),
		document(`{"project": "demo", "tasks": [{"key": "e", "title": "In review", "status": "done"}]}`),
	},
	"import": {
		imported(importer.Item{Key: "a", Title: "x", Criteria: []importer.Criterion{{Text: "one"}}}),
		imported(importer.Item{Key: "b", Title: "x", Status: task.Done}), imported(importer.Item{Key: "b", Title: "x", Status: task.Cancelled}),
		imported(importer.Item{Key: "e", Title: "In review", Status: task.Done}),
		imported(importer.Item{Key: "a", Title: "For a human", Status: task.Done, Criteria: []importer.Criterion{
			{Text: "one", Checked: true}, {Text: "two", Checked: true},
		}}),
	},
	"undo": {
		planning.UndoIn{Number: 1, SkipConflicts: true}, planning.UndoIn{Number: 2, Event: true},
		planning.UndoIn{By: "alice", Since: "2020-01-01T00:00:00Z", Project: "demo"},
		planning.UndoIn{By: "bob", Since: "2020-01-01T00:00:00Z", Project: "demo", SkipConflicts: true},
	},
	"restore": {admin.RestoreIn{Of: query.Dumped{LastEvent: 1}, Generation: 9}},
	"events-prune": {admin.EventsPruneIn{
		Before: "2126-01-01T00:00:00Z", Add: func(*task.Event) error { return nil }, Close: func() (string, error) { return "", nil },
	}},
	"project-merge": {admin.ProjectMergeIn{Slug: "demo", Into: "other"}, admin.ProjectMergeIn{Slug: "other", Into: "demo"}},
	"load":          {}, // only an empty database accepts it
	"create":        {planning.CreateIn{Project: "demo", Def: &plan.TaskDef{Key: "a", Fields: plan.Fields{Title: plan.Give("again")}}}},
	"note":          {work.NoteIn{Task: "demo-2", Text: "mine now"}},
	"evidence":      {work.EvidenceIn{Task: "demo-2", Items: []task.EvidenceItem{{Kind: "test", Value: "x"}, {Kind: "approval", Value: "alice"}}}},
	"decide":        {}, "ask": {}, "ack": {}, "take": {}, "give": {}, "seen": {}, "runners": {},
	"answer":          {work.AnswerIn{Text: "yes"}},
	"withdraw":        {work.QuestionIn{}},
	"project-create":  {admin.ProjectCreateIn{Slug: "demo"}},
	"project-rename":  {admin.ProjectRenameIn{Slug: "demo", To: "free"}},
	"project-archive": {},
	"project-delete":  {core.ProjectIn{Slug: "demo"}},
	"project-set": {
		set(
			"gates",
			`{}`,
		), set("gates.ship", `["test"]`), set("gates.ship", `[]`), set("execution.requireApproval", `[]`), set("execution.mayExecute", `[]`),
		set("actors", `[{"name": "claude", "kind": "human", "roles": ["lead"]}]`), set("execution.defaultAutonomy", "autonomous"), set("auth.mode", "open"),
		set("workspace.setup", `[{"name": "x", "run": "id"}]`), set("providers.x", `{"type": "exec", "run": "id"}`),
		set("notifications.channels", `[{"type": "exec", "target": "id"}]`), set("agentDefaults.actor", "alice"),
		admin.ProjectSetIn{Slug: "demo", Key: "gates"}, admin.ProjectSetIn{Slug: "demo", Key: "gates.ship"},
		admin.ProjectSetIn{Slug: "demo", From: []byte(`{"version": 1, "project": "demo"}`)},
	},
	"session-create": {
		admin.SessionCreateIn{Actor: "alice"},
		admin.SessionCreateIn{Actor: "claude"},
		admin.SessionCreateIn{Actor: "alice", ReadOnly: true, Projects: []string{"demo"}},
	},
	"session-revoke": {admin.SessionIn{ID: 0}},
	"notify-flush":   {notify.FlushIn{Holder: "agent"}}, "notify-redeliver": {notify.DeliveryIn{ID: 1}}, "notify-drop": {notify.DeliveryIn{ID: 1}},
	"bind":   {links.BindIn{Task: "demo-2", Ref: "SHOP-1"}},
	"unbind": {links.BindIn{Task: "demo-2", Ref: "SHOP-1"}},
	"ownership-set": {links.OwnershipSetIn{Slug: "demo", Changes: []string{"tracker"}},
		links.OwnershipSetIn{Slug: "demo", Changes: []string{"status=tracker"}}},
	"resolve":   {links.ResolveIn{Conflict: 1, Resolution: "hand_over"}, links.ResolveIn{Conflict: 1, Resolution: "take_remote"}},
	"sync-plan": {}, "sync-retry": {links.WriteIn{ID: 1}}, "sync-drop": {links.WriteIn{ID: 1}},
	"sync-merge": {links.MergeIn{Project: "demo", System: "issue_tracker", Seen: []merge.Issue{{
		Ref: "SHOP-1", Updated: "9", Closed: true, Values: merge.Values{"status": "done", "title": "taken over"},
	}}}},
	"sync-requests": {links.RequestsIn{Project: "demo", Requests: []merge.Request{{
		Repo: "own/code", Number: 1, Title: "x", Text: "Task: demo-2", State: merge.RequestMerged, Merge: "abc", Updated: "9",
	}}}},
	"sync-looked": {links.LookedIn{Project: "demo", System: "issue_tracker", Problem: "x"}}, "sync-try": {}, "sync-sent": {}, "sync-refused": {},
	"sync-lease":      {links.LeaseIn{Project: "demo", Holder: "agent", EveryMs: 1, ForMs: 1 << 40}},
	"workspace-begin": {workspace.BeginIn{Workspace: workspace.Workspace{Task: "demo-2", Host: "here", Path: "/"}}},
	"workspace-save":  {workspace.Made{Workspace: workspace.Workspace{Task: "demo-2", Host: "here", Path: "/"}, From: workspace.Open}},
	"landed-save":     {workspace.LandedIn{Landing: workspace.Landing{Task: "demo-2", Where: workspace.Landed}}},
	"land-save":       {landing.LandedIn{Landing: workspace.Landing{Task: "demo-2", Where: workspace.Landed}}},
	"land-failed": {landing.FailedIn{Project: "demo", Task: "demo-5", Why: landing.Red, Base: "main", Command: "false"},
		landing.FailedIn{Project: "demo", Why: landing.Push, Base: "main"}},
	"workspace-drop": {workspace.DropIn{Task: "demo-2", Host: "here"}},
}

func edit(id, doc string) planning.EditIn {
	e, err := plan.DecodeEdit([]byte(doc))
	if err != nil {
		panic(err)
	}
	return planning.EditIn{Task: id, Edit: e}
}

func document(doc string) planning.ApplyIn {
	d, err := plan.Decode([]byte(doc))
	if err != nil {
		panic(err)
	}
	return planning.ApplyIn{Doc: d}
}

func set(key, value string) admin.ProjectSetIn {
	return admin.ProjectSetIn{Slug: "demo", Key: key, Value: &value}
}

// guardedState is everything that an agent may not touch.
type guardedState struct {
	Approvals map[task.ID][]task.Approval
	Sessions  []task.Session
	Claim     task.Claim // Bob's
	Done      []task.ID
	Question  task.Question
	Gates     map[string][]string
	Settings  string
	Owners    string // of fields, here or elsewhere
	Kind      string // of the agent itself
}

// TestNoAgentDoesWhatIsForHumans tries every operation as an agent: in the process, through a server with a session,
// and as a tool.
func TestNoAgentDoesWhatIsForHumans(t *testing.T) {
	w := build(t, sessionMode)
	services := w.services().Services
	machine := onThisMachine(services)
	known := map[string]bool{}
	for _, o := range op.Table {
		known[o.Name] = true
		if _, ok := attacks[o.Name]; !ok && o.Method != http.MethodGet && !readsOnly[o.Name] {
			t.Errorf("nothing is tried with the operation %s: think of what an agent could do with it, and add it to attacks", o.Name)
		}
	}
	for name := range machine {
		known[name] = true
		if _, ok := attacks[name]; !ok && !readsOnly[name] {
			t.Errorf("nothing is tried with %s: think of what an agent could do with it, and add it to attacks", name)
		}
	}
	for name := range attacks {
		if !known[name] {
			t.Errorf("attacks has %s, which is not an operation", name)
		}
	}
	w.run("alice", guarded, "apply", "-f", "-")
	w.run("bob", "", "claim", "demo-2", "--lease", "0")
	question := int64(part[float64](t, w.run("bob", "", "ask", "demo-4", "May I?", "--blocking", "--to", "alice", "--json"), "id"))
	credential := w.session("claude")
	live := int64(part[float64](t, "{\"id\":"+lastID(w)+"}", "id"))
	local := op.NewLocal(services.All()...)
	site := w.site("alice", "") // its own identity is a human's: a session must not fall back to it
	agent := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "claude", Declared: true}, How: "TASKER_ACTOR", Project: "demo"})

	before := look(t, services, question)
	tasks := loadTasks(t, services)
	tried, refused := 0, 0
	check := func(what string) {
		t.Helper()
		tried++
		if diff := cmp.Diff(before, look(t, services, question)); diff != "" {
			t.Fatalf("%s changed what is not an agent's to change (-was +is):\n%s", what, diff)
		}
		pol := task.Policy{DeclaresHuman: true}
		for id, is := range loadTasks(t, services) {
			if was := tasks[id]; was != nil {
				if loose := task.Loosened(was, is, task.Actor{Name: "claude"}, pol); len(loose) > 0 {
					t.Fatalf("%s loosened %s: %v", what, id, loose)
				}
			}
		}
	}
	for _, o := range op.Table {
		for _, in := range append(slices.Clone(attacks[o.Name]), samples(o.In)...) {
			in := asked(in, question, live)
			_, err := local.Call(agent, o, in)
			if fault.Is(err, fault.Declined) {
				refused++
			}
			check(fmt.Sprintf("%s %+v in the process (%v)", o.Name, in, err))
			if o.Method == "" {
				continue
			}
			req, err := o.Encode(in)
			if err != nil {
				continue // it cannot even be sent
			}
			got := ask(
				site,
				o.Method,
				"/v1"+req.Path+"?"+req.Query,
				string(req.Body),
				"Authorization",
				"Bearer "+credential,
				"Content-Type",
				"application/json",
			)
			check(fmt.Sprintf("%s %s %s through a server (%d)", o.Method, req.Path, req.Body, got.Status))
			got = ask(
				site,
				"POST",
				"/mcp",
				toolCall(t, o, req, in),
				"Authorization",
				"Bearer "+credential,
				"Content-Type",
				"application/json",
				"Accept",
				"application/json, text/event-stream",
			)
			check(fmt.Sprintf("the tool %s %s (%d %s)", o.Name, req.Body, got.Status, got.Body))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(machine)) {
		m := machine[name]
		for _, in := range append(slices.Clone(attacks[name]), samples(m.in)...) {
			err := m.call(agent, in)
			if fault.Is(err, fault.Declined) {
				refused++
			}
			check(fmt.Sprintf("%s %+v in the process (%v)", name, in, err))
		}
	}
	if tried < 300 || refused < 60 {
		t.Errorf("only %d things were tried, of which %d were declined", tried, refused)
	}
	// The refusals are on record.
	if n := strings.Count(w.run("alice", "", "events", "--kind", "approval.refused", "--limit", "1000", "--json"), `"kind":"approval.refused"`); n == 0 {
		t.Error("no refused approval is recorded as an event")
	}
	// And the human's session can do what the agent's cannot.
	lead := w.session("alice")
	if got := ask(site, "POST", "/v1/tasks/demo-5/approve", "", "Authorization", "Bearer "+lead); got.Status != 201 {
		t.Errorf("the approval by a human's session: %d %s", got.Status, got.Body)
	}
	if got := ask(site, "POST", "/v1/tasks/demo-2/release", "", "Authorization", "Bearer "+lead); got.Status != 200 {
		t.Errorf("the release by a human's session: %d %s", got.Status, got.Body)
	}
}

// imported is an import of one item.
func imported(it importer.Item) any {
	it.Where = "line 1"
	return planning.ImportIn{Batch: &importer.Batch{Kind: "beads", Project: "demo", Items: []importer.Item{it}}}
}

// readsOnly are operations without a route that change nothing.
var readsOnly = map[string]bool{
	"audit": true, "lanes": true, "front": true, "behind": true, "critical": true, "stuck": true, "titles": true, "states": true, "sync-log": true, "sync-linked": true, "sync-standing": true, "sync-due": true,
	"project-settings": true, "session-list": true, "doctor": true, "network": true, "timeline": true, "newest": true, "turn": true, "moments": true, "changed": true,
	"workspace-list": true, "workspace-ports": true, "workspace-use": true, "unlanded": true, "traces": true, "guidance": true, "notify-log": true, "notify-test": true,
	"export": true, "dump": true, "configure": true,
}

// local is a method of a service that is not an operation: only code that runs where the database is calls it.
type local struct {
	in   reflect.Type
	call func(context.Context, any) error
}

// onThisMachine returns the methods of services that workspaces, a sync and a restore call while they work, by the names
// of their turns.
func onThisMachine(s *services.Set) map[string]local {
	return map[string]local{
		"workspace-ports": method(s.Workspaces.Ports), "workspace-use": method(s.Workspaces.Use), "workspace-begin": method(s.Workspaces.Begin),
		"workspace-save": method(s.Workspaces.Save), "workspace-drop": method(s.Workspaces.Drop),
		"landed-save": method(s.Workspaces.Landed), "unlanded": method(s.Workspaces.Unlanded), "traces": method(s.Workspaces.Traces),
		"land-save": method(s.Landing.Landed), "land-failed": method(s.Landing.Failed),
		"sync-standing": method(s.Links.Standing), "sync-merge": method(s.Links.Merge), "sync-requests": method(s.Links.Requests),
		"sync-looked": method(s.Links.Looked), "sync-due": method(s.Links.DueWrites), "sync-try": method(s.Links.Try),
		"sync-sent": method(s.Links.Sent), "sync-refused": method(s.Links.Failed), "sync-lease": method(s.Links.Lease),
		"restore": method(s.Admin.Restore),
	}
}

func method[In, Out any](fn func(context.Context, In) (Out, error)) local {
	return local{reflect.TypeFor[In](), func(ctx context.Context, in any) error {
		_, err := fn(ctx, in.(In))
		return err
	}}
}

// samples returns filled inputs of a type, for each of the tasks, with every switch on.
func samples(in reflect.Type) []any {
	var out []any
	for _, id := range []string{"demo-1", "demo-2", "demo-5"} {
		v := reflect.New(in).Elem()
		v.Set(reflect.ValueOf(optest.Of(in)))
		if v.Kind() != reflect.Struct {
			continue
		}
		for i := range v.NumField() {
			f := v.Field(i)
			switch name := v.Type().Field(i).Name; {
			case f.Kind() != reflect.String:
			case name == "Task":
				f.SetString(id)
			case name == "Slug" || name == "Project":
				f.SetString("demo")
			case name == "To":
				f.SetString("done")
			case name == "Status" || name == "Cursor" || name == "Since" || name == "Kind" || name == "Parent" || name == "Under" || name == "Role":
				f.SetString("")
			}
		}
		out = append(out, v.Interface())
	}
	return out
}

// asked fills in the ids of the question and of the agent's session.
func asked(in any, question, session int64) any {
	switch in := in.(type) {
	case work.AnswerIn:
		in.Question = question
		return in
	case work.QuestionIn:
		in.Question = question
		return in
	case admin.SessionIn:
		in.ID = session
		return in
	}
	return in
}

func toolCall(t *testing.T, o *op.Op, req wire.Request, in any) string {
	t.Helper()
	args := map[string]jsontext.Value{}
	if len(req.Body) > 0 {
		if err := json.Unmarshal(req.Body, &args); err != nil {
			t.Fatal(err)
		}
	}
	v := reflect.ValueOf(in)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		for _, tag := range []string{"path", "query"} {
			if name, ok := f.Tag.Lookup(tag); ok && !v.Field(i).IsZero() {
				value, err := json.Marshal(v.Field(i).Interface())
				if err != nil {
					t.Fatal(err)
				}
				args[name] = value
			}
		}
	}
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "tasker_" + strings.ReplaceAll(o.Name, "-", "_"), "arguments": args,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(call)
}

func look(t *testing.T, s *services.Set, question int64) guardedState {
	t.Helper()
	out := guardedState{Approvals: map[task.ID][]task.Approval{}}
	err := s.Store.Read(context.Background(), func(tx *store.Tx) error {
		p, err := tx.Project("demo")
		if err != nil {
			return err
		}
		out.Gates = maps.Clone(p.Gates)
		maps.DeleteFunc(out.Gates, func(name string, _ []string) bool { return name != "ship" }) // an agent may add gates
		if out.Sessions, err = tx.Sessions(); err != nil {
			return err
		}
		for i := range out.Sessions {
			out.Sessions[i].LastUsedAt = 0
		}
		all, err := allTasks(tx)
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Status == task.Done {
				out.Done = append(out.Done, one.ID)
			}
			given, err := tx.Approvals(one.ID)
			if err != nil {
				return err
			}
			if len(given) > 0 {
				out.Approvals[one.ID] = given
			}
			asked, _, err := tx.Questions(one.ID, 1000)
			if err != nil {
				return err
			}
			for _, q := range asked {
				if q.ID == question {
					out.Question = q
				}
			}
		}
		held, err := tx.Task("demo-2")
		if err != nil {
			return err
		}
		if held.Claim != nil {
			out.Claim = *held.Claim
		}
		me, err := s.Settings.ActorIn(p, task.Actor{Name: "claude"})
		out.Kind = fmt.Sprint(me.Human, me.Roles)
		out.Settings = string(p.Settings)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	owners, err := s.Links.Ownership(t.Context(), core.ProjectIn{Slug: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	out.Owners = fmt.Sprint(owners)
	return out
}

func allTasks(tx *store.Tx) ([]*task.Task, error) {
	refs, err := tx.RefsAfter("demo", "", false, 10_000)
	if err != nil {
		return nil, err
	}
	var ids []task.ID
	for _, r := range refs {
		ids = append(ids, r.ID)
	}
	all, err := tx.TasksByID(ids)
	if err != nil {
		return nil, err
	}
	return all, tx.Fill(all...)
}

func loadTasks(t *testing.T, s *services.Set) map[task.ID]*task.Task {
	t.Helper()
	out := map[task.ID]*task.Task{}
	err := s.Store.Read(context.Background(), func(tx *store.Tx) error {
		all, err := allTasks(tx)
		for _, one := range all {
			out[one.ID] = one
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
