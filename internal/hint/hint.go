// Package hint declares the calls that hints name: what a caller can do about a refusal. Each is written once, as an
// operation of the table with its arguments and as the equivalent command, and every face words it in its own language
// (see fault.Call). A word in capitals stands for what the caller fills in.
package hint

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Call is a fault.Call, for packages that only pass one on.
type Call = fault.Call

// Show reads a task with everything about it.
func Show[T ~string](id T) Call { return onTask("show", id, "show "+string(id)) }

// Explain asks why a task is or is not ready.
func Explain[T ~string](id T) Call { return onTask("explain", id, "explain "+string(id)) }

// Whole reads a task with everything about it, regardless of the budget.
func Whole[T ~string](id T) Call {
	const budget = 1_000_000_000 // large enough that nothing is cut
	return onTask("show", id, "show "+string(id)+" --budget "+strconv.Itoa(budget), "budget", budget)
}

// Full reads a task with everything about it and no list cut. A route never cuts lists, and a tool has the argument
// full.
func Full[T ~string](id T) Call { return onTask("show", id, "show "+string(id)+" --full") }

// ShowAll reads several tasks; a route and a tool read one at a time, the last.
func ShowAll[T ~string](ids []T) Call {
	line := "show"
	for _, id := range ids {
		line += " " + string(id)
	}
	return onTask("show", ids[len(ids)-1], line)
}

// Events reads what happened to a task.
func Events[T ~string](id T) Call {
	return Call{Op: "events", Args: args("task", string(id)), Command: "events --task " + string(id)}
}

// EventsOfKind reads the newest events of a kind of a task.
func EventsOfKind[T, K ~string](id T, kind K) Call {
	return Call{
		Op: "events", Args: args("task", string(id), "kind", string(kind)),
		Command: "events --task " + string(id) + " --kind " + string(kind),
	}
}

// AllOfKind reads all events of a kind of a task that the log still has, oldest first; first is the log's first event.
func AllOfKind[T, K ~string](id T, kind K, first int64) Call {
	c := EventsOfKind(id, kind)
	c.Args, c.Command = append(c.Args, args("since_id", first-1)...), c.Command+" --since-id "+strconv.FormatInt(first-1, 10)
	return c
}

// EventsFrom reads the log starting at an event.
func EventsFrom(id int64) Call {
	return Call{Op: "events", Args: args("since_id", id-1), Command: "events --all --since-id " + strconv.FormatInt(id-1, 10)}
}

// Children lists the children of a task.
func Children[T ~string](id T) Call { return around(id, "parent", "--parent") }

// Dependents lists the tasks that wait for one.
func Dependents[T ~string](id T) Call { return around(id, "dependsOn", "--depends-on") }

// Deps lists the tasks that one waits for.
func Deps[T ~string](id T) Call { return around(id, "dependencyOf", "--dependency-of") }

func around[T ~string](id T, name, flag string) Call {
	slug := string(id)
	if at := strings.LastIndexByte(slug, '-'); at >= 0 {
		slug = slug[:at] // a route needs the project, which the id implies elsewhere
	}
	return Call{Op: "list", Args: args("project", slug, name, string(id)), Command: "list " + flag + " " + string(id)}
}

// Next claims the next task of a project.
func Next(slug string) Call {
	return Call{Op: "next", Args: args("project", slug), Command: "next --claim -p " + slug}
}

// Claim claims a task.
func Claim[T ~string](id T) Call { return onTask("claim", id, "claim "+string(id)) }

// Renew renews the caller's own claim.
func Renew[T ~string](id T, fence int64) Call {
	return onTask("claim", id, "renew "+string(id), "fence", fence)
}

// Release gives a task back, by its holder or a human.
func Release[T ~string](id T) Call {
	c := onTask("release", id, "release "+string(id))
	c.ByOther = true
	return c
}

// Reopen opens a closed task again.
func Reopen[T ~string](id T) Call { return onTask("move", id, "reopen "+string(id), "to", "open") }

// Review takes a task to review.
func Review[T ~string](id T) Call {
	return onTask("move", id, "review "+string(id), "to", "in_review")
}

// Open moves a task back to open.
func Open[T ~string](id T) Call { return onTask("move", id, "move "+string(id)+" open", "to", "open") }

// Return sends a task in review back to work.
func Return[T ~string](id T) Call {
	return onTask("move", id, "return "+string(id)+" --because TEXT", "to", "open", "note", "TEXT")
}

// Force moves a task to done despite unchecked criteria and missing evidence.
func Force[T ~string](id T) Call {
	return onTask("move", id, "done "+string(id)+" --force", "to", "done", "force", true)
}

// Done moves a task to done.
func Done[T ~string](id T) Call { return onTask("move", id, "done "+string(id), "to", "done") }

// Ending ends a worker's task: it moves it to done, or to review, ticks the criteria that are open, and records what else is
// missing.
type Ending struct {
	To       string // done or in_review
	Prove    bool   // to done: run what the gate asks for first, and tick by that; routes and tools run nothing, so a command does it
	Check    []int
	Evidence bool // some is missing that has to be typed
	Note     bool
	Next     bool // claim the next task in the same step
}

