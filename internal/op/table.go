package op

import (
	"tasker/internal/admin"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/notify"
	"tasker/internal/planning"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// The operations: the name of each, the function that carries it out, its route, and its description as a tool.
var (
	Version = bind("version", "Show the versions of the binary, the schema and the configuration format",
		"version", (*reading.Service).Version, route("GET", "/version", 200),
		tool("tasker_version", wordless))
	Whoami = bind("whoami", "Show who acts here, and what they hold",
		"whoami", (*reading.Service).Whoami, route("GET", "/whoami", 200), tells,
		tool("tasker_whoami", step(15), about("Show who you are, and what you hold.")))
	Projects = bind("projects", "List every project",
		"project list", (*reading.Service).Projects, route("GET", "/projects", 200))
	Project = bind("project", "Show one project",
		"project show SLUG", (*reading.Service).Project, route("GET", "/projects/{slug}", 200))
	Ready = bind("ready", "List the ready frontier in the order of selection",
		"ready", (*reading.Service).Ready, route("GET", "/projects/{slug}/ready", 200))
	Board = bind("board", "Show a project by status",
		"board", (*reading.Service).Board, route("GET", "/projects/{slug}/board", 200))
	Work = bind("work", "Show what can be worked on at once, what waits for what, and who holds what",
		"work", (*reading.Service).Work, route("GET", "/projects/{slug}/work", 200))
	Machine = bind("machine", "Show what each actor is doing now",
		"machine", (*reading.Service).Machine, route("GET", "/projects/{slug}/machine", 200))
	Runners = bind("runners", "Record where a runner of commands stands",
		"run", (*work.Service).Runners, route("POST", "/projects/{slug}/runners", 200),
		example(`{"host": "build-1", "state": "working", "workers": 2, "tasks": ["demo-4"]}`),
		tool("tasker_runners", idempotent, wordless))
	Proof = bind("proof", "Show closed work with what proves it",
		"proof", (*reading.Service).ProofOf, route("GET", "/projects/{slug}/proof", 200))
	Audit = bind("audit", "Return a sample of the runs that were recorded for done tasks",
		"audit", (*reading.Service).Audit)
	Bottlenecks = bind("bottlenecks", "Show which open tasks hold the most up, worst first",
		"bottlenecks", (*reading.Service).Bottlenecks, route("GET", "/projects/{slug}/bottlenecks", 200))
	Forecast = bind("forecast", "Forecast when a project will be done, with what that rests on and how wrong earlier forecasts were",
		"forecast", (*picture.Service).Forecast, route("GET", "/projects/{slug}/forecast", 200))
	Subtree = bind("subtree", "Show everything below a task, counted",
		"subtree ID", (*picture.Service).Subtree, route("GET", "/tasks/{id}/subtree", 200))
	Graph = bind("graph", "Show what a task waits for, and what waits for it",
		"graph ID", (*picture.Service).Graph, route("GET", "/tasks/{id}/graph", 200))
	Inbox = bind("inbox", "List what waits for you: approvals, reviews, questions, overrides, and work that lapsed, stalls, fails or is held by nobody",
		"inbox", (*inbox.Service).Inbox, route("GET", "/projects/{slug}/inbox", 200))
	Ack = bind("ack", "Put inbox items away until what they report happens again",
		"inbox ack ITEM…", (*inbox.Service).Ack, route("POST", "/projects/{slug}/inbox/ack", 200),
		example(`{"items": ["review:demo-4"]}`),
		tool("tasker_ack", idempotent, wordless))
	Take = bind("take", "Take an inbox item for a while, so that nobody else deals with it too",
		"inbox take ITEM", (*inbox.Service).Take, route("POST", "/projects/{slug}/inbox/take", 200),
		example(`{"item": "review:demo-4", "forMs": 1800000}`),
		tool("tasker_take", idempotent, wordless))
	Give = bind("give", "Give an inbox item back that was taken",
		"inbox give ITEM", (*inbox.Service).Give, route("POST", "/projects/{slug}/inbox/give", 200),
		example(`{"item": "review:demo-4"}`),
		tool("tasker_give", idempotent, wordless))
	Brief = bind("brief", "Show what happened since your mark, grouped by who did it",
		"brief", (*inbox.Service).Brief, route("GET", "/projects/{slug}/brief", 200))
	Overview = bind("overview", "Show every project with its situation",
		"overview --all", (*inbox.Service).Overview, route("GET", "/overview", 200))
	ProjectOverview = bind("project-overview", "Show a project's situation, your inbox, proven work, and what happened since your mark",
		"overview", (*inbox.Service).ProjectOverview, route("GET", "/projects/{slug}/overview", 200))
	Home = bind("home", "Show on one screen what waits for you in a project, what you hold, what is next, how far it is, and who works on what",
		"status", (*inbox.Service).Home, route("GET", "/projects/{slug}/home", 200))
	Estate = bind("estate", "List what waits for you in every project, and then the work that is ready",
		"estate", (*inbox.Service).Estate, route("GET", "/estate", 200))
	Seen = bind("seen", "Record how far you have read the estate",
		"estate seen N", (*inbox.Service).Seen, route("POST", "/estate/seen", 200),
		example(`{"watermark": 120}`),
		tool("tasker_seen", idempotent, wordless))
	Sync = bind("sync", "Show the state of a project's links to other systems",
		"sync status", (*links.Service).Sync, route("GET", "/projects/{slug}/sync", 200))
	Ownership = bind("ownership", "Show which system owns which field, and the preset that decides it",
		"ownership show", (*links.Service).Ownership, route("GET", "/projects/{slug}/ownership", 200),
		tool("tasker_ownership", wordless))
	Conflicts = bind("conflicts", "List where two systems disagree, with both values and every resolution",
		"conflicts", (*links.Service).Conflicts, route("GET", "/projects/{slug}/conflicts", 200))
	Explain = bind("explain", "Explain why a task is or is not ready, claimable by you and closable, and what decides it",
		"explain ID", (*reading.Service).Explain, route("GET", "/tasks/{id}/explain", 200))
	Peek = bind("peek", "Show which task next would choose, without claiming it",
		"next", (*work.Service).Peek, route("GET", "/next", 200), tells)
	Next = bind("next", "Select and claim the next task in one step",
		"next --claim", (*work.Service).Next, route("POST", "/next", 200),
		example(`{"project": "demo", "leaseMs": 1800000, "resume": true}`),
		tool("tasker_next", step(1),
			about("Claim the next task for you and return everything about it. task is null when there is nothing: idle says why.")))
	List = bind("list", "List tasks by number, narrowed by filters",
		"list", (*reading.Service).List, route("GET", "/tasks", 200),
		tool("tasker_list", step(4), about("List tasks, narrowed by filters.")))
	Create = bind("create", "Create one task",
		"add TITLE", (*planning.Service).Create, route("POST", "/tasks", 201), document,
		example(`{"project": "demo", "title": "Write the parser", "deps": ["grammar"], "criteria": ["It reads every rule of the grammar"]}`),
		tool("tasker_create", step(10), wordless, // a plan in steps, for clients that ask before anything is overwritten
			about("Create one task.")))
	Show = bind("show", "Show a task with everything a worker needs to know about it",
		"show ID", (*reading.Service).Show, route("GET", "/tasks/{id}", 200), tells,
		tool("tasker_show", step(2),
			about("Show a task with everything a worker needs.")))
	Edit = bind("edit", "Change fields of a task",
		"edit ID", (*planning.Service).Edit, route("POST", "/tasks/{id}/edit", 200),
		example(`{"priority": 1, "addCriteria": ["It names the line of a fault"]}`),
		tool("tasker_edit", idempotent, destructive))
	Move = bind("move", "Move a task to a status",
		"move ID STATUS", (*work.Service).Move, route("POST", "/tasks/{id}/transition", 200),
		example(`{"to": "done", "check": [1], "evidence": [{"kind": "tests", "value": "12 passed"}]}`),
		tool("tasker_move", step(9),
			about("Move a task. check, evidence and note are recorded first. A refusal lists all that is missing.")))
	Tick = bind("check", "Tick acceptance criteria of a task, or untick them",
		"check ID N…", (*work.Service).Tick, route("POST", "/tasks/{id}/criteria", 200),
		example(`{"index": 1}`),
		tool("tasker_check", step(5), idempotent,
			about("Tick acceptance criteria that are true now; checked: false unticks.")))
	Claim = bind("claim", "Claim a task, or renew the claim you hold",
		"claim ID", (*work.Service).Claim, route("POST", "/tasks/{id}/claim", 200),
		example(`{"leaseMs": 1800000}`),
		tool("tasker_claim", step(3), wordless,
			about("Claim one task, or renew the claim you hold.")))
	Release = bind("release", "Give a task back",
		"release ID", (*work.Service).Release, route("POST", "/tasks/{id}/release", 200),
		example(`{"note": "half of it is there"}`),
		tool("tasker_release", step(13), idempotent, wordless,
			about("Give a task back, with a note for the next worker.")))
	Note = bind("note", "Add a note to a task",
		"note ID TEXT", (*work.Service).Note, route("POST", "/tasks/{id}/notes", 201),
		example(`{"text": "the grammar has a hole"}`),
		tool("tasker_note", step(6), wordless, remark))
	Evidence = bind("evidence", "Record evidence on a task",
		"evidence ID --kind K --value V", (*work.Service).Evidence, route("POST", "/tasks/{id}/evidence", 201),
		example(`{"items": [{"kind": "tests", "value": "12 passed"}]}`),
		tool("tasker_evidence", step(7), wordless, remark,
			about("Record evidence, such as what the gate asks for.")))
	Decide = bind("decide", "Record a decision about a task, and why",
		"decide ID TITLE", (*work.Service).Decide, route("POST", "/tasks/{id}/decisions", 201),
		example(`{"title": "By hand, without a generator", "rationale": "its faults read better"}`))
	Ask = bind("ask", "Ask something about a task; a blocking question holds it back until it is answered",
		"ask ID TEXT", (*work.Service).Ask, route("POST", "/tasks/{id}/questions", 201),
		example(`{"text": "Are comments part of the grammar?", "blocking": true, "to": "ann"}`),
		tool("tasker_ask", step(8), remark,
			about("Ask a person or another actor. A blocking question holds the task back until it is answered.")))
	Answer = bind("answer", "Answer a question",
		"answer QUESTION TEXT", (*work.Service).Answer, route("POST", "/questions/{id}/answer", 200),
		example(`{"text": "Yes, from the hash to the end of the line"}`))
	Withdraw = bind("withdraw", "Take back a question that you asked",
		"answer QUESTION --withdraw", (*work.Service).Withdraw, route("POST", "/questions/{id}/withdraw", 200),
		example(`{}`))
	Met = bind("met", "Report whether what a waiter waits for has happened",
		"wait ID --for WHAT", (*work.Service).Met, route("GET", "/tasks/{id}/wait", 200), tells,
		tool("tasker_wait", step(14),
			about("Wait until there is work for you, or a task is done, ready or answered.")))
	Approve = bind("approve", "Approve a task, or verify it, as a person",
		"approve ID…", (*work.Service).Approve, route("POST", "/tasks/{id}/approve", 201),
		example(`{"kind": "approval", "note": "reads well"}`),
		tool("tasker_approve", idempotent))
	Apply = bind("apply", "Apply a plan: create and update a whole graph of tasks at once",
		"apply -f FILE", (*planning.Service).Apply, route("POST", "/apply", 201), document,
		example(`{"project": "demo", "tasks": [{"key": "grammar", "title": "Write the grammar"}, `+
			`{"key": "parser", "title": "Write the parser", "deps": ["grammar"]}]}`), maxBody(64<<20),
		tool("tasker_apply", step(11), idempotent, destructive, // it overwrites fields of existing tasks
			about("Create or update tasks by key, all or nothing.")))
	Undo = bind("undo", "Take back a change, a whole batch, or what an actor did",
		"undo N", (*planning.Service).Undo)
	Import = bind("import", "Import the tasks of another tool as one plan",
		"import KIND FILE", (*planning.Service).Import)
	Export = bind("export", "Export tasks: as a plan, a checklist, a table, a drawing, or for another tool",
		"export", (*reading.Service).Export)
	Search = bind("search", "Find words in titles, bodies, notes, decisions, evidence, bindings, actors and the log",
		"search QUERY", (*reading.Service).Search, route("GET", "/search", 200),
		tool("tasker_search", step(12), about("Find words in tasks, notes, decisions, evidence and the log.")))
	Events = bind("events", "Read the log of everything that happened",
		"events", (*reading.Service).Events, route("GET", "/events", 200))
	Prime = bind("prime", "Print the operating manual for agents, with the state of the project",
		"prime", method(primed), route("GET", "/prime", 200))

	// Administration has only commands: no route and no tool.

	ProjectCreate = bind("project-create", "Create a project without a plan",
		"project create SLUG", (*admin.Service).ProjectCreate)
	ProjectRename = bind("project-rename", "Give a project another slug; its task ids change with it",
		"project rename SLUG NEW", (*admin.Service).ProjectRename)
	ProjectArchive = bind("project-archive", "Archive a project, or bring it back",
		"project archive SLUG", (*admin.Service).ProjectArchive)
	ProjectDelete = bind("project-delete", "Delete a project with everything in it",
		"project delete SLUG", (*admin.Service).ProjectDelete)
	ProjectMerge = bind("project-merge", "Move everything of a project into another",
		"project merge SLUG INTO", (*admin.Service).ProjectMerge)
	ProjectSettings = bind("project-settings", "Show the settings that the database keeps for a project",
		"project settings SLUG", (*admin.Service).ProjectSettings)
	ProjectSet = bind("project-set", "Change the settings that the database keeps for a project",
		"project set SLUG KEY VALUE", (*admin.Service).ProjectSet)
	Configure = bind("configure", "Report whether you may make a change to a project's configuration file",
		"config set KEY VALUE", (*admin.Service).MayConfigure)
	SessionCreate = bind("session-create", "Create a session: a credential for an actor, shown once",
		"session create --actor NAME", (*admin.Service).SessionCreate)
	SessionList = bind("session-list", "List the sessions that are still valid",
		"session list", (*admin.Service).SessionList)
	SessionRevoke = bind("session-revoke", "End a session at once",
		"session revoke ID", (*admin.Service).SessionRevoke)
	Doctor = bind("doctor", "Recount everything that is maintained, report where it differs, and repair it if asked to",
		"doctor", (*admin.Service).Doctor)
	EventsPrune = bind("events-prune", "Move old events from the log into an archive file",
		"events prune --older-than D --archive FILE", (*admin.Service).EventsPrune)

	NotifyFlush = bind("notify-flush", "Deliver pending notifications now, without waiting for the time of the next attempt",
		"notify flush", (*notify.Service).Flush)
	NotifyLog = bind("notify-log", "List the deliveries of inbox items to the notification channels",
		"notify log", (*notify.Service).Log)
	NotifyRedeliver = bind("notify-redeliver", "Deliver an item again, whatever happened to its delivery",
		"notify redeliver ID", (*notify.Service).Redeliver)
	NotifyDrop = bind("notify-drop", "Give up a pending delivery",
		"notify drop ID", (*notify.Service).Drop)
	NotifyTest = bind("notify-test", "Send a test to every notification channel",
		"notify test", (*notify.Service).Test)

	// Used by the commands that copy everything: whole records, out of a database and into an empty one.

	Dump = bind("dump", "Return every record of a project, or of all projects",
		noCommand, (*admin.Service).Dump)
	Load = bind("load", "Write records into an empty database",
		noCommand, (*admin.Service).Load)

	WorkspaceList = bind("workspace-list", "List the workspaces of tasks",
		"workspace list", (*workspace.Service).List)

	Guidance = bind("guidance", "Show how the guidance of a task has changed since it was claimed",
		"guidance", (*reading.Service).Guidance)

	Bind = bind("bind", "Bind a task to an issue, a pull request or a branch of another system",
		"bind ID REF", (*links.Service).Bind)
	Unbind = bind("unbind", "Remove a binding from a task, with what was agreed, planned or in conflict about it",
		"unbind ID REF", (*links.Service).Unbind)
	OwnershipSet = bind("ownership-set", "Decide which system owns which field",
		"ownership set PRESET|FIELD=OWNER…", (*links.Service).SetOwnership)
	Resolve = bind("resolve", "Settle a disagreement between two systems, or settle it differently than before",
		"resolve CONFLICT RESOLUTION", (*links.Service).Resolve)
	SyncPlan = bind("sync-plan", "List what would be written to another system, and why",
		"sync plan", (*links.Service).Plan)
	SyncLog = bind("sync-log", "List what went in and out, and what failed",
		"sync log", (*links.Service).Log)
	SyncRetry = bind("sync-retry", "Retry a write that failed",
		"sync retry ID", (*links.Service).Retry)
	SyncDrop = bind("sync-drop", "Give up a write, and let the two sides differ",
		"sync drop ID", (*links.Service).Drop)

	// Reads that only pages use: no command, no route and no tool, until they earn one.

	Network = bind("network", "Draw the graph of a project's tasks",
		noCommand, (*picture.Service).Network)
	Timeline = bind("timeline", "Show when tasks were held, what comes next, and how the project grew",
		noCommand, (*picture.Service).Timeline)
	Front = bind("front", "Show a project's situation, your inbox, and what happened since your mark",
		noCommand, (*inbox.Service).Front)
	Behind = bind("behind", "Return how many open tasks wait for each of some tasks",
		noCommand, (*reading.Service).Behind)
	Critical = bind("critical", "Return which tasks are on the longest chain of open tasks",
		noCommand, (*picture.Service).Critical)
	Stuck = bind("stuck", "Return why tasks are stuck",
		noCommand, (*reading.Service).Stuck)
	Lanes = bind("lanes", "Show a project by state, and what each waiting task waits for first",
		noCommand, (*picture.Service).Lanes)
	Titles = bind("titles", "Return the titles of tasks",
		noCommand, (*reading.Service).Titles)
	States = bind("states", "Return the states of tasks",
		noCommand, (*reading.Service).States)
	Moments = bind("moments", "Return the events that lead back and forward through the history of a project",
		noCommand, (*picture.Service).Moments)
	Changed = bind("changed", "Return what happened to each task of a project after an event",
		noCommand, (*picture.Service).Changed)
	SyncLinked = bind("sync-linked", "Report whether a project is linked to another system",
		noCommand, (*links.Service).Linked)
	Turn = bind("turn", "Return how long a page of a project stays true without an event",
		noCommand, (*reading.Service).Turn)
	Newest = bind("newest", "Return the id of the newest event",
		noCommand, (*reading.Service).Newest)
)

// noCommand is the command of an operation that has none.
const noCommand = ""
