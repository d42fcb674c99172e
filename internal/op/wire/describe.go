package wire

import (
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core/reading"
	"tasker/internal/task"
)

// describe adds what the Go type does not say.
func describe(s *jsonschema.Schema, in, name string) {
	about := about()
	if d, ok := about.texts[in+"."+name]; ok {
		s.Description = d
	} else if d, ok := about.texts[name]; ok {
		s.Description = d
	}
	if e, ok := about.enums[in+"."+name]; ok {
		s.Enum = e
	}
}

type notes struct {
	texts map[string]string // by name, or by type and name
	enums map[string][]any
}

var about = sync.OnceValue(func() notes {
	return notes{
		texts: map[string]string{
			"id": "task id, such as demo-4", "slug": "project slug", "project": "project slug",
			"limit":           "how many at most; 50 unless given (events 100), cut at 1000",
			"cursor":          "nextCursor of the page before",
			"budget":          "how many tokens the bundle may take; what is cut is named",
			"status":          "only tasks of this status",
			"heldBy":          "only tasks that this actor holds",
			"parent":          "only children of this task",
			"dependsOn":       "only tasks that wait for this one, open or closed",
			"dependencyOf":    "only tasks that this one waits for, open or closed",
			"q":               "only tasks with this text in title, key or id",
			"ready":           "only tasks that are on the ready frontier, or only those that are not",
			"blocked":         "only tasks that wait for an open dependency, or only those that do not",
			"under":           "only tasks below this one",
			"apart":           "pass over tasks whose touches overlap those of a held one",
			"resume":          "first the task you hold whose lease ends soonest, renewed",
			"leaseMs":         "how long the claim lasts, in milliseconds; 0 is without end",
			"fence":           "the fence of your claim: refused with 409 once it is no longer the newest",
			"expectedVersion": "refused with 409 when the task has another version",
			"to":              "the status to move to",
			"force":           "pass over unchecked criteria and missing evidence; it is logged",
			"check":           "criteria to tick first, by index from 1",
			"next":            "claim the next task in the same step",
			"dryRun":          "say what would change, and change nothing",
			"since":           "events from this time on; racy, page with since_id",
			"since_id":        "events after this id",
			"before_id":       "events before this id; without since and since_id the newest of them",
			"kind":            "only events of this kind",
			"by":              "only events of this actor",
			"task":            "only events of this task",
			"index":           "which criterion, from 1",
			"indexes":         "several criteria at once, from 1",
			"checked":         "false unticks; true unless given",
			"failed":          "the attempt did not work out; it is counted",

			"TickIn.text": "what the criterion reads: refused with 409 when it reads otherwise",
			"NoteIn.text": "the note", "MoveIn.note": "a note to add first", "MoveIn.evidence": "evidence to record first",
			"ApproveIn.kind": "a judgement (approval, unless given) or a confirmed fact (verification)", "ApproveIn.role": "a role that you hold",
			"EvidenceIn.items": "at least one",
			"SearchIn.q":       "words to find; quotes keep words together, and the last word finds longer ones too",
			"SearchIn.kind":    "only hits of this kind; the counts are of every kind",
			"SearchIn.limit":   "how many hits of each kind at most; 50 unless given, cut at 1000",
		},
		enums: map[string][]any{
			"MoveIn.to": anys(task.Statuses), "ListIn.status": anys(task.Statuses),
			"ApproveIn.kind": anys([]string{task.KindApproval, task.KindVerification}), "SearchIn.kind": anys(reading.SearchKinds()),
		},
	}
})
