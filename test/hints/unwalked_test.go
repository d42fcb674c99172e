package hints

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// suggest returns a reason for a refusal that is not walked: a test that shows it.
func suggest(s site, all []site) string {
	found := ""
	for _, root := range []string{"../script", "../../internal", "../security", "../faults", "../agents", "../providers", "../workspaces", "../browser"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && found == "" && !d.IsDir() && (strings.HasSuffix(path, ".txtar") || strings.HasSuffix(path, "_test.go")) {
				file := filepath.ToSlash(filepath.Clean("test/hints/" + path))
				if untrue(s, all, "shown by "+file) == "" {
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
	{"call: it takes a disk that fails", []string{
		"db/sqlite: the database %s cannot be read or written: %s",
	}},
	{"call: it takes a disk that fails, a signal or another process: test/workspaces/crash_test.go", []string{
		"workspace: %s has no workspace on %s; it has one on %s, in %s",
		"workspace: the workspace of %s is %s",
		"workspace: what was made in %s could not be undone: %v",
	}},
	{"call: it takes a file of a newer version; package setup", []string{
		"setup: %s was set up by a newer tasker: version %d, and this one knows %d",
	}},
	{"call: it takes a schema that another program uses", []string{
		"db/postgres: the schema of the database holds %d tables of something else",
	}},
	{"call: it takes another program that writes the database", []string{
		"db: the database's schema stays at version %d although it was brought to %d",
	}},
	{"call: it takes two processes that make one workspace: test/workspaces/many_test.go", []string{
		"core/places: %s has a workspace on %s already, in %s",
	}},
	{"call: the command wants the name before", []string{
		"core/admin: nobody is named for whom the session is",
	}},
	{"shown by internal/cli/agents/setup_test.go", []string{
		"cli/agents: %s has changed meanwhile",
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
		"db/postgres: none of the schemas %q exists in the database",
	}},
	{"shown by internal/git/git_test.go", []string{
		"git: git says %q of %s",
	}},
	{"shown by internal/git/worktree/worktree_test.go", []string{
		"git/worktree: the branch %s is checked out in %s",
	}},
	{"shown by internal/httpapi/serve_test.go", []string{
		"httpapi: the server is stopping",
	}},
	{"shown by internal/op/hint_test.go", []string{
		"core/admin: %s is %s, and the project %s would go with it",
	}},
	{"shown by internal/plan/decode_test.go", []string{
		"task: due %s is not a date",
	}},
	{"shown by internal/provider/awssm/awssm_test.go", []string{
		"provider/awssm: %s is binary, and not text",
		"provider/awssm: %s may not be read with the credentials from %s (%s)",
		"provider/awssm: AWS does not know the credentials from %s (%s)",
		"provider/awssm: AWS does not understand the name %s (%s)",
		"provider/awssm: AWS failed (%d)",
		"provider/awssm: AWS refuses to give %s (%d %s)",
		"provider/awssm: AWS turns requests away as too many (%s)",
		"provider/awssm: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is no path",
		"provider/awssm: gives credentials that have expired",
		"provider/awssm: the container's endpoint refuses to give credentials (%d)",
		"provider/awssm: the credentials from %s have characters that none have",
		"provider/awssm: the credentials from %s have expired (%s)",
		"provider/awssm: the profile %s has no credentials",
		"provider/awssm: the region of AWS is not set",
		"provider/awssm: there is no %s in the region %s (%s)",
		"provider/awssm: there is no region %s",
		"provider/awssm: this instance has no role",
		"provider/vault: there is no secret %s (404)",
	}},
	{"shown by internal/provider/awssm/role_test.go", []string{
		"provider/awssm: %s names a web identity and no role",
		"provider/awssm: %s, which tasker does not do by itself",
		"provider/awssm: the profile %s leads through more than %d roles",
		"provider/awssm: the token of the web identity in %s cannot be read",
	}},
	{"shown by internal/provider/chain_test.go", []string{
		"provider: cannot put the file %s into the workspace",
		"provider: failed in an unexpected way",
	}},
	{"shown by internal/provider/dotenv/dotenv_test.go", []string{
		"provider/dotenv: %s is larger than 1 MiB",
	}},
	{"shown by internal/provider/envtext/envtext_test.go", []string{
		"provider/envtext: there is no format %s%s",
	}},
	{"shown by internal/provider/exec/exec_test.go", []string{
		"provider: it is not a JSON object",
	}},
	{"shown by internal/provider/fetch/fetch_test.go", []string{
		"provider/fetch: %s answered more than 1 MiB",
		"provider/fetch: %s does not speak TLS",
		"provider/fetch: %s gave no answer that is HTTP",
		"provider/fetch: the address cannot be asked",
		"provider/fetch: the certificate of %s is signed by an authority that this machine does not know",
	}},
	{"shown by internal/provider/onepassword/onepassword_test.go", []string{
		"provider/onepassword: 1Password does not accept the credentials that op has",
		"provider/onepassword: 1Password has more than one item %s",
		"provider/onepassword: op cannot reach 1Password",
		"provider/onepassword: op could not read %s: exit code %d",
		"provider/onepassword: op is not signed in",
		"provider/onepassword: op knows no account %s",
		"provider/onepassword: op printed what is not an item in JSON",
		"provider/onepassword: the item %s has no section %s",
		"provider/onepassword: the item %s has the field %s twice",
		"provider/onepassword: who is signed in may not read %s (403)",
	}},
	{"shown by internal/provider/vault/server_test.go", []string{
		"provider/vault: version %d of %s is deleted",
	}},
	{"shown by internal/provider/vault/vault_test.go", []string{
		"provider/vault: %s is not a KV engine of version 2",
		"provider/vault: options.authMount is not a path",
		"provider/vault: the AppRole login is refused (%d)",
		"provider/vault: the server failed (%d)",
		"provider/vault: the server has no AppRole login at auth/%s",
		"provider/vault: the server is not initialized (501)",
		"provider/vault: the server is sealed (503)",
		"provider/vault: the token is expired, revoked or of another server (403)",
		"provider/vault: the token may not read %s (403)",
		"provider/vault: there is no version %s of %s (404)",
		"provider/vault: version %d of %s is destroyed",
	}},
	{"shown by internal/task/value_test.go", []string{
		"task: %s has U+0000 in it, at byte %d",
	}},
	{"shown by test/faults/copy_test.go", []string{
		"db/sqlite: the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing",
	}},
	{"shown by test/faults/damage_test.go", []string{
		"db/sqlite: the database %s is damaged",
		"httpapi: the server is not ready",
	}},
	{"shown by test/script/errors.txtar", []string{
		"cli: --%s needs a value",
	}},
	{"shown by test/script/instances.txtar", []string{
		"task: %s has %d %s, more than the %d it may have",
	}},
	{"shown by test/script/log-search.txtar", []string{
		"provider: makes it %d files",
	}},
	{"shown by test/script/rights.txtar", []string{
		"task: question %d was asked by %s, an agent, and %s",
	}},
	{"words: a file of the configuration has to be corrected", []string{
		"config: %s is gone, and what it said stays in force",
	}},
	{"words: a page that is not there", []string{
		"web: there is no file %s of a graph",
		"web: %s is %q",
		"web: there is no page %s",
		"web: there is no such asset",
	}},
	{"words: a provider does it that no file can name: internal/provider/chain_test.go", []string{
		"provider/dotenv: the repository %s cannot be read: %v",
		"provider/envtext: %s cannot name a variable",
		"provider/envtext: the value of %s is not UTF-8, so it cannot be written as JSON",
		"provider/envtext: the variables cannot be written as JSON",
		"provider/gitenv: %s of %s: %s",
		"provider: there is no provider of the type %s",
	}},
	{"words: a server answers it: package provider/fetch has some", []string{
		"provider/fetch: %s answered a redirect that leads nowhere",
		"provider/fetch: %s redirects to %s, where the credentials do not belong",
		"provider/fetch: the certificate of %s is not valid for it",
	}},
	{"words: a server of AWS answers it: package provider/awssm has one", []string{
		"provider/awssm: %s cannot be decrypted (%s)",
		"provider/awssm: %s is marked for deletion (%s)",
		"provider/awssm: %s is not an object of JSON, so its variables have no names",
		"provider/awssm: AWS answered no credentials for %s",
		"provider/awssm: AWS does not accept the signature made with the credentials from %s (%s)",
		"provider/awssm: AWS finds that the clock of this machine is wrong (%s)",
		"provider/awssm: AWS_CONTAINER_CREDENTIALS_FULL_URI is no address",
		"provider/awssm: AWS_CONTAINER_CREDENTIALS_FULL_URI names a host without TLS that is neither this machine nor the container's",
		"provider/awssm: credential_source of the profile %s gives no credentials",
		"provider/awssm: credential_source of the profile %s is %s",
		"provider/awssm: gives no credentials",
		"provider/awssm: the answer for %s holds no secret",
		"provider/awssm: the authorization token of the container is not one line",
		"provider/awssm: the container's endpoint %s",
		"provider/awssm: the credential_process of %s %s",
		"provider/awssm: the credential_process of %s ended with the exit code %d",
		"provider/awssm: the file %s that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names cannot be read",
		"provider/awssm: the metadata of this instance %s",
		"provider/awssm: the profile %s has only one of aws_access_key_id and aws_secret_access_key",
		"provider/awssm: the request cannot be signed",
		"provider/awssm: the shared file %s cannot be read",
	}},
	{"words: a server of Vault answers it: package provider/vault has one", []string{
		"provider/vault: the AppRole login answered no token",
		"provider/vault: the secret %s is not an object",
		"provider/vault: the server has no KV engine of version 2 at the mount %s (%d)",
		"provider/vault: the server refuses to read %s (%d)",
		"provider/vault: the server turns requests away as too many (429)",
	}},
	{"words: a value has to be corrected; package task", []string{
		"task: %s is not a key of a selection policy",
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
	}},
	{"words: it takes a copy of a database that was in use", []string{
		"db: %s; the newest event in it is %d",
	}},
	{"words: it takes a database that is gone, held or closed", []string{
		"db: %d bytes are free beside the database",
		"db: %s",
		"db: all %d connections that read the database are in use%s since %s (%d s)",
		"db: another database stands in the place of the one that was there",
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
	{"words: it takes a disk that fails, a signal or another process: test/workspaces/crash_test.go", []string{
		"workspace: %s cannot be made: %v",
		"workspace: %s cannot be replaced in %s: %v",
		"workspace: %s cannot be written in %s: %v",
		"workspace: a provider writes %q, which is not in the workspace",
		"workspace: stopped during the step %q",
		"workspace: the directory %s cannot be made in %s: %v",
		"workspace: the log of the steps cannot be written: %v",
		"workspace: the workspace of %s is being opened or closed by another process",
		"workspace: workspace.dir cannot be reached from %s: %v",
	}},
	{"words: it takes a file or a disk that is broken", []string{
		"db/sqlite: the database %s is gone",
		"db/sqlite: %s is an SQLite database of another program",
		"db/sqlite: a value is larger than the database can keep",
		"db/sqlite: another file was put in the place of the database %s, beside the log of the one that was there",
		"db/sqlite: something unexpected happened in the database: %v",
		"db/sqlite: the database %s cannot be opened",
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
	{"words: it takes a git that fails: package git/worktree", []string{
		"git/command: git %s: %s",
		"git/command: git cannot be run: %v",
	}},
	{"words: it takes a program that cannot be started", []string{
		"proc: %s cannot be followed: %v",
	}},
	{"words: it takes a record that another program wrote", []string{
		"store/rows: an event's via reads %q",
	}},
	{"words: it takes a repository that changes meanwhile: package git/worktree", []string{
		"git/worktree: %s has %d closed workspaces stored under %s",
		"git/worktree: git names no work tree of %s",
		"git/worktree: the repository %s cannot be locked: %v",
		"git/worktree: the repository %s is locked by another process that makes or removes a work tree",
		"git/worktree: there is no branch %s in %s",
	}},
	{"words: it takes a request or a server that is broken, or a browser", []string{
		"httpapi: %d streams run already",
		"httpapi: panic: %v",
		"httpapi: requests were still running after %s and were cut off",
		"httpapi: something unexpected happened",
		"httpapi: the body did not arrive whole: %s",
		"httpapi: the form cannot be read",
		"httpapi: the server cannot listen any more: %v",
		"httpapi: the stream broke off",
		"httpapi: this server asks for a session from now on",
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
		"client: the answer of %s cannot be read: %v",
		"client: %s works on the database itself and not through a server",
		"client: an event of the stream cannot be read: %v",
		"client: the answer is larger than %d MiB",
		"client: the request cannot be made: %v",
		"client: the stream broke off, and did not say why",
		"client: the stream of %s broke off",
	}},
	{"words: it takes a signal in the middle of a command", []string{
		"cli/working: stopped before %s ended: nothing was recorded",
	}},
	{"words: it takes a signal in the middle of a command: test/workspaces/crash_test.go", []string{
		"cli/workspaces: stopped before %s ended",
	}},
	{"words: it takes an environment that a process seldom has", []string{
		"cli/frame: events cannot be followed through this client",
		"cli/frame: nobody says who acts",
		"cli/frame: standard input cannot be read: %v",
		"cli/frame: the working directory is gone",
	}},
	{"words: it takes files of an agent that are in the way; package setup", []string{
		"setup: %s has been changed since setup wrote it",
		"setup: %s is there already, and setup did not write it",
	}},
	{"words: it takes more bytes than the server has memory for", []string{
		"inflight: the server has no room for this: %d of %d MiB are under way",
		"inflight: this client has as many bytes under way as one client may: %d MiB",
	}},
	{"words: it takes two processes that take the same port", []string{
		"store/annotation: port %d of %s was taken in between",
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
		"app: the database does not answer",
		"app: the server could not stop in order within %s: something it waits for hangs",
	}},
	{"words: the command itself has to be corrected", []string{
		"cli: --%s: %s",
	}},
	{"words: the machine has no random bits", []string{
		"core/admin: there are no random bits to make a credential of: %v",
	}},
	{"words: the message and the hint are those of another refusal", []string{
		"core/work: %s",
	}},
	{"words: the program op prints it: package provider/onepassword has one", []string{
		"provider/onepassword: %s has no field %s",
		"provider/onepassword: %s is no name in 1Password that op can be given",
		"provider/onepassword: 1Password turns requests away as too many (429)",
		"provider/onepassword: there is no %s",
		"provider/onepassword: there is no vault %s, or it is not shared with who is signed in",
	}},
	{"words: it takes a disk that cannot be written, or read: the tests run as root", []string{
		"cli/frame: %s cannot be written: %v",
		"config: %s cannot be read: %v",
	}},
	{"words: a place before it refuses in the same words, and is walked", []string{
		"core/planning: there is no project %q",
	}},
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