// End ends a task as it says.
func End[T ~string](id T, e Ending) Call {
	command, more := "done "+string(id), []any{"to", e.To}
	if e.To != "done" {
		command = "review " + string(id)
	}
	before := ""
	switch {
	case e.Prove:
		before, command = ProveGate(id, e.Check...).Command, command+" --prove"+checking(e.Check)
	case len(e.Check) > 0:
		command, more = command+checking(e.Check), append(more, "check", e.Check)
	}
	if e.Evidence {
		command, more = command+" --evidence K=V", append(more, "evidence", []map[string]string{{"kind": "K", "value": "V"}})
	}
	if e.Note {
		command, more = command+" --note TEXT", append(more, "note", "TEXT")
	}
	if e.Next {
		command, more = command+" --next", append(more, "next", true)
	}
	c := onTask("move", id, command, more...)
	c.Before = before
	return c
}

// checking is the flag that ticks criteria; "" for none.
func checking(criteria []int) string {
	return words.When(len(criteria) > 0, " --check "+strings.Join(words.Each(criteria, strconv.Itoa), ","))
}

// WithNext returns the call, claiming the next task in the same step if it is one that can: a move to review, or one to done
// that proves first.
func WithNext(c Call) Call {
	review := slices.ContainsFunc(c.Args, func(a fault.Arg) bool { return a.Name == "to" && a.Value == "in_review" })
	if c.Op != "move" || !review && c.Before == "" {
		return c
	}
	c.Args, c.Command = append(slices.Clone(c.Args), args("next", true)...), c.Command+" --next"
	return c
}

// ForceMove moves a task with an override that only people can make.
func ForceMove[T ~string](id T, to string) Call {
	c := onTask("move", id, "move "+string(id)+" "+words.Shell(to)+" --force", "to", to, "force", true)
	c.ByOther = true
	return c
}

// Check ticks criteria.
func Check[T ~string](id T, indexes []int) Call {
	return onTask("check", id, "check "+string(id)+" "+strings.Join(words.Each(indexes, strconv.Itoa), " "), "indexes", indexes)
}

// Seen ticks a criterion by what somebody saw.
func Seen[T ~string](id T, criterion int) Call {
	n := strconv.Itoa(criterion)
	return onTask("check", id, "check "+string(id)+" "+n+" --seen TEXT", "indexes", []int{criterion}, "seen", "TEXT")
}

// Evidence records evidence of a kind. The command is the one that runs what it records: agents that are asked to type
// a sentence just type one.
func Evidence[T ~string](id T, kind string) Call {
	items := []map[string]string{{"kind": kind, "value": "TEXT"}}
	return onTask("evidence", id, Prove(id, kind, []string{"CMD"}).Command, "items", items)
}

// TypedEvidence records evidence of a kind that no command can show, such as a review.
func TypedEvidence[T ~string](id T, kind string) Call {
	items := []map[string]string{{"kind": kind, "value": "TEXT"}}
	return onTask("evidence", id, "evidence "+string(id)+" --kind "+words.Shell(kind)+" --value TEXT", "items", items)
}

// Prove runs a command again and records it as evidence of a kind. It has no route and no tool: it runs locally.
func Prove[T ~string](id T, kind string, command []string) Call {
	return Call{Command: "prove " + string(id) + " --kind " + words.Shell(kind) + " -- " + strings.Join(words.Each(command, words.Shell), " ")}
}

// ProveLine runs a line that a criterion asks for, and ticks the criterion. Like ProveGate, it runs locally.
func ProveLine[T ~string](id T, criterion int, line string) Call {
	return Call{Command: "prove " + string(id) + " --check " + strconv.Itoa(criterion) + " --line " + words.Shell(line)}
}

// ProveCriterion runs a command that shows a criterion, and ticks the criterion. Like ProveGate, it runs locally.
func ProveCriterion[T ~string](id T, criterion int) Call {
	return Call{Command: "prove " + string(id) + " --kind test --check " + strconv.Itoa(criterion) + " -- CMD"}
}

// ProveGate runs the commands that the task's gate still asks for, and ticks criteria by them. It has no route and no tool: it
// runs locally.
func ProveGate[T ~string](id T, check ...int) Call {
	return Call{Command: "prove " + string(id) + checking(check)}
}

// ProveAgain runs the commands of the task's gate again. Like ProveGate, it runs locally.
func ProveAgain[T ~string](id T) Call { return Call{Command: "prove --again " + string(id)} }

// Approve gives a task an approval, or a verification if the kind says so, as a human does.
func Approve[T ~string](id T, kind string) Call {
	c := onTask("approve", id, "approve "+string(id))
	if kind != "" && kind != "approval" {
		c = onTask("approve", id, "approve "+string(id)+" --kind "+kind, "kind", kind)
	}
	c.ByOther = true
	return c
}

// Note adds a note to a task.
func Note[T ~string](id T) Call {
	return onTask("note", id, "note "+string(id)+" TEXT", "text", "TEXT")
}

