package hints

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// suggest returns a reason for a refusal that is not walked: a test that shows it.
func suggest(s site) string {
	want, found := fragment(s.message), ""
	if len(want) < telling {
		return ""
	}
	for _, root := range []string{"../script", "../../internal", "../security", "../faults", "../agents"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && found == "" && !d.IsDir() && (strings.HasSuffix(path, ".txtar") || strings.HasSuffix(path, "_test.go")) {
				file := filepath.ToSlash(filepath.Clean("test/hints/" + path))
				if untrue(s, "shown by "+file) == "" {
					found = "shown by " + file
				}
			}
			return err
		})
	}
	return found
}

// notCarriedOut are the operations that no hint of the walk names, with the reason.
var notCarriedOut = map[string]string{
	"doctor": "only a broken database says it",
}

// unwalked are the refusals that the walk does not provoke, by the reason. "shown by FILE" is a test that has their words;
// "words: …" says that the hint names no call, so that there is nothing to carry out; both are checked. "call: …" are those
// that do: package cli reads their commands, and op their routes and tools.
var unwalked = []struct {
	because string
	sites   []string
}{
	{"call: a file of the configuration has to be corrected, and config validate reads it again; test/script/config.txtar", []string{
		"config/tree: %s",
	}},
	{"call: it takes a channel that is declared, and deliveries; test/script/notify.txtar", []string{
		"cli/admin: %s of %d took the test",
		"cli/admin: a delivery is named by its id, a number, and not by %s",
		"core/deliveries: delivery %d is delivered, so there is nothing to drop",
		"core/deliveries: no channel is declared, so nobody is told of anything",
		"store/delivery: there is no delivery %d",
	}},
	{"call: it takes a link to another system; core/linking and test/script/links.txtar show them", []string{
		"cli/links: %s is not the number of %s",
		"core/linking: %s is bound to %s already",
		"core/linking: %s is bound to the issue %s already",
		"core/linking: %s is not bound to %q",
		"core/linking: %s of %s was changed since the conflict was resolved",
		"core/linking: conflict %d is settled: both sides agreed again",
		"core/linking: there is a newer conflict about %s of %s",
		"core/linking: there is no outbound write %d",
		"store/linkage: there is no conflict %d",
		"store/linkage: there is no outbound write %d",
		"syncer: nothing was pulled: %s",
	}},
	{"words: it takes a link to another system; core/linking and test/script/links.txtar show them", []string{
		"app: TASKER_TRACKER_URL names %s, and %s declares %s",
		"app: no tracker is declared for %s",
		"app: there are no credentials for the tracker at %s",
		"core/linking: %s is not bound to %s any more",
		"core/linking: %s is not bound to that issue any more",
		"core/linking: %s takes no value",
		"core/linking: set_value needs a value",
		"core/linking: there is no resolution %s",
		"core/linking: who owns which field of %s is for a human to decide",
		"task/merge: %s cannot be %s",
		"task/merge: %s does not travel",
		"task/merge: %s is no owner",
		"task/merge: %s is not a listed repository",
		"task/merge: %s is not of a declared site",
		"task/merge: %s is not of a listed project",
		"task/merge: %s names nothing that a task can be bound to",
		"task/merge: a tracker has no field %s",
		"task/merge: say what to set",
		"task/merge: the title is empty",
		"task/merge: there is no field %s",
		"task/merge: there is no preset %s",
		"tracker/jira: %s is not the key of a project of Jira",
		"tracker/jira: the address of the tracker is none: %s",
		"tracker/jira: the tracker at %s would be sent credentials without encryption",
	}},
	{"call: every face sends a document, be it empty", []string{
		"core/planning: there is no plan",
	}},
	{"call: every route and command has one", []string{
		"core: no task is named",
	}},
	{"call: it takes a database of a newer version", []string{
		"db: the database has schema version %d and this tasker knows %d",
	}},
	{"call: it takes a database of another version", []string{
		"db/postgres: the database has schema version %d and this tasker needs %d",
	}},
	{"call: it takes a database that another program wrote", []string{
		"core/handover: %s refers to a task that does not exist",
	}},
	{"call: it takes a copy of a database that was in use", []string{
		"db/sqlite: the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing",
	}},
	{"call: it takes a disk that fails", []string{
		"db/sqlite: the database %s cannot be read or written: %s",
	}},
	{"call: it takes a file of a newer version; package setup", []string{
		"setup: %s was set up by a newer tasker: version %d, and this one knows %d",
	}},
	{"call: it takes a schema that another program uses", []string{
		"db/postgres: the schema of the database holds %d tables of something else",
	}},
	{"call: it takes a terminal that is none, without --json; package cli reads its command", []string{
		"cli/people: --walk asks questions, and this is not a terminal",
	}},
	{"call: it takes another program that writes the database", []string{
		"db: the database's schema stays at version %d although it was brought to %d",
	}},
	{"call: the client fills it in before; package cli reads its command", []string{
		"op/wire: the %s is empty",
	}},
	{"call: the command wants the name before", []string{
		"core/admin: nobody is named for whom the session is",
	}},
	{"words: a file of the configuration has to be corrected", []string{
		"config: %s is gone, and what it said stays in force",
		"config: %s names the provider %s, which is defined in no layer",
	}},
	{"words: a page that is not there", []string{
		"web: %s is %q",
		"web: there is no page %s",
		"web: there is no such asset",
	}},
	{"words: a value has to be corrected; package task", []string{
		"task: %s is not a key of a selection policy",
		"task: the project's slug is empty",
		"task: the selection policy lists %s twice",
	}},
	{"words: every face sends a document, be it empty", []string{
		"core/planning: the project %s was changed by somebody else in between",
		"core/planning: there is no edit",
		"core/planning: there is no task definition",
	}},
	{"words: it takes a client that breaks the protocol", []string{
		"mcpserver: panic: %v",
		"mcpserver: something unexpected happened",
		"mcpserver: the body did not arrive whole: %v",
		"mcpserver: the body is larger than %d MiB",
		"mcpserver: the client broke the protocol: %v",
	}},
	{"words: it takes a database that is gone, held or closed", []string{
		"db: %d bytes are free beside the database",
		"db: %s",
		"db: %s; the newest event in it is %d",
		"db: all %d connections that read the database are in use%s since %s (%d s)",
		"db: another database stands in the place of the one that was there",
		"db: something unexpected happened: %v",
		"db: something unexpected happened: an operation ended its goroutine",
		"db: the change could not be committed",
		"db: the change was made, and its answer could not be read: %s",
		"db: the database is being closed",
		"db: the database is gone: what is there now is empty",
		"db: the log of the database was rewound: event %d was there, and the newest is event %d",
		"db: the newest event is %s ahead of the clock; leases and sessions count by the clock",
		"db: the record was changed by somebody else in between",
		"db: the turn to write is held by %s%s",
	}},
	{"words: it takes a file or a disk that is broken", []string{
		"db/sqlite: %s is an SQLite database of another program",
		"db/sqlite: a value is larger than the database can keep",
		"db/sqlite: another file was put in the place of the database %s, beside the log of the one that was there",
		"db/sqlite: something unexpected happened in the database: %v",
		"db/sqlite: the database %s cannot be opened",
		"db/sqlite: the database %s cannot be opened: %v",
		"db/sqlite: the database %s cannot be opened: permission is denied",
		"db/sqlite: the database %s is held by another program",
		"db/sqlite: the database %s lies on a disk that cannot be written",
		"db/sqlite: the database %s lies where readers and writers cannot share it (its journal stays %q)",
		"db/sqlite: the database %s may be read and not written",
		"db/sqlite: the disk of the database %s is full",
		"db/sqlite: the path of the database is empty",
		"db/sqlite: the statement was interrupted",
		"db/sqlite: there is not enough memory to carry it out",
		"db/sqlite: this tasker was built with SQLite %s, which is too old to be safe",
	}},
	{"call: it takes a directory without a project; test/script/import.txtar", []string{
		"cli/transfer: say which project the tasks are for",
		"cli/transfer: this is a plan, not an export of whole records",
	}},
	{"words: it takes a file of another tool; test/script/import.txtar", []string{
		"cli/transfer: --plan is for --dry-run: it prints what would be applied",
		"cli/transfer: --with-status is for --plan: every other format says where tasks stand",
		"cli/transfer: a plan is JSON or YAML, not %s",
		"cli/transfer: there is no file %s", "cli/transfer: %s cannot be read: %v",
		"core/admin: all records are for those who may see all projects",
		"core/admin: the database broke off in the middle of the import",
		"exporter: there is no format called %s", "exporter: this is no whole export of tasker: %s",
		"importer: the export holds several projects, and none is called %s",
		"store/dump: record %d: %s", "store/dump: the database is not empty: it has events",
		"store/dump: the export is of schema version %d, and this database has %d",
		"core/planning: there is nothing to import",
		"importer: --map names columns, and %s has none",
		"importer: the source cannot be imported: %s",
		"importer: the source has %d bytes, and %d is the most",
		"importer: there is no kind of import called %s",
		"importer: there is nothing to import: the source holds no task",
	}},
	{"words: it takes a git that fails", []string{
		"git: git says %q of %s",
	}},
	{"words: it takes a plan of 64 MiB", []string{
		"cli/planning: the plan has %d bytes, and %d is the most",
	}},
	{"words: it takes a program that cannot be started", []string{
		"proc: %s cannot be followed: %v",
	}},
	{"words: it takes a record that another program wrote", []string{
		"store/rows: an event's via reads %q",
	}},
	{"words: it takes a request or a server that is broken, or a browser", []string{
		"httpapi: %d streams run already",
		"httpapi: a write with the cookie of the web view does not say which page it comes from",
		"httpapi: cannot listen on %s: %v",
		"httpapi: panic: %v",
		"httpapi: requests were still running after %s and were cut off",
		"httpapi: something unexpected happened",
		"httpapi: the body comes in an encoding that this server does not know",
		"httpapi: the body did not arrive whole: %s",
		"httpapi: the body is larger than %d MiB",
		"httpapi: the form cannot be read",
		"httpapi: the head of the request is larger than %d KiB",
		"httpapi: the header Expect asks for what this server cannot do",
		"httpapi: the request is not valid HTTP%s",
		"httpapi: the server cannot listen any more: %v",
		"httpapi: the stream broke off",
		"httpapi: this server asks for a session from now on",
		"httpapi: this server does not speak that version of HTTP",
		"httpapi: this server takes writes with its token alone",
		"httpapi: too many wrong credentials came from this address",
	}},
	{"words: it takes a request that ends early", []string{
		"core/reading: the request ended before its bottlenecks were counted",
	}},
	{"words: it takes a server of PostgreSQL that is broken or set up otherwise", []string{
		"db/postgres: %s cannot be written now",
		"db/postgres: %s does not let us in: %s",
		"db/postgres: %s has no room for it: %s",
		"db/postgres: %s has trouble of its own: %s",
		"db/postgres: %s is a replica, and tasker needs the primary",
		"db/postgres: %s is not available: %s",
		"db/postgres: a value is larger than the database can keep",
		"db/postgres: another process holds a lock on the database for too long",
		"db/postgres: no connection to %s was to be had within %s",
		"db/postgres: something unexpected happened in the database: %s (%s)",
		"db/postgres: the URL of the database is not one that PostgreSQL understands",
		"db/postgres: the change could not be committed",
		"db/postgres: the connection was lost during the commit, and nobody can tell whether the change was made",
		"db/postgres: the connection was lost during the commit, and the change was not made",
		"db/postgres: the database could not carry it out beside others",
		"db/postgres: the database does not exist: %s",
		"db/postgres: the database keeps text as %s, and tasker needs UTF8",
		"db/postgres: the database lacks a table: %s",
		"db/postgres: the database refuses it: %s",
		"db/postgres: the database was migrated in the middle of the request",
		"db/postgres: the server runs PostgreSQL %d, and tasker needs %d or later",
		"db/postgres: the table turn of the database is empty, so it is not tasker's",
	}},
	{"words: it takes a server that answers wrongly, or goes away", []string{
		"client: %s answers %d, and not as a tasker server does",
		"client: %s answers %d: the server behind it is not there",
		"client: %s works on the database itself and not through a server",
		"client: an event of the stream cannot be read: %v",
		"client: the answer is larger than %d MiB",
		"client: the connection to %s broke: %v",
		"client: the request cannot be made: %v",
		"client: the stream broke off, and did not say why",
		"client: the stream of %s broke off",
	}},
	{"words: it takes a signal in the middle of a command", []string{
		"cli/working: stopped before %s ended: nothing was recorded",
	}},
	{"words: it takes a git repository with a workspace; test/script/workspace.txtar", []string{
		"cli/working: %s is not closed: %s",
		"cli/working: %s is not closed: it has no workspace with a branch on this machine, so nobody can tell where its work is",
	}},
	{"words: it takes a worker that leaves its task as it was", []string{
		"run: the command has dealt with %s %d times itself, and it comes again",
	}},
	{"words: it takes an environment that a process seldom has", []string{
		"cli/frame: TASKER_FENCE is %q, and a fence is a whole number",
		"cli/frame: events cannot be followed through this client",
		"cli/frame: nobody says who acts",
		"cli/frame: standard input cannot be read: %v",
		"cli/frame: the working directory is gone",
		"cli/frame: this is no person (%s, which is an agent's work), and the server at %s acts as %s, a human",
	}},
	{"words: it takes files of an agent that are in the way; package setup", []string{
		"setup: %s cannot be changed: %v",
		"setup: %s has been changed since setup wrote it",
		"setup: %s is empty, which is no JSON",
		"setup: %s is there already, and setup did not write it",
	}},
	{"words: it takes files of an agent that are in the way; test/script/setup.txtar", []string{
		"cli/agents: %s is a link that leads nowhere",
	}},
	{"words: it takes a repository whose strategy gives all workers one directory", []string{
		"cli/agents: --parallel %d would have several commands work in one directory",
		"cli/agents: --parallel %d would have several commands work in one directory: workspace.strategy is %s",
	}},
	{"words: it takes a copy of a database that was in use", []string{
		"db: %s; the newest event in it is %d",
	}},
	{"words: it takes two processes that take the same port", []string{
		"store/annotation: port %d of %s was taken in between",
	}},
	{"words: it takes more bytes than the server has memory for", []string{
		"httpapi: the body is larger than the %d MiB for which this server has memory",
		"inflight: the server has no room for this: %d of %d MiB are under way",
		"inflight: this client has as many bytes under way as one client may: %d MiB",
	}},
	{"words: it takes two writers at the same moment", []string{
		"store/tx: the record was changed by somebody else in between",
		"store: %s cannot name a project here: a slug that differs from it in case alone is taken",
		"store: %s was changed by somebody else in between",
		"store: the project %s was changed by somebody else in between",
	}},
	{"words: no caller asks for it", []string{
		"store/waiting: nothing waits by %q",
	}},
	{"words: pages alone draw it", []string{
		"core/picture: days is %d",
		"core/picture: show is %q",
	}},
	{"words: shown by the log of a server or by its start, to whoever runs it", []string{
		"app: %s",
		"app: %s; the last good one counts",
		"app: TASKER_LOG is %q",
		"app: TASKER_LOG_FORMAT is %q",
		"app: TASKER_MEMORY is %q",
		"app: the database does not answer",
		"app: the server could not stop in order within %s: something it waits for hangs",
	}},
	{"words: the command itself has to be corrected", []string{
		"cli: %v",
		"cli: --%s: %s",
		"cli/admin: TASKER_SERVE_PORT is %q, which is not a port",
	}},
	{"words: the document has to be corrected", []string{
		"plan: the plan is not valid YAML: %s",
	}},
	{"words: the machine has no random bits", []string{
		"core/admin: there are no random bits to make a credential of: %v",
	}},
	{"words: the message and the hint are those of another refusal", []string{
		"core/work: %s",
	}},
	{"words: the request or the call has to be corrected", []string{
		"op/wire: the arguments must be one object, without a name twice",
		"op/wire: what is to be sent cannot be written as JSON: %v",
	}},
	{"shown by internal/cli/agents/setup_test.go", []string{
		"cli/agents: %s has changed meanwhile",
	}},
	{"shown by internal/cli/term/safe_test.go", []string{
		"task: %s is not valid UTF-8",
	}},
	{"shown by internal/config/dblayer_test.go", []string{
		"config: %s cannot be set in the db layer",
	}},
	{"shown by internal/config/migrate_test.go", []string{
		"db/sqlite: %s is not a file",
	}},
	{"shown by internal/core/people/seen_test.go", []string{
		"core/people: there is no watermark",
	}},
	{"shown by internal/core/work/next_test.go", []string{
		"core/picture: %s is not a task of %s",
	}},
	{"shown by internal/db/postgres/postgres_test.go", []string{
		"db/postgres: %s cannot be reached",
		"db/postgres: none of the schemas %q exists in the database",
	}},
	{"shown by internal/db/sqlite/sqlite_test.go", []string{
		"db/sqlite: %s is not a database",
	}},
	{"shown by internal/guidance/guidance_test.go", []string{
		"guidance: %q in %s is not a glob",
		"guidance: %q in %s leads out of the repository",
	}},
	{"shown by internal/httpapi/serve_test.go", []string{
		"httpapi: the server is stopping",
	}},
	{"shown by internal/op/hint_test.go", []string{
		"core/admin: %s is %s, and the project %s would go with it",
	}},
	{"shown by internal/op/wire/binding_test.go", []string{
		"plan: the plan is not valid YAML: line %d holds text that is not valid UTF-8",
	}},
	{"shown by internal/plan/decode_test.go", []string{
		"strict: %s is not valid: %d faults",
		"task: due %s is not a date",
	}},
	{"shown by internal/plan/document_test.go", []string{
		"cli/frame: %s cannot be written: %v",
	}},
	{"shown by internal/task/value_test.go", []string{
		"task: %s has U+0000 in it, at byte %d",
		"task: %s has the control character U+%04X in it, at byte %d",
	}},
	{"shown by test/faults/damage_test.go", []string{
		"httpapi: the server is not ready",
	}},
	{"shown by test/script/apply.txtar", []string{
		"web: there is no file %s of a graph",
	}},
	{"shown by test/faults/copy_test.go", []string{
		"db/sqlite: the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing",
	}},
	{"shown by test/script/bundle.txtar", []string{
		"task: %s has %d %s, more than the %d it may have",
		"task: there are %d %s, more than the %d there may be",
	}},
	{"shown by test/script/errors.txtar", []string{
		"cli: --%s needs a value",
	}},
	{"shown by test/script/gates.txtar", []string{
		"db/sqlite: the database %s is damaged",
		"db/sqlite: the database %s is gone",
	}},
	{"shown by test/script/newcomer.txtar", []string{
		"core/planning: there is no project %q",
		"core: %s: the configuration declares the project, and no plan was applied yet",
		"store/tx: there is no database at %s",
	}},
	{"shown by test/script/next.txtar", []string{
		"store: there is no project yet",
	}},
	{"shown by test/script/nodatabase.txtar", []string{
		"db/sqlite: %s is a directory and not a database",
	}},
	{"shown by test/script/rights.txtar", []string{
		"task: question %d was asked by %s, an agent, and %s",
	}},
	{"shown by test/script/run.txtar", []string{
		"proc: there is no program %s",
	}},
	{"shown by test/script/script_test.go", []string{
		"cli/admin: %s cannot be read: %v",
		"cli/frame: %s cannot be read: %v",
		"client: the answer of %s cannot be read: %v",
		"client: the answer of %s to %s cannot be read: %v",
		"config: %s cannot be read: %v",
		"setup: %s cannot be read: %v",
	}},
	{"shown by test/script/setup.txtar", []string{
		"setup: %s has %s already, and setup did not write it",
	}},
	{"shown by test/script/slugs.txtar", []string{
		"task: %s is not a project slug",
	}},
}

// ofPackages are the packages that refuse to a person at a workspace command alone, where a test has to make repositories,
// servers of secrets and broken disks. Their commands are read by package cli.
var ofPackages = map[string]string{
	"provider":       "each provider has a suite of its own",
	"workspace":      "test/script/workspace.txtar",
	"git/command":    "package git/worktree",
	"git/worktree":   "it has a suite of its own",
	"cli/spaces":     "test/script/workspace.txtar",
	"cli/workspaces": "test/script/workspace.txtar",
	"core/places":    "test/script/workspace.txtar",
	"task/place":     "it has a suite of its own",
}

// ofPackage returns why the refusals of a package are not walked, "" where they are.
func ofPackage(in string) string {
	for below, why := range ofPackages {
		if in == below || strings.HasPrefix(in, below+"/") {
			return why
		}
	}
	return ""
}

// notWalked returns the reason of each.
func notWalked() map[string]string {
	out := map[string]string{}
	for _, u := range unwalked {
		for _, s := range u.sites {
			out[s] = u.because
		}
	}
	return out
}
