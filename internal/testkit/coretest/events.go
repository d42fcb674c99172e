package coretest

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// happening describes a kind of event: what it means, and what its payload holds. The names in backticks are the members
// of the payload; "each" means that it can have any member, and "as `kind`" that it also has those of another kind.
type happening struct{ about, payload string }

// happenings describes every kind of event. docs/events.md is generated from it, and every test of an operation checks
// the events it recorded against it.
var happenings = map[task.Kind]happening{
	task.TaskCreated: {"a task was created, by a plan or on its own", "every field that it was given"},
	task.TaskUpdated: {"fields of its record changed", "each changed field as `{from, to}`"},
	task.TaskMoved: {"its status changed",
		"`from`, `to`, `forced`, `tookFrom` (whose claim a human ended), and as `{from, to}` where they changed " +
			"`claim`, `closedAt`, `closedBy`, `attempts`, `recorded` (it was created closed), `reviewBy` (who handed it over), `returned` (the event of the return or reopening that it answers, and whether it is one), `sentBack` (the one before, where it is one); `stale` where runs were made on other files than the closing command saw, as `[{evidence, kind, files}]`; `tree` (`unknown`) where an agent's close rests on runs and no tree came with it"},
	task.TaskRemoved:   {"undoing its creation removed a task that nobody had touched; its number is not used again", "`key`, `title`"},
	task.TaskClaimed:   {"somebody holds it", "`fence`, `leaseMs`, `expiresAt`, `status` as `{from, to}`, `by` (`next` where it was selected), `lastHolder` where somebody had it before, and `heldSince` (the claim that this holding began with)"},
	task.ClaimRenewed:  {"its holder asked for more time", "`fence`, `leaseMs` and `expiresAt` as `{from, to}`, `by` (`next` where it was resumed)"},
	task.ClaimReleased: {"it was given back", "`actor` (who held it), `fence`, `failed`, `status` as `{from, to}`, `claim` as it was"},
	task.ClaimExpired: {"its lease ran out; the actor is `tasker`",
		"`actor` (who held it), `fence`, `claimedAt`, `expiresAt`, `leaseMs`, `status` as `{from, to}`"},
	task.CriterionChecked:   {"a criterion was ticked", "`index`, `text`, `checked` as `{from, to}`; likewise `by` where it rests on evidence, `note` where it was ticked by eye, `checkedBy`, `checkedAt`, `rests` where it was ticked before, and `returned` where it answers a return or a reopening"},
	task.CriterionUnchecked: {"a tick was removed", "`index`, `text`, and as `{from, to}` `checked`, `checkedBy`, `checkedAt`, `rests`, and where the tick had them `by`, `note`"},
	task.NoteAdded:          {"a note was left", "`text`"},
	task.EvidenceAdded:      {"evidence was recorded", "`kind`, `value`, `note`, `for` (the holder for whom it was recorded, where the actor is another) and `returned` as `{from, to}` where it answers a return or a reopening, which `from` names"},
	task.ApprovalGiven:      {"a human approved or verified it", "`kind`, `role`, `note`"},
	task.ApprovalRequested:  {"a move to done waits only for approvals", "`from`, `to`, `missing`"},
	task.ApprovalRefused:    {"an agent tried to approve", "`kind`, `role`, `reason`"},
	task.OverrideForced:     {"a move was forced past missing requirements, with `task.moved`; or a person took over a policy whose record had no human left, with `project.updated`", "`to` (the status, or `policy`), `passedOver`"},
	task.DecisionRecorded:   {"a decision was written down", "`title`, `rationale`"},
	task.DecisionWithdrawn:  {"it was taken back by an undo", "`decision`, `title`, `rationale`"},
	task.QuestionAsked:      {"somebody asks, and a blocking question takes the task off the frontier", "`text`, `blocking`, `to`"},
	task.QuestionAnswered:   {"it was answered", "`question`, `blocking`, `text`"},
	task.QuestionWithdrawn:  {"it was taken back", "`question`, `blocking`"},
	task.PlanApplied: {"a document was applied; the tasks' own events have the same `batch`",
		"`created`, `updated`, `unchanged`, and `pruned` where there were some: how many"},
	task.ProjectCreated: {"a project was made", "`slug`, `name`, `vision`, `gates`, and `policy` where its own file has one"},
	task.ProjectUpdated: {"its record or its settings changed, or maintained values were repaired",
		"each change as `{from, to}`, settings below `settings`; of a repair `repaired`, how many values, and the first 100 of them in `values`"},
	task.ProjectRenamed:  {"its slug changed, and with it the ids of its tasks; the old ids still resolve", "`slug` as `{from, to}`"},
	task.ProjectArchived: {"it was archived, or brought back", "`archived` as `{from, to}`"},
	task.ProjectDeleted:  {"it was deleted with everything in it; the event belongs to no project", "`slug`, `deleted`"},
	task.ProjectMerged: {"everything in another project was moved into this one; the old ids still resolve",
		"`from`: its slug; `tasks`: how many; `shift`: how much was added to their numbers; `renamed`: how many keys were taken here, and `keys`: " +
			"the first of them, with what they became; `sessionsEnded`, `sessionsNarrowed`: how many sessions were for it alone, and for others too"},
	task.BindingAdded:   {"a task was bound to a record of another system", "`system`, `kind`, `ref`, `url`"},
	task.BindingRemoved: {"the binding was removed", "`system`, `kind`, `ref`, `url`"},
	task.SyncPulled: {"a task took values from another system",
		"`system`, `ref`, `fields`, each as `{from, to}`; `first`: what gave way where nothing was agreed yet; `declined`: why a status was not taken"},
	task.SyncPlanned: {"a value will be written to another system",
		"`system`, `ref`, `field`, `from`, `to`, `why`; `write`: its number, and `outcome`, where it is tried again"},
	task.SyncPushed: {"it was written", "as `sync.planned`"},
	task.SyncFailed: {"a pull or a write failed for the first time or for good, or a write was given up",
		"as `sync.planned`, and `error`; of a pull `system`, `direction`, `outcome`, `error`"},
	task.ConflictFound: {"two systems disagree about a field, or disagree in a new way",
		"`system`, `ref`, `field`, `ours`, `theirs`; `conflict`: its number, if it is found again"},
	task.ConflictResolved: {"somebody settled it, or both sides agreed again (`settled`)", "as `conflict.found`, and `resolution`, `value`"},
	task.GuidanceDrifted:  {"files that a claim had fingerprinted have changed since", "`fence`, `files`"},
	task.WorkspaceOpened:  {"the workspace of a task is ready", "`path`, `host`, `strategy`, `branch`, `base`, `ports`"},
	task.WorkspaceStep: {"a step of its setup or teardown has ended",
		"`name`, `phase`, `exitCode`, `durationMs`, `optional`, `host`, `file`: the file and line that asks for it"},
	task.WorkspaceClosed: {"it was closed", "as `workspace.opened`, and `removed`, `kept`: the ref under which changes are stored"},
	task.WorkspacePruned: {"its directory was deleted by hand, and its record with it", "as `workspace.opened`, and `removed`, `why`"},
	task.TaskLanded: {"the work on a done task, which was not on its base when it was closed, is now on it",
		"`base`, `commit`; of a landing here also `branch`, and `runs`: what was run on the merged files, each as `{command, exitCode, durationMs}`"},
	task.LandFailed: {"something did not land: a task, which is open again, or, for `push` and `base`, whatever was to land; then it belongs to the project only",
		"`why`: conflict, red, push or base; `with`: the other tasks that it takes to fail; `base`; `command`: the one that was red"},
	task.NotificationDelivered: {"an inbox item was delivered to somebody; it belongs to the project only, and the actor is `tasker`",
		"`delivery`, `channel`, `item`, `attempts`"},
	task.NotificationFailed: {"a delivery was given up, or dropped", "as `notification.delivered`, and `error`"},
	task.RunnerStarted: {"a runner of commands started; like its other events it belongs to the project only, and there is one for the runner, not one a worker",
		"`host`, `workers`"},
	task.RunnerPauses:  {"its workers take nothing until a usage limit or an outage ends", "as `runner.started`, and `until`, `why`"},
	task.RunnerResumed: {"it goes on after a pause", "as `runner.started`"},
	task.RunnerEnded: {"it has ended; with `why`, it stopped by itself: its command is set up wrongly, or its tasks fail alike",
		"as `runner.started`, and `why`, `tasks`"},
	task.SessionCreated: {"a credential was made; the event belongs to no project", "`session`, `actor`, `expiresAt`, `projects`, `readOnly`"},
	task.SessionRevoked: {"it was revoked; the event belongs to no project", "`session`, `actor`"},
	task.DatabaseRestored: {"the database was restored from a backup, or goes on although it lost events; the event belongs to no project, and every stream sends it: the ids of events continue from it",
		"`lastEvent`: the newest before it; `generation`; `lost`: the events that are gone, as `{from, to}`; no id between `lastEvent` and this event is used again"},
	task.EventsPruned: {"old events were moved from the log into an archive; the event belongs to no project. The log begins with `firstEvent` from then on",
		"`firstEvent`; `until`: when the newest event before it happened; `archived`: how many events the archive has; " +
			"`archive`: the name of its file; `sha256`: of its lines"},
}

