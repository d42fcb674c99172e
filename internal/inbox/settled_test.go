package inbox_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// box makes items, each on a task of its own, and types what settles them.
type box struct {
	*coretest.Kit
	n int // how many tasks there are
}

// add adds a task and returns its id.
func (b *box) add(def string) string {
	b.Helper()
	b.n++
	_, err := b.Create(coretest.Ann, fmt.Sprintf(`{"project": "demo", "key": "k%d", "title": "T"%s}`, b.n, def))
	b.Must(err)
	return fmt.Sprintf("demo-%d", b.n)
}

func (b *box) move(ctx context.Context, id string, to task.Status) {
	b.Helper()
	_, err := b.Work.Move(ctx, work.MoveIn{Task: id, To: string(to)})
	b.Must(err)
}

// reviewed adds a task that an agent has handed over.
func (b *box) reviewed(def string) string {
	b.Helper()
	id := b.add(def)
	b.move(coretest.Bot, id, task.InReview)
	return id
}

func (b *box) ask(ctx context.Context, id string) {
	b.Helper()
	_, err := b.Work.Ask(ctx, work.AskIn{Task: id, Text: "Which?", Blocking: true})
	b.Must(err)
}

// pulled adds a task that is bound to an issue, and pulls the issue once as it is and once with a change.
func (b *box) pulled(def, field, value string) string {
	b.Helper()
	id := b.add(def)
	ref := fmt.Sprintf("DEMO-%d", b.n)
	_, err := b.Links.Bind(coretest.Ann, links.BindIn{Task: id, Ref: ref})
	b.Must(err)
	values := merge.Values{"title": "T", "body": "", "severity": "", "due": "", "sprint": "", "rank": "0|a", "priority": "2", "status": "open"}
	for updated, change := range []string{values[field], value} {
		values[field] = change
		in := links.MergeIn{Project: "demo", System: merge.IssueTracker, Seen: []merge.Issue{{Ref: ref, Updated: strconv.Itoa(updated), Values: maps.Clone(values)}}}
		_, err := b.Links.Merge(coretest.Ann, in)
		b.Must(err)
	}
	return id
}

// owns gives the status to a system.
func (b *box) owns(system string) {
	b.Helper()
	_, err := b.Links.SetOwnership(coretest.Ann, links.OwnershipSetIn{Slug: "demo", Changes: []string{"status=" + system}})
	b.Must(err)
}

// requested brings in a pull request.
func (b *box) requested(r merge.Request) {
	b.Helper()
	r.Repo, r.Number, r.Updated = "o/n", int64(b.n), "2026-03-01T12:00:00Z"
	_, err := b.Links.Requests(coretest.Ann, links.RequestsIn{Project: "demo", Requests: []merge.Request{r}})
	b.Must(err)
}

// looked says how a pull ended.
func (b *box) looked(problem string) {
	b.Helper()
	_, err := b.Links.Looked(coretest.Ann, links.LookedIn{Project: "demo", System: merge.IssueTracker, Problem: problem})
	b.Must(err)
}

// typed carries out a command with the operation behind it.
func (b *box) typed(ctx context.Context, line string) error {
	b.Helper()
	words := strings.Fields(strings.ReplaceAll(line, "'", ""))
	flag := func(name string) string {
		if i := slices.Index(words, name); i >= 0 {
			return words[i+1]
		}
		return ""
	}
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		b.Must(err)
		return n
	}
	moved := func(to task.Status, note string) error {
		in := work.MoveIn{Task: words[2], To: string(to)}
		if note != "" {
			in.Note = &note
		}
		if ticks := flag("--check"); ticks != "" {
			for tick := range strings.SplitSeq(ticks, ",") {
				in.Check = append(in.Check, int(number(tick)))
			}
		}
		return second(b.Work.Move(ctx, in))
	}
	switch strings.Join(words[1:min(3, len(words))], " ") {
	case "inbox ack":
		return second(b.Inbox.Ack(ctx, inbox.AckIn{Slug: "demo", Items: words[3:]}))
	case "sync retry":
		return second(b.Links.Retry(ctx, links.WriteIn{ID: number(words[3])}))
	case "sync drop":
		return second(b.Links.Drop(ctx, links.WriteIn{ID: number(words[3])}))
	case "sync pull":
		b.looked("") // that is how a pull ends
		return nil
	}
	switch words[1] {
	case "approve":
		return second(b.Work.Approve(ctx, work.ApproveIn{Task: words[2], Kind: flag("--kind"), Role: flag("--role")}))
	case "done":
		return moved(task.Done, flag("--note"))
	case "return":
		return moved(task.Open, flag("--because"))
	case "reopen":
		return moved(task.Open, flag("--note"))
	case "release":
		return second(b.Work.Release(ctx, work.ReleaseIn{Task: words[2]}))
	case "answer":
		if words[3] == "--withdraw" {
			return second(b.Work.Withdraw(ctx, work.QuestionIn{Question: number(words[2])}))
		}
		return second(b.Work.Answer(ctx, work.AnswerIn{Question: number(words[2]), Text: words[3]}))
	case "resolve":
		return second(b.Links.Resolve(ctx, links.ResolveIn{Conflict: number(words[2]), Resolution: words[3]}))
	case "bind":
		return second(b.Links.Bind(ctx, links.BindIn{Task: words[2], Ref: words[3]}))
	}
	b.Fatalf("nothing carries out %s", line)
	return nil
}

