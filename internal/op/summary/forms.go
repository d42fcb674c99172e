package summary

import (
	"tasker/internal/bundle"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// The forms of tasks and of what belongs to them.
var (
	claimForm     = &form{only: "task actor! fence expiresAt"}
	takenForm     = &form{only: "task actor! fence expiresAt how"} // the answer of a claim
	heldForm      = &form{only: "actor! expiresAt"}                // a claim next to its task; no expiresAt if it has no end
	criterionForm = &form{only: "index! text! checked checkedBy by rests note doubt"}
	questionForm  = &form{only: "id! actor! to text! blocking answer answeredBy"}

	// taskForm leaves out what a worker has no use for; it has everything else of a task, including new fields.
	taskForm = &form{
		but: "project rank version createdBy createdAt updatedAt",
		with: []part{
			{name: "priority", unless: task.DefaultPriority},
			{name: "criteria", form: criterionForm}, {name: "links", form: &form{only: "kind! ref! note"}}, {name: "claim", form: heldForm},
		},
	}

	// progressForm shows how far a task is: the answer to a tick and to a move, whose callers know the rest.
	progressForm = &form{
		only: "id! status! criteria claim",
		with: []part{{name: "criteria", form: criterionForm}, {name: "claim", form: heldForm}},
	}
)

// editedForm shows what an edit changed: its caller knows the rest.
var editedForm = &form{only: "id! version! changes! warnings", with: []part{
	{name: "changes", made: func(e any) any { return changesOf(e.(*planning.Edited).Changes) }},
}}

// The forms of what accompanies a task.
var (
	nearForm = &form{only: "id! title! status!"}

	approvalsForm = &form{
		only: "missing given",
		with: []part{{name: "missing", form: &form{only: "kind! role actor reason"}}, {name: "given", form: &form{only: "kind! actor! note stale"}}},
	}
	workspaceForm = &form{
		only: "path! host! branch base ports state! dirty ahead behind commits",
		with: []part{{name: "commits", made: func(w any) any { return w.(*bundle.Workspace).Commits() }}},
	}

	budgetForm = &form{only: "limit used omitted", with: []part{{name: "omitted", form: &form{only: "part! items tokens command!"}}}}

	// bundleForm is the form of a bundle, with or without an explanation. Criteria and links are in the task.
	bundleForm = &form{but: "project criteria links recentEvents", with: []part{
		{name: "task", form: taskForm},
		{name: "closable", form: &form{only: "yes missing how"}},
		{name: "ancestors", form: nearForm},
		{name: "children", form: nearForm},
		{name: "deps", form: &form{only: "id! title! status outcome", with: []part{{name: "status", unless: task.Done}}}},
		{name: "dependents", made: dependentLines},
		{name: "actOn", form: &form{only: "task! title! holder needsAnswer others"}},
		{name: "gate", form: &form{only: "name! requires missing why defined", with: []part{{name: "defined", unless: true}}}},
		{name: "approvals", form: approvalsForm},
		{name: "notes", form: &form{only: "actor! text!"}},
		{name: "decisions", form: &form{only: "title! rationale actor!"}},
		{name: "questions", form: questionForm},
		{name: "evidence", form: &form{only: "id! kind! value! note doubt actor!"}},
		{name: "laterWork", form: &form{only: "tasks! total!", with: []part{{name: "tasks", form: &form{only: "task! paths!"}}}}},
		{name: "bindings", form: &form{only: "kind! ref! url state"}},
		{name: "workspace", form: workspaceForm},
		{name: "guidance", form: &form{only: "path! drift"}},
		{name: "budget", form: budgetForm},
		{name: "explain", form: explainForm},
	}}
)

// The forms of answers.
var (
	idleForm = &form{with: []part{{name: "waits", made: func(i any) any { return waitLines(i.(*work.Idle).Waits) }}}}

	routingForm = &form{
		only: "mayHold autonomy mayExecute preferredActor why whatWouldChange",
		with: []part{{name: "mayHold", unless: true}, {name: "autonomy", unless: task.Autonomous}},
	}
	nextParts = []part{
		{name: "task", form: taskForm}, {name: "claimed", form: claimForm}, {name: "routing", form: routingForm}, {name: "bundle", form: bundleForm},
		{name: "idle", form: idleForm}, {name: "skipped", made: func(n any) any { return words.Each(n.(*work.NextOut).Skipped, skippedLine) }},
	}
	nextForm = &form{only: "task! claimed! skipped! skippedMore selectedBy! routing! selectionReason! bundle! idle", with: nextParts}
	// alsoForm is the form of the task that comes with a move. How it was chosen is what next says, and the specification
	// names no members for it.
	alsoForm = &form{only: "task! claimed skipped skippedMore routing bundle idle", with: nextParts}
	moveForm = &form{
		only: "task! from! unblocked unblockedTotal tree warnings next dryRun closable missing",
		with: []part{{name: "task", form: progressForm}, {name: "next", form: alsoForm}},
	}
	// askedForm is the answer of a question: the asker knows the rest.
	askedForm = &form{only: "id! task! for! blocking released next", with: []part{{name: "next", form: alsoForm}}}
	// whoamiForm has no fences: the tools send them.
	whoamiForm = &form{
		only: "actor! instance kind! roles capabilities how! project! applied rules holding!",
		with: []part{{name: "holding", form: &form{only: "actor! task! title! leftMs progress workspace", with: []part{{name: "workspace", form: workspaceForm}}}}},
	}
	searchForm = &form{
		only: "query! project! counts! total! totalMore hits!",
		with: []part{{name: "hits", form: &form{only: "kind! task text!"}}},
	}
	verdictForm = &form{only: "yes! reasons", with: []part{{name: "reasons", form: &form{only: "rule! why! change"}}}}
	explainForm = &form{
		only: "ready! claimable! closable!",
		with: []part{{name: "ready", form: verdictForm}, {name: "claimable", form: verdictForm}, {name: "closable", form: verdictForm}},
	}
)
