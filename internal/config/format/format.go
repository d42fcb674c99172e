package format

import "tasker/internal/strict"

// Values that several keys share.
var (
	autonomies = []string{"autonomous", "supervised", "human_only"}
	statuses   = []string{"open", "in_progress", "in_review", "done", "cancelled"}
	// customFields are the fields of ours that a tracker keeps in custom fields.
	customFields = []string{"sprint", "rank", "severity"}
	itemKinds    = []string{
		"approval_requested", "verification_requested", "review", "blocking_question", "question",
		"divergence", "override", "lease_expired", "stalled", "unheld", "failing", "runner", "sync_failed",
	}
)

const (
	maxMillis = 366 * 24 * 60 * 60 * 1000 // the longest lease and the longest step
	maxBudget = 1_000_000_000
)

// word is the element of most lists: a non-empty text.
var word = Key{Type: Text, NonEmpty: true}

// kindList is the evidence that a gate asks for.
var kindList = Key{Type: List, Elem: &Key{Type: Text, NonEmpty: true, Rule: &kindRule, Runs: AfterDollar}}

// anyText is the value of a mapping from a name to a text.
var anyText = Key{Type: Text}

// Root is the declaration of the whole file. It is a plain literal, so that it costs nothing at start.
var Root = Key{Type: Object, Keys: []*Key{
	{
		Name: "$schema", Type: Anything, Layers: []strict.Layer{FileLayer, LocalLayer}, Ignored: true,
		Doc: "editor hint", Effect: "nothing here; editors read it",
	},
	{
		Name: "version", Type: Number, Min: Version, Max: Version, Required: true, Default: "1",
		Layers: []strict.Layer{FileLayer, LocalLayer}, Rule: &versionRule,
		Doc: "config format version", Effect: "how the file is read; a file without it is read as the pre-versioned shape",
	},
	{
		Name: "project", Type: Text, Required: true, Old: true, Env: "TASKER_PROJECT", Rule: &SlugRule,
		Layers: []strict.Layer{FileLayer, EnvLayer, FlagsLayer},
		Doc:    "project slug; prefixes every task id", Effect: "which project commands act on, and for which project the file's layers count",
	},
	&executionKey,
	&workspaceKey,
	&contextKey,
	{
		Name: "actors", Type: List, Elem: &actorKey, Process: true, Decides: true, Default: "[]", Rule: &actorsRule,
		Doc: "who works here", Effect: "kind, roles and capabilities of an identity; one that is declared nowhere counts as an agent with no roles",
	},
	{
		Name: "providers", Type: Map, Elem: &providerKey, Default: "{}",
		Doc: "environment providers by name", Effect: "what the names in workspace.providers stand for",
	},
	&integrationsKey,
	&notificationsKey,
	{
		Name: "notices", Type: Object, Process: true, Old: true,
		Doc: "what is printed along with answers", Effect: "notices on standard error",
		Keys: []*Key{{
			Name: "deprecations", Type: Boolean, Default: "true",
			Doc: "print deprecation notices on stderr", Effect: "whether the notice about a pre-versioned file is printed",
		}},
	},
	{
		Name: "gates", Type: Map, Elem: &kindList, Default: "{}",
		Doc:    "gate name to required evidence kinds; one that begins with `$ ` is a command, which `tasker prove` runs in the directory of this file",
		Effect: "the evidence without which a task of that gate cannot be done",
	},
	&agentDefaultsKey,
	&branchKey,
	{
		Name: "auth", Type: Object, Process: true,
		Doc: "who may talk to a server", Effect: "whether a server asks for a credential",
		Keys: []*Key{{
			Name: "mode", Type: Text, Enum: []string{"open", "session"}, Default: `"open"`,
			Doc:    "open: the process identity (single user); session: every request must present a credential",
			Effect: "whether requests to a server, reads included, need a session",
		}},
	},
}}

var executionKey = Key{
	Name: "execution", Type: Object, Doc: "who may take tasks, and what closes them", Effect: "routing, and the rules for done",
	Keys: []*Key{
		{
			Name: "defaultAutonomy", Type: Text, Enum: autonomies, Default: `"autonomous"`,
			Doc: "autonomy for tasks that declare none", Effect: "whether agents may hold such a task, and whether a human reviews what they close",
		},
		{
			Name: "preferredActor", Type: Text,
			Doc: "biases selection, never blocks another eligible actor", Effect: "the order of ready and next, for tasks that prefer nobody",
		},
		{
			Name: "mayExecute", Type: List, Elem: &word, Default: "[]",
			Doc: "roles or capabilities required to claim a task; empty means anyone", Effect: "who may claim a task that has no list of its own",
		},
		{
			Name: "requireApproval", Type: List, Elem: &requirementKey, Default: "[]",
			Doc: "approvals every task must collect before done; per-task policy adds to these", Effect: "what a move to done waits for",
		},
		{
			Name: "reviewPolicy", Type: Map, Elem: &requirementsKey, Default: "{}",
			Doc: "extra approvals per gate", Effect: "what a move to done waits for, on tasks of that gate",
		},
	},
}