var readers = map[string]context.Context{"ann": coretest.Ann, "bob": coretest.Bob}

// items returns what waits for ann and bob, by the name of the reader and the id.
func (b *box) items() map[string]inbox.Item {
	b.Helper()
	all := map[string]inbox.Item{}
	for name, ctx := range readers {
		out, err := b.Inbox.Inbox(ctx, inbox.InboxIn{Slug: "demo", Limit: new(1000)})
		b.Must(err)
		for _, it := range out.Items {
			all[name+" "+it.ID] = it
		}
	}
	return all
}

// disputed checks that the disagreements among items, and among those of the estate, give both sides as people write them.
func (b *box) disputed(items map[string]inbox.Item) {
	b.Helper()
	all := slices.Collect(maps.Values(items))
	estate, err := b.Inbox.Estate(coretest.Ann, inbox.EstateIn{Limit: new(1000)})
	b.Must(err)
	for _, it := range estate.Items {
		all = append(all, it.Waits())
	}
	n := 0
	for _, it := range all {
		if it.Kind == waiting.ItemDivergence {
			n++
			if it.Dispute == nil || *it.Dispute != (inbox.Dispute{Field: "status", Ours: "open", Theirs: "in progress"}) {
				b.Errorf("the sides of %s are %+v", it.ID, it.Dispute)
			}
		}
	}
	coretest.Equal(b.Kit, "disagreements of ann, of bob and in the estate", n, 3)
}

const hour = 3600 * 1000 // of a lease