// Ask asks about a task.
func Ask[T ~string](id T) Call { return onTask("ask", id, "ask "+string(id)+" TEXT", "text", "TEXT") }

// Answer answers a question.
func Answer(question int64) Call {
	n := strconv.FormatInt(question, 10)
	return Call{Op: "answer", Args: args("id", question, "text", "TEXT"), Command: "answer " + n + " TEXT"}
}

// Withdraw takes back a question.
func Withdraw(question int64) Call {
	n := strconv.FormatInt(question, 10)
	return Call{Op: "withdraw", Args: args("id", question), Command: "answer " + n + " --withdraw"}
}

// FirstCriterion gives a task without criteria its first one.
func FirstCriterion[T ~string](id T) Call {
	return onTask("edit", id, "edit "+string(id)+" --add-criterion TEXT", "criteria", []string{"TEXT"})
}

// Edit changes a task.
func Edit[T ~string](id T) Call {
	return onTask("edit", id, "edit "+string(id)+" --title TEXT", "title", "TEXT")
}

// WithoutDep removes a dependency from a task.
func WithoutDep[T ~string](id T) Call {
	return onTask("edit", id, "edit "+string(id)+" --rm-dep ID", "removeDeps", []string{"ID"})
}

// List lists tasks of the project that the caller assumes.
func List() Call { return Call{Op: "list", Command: "list", Scoped: true} }

// ListState lists the tasks of a project in a state; without a name, of the project that the caller assumes.
func ListState(slug, state string) Call {
	if slug == "" {
		return Call{Op: "list", Args: args("state", state), Command: "list --state " + state, Scoped: true}
	}
	return Call{Op: "list", Args: args("project", slug, "state", state), Command: "list --state " + state + " -p " + slug}
}

// ListOf lists the tasks of a project.
func ListOf(slug string) Call {
	return Call{Op: "list", Args: args("project", slug), Command: "list -p " + slug}
}

// Inbox lists what waits for anyone in the project that the caller assumes.
func Inbox() Call {
	return Call{Op: "inbox", Args: args("all", true), Command: "inbox --all", Scoped: true}
}

// InboxOf lists what waits for anyone in a project.
func InboxOf(slug string) Call {
	return Call{Op: "inbox", Args: args("slug", slug, "all", true), Command: "inbox --all -p " + slug}
}

// Projects lists the projects.
func Projects() Call { return Call{Op: "projects", Command: "project list"} }

// Project shows a project.
func Project(slug string) Call {
	return Call{Op: "project", Args: args("slug", slug), Command: "project show " + slug}
}

// Restore brings an archived project back.
func Restore(slug string) Call {
	return Call{Op: "project-archive", Args: args("slug", slug), Command: "project unarchive " + slug}
}

// Sessions lists the sessions.
func Sessions() Call { return Call{Op: "session-list", Command: "session list"} }

// NewSession creates a session for an actor, on the machine with the database.
func NewSession() Call {
	return Call{Op: "session-create", Command: "session create --actor NAME", ByOther: true}
}

// Doctor recounts the maintained counts.
func Doctor() Call { return Call{Op: "doctor", Command: "doctor", ByOther: true} }

// Add creates a task in a project.
func Add(slug string) Call {
	return Call{Op: "create", Args: args("project", slug, "title", "TITLE"), Command: "add TITLE", Scoped: true}
}

// Apply applies a plan.
func Apply() Call {
	return Call{Op: "apply", Command: "apply --example > plan.json && tasker apply -f plan.json"}
}

// ApplyFile applies a plan from a file.
func ApplyFile() Call { return Call{Op: "apply", Command: "apply -f FILE"} }

// NamingProject names a field of the caller's own call: the project.
func NamingProject() Call {
	return Call{Field: "project", Command: "-p, TASKER_PROJECT or project in .tasker.json"}
}

// NamingThis is NamingProject for a project that is known.
func NamingThis(slug string) Call { return Call{Field: "project", Command: "-p " + slug} }

// NamingInstance names what says for which instance of its name a caller works: the fence of the claim at a command
// line, a header over HTTP.
func NamingInstance(instance string) Call {
	return Call{Field: "fence", Header: "Tasker-Instance: " + instance, Command: "the fence of its claim"}
}

// Command is a command that is not an operation: the text after the program's name.
func Command(line string) Call { return Call{Command: line} }

// Typed is a command as an answer names it, with the program's name.
func Typed(line string) Call { return Command(strings.TrimPrefix(line, "tasker ")) }

// Here is a command that exists only on the command line, for the project that the caller assumes.
func Here(line string) Call { return Call{Command: line, Scoped: true} }

func onTask[T ~string](op string, id T, command string, more ...any) Call {
	return Call{Op: op, Args: append(args("id", string(id)), args(more...)...), Command: command}
}

// args pairs names with values.
func args(list ...any) []fault.Arg {
	out := make([]fault.Arg, 0, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		name, _ := list[i].(string)
		out = append(out, fault.Arg{Name: name, Value: list[i+1]})
	}
	return out
}