var requirementsKey = Key{Type: List, Elem: &requirementKey}

var requirementKey = Key{Type: Object, Keys: []*Key{
	{Name: "role", Type: Text, Doc: "any actor holding the role may satisfy it", Effect: "who can give the approval"},
	{Name: "actor", Type: Text, Doc: "only this actor may satisfy it", Effect: "who can give the approval"},
	{
		Name: "kind", Type: Text, Enum: []string{"approval", "verification"}, Default: `"approval"`,
		Doc:    "approval is a judgement; verification is a human confirming something is true",
		Effect: "the kind of approval that is asked for, and its inbox item",
	},
	{Name: "reason", Type: Text, Doc: "shown in the refusal", Effect: "the words of the refusal"},
}}

var workspaceKey = Key{
	Name: "workspace", Type: Object, Doc: "where the work on a task happens", Effect: "what tasker workspace prepares",
	Keys: []*Key{
		{
			Name: "strategy", Type: Text, Enum: []string{"in-place", "worktree"}, Default: `"in-place"`, Env: "TASKER_WORKSPACE_STRATEGY",
			Doc: "worktree gives a git worktree per task", Effect: "whether a task gets a directory of its own",
		},
		{
			Name: "dir", Type: Text, Default: `".worktrees"`, Rule: &relativeRule,
			Doc: "worktree location relative to repo root", Effect: "where worktrees are made",
		},
		{
			Name: "providers", Type: List, Elem: &word, Default: "[]",
			Doc: "ordered environment provider chain; names refer to keys of providers", Effect: "the environment of a workspace; later providers win",
		},
		{
			Name: "ports", Type: Object, Doc: "collision-free port allocation for parallel workspaces",
			Effect: "TASKER_PORT and TASKER_PORT_1 … in a workspace's environment",
			Keys: []*Key{
				{
					Name: "range", Type: List, Elem: &portKey, Len: 2, Required: true, Rule: &portRangeRule,
					Doc: "inclusive start and end", Effect: "which ports are handed out",
				},
				{
					Name: "perTask", Type: Number, Min: 1, Max: 65535, Default: "1",
					Doc: "ports per task", Effect: "how many ports a workspace gets",
				},
			},
		},
		{
			Name: "setup", Type: List, Elem: &stepKey, Default: "[]",
			Doc: "ordered steps run after the workspace exists", Effect: "commands run when a workspace opens",
		},
		{
			Name: "teardown", Type: List, Elem: &stepKey, Default: "[]",
			Doc: "ordered steps run before the workspace is removed", Effect: "commands run when a workspace closes",
		},
	},
}

var portKey = Key{Type: Number, Min: 1, Max: 65535}

var stepKey = Key{Type: Object, Keys: []*Key{
	{
		Name: "name", Type: Text, NonEmpty: true, Required: true,
		Doc: "shown in event log and failures", Effect: "the step's name in workspace.step events",
	},
	{
		Name: "run", Type: Text, NonEmpty: true, Required: true, Runs: Always,
		Doc: "shell command run in the prepared workspace", Effect: "the command that is run",
	},
	{
		Name: "timeoutMs", Type: Number, Min: 1, Max: maxMillis, Default: "120000",
		Doc: "milliseconds the step may take", Effect: "when the step is stopped and counts as failed",
	},
	{
		Name: "optional", Type: Boolean, Default: "false",
		Doc: "a failure warns instead of aborting", Effect: "whether opening or closing goes on after a failure",
	},
}}

var globKey = Key{Type: Text, Rule: &globRule}

var contextKey = Key{
	Name: "context", Type: Object, Doc: "what agents are given to read", Effect: "guidance and size of context bundles",
	Keys: []*Key{
		{
			Name: "track", Type: List, Elem: &globKey, Default: "[]",
			Doc: "committed guidance to version and fingerprint", Effect: "the guidance part of a bundle",
		},
		{
			Name: "ignore", Type: List, Elem: &globKey, Default: "[]",
			Doc: "globs excluded from the tracked set", Effect: "what is left out of the guidance",
		},
		{
			Name: "bundleBudget", Type: Number, Min: 1, Max: maxBudget,
			Doc:    "default token budget for context bundles; unset means no truncation",
			Effect: "where bundles are cut when neither the request nor agentDefaults.budget says",
		},
		{
			Name: "warnOnDrift", Type: Boolean, Default: "true",
			Doc: "warn when tracked guidance changed since claim", Effect: "the drift warning in bundles and the guidance.drifted event",
		},
	},
}