// TestEachCommandSettlesItsItem makes an item of every kind, once for each command that it names, and carries that out.
func TestEachCommandSettlesItsItem(t *testing.T) {
	rows := []struct {
		name   string
		item   waiting.ItemKind
		reader string
		settle int                 // how many commands it names
		make   func(b *box) string // returns the task, or a part of the item's id
	}{
		{"an approval", waiting.ItemApproval, "ann", 2, func(b *box) string { return b.reviewed(`, "gate": "ship"`) }},
		{"a verification", waiting.ItemVerification, "bob", 2, func(b *box) string { return b.reviewed(`, "gate": "ship"`) }},
		{"an approval that nobody can give", waiting.ItemApproval, "bob", 2, func(b *box) string { return b.reviewed(`, "gate": "lost"`) }},
		{"a review", waiting.ItemReview, "ann", 2, func(b *box) string { return b.reviewed(``) }},
		{"an unfinished review", waiting.ItemReview, "ann", 2, func(b *box) string { return b.reviewed(`, "criteria": ["x", "y"]`) }},
		{"a review of an epic", waiting.ItemReview, "ann", 1, func(b *box) string {
			id := b.reviewed(``)
			b.add(fmt.Sprintf(`, "parent": "k%d"`, b.n))
			return id
		}},
		{"closed unwatched", waiting.ItemReview, "ann", 2, func(b *box) string {
			id, humans := b.add(`, "autonomy": "supervised"`), b.Policy.Humans
			b.Policy.Humans = nil
			b.move(coretest.Bot, id, task.Done)
			b.Policy.Humans = humans
			return id
		}},
		{"a question", waiting.ItemQuestion, "ann", 1, func(b *box) string {
			id := b.add(``)
			b.ask(coretest.Bot, id)
			return id
		}},
		{"a question of one's own", waiting.ItemQuestion, "ann", 1, func(b *box) string {
			id := b.add(``)
			b.ask(coretest.Ann, id)
			return id
		}},
		{"a question that blocks nothing", waiting.ItemAsked, "ann", 2, func(b *box) string {
			id := b.add(``)
			_, err := b.Work.Ask(coretest.Bot, work.AskIn{Task: id, Text: "Which?"})
			b.Must(err)
			return id
		}},
		{"an override", waiting.ItemOverride, "bob", 1, func(b *box) string {
			id := b.add(`, "criteria": ["x"]`)
			_, err := b.Work.Move(coretest.Ann, work.MoveIn{Task: id, To: "done", Force: true})
			b.Must(err)
			return id
		}},
		{"a lapse", waiting.ItemLapse, "ann", 1, func(b *box) string {
			id := b.add(``)
			_, err := b.Work.Claim(coretest.Bot, work.ClaimIn{Task: id, LeaseMs: new(int64(1))})
			b.Must(err)
			b.Pass(5 * time.Millisecond)
			return id
		}},
		{"failures", waiting.ItemFailing, "ann", 1, func(b *box) string {
			id := b.add(``)
			fail(b.T, b.Set, id, 3)
			return id
		}},
		{"a runner that stopped by itself", waiting.ItemRunner, "ann", 1, func(b *box) string {
			id := b.add(``)
			for _, state := range []string{"working", "stopped"} {
				_, err := b.Work.Runners(coretest.Bot, work.RunnerIn{Slug: "demo", Host: "build", State: state, Workers: 1, Tasks: []string{id}, Why: new("no login")})
				b.Must(err)
			}
			return id
		}},
		{"a stall", waiting.ItemStalled, "ann", 1, func(b *box) string {
			id := b.add(``)
			_, err := b.Work.Claim(coretest.Bot, work.ClaimIn{Task: id, LeaseMs: new(int64(hour))})
			b.Must(err)
			b.Must(b.Store.Write(b.Context(), task.By{}, func(tx *store.Tx) error { // more than half of the lease is over
				_, ref, err := tx.KeyOf(task.ID(id))
				tx.Exec(1, `UPDATE task SET expires_at=expires_at-$2 WHERE id=$1`, ref, hour*600)
				return err
			}))
			return id
		}},
		{"in nobody's hands", waiting.ItemUnheld, "ann", 1, func(b *box) string {
			id := b.add(``)
			b.move(coretest.Ann, id, task.InProgress)
			return id
		}},
		{"a disagreement", waiting.ItemDivergence, "ann", 2, func(b *box) string { return b.pulled(``, "status", "in_progress") }},
		{"a refused write", waiting.ItemSyncFailed, "ann", 2, func(b *box) string {
			id := b.pulled(``, "rank", "0|b")
			b.Claim(coretest.Bot, id)
			b.Must(b.Links.Settle(coretest.Ann, "demo"))
			due, err := b.Links.DueWrites(coretest.Ann, links.DueIn{Project: "demo", All: true})
			b.Must(err)
			for _, d := range due {
				if d.Task == task.ID(id) {
					_, err = b.Links.Failed(coretest.Ann, links.FailedIn{Write: d.Write, ForGood: true, Problem: "400"})
					b.Must(err)
				}
			}
			return id
		}},
		{"merged", waiting.ItemReview, "ann", 2, func(b *box) string {
			id := b.add(`, "criteria": ["x"]`)
			b.requested(merge.Request{Title: "A fix", Text: "Task: " + id, State: merge.RequestMerged})
			return id
		}},
		{"a request that names it", waiting.ItemReview, "ann", 2, func(b *box) string {
			id := b.add(``)
			b.requested(merge.Request{Title: "A fix of " + id, State: merge.RequestOpen})
			return id
		}},
		{"a system that cannot be pulled", waiting.ItemSyncFailed, "ann", 2, func(b *box) string {
			b.looked("it answers 401")
			return "pull:" + merge.IssueTracker
		}},
		{"a loop that has stopped", waiting.ItemSyncFailed, "ann", 1, func(b *box) string {
			_, err := b.Links.Lease(coretest.Ann, links.LeaseIn{Project: "demo", Holder: "a", EveryMs: 1, ForMs: 1, Ran: true})
			b.Must(err)
			b.Pass(10 * time.Millisecond)
			return "pull:loop"
		}},
		{"closed elsewhere", waiting.ItemReview, "ann", 2, func(b *box) string {
			b.owns("tracker")
			defer b.owns("local")
			return b.pulled(`, "criteria": ["x"]`, "status", "done")
		}},
	}
	eachHouse(t, func(k *coretest.Kit) {
		k.ConfigFile = `{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"}, "code_host": {"repos": ["o/n"]}}}`
		k.Policy.Gates = map[string][]string{"ship": nil, "lost": nil}
		k.Policy.ReviewPolicy = map[string][]task.Requirement{"ship": {{Role: "lead"}, {Actor: "bob", Kind: task.KindVerification}}, "lost": {{Role: "nobody"}}}
		k.Policy.Humans = []task.Actor{{Name: "ann", Human: true, Roles: []string{"lead"}}, {Name: "bob", Human: true}}
		b := &box{Kit: k, n: 1}
		k.Tasks(`{"key": "k1", "title": "T"}`)
		found := map[waiting.ItemKind]bool{}
		for n := range 2 {
			made := make([]string, len(rows))
			for i, c := range rows {
				if n < c.settle {
					made[i] = c.make(b)
				}
			}
			before, typed := b.items(), map[string]string{}
			b.disputed(before)
			for i, c := range rows {
				for key, it := range before {
					reader, id, _ := strings.Cut(key, " ")
					if made[i] == "" || reader != c.reader || it.Kind != c.item || !strings.Contains(id+":", ":"+made[i]+":") {
						continue
					}
					if len(it.Settle) != c.settle {
						k.Fatalf("%s is settled by %q", c.name, it.Settle)
					}
					if err := b.typed(readers[reader], it.Settle[n]); err != nil {
						k.Errorf("%s: %s is refused: %v", c.name, it.Settle[n], err)
					}
					found[it.Kind], typed[key], made[i] = true, it.Settle[n], ""
				}
				if made[i] != "" {
					k.Errorf("%s: it does not wait for %s", c.name, c.reader)
				}
			}
			after := b.items()
			for key, line := range typed {
				if _, left := after[key]; left {
					k.Errorf("after %s there is still %s", line, key)
				}
			}
		}
		for _, kind := range waiting.ItemKinds {
			if !found[kind] {
				k.Errorf("no item of kind %s was made", kind)
			}
		}
	})
}
