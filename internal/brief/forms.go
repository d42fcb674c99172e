package brief

import (
	"tasker/internal/bundle"
	"tasker/internal/task"
)

// The forms of tasks and of what belongs to them.
var (
	claimForm     = &form{only: "task actor! fence expiresAt"}
	heldForm      = &form{only: "actor! expiresAt"} // a claim next to its task; without an end it says nothing of one
	criterionForm = &form{only: "index! text! checked checkedBy rests"}
	questionForm  = &form{only: "id! actor! to text! blocking answer answeredBy"}

	// taskForm leaves out what a worker has no use for; whatever else a task has is there, new fields too.
	taskForm = &form{
		but:    "project rank version createdBy createdAt updatedAt",
		of:     map[string]*form{"criteria": criterionForm, "links": {only: "kind! ref! note"}, "claim": heldForm},
		unless: map[string]any{"priority": task.DefaultPriority},
	}

	// progressForm is how far a task is: the answer to a tick and to a move, whose callers know the rest.
	progressForm = &form{only: "id! status! criteria claim", of: map[string]*form{"criteria": criterionForm, "claim": heldForm}}
)

// The forms of what is told with a task.
var (
	nearForm = &form{only: "id! title! status!"}

	approvalsForm = &form{
		only: "missing given",
		of:   map[string]*form{"missing": {only: "kind! role actor reason"}, "given": {only: "kind! actor! note stale"}},
	}
	workspaceForm = &form{
		only: "path! host! branch base ports state! dirty ahead behind commits",
		made: map[string]func(any) any{"commits": func(w any) any { return w.(*bundle.Workspace).Commits() }},
	}

	// bundleForm is that of a bundle, and of one with an explanation next to it. Criteria and links stand in the task.
	bundleForm = &form{but: "project criteria links recentEvents", of: map[string]*form{
		"task":       taskForm,
		"ancestors":  nearForm,
		"children":   nearForm,
		"deps":       {only: "id! title! status! outcome"},
		"dependents": {only: "id! title! status", unless: map[string]any{"status": task.Open}},
		"gate":       {only: "name! requires missing defined", unless: map[string]any{"defined": true}},
		"approvals":  approvalsForm,
		"notes":      {only: "actor! text!"},
		"decisions":  {only: "title! rationale actor!"},
		"questions":  questionForm,
		"evidence":   {only: "id! kind! value! note actor!"},
		"bindings":   {only: "kind! ref! url state"},
		"workspace":  workspaceForm,
		"guidance":   {only: "path! drift"},
		"budget":     {only: "limit used omitted", of: map[string]*form{"omitted": {only: "part! items tokens command!"}}},
		"explain":    explainForm,
	}}
)

// The forms of answers.
var (
	idleForm = &form{}
	nextForm = &form{
		only: "task! claimed! skipped! skippedMore selectedBy! routing! selectionReason! bundle! idle",
		of: map[string]*form{
			"task": taskForm, "claimed": claimForm, "bundle": bundleForm, "idle": idleForm,
			"routing": {only: "mayHold! autonomy mayExecute preferredActor why whatWouldChange", unless: map[string]any{"autonomy": task.Autonomous}},
		},
	}
	moveForm = &form{
		only: "task! from! unblocked unblockedTotal warnings next",
		of:   map[string]*form{"task": progressForm, "next": nextForm},
	}
	listForm = &form{
		only: "project! total! totalMore tasks! nextCursor",
		of: map[string]*form{"tasks": {
			only:   "id! title! status! priority openDeps claim",
			of:     map[string]*form{"claim": {only: "actor!"}},
			unless: map[string]any{"priority": task.DefaultPriority},
		}},
	}
	searchForm = &form{
		only: "query! project! counts! total! totalMore hits!",
		of:   map[string]*form{"hits": {only: "kind! task text!"}},
	}
	verdictForm = &form{only: "yes! reasons", of: map[string]*form{"reasons": {only: "rule! why! change"}}}
	explainForm = &form{
		only: "ready! claimable! closable!",
		of:   map[string]*form{"ready": verdictForm, "claimable": verdictForm, "closable": verdictForm},
	}
)