var actorKey = Key{Type: Object, Keys: []*Key{
	{
		Name: "name", Type: Text, Required: true, Rule: &actorNameRule,
		Doc: "matches TASKER_ACTOR; appears in events and claims", Effect: "which identity the entry describes",
	},
	{
		Name: "kind", Type: Text, Enum: []string{"human", "agent"}, Required: true,
		Doc: "human or agent", Effect: "who may approve, force, and hold human_only tasks",
	},
	{Name: "roles", Type: List, Elem: &word, Default: "[]", Doc: "roles it holds", Effect: "routing by mayExecute, and approvals by role"},
	{Name: "capabilities", Type: List, Elem: &word, Default: "[]", Doc: "what it can do", Effect: "routing by mayExecute"},
	{
		Name: "autonomy", Type: Text, Enum: autonomies,
		Doc: "per-actor ceiling the task policy cannot exceed", Effect: "the stricter of it and the task's autonomy counts",
	},
	{
		Name: "default", Type: Boolean, Default: "false",
		Doc: "actor assumed when TASKER_ACTOR is unset", Effect: "who acts when nobody is named; takes precedence over agentDefaults.actor",
	},
}}

var providerKey = Key{Type: Object, Keys: []*Key{
	{
		Name: "type", Type: Text, Required: true, Enum: []string{"dotenv", "exec", "gitenv", "secrets_a", "secrets_b", "secrets_c"},
		Doc:      "provider implementation; secrets_a: HashiCorp Vault and OpenBao, secrets_b: AWS Secrets Manager, secrets_c: 1Password",
		Effect:   "where the values come from",
		Programs: []Program{{"gitenv", "git show"}, {"secrets_c", "op"}},
	},
	{Name: "env", Type: Text, Doc: "environment or stage name", Effect: "which stage's values are read"},
	{Name: "app", Type: Text, Doc: "app or scope name", Effect: "which app's values are read"},
	{Name: "files", Type: List, Elem: &word, Default: "[]", Doc: "dotenv: files to materialize", Effect: "which env files are read"},
	{
		Name: "run", Type: Text, Runs: OfTypeExec,
		Doc: "exec: command emitting KEY=VALUE lines on stdout", Effect: "the command that is run for its values",
	},
	{
		Name: "path", Type: Text,
		Doc: "secret path or item reference for the secrets_ types; gitenv: files, separated by commas", Effect: "which secret or which files are read",
	},
	{
		Name: "options", Type: Map, Elem: &anyText, Default: "{}",
		Doc: "passthrough options", Effect: "settings of that provider alone, such as gitenv's ref; exec and secrets_c pass on what they do not know as TASKER_OPTION_<NAME>",
	},
}}

var integrationsKey = Key{
	Name: "integrations", Type: Object, Old: true, Doc: "links to other systems, and the order of work", Effect: "sync, bindings, selection",
	Keys: []*Key{
		{
			Name: "issue_tracker", Type: Object, Doc: "external issue tracker link", Effect: "what sync reads and plans",
			Keys: []*Key{
				{
					Name: "baseUrl", Type: Text, Rule: &SiteRule,
					Doc: "declared site; a mismatch is refused", Effect: "everything is refused where TASKER_TRACKER_URL names another site",
				},
				{
					Name: "statusMap", Type: Map, Elem: &anyText, Known: statuses, Default: "{}",
					Doc: "own status to the site's status name", Effect: "how statuses are carried over in both directions",
				},
				{
					Name: "fields", Type: Map, Elem: &anyText, Known: customFields, Default: "{}",
					Doc: "custom-field ids", Effect: "which custom fields hold sprint, rank and severity",
				},
				{Name: "projects", Type: List, Elem: &word, Default: "[]", Doc: "issue-key prefix allowlist", Effect: "which issues may be bound and pulled"},
			},
		},
		{
			Name: "code_host", Type: Object, Doc: "external code host link", Effect: "bindings to pull requests and branches",
			Keys: []*Key{
				{
					Name: "repos", Type: List, Elem: &repoKey, Default: "[]",
					Doc: "owner/name repositories the project may bind to", Effect: "which repositories bind and sync accept",
				},
				{
					Name: "autoCloseOnMerge", Type: Boolean, Default: "false",
					Doc: "close a task when its pull request merges (gates still apply)", Effect: "what a pull does when it sees a merge",
				},
				{
					Name: "branchPrefix", Type: Text, Default: `"tasker/"`,
					Doc: "branch name prefix at the code host", Effect: "the branch prefix where branch.prefix is not set",
				},
			},
		},
		{
			Name: "selection", Type: List, Elem: &selectionKey, Default: `["severity", "sprint", "due", "priority", "rank", "age"]`,
			Doc: "ordered work-selection policy for next and ready; [] orders by number alone", Effect: "the order of ready and next",
		},
	},
}

