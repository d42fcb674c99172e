package hints

import (
	"io/fs"
	"path/filepath"
	"slices"
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

// notCarriedOut lists the operations that no hint of the walk names, with the reason.
var notCarriedOut = map[string]string{
	"doctor": "only a broken database says it",
}

// unwalked lists the refusals that the walk does not provoke, by reason. "shown by FILE" is a test that has their words;
// "words: …" says that the hint names no call, so that there is nothing to carry out; both are checked. "call: …" is for
// hints that do name one: package cli reads their commands, and op their routes and tools.
var unwalked = slices.Concat(calledElsewhere, sayingWords)

// excuse is why some refusals are not walked.
type excuse struct {
	because string
	sites   []string
}

// calledElsewhere are hints that are calls, and refusals that another test shows.
var calledElsewhere = []excuse{
	{"shown by test/faults/rewound_test.go", []string{
		"cli/admin: events %d to %d are gone, and going on without them cannot be taken back",
		"core: the events after %d were lost: the log goes on with event %d",
		"db: the log of the database was rewound: %s",
	}},
	{"shown by test/script/acting.txtar", []string{
		"task: nobody may act as %s: tasker uses that name for what it does by itself",
	}},
	{"words: what only the runner of commands sends, in a form that only a program gets wrong", []string{
		"task: state is %q",
		"task: workers is %d",
		"work: %q is not the id of a task of %s",
		"work: until is more than 366 days away",
		"work: until %q is not a time",
	}},
	{"words: it takes a name with blanks around it", []string{
		"task: the actor's name %s has blanks around it",
	}},
	{"shown by test/script/loosen.txtar", []string{
		"planning: this takes away parts that only a human may take away here",
	}},
	{"shown by internal/cli/takeover_test.go", []string{
		"policy: %s may not take over %s: its record still has a human",
		"policy: %s may not take over %s: an agent may not",
		"policy: %s may not take over %s: the file does not declare it as a human",
		"cli/admin: --take-over needs a file",
		"cli/admin: this is the shell of %s, an agent, which may not take over %s",
		"cli/admin: taking over %s is confirmed at a terminal, and this is not one",
		"cli/admin: %s stays as it is: what was typed is not its slug",
	}},
	{"shown by test/script/workspace.txtar", []string{
		"cli/admin: %s is in the workspace of %s, on its branch",
	}},
	{"shown by test/script/setup.txtar", []string{
		"agent/setup: %s is not set up here",
		"cli/agent: %s does not work from the files of %s (exit code %d): %s",
		"cli/agent: the tools do not work from the files of %s: %s",
		"cli/agent: the tools of %s act as %s, and its shell as %s",
	}},
	{"words: a hook prints no refusal, and its log has no hint", []string{
		"cli/agent: it took longer than %s",
		"cli/agent: panic: %v",
		"cli/agent: there is no event %q",
		"cli/agent: what the agent told is not JSON, or longer than %d bytes",
	}},
	{"shown by test/faults/rights_test.go", []string{
		"db/sqlite: the sandbox of %s, in whose shell this runs, keeps it from writing the database %s",
	}},
	{"words: it takes another program that writes a database which this one may only read", []string{
		"db/sqlite: the database %s changed while it was read",
	}},
	{"words: it takes files of an agent that name another program", []string{
		"cli/agent: %s starts something else as %s: it does not answer as tasker does",
	}},
	{"words: it takes a machine without a shell", []string{
		"cli/agent: there is no sh here to try it with",
	}},
	{"shown by test/script/workspace-loop.txtar", []string{
		"workspace/machine: %s is also being worked on in %s, and switching the branch would change its files",
	}},
	{"shown by test/script/prove.txtar", []string{
		"cli/work: %s is not run: no file here declares %s, and no command comes from the database",
		"cli/work: %s is not the command that %s asks for",
		"cli/work: the %s's command runs in %s, and this is %s",
		"cli/work: criterion %d of %s is the command %s: only a run of that ticks it, and nothing runs it by itself",
		"cli/work: --line is a command already, and %s is another",
	}},
	{"shown by test/script/runs.txtar", []string{
		"cli/work: %s is not closed: not every line of %s ran",
		"cli/work: %s is not closed: what ran does not show what was to be ticked",
	}},
	{"shown by test/script/rests.txtar", []string{
		"cli/reading: proof is of all the closed work of a project, and %s names a task",
	}},
	{"call: it takes a gate that a file declares: test/script/prove.txtar", []string{
		"task/proven: evidence %q is a run of that command: it is run, not typed",
	}},
	{"shown by internal/work/tick_test.go", []string{
		"task: criterion %d of %s is a command: a run of it that ended well ticks it, and nothing else that an agent gives",
	}},
	{"shown by internal/admin/projects_test.go", []string{
		"admin: %s is %s, and would be deleted with the project %s",
	}},
	{"shown by internal/admin/records_test.go", []string{
		"admin: record %d of evidence, %q, is a run of that command: it is run, not typed",
	}},
	{"shown by internal/task/changed_test.go", []string{
		"task: the path %s is outside the repository",
	}},
	{"words: it takes a machine without a shell", []string{
		"cli/work: there is no sh here, and the gate's commands are lines for it",
	}},
	{"shown by internal/client/client_test.go", []string{
		"client: %s answers 429: too many requests",
	}},
	{"shown by internal/cli/shape/shape_test.go", []string{
		"cli/shape: %s took longer than %s, and was stopped: does it end?",
		"cli/shape: --jq: %s, in line %d, column %d",
	}},
	{"call: it takes a terminal that is dumb: test/terminal/ui_test.go", []string{
		"cli/ui: this view draws on the whole screen, and this terminal cannot (TERM is dumb)",
	}},
	{"words: it takes a fault of the program or of the terminal: internal/cli/ui/program_test.go", []string{
		"cli/ui: the terminal cannot be drawn on: %v",
		"cli/ui: the view broke: %v",
		"cli/ui: there is no act %s",
	}},
	{"shown by test/script/shaped.txtar", []string{
		"cli/frame: --jq and --template both say what the answer becomes: give one of them",
	}},
	{"shown by test/script/written.txtar", []string{
		"cli/frame: the editor %q ended with exit code %d: nothing was changed",
		"cli/planning: %s was not changed: the text is still at fault",
		"cli/planning: the text on standard input has no title",
		"cli/planning: the body is given twice: on standard input below the title, and by --body",
	}},
	{"call: it takes a log that was pruned, or would prune everybody's; test/script/events-prune.txtar", []string{
		"cli/admin: this would move %s from before event %d to %s",
		"core: the log begins with event %d: everything before it was pruned into an archive",
	}},
	{"shown by test/script/grouped.txtar", []string{
		"views/reading: tasks are not grouped by %s",
	}},
	{"shown by internal/views/reading/list_test.go", []string{
		"views/reading: tasks in the order of selection are not grouped",
		"task: %s is not a mark",
	}},
	{"shown by test/script/init.txtar", []string{
		"cli/agent: %s declares the project %s, and -p says %s",
	}},
	{"call: the command chooses the last change itself; internal/planning/undo_test.go", []string{
		"planning: undo needs a number",
	}},
	{"call: it takes numbers of events; test/script/undo.txtar, internal/planning/undo_test.go", []string{
		"planning: event %d (%s) cannot be undone: it is not a change of one project",
	}},
	{"call: a file of the configuration has to be corrected, and config validate reads it again; test/script/config.txtar", []string{
		"config/format: %s",
	}},
	{"call: it takes a channel that is declared, and deliveries; test/script/notify.txtar", []string{
		"notify: delivery %d is delivered, so there is nothing to drop",
	}},
	{"call: it takes a link to another system; internal/links and test/script/links.txtar show them", []string{
		"links: %s of %s was changed since the conflict was resolved",
		"links: conflict %d is settled: both sides agreed again",
		"links: there is a newer conflict about %s of %s",
		"sync/syncer: nothing was pulled from %s",
	}},
	{"call: every face sends a document, even an empty one", []string{
		"planning: there is no plan",
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
		"bundle: %s refers to a task that does not exist",
	}},
	{"call: it takes a disk that fails", []string{
		"db/sqlite: the database %s cannot be read or written: %s",
	}},
	{"call: it takes a disk that fails, a signal or another process: test/workspaces/crash_test.go", []string{
		"workspace/machine: %s has no workspace on %s; it has one on %s, in %s",
		"workspace/machine: the workspace of %s is %s",
		"workspace/machine: the workspace of %s is being removed, but holds ignored files that are nowhere else: %s",
		"workspace/machine: what was made in %s could not be undone: %v",
	}},
	{"shown by test/script/land.txtar", []string{
		"landing: %s may not land anything: in a project that declares a human, people do",
	}},
	{"words: the task is moved by somebody else while it lands: internal/landing", []string{
		"landing: %s is %s: only what is done or in review can fail to land",
	}},
	{"shown by test/script/landed.txtar", []string{
		"workspace/machine: the remote %s did not answer",
	}},
	{"words: it takes a repository whose base or history is not as it should be, or a git that lies", []string{
		"cli/workspace: %s on %s is not valid: %s",
		"git/worktree: the merge of %s into %s would change files that the branch does not change, and so undo the work of others: %s",
		"workspace/machine: %s is in no git repository, so there is nothing to land on",
		"workspace/machine: %s is not a branch, so nothing can land on it",
		"workspace/machine: %s is the branch of the work tree %s, where changes are in the way: %s",
		"cli/workspace: stopped before %s ended: what was not on the base yet has not landed",
		"workspace/machine: what is on %s is not what was proven: %s has %s, and %s was proven",
		"workspace/machine: another process lands work of %s",
		"git/worktree: %s was not moved: %s",
		"git/worktree: %s has moved",
		"workspace/machine: the work on %s is in another repository: %s",
	}},
	{"words: it takes flags or tasks that do not go together: test/script/land.txtar", []string{
		"cli/workspace: %s is a task of another project than %s",
		"cli/workspace: --ready is all that can land, and %s is named as well",
		"cli/workspace: say what to land",
	}},
	{"shown by test/workspaces/odd_test.go", []string{
		"git/worktree: %s and %s have no commit in common",
		"workspace/machine: %s and %s have no commit in common",
		"workspace/machine: %s is in no git repository, so there is no branch of %s to look at",
		"workspace/machine: %s, and %s builds on both",
		"workspace/machine: no branch of %s is here: %s",
	}},
	{"shown by test/workspaces/teardown_test.go", []string{
		"workspace/machine: the workspace of %s belongs to another repository, whose configuration applies to it: %s",
	}},
	{"call: it takes a file of a newer version; package agent/setup", []string{
		"agent/setup: %s was set up by a newer tasker: version %d, and this one knows %d",
		"agent/setup: %s was written by a newer tasker: version %d, and this one knows %d",
	}},
	{"call: it takes a schema that another program uses", []string{
		"db/postgres: the schema of the database holds %d tables that are not tasker's",
	}},
	{"call: it takes another program that writes the database", []string{
		"db: the database's schema stays at version %d although it was migrated to %d",
	}},
	{"shown by internal/workspace/kept/kept_test.go", []string{
		"workspace/kept: the record of a workspace in %s cannot be read: %v",
		"workspace/kept: this user has no home directory, so the record of a workspace has no place",
	}},
	{"call: it takes two processes that change one workspace: internal/workspace/kept/kept_test.go", []string{
		"workspace/kept: the workspace of %s was changed in the meantime",
	}},
	{"words: it takes two processes that make a workspace, a full disk, or a directory full of foreign files: internal/workspace/kept/kept_test.go", []string{
		"workspace/kept: %s holds more than %d files",
		"workspace/kept: port %d of %s was taken in the meantime",
		"workspace/kept: the record of the workspace cannot be written: %v",
	}},
	{"call: it takes two processes that make one workspace: test/workspaces/many_test.go", []string{
		"workspace: %s already has a workspace on %s, in %s",
	}},
	{"shown by internal/cli/setup_test.go", []string{
		"cli/agent: %s has changed meanwhile",
	}},
	{"shown by internal/config/migrate_test.go", []string{
		"db/sqlite: %s is not a file",
	}},
	{"shown by internal/inbox/seen_test.go", []string{
		"inbox: there is no watermark",
	}},
	{"shown by internal/work/tick_test.go", []string{
		"task/proven: evidence %d of %s is a run that failed, and shows nothing",
	}},
	{"shown by internal/work/next_test.go", []string{
		"views/picture: %s is not a task of %s",
	}},
	{"shown by internal/db/postgres/postgres_test.go", []string{
		"db/postgres: none of the schemas %q exists in the database",
	}},
	{"shown by internal/git/git_test.go", []string{
		"git: git says %q about %s",
	}},
	{"shown by internal/git/worktree/worktree_test.go", []string{
		"git/worktree: the branch %s is checked out in %s",
	}},
	{"shown by internal/server/httpapi/serve_test.go", []string{
		"server/httpapi: the server is stopping",
	}},
	{"shown by internal/plan/decode_test.go", []string{
		"task: due %s is not a date",
	}},
	{"shown by internal/workspace/env/awssm/awssm_test.go", []string{
		"workspace/env/awssm: %s is binary, not text",
		"workspace/env/awssm: %s may not be read with the credentials from %s (%s)",
		"workspace/env/awssm: AWS does not know the credentials from %s (%s)",
		"workspace/env/awssm: AWS does not understand the name %s (%s)",
		"workspace/env/awssm: AWS failed (%d)",
		"workspace/env/awssm: AWS refuses to return %s (%d %s)",
		"workspace/env/awssm: AWS is throttling requests (%s)",
		"workspace/env/awssm: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path",
		"workspace/env/awssm: gives credentials that have expired",
		"workspace/env/awssm: the container's endpoint refuses to return credentials (%d)",
		"workspace/env/awssm: the credentials from %s contain characters that credentials cannot have",
		"workspace/env/awssm: the credentials from %s have expired (%s)",
		"workspace/env/awssm: the profile %s has no credentials",
		"workspace/env/awssm: the AWS region is not set",
		"workspace/env/awssm: there is no %s in the region %s (%s)",
		"workspace/env/awssm: there is no region %s",
		"workspace/env/awssm: this instance has no role",
		"workspace/env/vault: there is no secret %s (404)",
	}},
	{"shown by internal/workspace/env/awssm/role_test.go", []string{
		"workspace/env/awssm: %s names a web identity but no role",
		"workspace/env/awssm: %s, which tasker does not support itself",
		"workspace/env/awssm: the profile %s leads through more than %d roles",
		"workspace/env/awssm: the token of the web identity in %s cannot be read",
	}},
	{"shown by internal/app/guidance_test.go", []string{
		"app: %q in %s cannot be matched: it %s",
	}},
	{"shown by internal/git/worktree/worktree_test.go", []string{
		"git/worktree: branch.base %q is not the name of a branch",
	}},
	{"shown by internal/workspace/env/provider/chain_test.go", []string{
		"workspace/env/provider: cannot put the file %s into the workspace",
		"workspace/env/provider: failed in an unexpected way",
		"workspace/env/provider: raises the number of files to %d",
	}},
	{"shown by internal/workspace/env/dotenv/dotenv_test.go", []string{
		"workspace/env/dotenv: %s is larger than 1 MiB",
	}},
	{"shown by internal/workspace/env/exec/exec_test.go", []string{
		"workspace/env/provider: it is not a JSON object",
	}},
	{"shown by test/security/trust_test.go", []string{
		"app: there is no home directory to keep the confirmed hosts in",
		"app: others may write to %s, which names the hosts that credentials go to",
	}},
	{"shown by internal/workspace/env/fetch/fetch_test.go", []string{
		"workspace/env/fetch: %s answered with more than 1 MiB",
		"workspace/env/fetch: %s does not speak TLS",
		"workspace/env/fetch: %s gave no HTTP answer",
		"workspace/env/fetch: the address is not valid",
		"workspace/env/fetch: the certificate of %s is signed by an authority that this machine does not know",
	}},
	{"shown by internal/workspace/env/onepassword/onepassword_test.go", []string{
		"workspace/env/onepassword: 1Password does not accept the credentials that op has",
		"workspace/env/onepassword: 1Password has more than one item %s",
		"workspace/env/onepassword: op cannot reach 1Password",
		"workspace/env/onepassword: op could not read %s: exit code %d",
		"workspace/env/onepassword: op is not signed in",
		"workspace/env/onepassword: op knows no account %s",
		"workspace/env/onepassword: op did not print an item as JSON",
		"workspace/env/onepassword: the item %s has no section %s",
		"workspace/env/onepassword: the item %s has the field %s twice",
		"workspace/env/onepassword: the account that is signed in may not read %s (403)",
	}},
	{"shown by internal/workspace/env/vault/server_test.go", []string{
		"workspace/env/vault: version %d of %s is deleted",
	}},
	{"shown by internal/workspace/env/vault/vault_test.go", []string{
		"workspace/env/vault: %s is not a KV engine of version 2",
		"workspace/env/vault: options.authMount is not a path",
		"workspace/env/vault: the AppRole login is refused (%d)",
		"workspace/env/vault: the server failed (%d)",
		"workspace/env/vault: the server has no AppRole login at auth/%s",
		"workspace/env/vault: the server is not initialized (501)",
		"workspace/env/vault: the server is sealed (503)",
		"workspace/env/vault: the token is expired, revoked or from another server (403)",
		"workspace/env/vault: the token may not read %s (403)",
		"workspace/env/vault: there is no version %s of %s (404)",
		"workspace/env/vault: version %d of %s is destroyed",
	}},
	{"shown by internal/task/edit_test.go", []string{
		"task: what was seen for the criteria of %s takes %d bytes in all, and %d are allowed",
	}},
	{"shown by internal/task/value_test.go", []string{
		"task: %s has U+0000 in it, at byte %d",
	}},
	{"shown by test/faults/copy_test.go", []string{
		"db/sqlite: the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing",
	}},
	{"shown by test/faults/damage_test.go", []string{
		"server/httpapi: the server is not ready",
	}},
	{"words: it takes the shell of an agent: test/script/rights.txtar", []string{
		"task: question %d was asked by %s, an agent, and %s",
	}},
	{"shown by test/script/restore.txtar", []string{
		"policy: this is the shell of %s, an agent, and an agent may not %s the project %s, which declares a human",
	}},
	{"words: it takes a backup with a trigger in its data: test/script/restore.txtar", []string{
		"app: the data of the backup has what no tasker makes, and a restore takes tables alone: %s",
	}},
	{"words: it takes a running server whose files change: test/security/running_test.go", []string{
		"app: the files give %s, which this server acts as, more rights than at its start: they count after a restart",
		"app: the files would make this server act as %s, and it goes on as %s until it is restarted",
	}},
	{"words: it takes a trigger in the database: test/script/restore.txtar", []string{
		"db: the database has what no tasker makes: %s; it may change or hold up what is written and read",
	}},
	{"words: it takes a word that was left to be filled in: test/script/errors.txtar", []string{
		"cli: %s is not filled in: it stands for %s",
	}},
	{"shown by test/script/run.txtar", []string{
		"agent/run: %d tasks failed one after the other with the same last line (%s): %s",
	}},
	{"words: it takes a command that is set up wrongly: test/script/run.txtar", []string{
		"agent/run: the command is set up wrongly, so no task can be done: %s",
	}},
	{"words: it takes a file of the user's: internal/agent/calls/calls_test.go", []string{
		"agent/calls: %s is no class",
		"agent/calls: the pattern %s cannot be read: %v",
		"agent/calls: the agent %s has no call",
		"cli/agent: %s cannot be read: %v",
	}},
	{"words: only a runner sends such a list: internal/work/next_test.go", []string{
		"work: last names %d tasks",
	}},
	{"words: it takes flags that do not go together: test/script/ask.txtar", []string{
		"cli/work: --next claims another task, and this one is not given back",
		"cli/work: --next goes on with another task, and --wait waits for the answer",
		"work: next claims another task, and this one is not given back",
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