var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([a-zA-Z0-9.]+)`") })

// members returns the members that the payload of a kind can have; open reports whether it can have any others too.
func members(kind task.Kind) (names []string, open bool) {
	text := happenings[kind].payload
	for _, m := range named().FindAllStringSubmatch(text, -1) {
		if other, ok := happenings[task.Kind(m[1])]; ok && other.payload != text {
			more, _ := members(task.Kind(m[1]))
			names = append(names, more...)
			continue
		}
		names = append(names, m[1])
	}
	return append(names, "undoes"), strings.HasPrefix(text, "each ") || strings.HasPrefix(text, "every ")
}

// undeclared returns the members of an event's payload that the reference of events does not list.
func undeclared(kind task.Kind, payload jsontext.Value) []string {
	names, open := members(kind)
	var held map[string]jsontext.Value
	if open || json.Unmarshal(payload, &held) != nil {
		return nil
	}
	var out []string
	for name := range held {
		if !slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// checkEvents checks that what the test recorded matches the reference of events. It skips a test that destroyed its database.
func (k *Kit) checkEvents() {
	events, err := k.Reading.Events(Ann, reading.EventsIn{Limit: new(1000)})
	if err != nil {
		return
	}
	for _, ev := range events {
		if extra := undeclared(ev.Kind, ev.Payload); len(extra) > 0 {
			k.Errorf("an event %s holds %q, which internal/testkit/coretest/events.go does not list", ev.Kind, extra)
		}
	}
}