var repoKey = Key{Type: Text, Rule: &RepoRule}

var selectionKey = Key{Type: Text, Enum: []string{"severity", "sprint", "due", "priority", "rank", "age"}}

var notificationsKey = Key{
	Name: "notifications", Type: Object, Process: true, Doc: "who is notified of inbox items", Effect: "deliveries of inbox items",
	Keys: []*Key{
		{
			Name: "onApprovalRequested", Type: Boolean, Default: "true",
			Doc: "notify of requested approvals and verifications", Effect: "whether items approval_requested and verification_requested are delivered",
		},
		{
			Name: "onBlockingQuestion", Type: Boolean, Default: "true",
			Doc: "notify of blocking questions", Effect: "whether items blocking_question are delivered",
		},
		{
			Name: "onDivergence", Type: Boolean, Default: "true",
			Doc: "notify of disagreements with another system", Effect: "whether items divergence are delivered",
		},
		{
			Name: "channels", Type: List, Elem: &channelKey, Default: "[]",
			Doc: "where to deliver", Effect: "where items are delivered; without a channel nothing is",
		},
	},
}

var channelKey = Key{Type: Object, Keys: []*Key{
	{
		Name: "type", Type: Text, Enum: []string{"exec", "webhook"}, Required: true,
		Doc: "exec runs a command; webhook POSTs the inbox item", Effect: "how an item is delivered",
	},
	{
		Name: "target", Type: Text, NonEmpty: true, Required: true, Runs: OfTypeExec,
		Doc: "the command or URL", Effect: "the command that is run, or the address that is posted to",
	},
	{
		Name: "events", Type: List, Elem: &eventKey, Default: "[]",
		Doc: "inbox item kinds to deliver; empty means all enabled", Effect: "which items go to this channel",
	},
}}

var eventKey = Key{Type: Text, NonEmpty: true, Known: itemKinds}

var agentDefaultsKey = Key{
	Name: "agentDefaults", Type: Object, Process: true, Doc: "what counts when a request does not say", Effect: "lease, identity, budget, the note on done",
	Keys: []*Key{
		{
			Name: "lease", Type: Text, Rule: &LeaseRule, Default: `"2h"`, Env: "TASKER_LEASE", Decides: true,
			Doc: "default claim lease such as 30m, 2h, 1d, or 0 for none", Effect: "how long a claim holds when the request names no lease",
		},
		{
			Name: "actor", Type: Text,
			Doc: "actor assumed when TASKER_ACTOR is unset", Effect: "who acts when nobody is named and no actor is flagged default",
		},
		{
			Name: "budget", Type: Number, Min: 1, Max: maxBudget, Env: "TASKER_BUDGET",
			Doc: "default budget for next and show", Effect: "where bundles are cut when the request does not say; takes precedence over context.bundleBudget",
		},
		{
			Name: "requireNoteOnDone", Type: Boolean, Default: "false", Decides: true,
			Doc: "refuse done without at least one note", Effect: "whether a move to done asks for a note",
		},
	},
}

var branchKey = Key{
	Name: "branch", Type: Object, Doc: "branches of workspaces", Effect: "the branch that a task's work goes to",
	Keys: []*Key{
		{
			Name: "prefix", Type: Text, Default: `"tasker/"`,
			Doc: "branch name prefix", Effect: "the branch's name; takes precedence over integrations.code_host.branchPrefix",
		},
		{
			Name: "template", Type: Text, NonEmpty: true, Rule: &TemplateRule, Default: `"{id}-{slug}"`,
			Doc: "supports {id} and {slug}", Effect: "the branch's name after the prefix; {slug} is made from the title",
		},
		{Name: "base", Type: Text, Rule: &BaseRule, Doc: "branch new work forks from", Effect: "where a new branch starts; unset, at the repository's current branch"},
	},
}
