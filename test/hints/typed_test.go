package hints

// linked is a configuration with a tracker and a code host that nobody contacts.
var linked = configured(`, "integrations": {
	"issue_tracker": {"baseUrl": "https://jira.example.com", "projects": ["DEMO"]}, "code_host": {"repos": ["acme/app"]}}`)

// traced is the environment of a server that should send traces, and more.
func traced(vars ...string) *ownPlace {
	return environment(append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, vars...)...)
}

// typed are refusals of command lines and of the corresponding requests. They do not involve the database.
var typed = []refusal{
	// what a command lacks, or has twice
	{name: "deletion of a task", command: "rm {p}-1"},
	{name: "no task, and none held", as: "solo", command: "-p {p} done"},
	{name: "no task, and two held", setup: []string{"POST /v1/tasks/{p}-1/claim", "POST /v1/tasks/{p}-3/claim"}, command: "-p {p} done"},
	{name: "two plans", command: "apply a.json -f b.json"},
	{name: "note without a text", command: "note {p}-1"},
	{name: "tick without a number", command: "check {p}-1"},
	{name: "seen and by evidence", command: "check {p}-1 1 --by 99 --seen x", request: `POST /v1/tasks/{p}-1/criteria {"index":1,"by":99,"seen":"x"}`},
	{name: "nothing seen", command: "check {p}-1 1 --seen ''", request: `POST /v1/tasks/{p}-1/criteria {"index":1,"seen":""}`},
	{name: "dry run and next", command: "done {p}-1 --dry-run --next", request: `POST /v1/tasks/{p}-1/transition {"to":"done","dryRun":true,"next":true}`},
	{name: "unticked and seen", request: `POST /v1/tasks/{p}-1/criteria {"index":1,"checked":false,"seen":"x"}`},
	{name: "tick by no evidence", command: "check {p}-1 1 --by 99", request: `POST /v1/tasks/{p}-1/criteria {"index":1,"by":99}`},
	{name: "session of nobody", command: "session create"},
	{name: "seen without a watermark", request: `POST /v1/estate/seen {}`},

	// lists
	{name: "unknown priority", command: "-p {p} list --priority x"},
	{name: "words twice", command: "-p {p} list foo --q bar"},
	{name: "unknown column", command: "-p {p} list --columns nose"},
	{name: "status of a list", command: "-p {p} list --status nose", request: `GET /v1/tasks?project={p}&status=nose`},
	{name: "state in place of a status", command: "-p {p} list --status ready", request: `GET /v1/tasks?project={p}&status=ready`,
		tool: `tasker_list {"project":"{p}","status":"ready"}`},
	{name: "all, and a limit", command: "-p {p} list --all --limit 3"},
	{name: "unknown order", request: `GET /v1/tasks?project={p}&sort=nose`},

	// plans, and what is taken back
	{name: "yes to nothing", own: files("plan.json", `{"project":"{p}","tasks":[]}`), command: "apply -f plan.json --yes"},
	{name: "plan that leaves tasks out", own: files("plan.json", `{"project":"{p}","tasks":[{"key":"one","title":"One"}]}`),
		command: "apply -f plan.json --prune"},
	{name: "undo of no number", command: "-p {p} undo x"},
	{name: "undo of nobody", command: "-p {p} undo --by nobody --since 1h"},
	{name: "undo of no event", command: "-p {p} undo 99999999"},
	{name: "undo in two ways", command: "-p {p} undo 1 --by robot"},
	{name: "undo since never", command: "-p {p} undo --by robot"},
	{name: "slug of a project that was renamed", setup: []string{"run: project rename {p} {p}z"}, command: "project create {p}"},

	// notifications
	{name: "no channel", command: "-p {p} notify test"},
	{name: "delivery of no number", command: "-p {p} notify drop x"},
	{name: "no delivery", command: "-p {p} notify drop 99"},

	// links to other systems
	{name: "bound to nothing", command: "bind {p}-1 nonsense"},
	{name: "bound to two issues", setup: []string{"run: bind {p}-1 WALK-7"}, command: "bind {p}-1 DEMO-999"},
	{name: "not bound", command: "unbind {p}-1 DEMO-999"},
	{name: "not of a listed repository", own: files(".tasker.json", linked), command: "bind {p}-1 acme/other#4"},
	{name: "not of a listed project", own: files(".tasker.json", linked), command: "bind {p}-1 OTHER-4"},
	{name: "not of a declared site", own: files(".tasker.json", linked), command: "bind {p}-1 https://elsewhere.example.com/browse/DEMO-4"},
	{name: "unknown owner", command: "-p {p} ownership set title=nobody"},
	{name: "field of no owner", command: "-p {p} ownership set nose=local"},
	{name: "unknown preset", command: "-p {p} ownership set nose"},
	{name: "field that no tracker has", command: "-p {p} ownership set gate=tracker"},
	{name: "owner by an agent", at: human, command: "-p {p} ownership set title=local"},
	{name: "no conflict", command: "-p {p} resolve 999999 keep_local"},
	{name: "conflict of no number", command: "-p {p} resolve x keep_local"},
	{name: "unknown resolution", command: "resolve 999999 nose"},
	{name: "resolution with a value", command: "resolve 999999 keep_local --value x"},
	{name: "resolution without a value", command: "resolve 999999 set_value"},
	{name: "no write", command: "-p {p} sync retry 999999"},
	{name: "no write to drop", command: "-p {p} sync drop 999999"},
	{name: "write of no number", command: "-p {p} sync retry x"},
	{name: "no tracker", command: "-p {p} sync pull"},
	{name: "tracker without credentials", own: environment("TASKER_TRACKER_URL=https://jira.example.com"), command: "-p {p} sync pull"},
	{name: "tracker that only a file names", command: "-p {p} sync pull",
		own: &ownPlace{files: map[string]string{".tasker.json": linked}, env: []string{"TASKER_TRACKER_TOKEN=b"}}},
	{name: "bound where the sites differ", command: "bind {p}-1 DEMO-4",
		own: &ownPlace{files: map[string]string{".tasker.json": linked}, env: []string{"TASKER_TRACKER_URL=https://elsewhere.example.com"}}},
	{name: "trust by an agent", at: human, command: "sync trust jira.example.com"},
	{name: "trust in no host", own: environment("TASKER_ACTOR="), command: "sync trust a*b"},
	{name: "tracker without encryption", command: "-p {p} sync pull",
		own: environment("TASKER_TRACKER_URL=http://jira.example.com", "TASKER_TRACKER_USER=a", "TASKER_TRACKER_TOKEN=b")},

	// what people type
	{name: "two tasks of events", command: "events {p}-1 --task {p}-2"},
	{name: "evidence said twice", command: "evidence {p}-1 test=x --kind test"},
	{name: "reason said twice", command: "reopen {p}-1 --because x --note y"},
	{name: "priority as a project", command: "add X -p 1"},
	{name: "block", command: "-p {p} block {p}-2"},
	{name: "label", command: "-p {p} label {p}-2"},
	{name: "undo of the last change", command: "-p {p} undo", cured: true},
	{name: "undo of nothing", command: "-p {p} undo --actor somebody"},

	// imports, exports, backups
	{name: "import of no kind", own: files("list.md", "- [ ] a\n"), command: "-p {p} import nose list.md"},
	{name: "import of a file without its kind", own: files("list.md", "- [ ] a\n"), command: "-p {p} import list.md"},
	{name: "import of nothing", own: files("list.md", "words\n"), command: "-p {p} import markdown list.md"},
	{name: "import with columns", own: files("list.md", "- [ ] a\n"), command: "-p {p} import markdown list.md --map a=b"},
	{name: "import that prints a plan", own: files("list.md", "- [ ] a\n"), command: "-p {p} import markdown list.md --plan"},
	{name: "import of a tracker's file", own: files("list.md", "- [ ] a\n"), command: "-p {p} import tracker list.md"},
	{name: "import without a file", command: "-p {p} import markdown"},
	{name: "import of a plan", own: files("plan.json", `{"tasks":[]}`), command: "-p {p} import tasker plan.json"},
	{name: "statuses without a plan", command: "-p {p} export --with-status"},
	{name: "plan in another form", command: "-p {p} export --plan --format csv"},
	{name: "backup over a file", own: files("there.tar", "x"), command: "backup there.tar"},
	{name: "backup of no database", command: "backup none.tar --db {dir}/nowhere.db"},
	{name: "restore over a project", own: files("x.tar", "x"), command: "restore x.tar"},
	{name: "restore of no backup", own: files("x.tar", "x"), command: "restore x.tar --db new.db"},

	// traces
	{name: "exporter of traces", own: traced("OTEL_TRACES_EXPORTER=nose"), command: "serve --port 0"},
	{name: "sampler of traces", own: traced("OTEL_TRACES_SAMPLER=nose"), command: "serve --port 0"},
	{name: "part of traces", own: traced("OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=nose"), command: "serve --port 0"},
	{name: "endpoint of traces", own: environment("OTEL_EXPORTER_OTLP_ENDPOINT=nonsense"), command: "serve --port 0"},
	{name: "protocol of traces", own: traced("OTEL_EXPORTER_OTLP_PROTOCOL=grpc"), command: "serve --port 0"},
}
