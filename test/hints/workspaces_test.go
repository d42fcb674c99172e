package hints

import "strings"

// repository returns a git repository with more in its configuration, in which shell commands are run.
func repository(more string, steps ...string) *ownPlace {
	o := files(".tasker.json", configured(more), "README", "hello\n", ".gitignore", "*.log\n")
	o.git, o.steps = true, steps
	return o
}

// trees is the configuration of workspaces that are work trees.
const trees = `, "workspace": {"strategy": "worktree"}`

// from returns the configuration of workspaces with one provider.
func from(provider string) *ownPlace {
	return repository(`, "providers": {"one": `+provider+`}, "workspace": {"strategy": "worktree", "providers": ["one"]}`,
		`printf 'A=1\n' > .env; printf '=\n' > bad.env; printf 'A=1\n' > .env.big`)
}

// withEnv returns a place with variables.
func withEnv(o *ownPlace, vars ...string) *ownPlace {
	o.env = vars
	return o
}

// opening is the refusal of a command that opens a workspace in a directory.
func opening(name string, own *ownPlace) refusal {
	return refusal{name: name, own: own, command: "workspace open {p}-3"}
}

// inWorkspaces lists the refusals of workspaces, which only commands have.
var inWorkspaces = []refusal{
	{name: "no workspace", own: repository(trees), command: "workspace path {p}-3", cured: true},
	{
		name: "workspace of what is closed", own: repository(trees), command: "workspace open {p}-3",
		setup: []string{`POST /v1/tasks/{p}-3/transition {"to":"done"}`},
	},
	{
		name: "workspace of another", own: repository(trees, `"$T" workspace open {p}-3 --quiet && TASKER_ACTOR=other "$T" claim {p}-3 --quiet`),
		command: "workspace close {p}-3",
	},
	opening("workspace without git", files(".tasker.json", configured(trees))),
	{name: "branch without git", own: files(".tasker.json", configured("")), command: "workspace open {p}-3 --branch"},
	{name: "repository without a commit", own: &ownPlace{
		files: map[string]string{".tasker.json": configured(trees)}, steps: []string{"git init -q -b main ."},
	}, command: "workspace open {p}-3"},
	opening("unknown base", repository(trees+`, "branch": {"base": "nowhere"}`)),
	opening("base that is not a name", repository(trees+`, "branch": {"base": "-x"}`)),
	opening("template without a task", repository(trees+`, "branch": {"template": "work"}`)),
	{name: "template that makes no name", own: repository(trees + `, "branch": {"prefix": "x", "template": "{slug}"}`),
		setup: []string{`POST /v1/tasks/{p}-3/edit {"title":"!"}`}, command: "workspace open {p}-3"},
	{
		name: "directory is taken", own: repository(trees, "mkdir -p .worktrees/{p}-3 && echo x > .worktrees/{p}-3/x"),
		command: "workspace open {p}-3",
	},
	opening("filter of the repository", repository(trees, "echo 'README filter=own' > .gitattributes && git add .gitattributes && git commit -qm a",
		"git config filter.own.smudge cat")),
	opening("directory is a link", repository(trees, "mkdir there && ln -s there .worktrees")),
	{
		name: "branch is checked out", own: repository(trees, "git switch -q -c tasker/{p}-3-three"),
		command: "workspace open {p}-3",
	},
	{
		name:    "branch cannot be switched to",
		own:     repository("", "git switch -q -c tasker/{p}-3-three && echo a > README && git commit -qam a && git switch -q main && echo b > README"),
		command: "workspace open {p}-3 --branch",
	},
	{
		name: "what is nowhere else", own: repository(trees, `"$T" workspace open {p}-3 --quiet && echo x > .worktrees/{p}-3/x`),
		command: "workspace close {p}-3", cured: true,
	},
	{
		name: "half made with work in it",
		own: repository(`, "workspace": {"strategy": "worktree", "setup": [{"name": "a", "run": "kill -9 $PPID; sleep 1"}]}`,
			`"$T" workspace open {p}-3 --quiet || echo x > .worktrees/{p}-3/x`),
		command: "workspace close {p}-3", cured: true,
	},
	{
		name:    "repositories within",
		own:     repository(trees, `"$T" workspace open {p}-3 --quiet && mkdir .worktrees/{p}-3/sub && cd .worktrees/{p}-3/sub && git init -q . && echo x > x`),
		command: "workspace close {p}-3 --force",
	},
	opening("step that fails", repository(`, "workspace": {"strategy": "worktree", "setup": [{"name": "no", "run": "exit 3"}]}`)),
	{
		name: "no free port", own: repository(`, "workspace": {"strategy": "worktree", "ports": {"range": [23990, 23990], "perTask": 2}}`),
		command: "workspace open {p}-3",
	},
	{
		name: "workspace of another machine", own: repository(trees, `"$T" workspace open {p}-3 --quiet`, "rm -rf .worktrees .git"),
		command: "workspace close {p}-3",
	},
	{
		name: "log is gone", own: repository(`, "workspace": {"strategy": "worktree", "setup": [{"name": "a", "run": "true"}]}`,
			`"$T" workspace open {p}-3 --quiet`, `find .git .worktrees "$HOME" -name '*.log' -delete`),
		command: "workspace show {p}-3 --log",
	},
	{name: "in place is not brought up to date", own: repository("", `"$T" workspace open {p}-3 --quiet`), command: "workspace refresh {p}-3"},
	{name: "nothing to bring up to date", own: repository(trees), command: "workspace refresh {p}-3"},
	{
		name: "what changed is in the way of the base", own: repository(trees, `"$T" workspace open {p}-3 --quiet`,
			"echo b > README && git commit -qam b", "echo c > .worktrees/{p}-3/README"),
		command: "workspace refresh {p}-3",
	},
	opening("directory below a file", repository(`, "workspace": {"strategy": "worktree", "dir": "README/x"}`)),
	{name: "landed without a workspace", own: repository(trees), command: "done {p}-3 --landed"},
	{
		name:    "landed and is not",
		own:     repository(trees, `"$T" workspace open {p}-3 --quiet && cd .worktrees/{p}-3 && echo x > x && git add x && git commit -qm x`),
		command: "done {p}-3 --landed",
	},

	// providers, as far as no server has to answer; the tests of their packages have servers
	opening("dotenv without a file", from(`{"type": "dotenv", "files": ["no.env"]}`)),
	opening("dotenv of a directory", from(`{"type": "dotenv", "files": [".git"]}`)),
	opening("dotenv elsewhere", from(`{"type": "dotenv", "files": ["../x"]}`)),
	opening("dotenv that cannot be read", from(`{"type": "dotenv", "files": ["bad.env"]}`)),
	opening("dotenv of a stage", from(`{"type": "dotenv", "env": "live"}`)),
	opening("dotenv of no stage", from(`{"type": "dotenv", "env": "a/b"}`)),
	opening("exec without a command", from(`{"type": "exec"}`)),
	opening("exec that fails", from(`{"type": "exec", "run": "exit 4"}`)),
	opening("exec of no lines", from(`{"type": "exec", "run": "echo nonsense"}`)),
	opening("exec of our own names", from(`{"type": "exec", "run": "echo TASKER_TASK=x"}`)),
	opening("exec that prints too much", from(`{"type": "exec", "run": "head -c 2000000 /dev/zero"}`)),
	opening("exec of a large value", from(`{"type": "exec", "run": "printf A=; head -c 200000 /dev/zero | tr '\\0' a"}`)),
	opening("exec in an unknown form", from(`{"type": "exec", "run": "true", "options": {"format": "jsn"}}`)),
	opening("exec with two options of one name", from(`{"type": "exec", "run": "true", "options": {"team-id": "1", "team_id": "2"}}`)),
	opening("exec with a timeout of no span", from(`{"type": "exec", "run": "true", "options": {"timeout": "soon"}}`)),
	opening("option that is neither true nor false", from(`{"type": "dotenv", "options": {"optional": "perhaps"}}`)),
	opening("keys that are none", from(`{"type": "exec", "run": "true", "options": {"keys": "=,"}}`)),
	opening("keys that are not given", from(`{"type": "exec", "run": "echo A=1", "options": {"keys": "B"}}`)),
	opening("gitenv of no commit", from(`{"type": "gitenv", "options": {"ref": "nowhere"}}`)),
	opening("gitenv with a key of others", from(`{"type": "gitenv", "files": [".env"]}`)),
	opening("gitenv of a file elsewhere", from(`{"type": "gitenv", "path": "../x"}`)),
	opening("gitenv of many files", from(`{"type": "gitenv", "path": "`+strings.Repeat("a,", 101)+`"}`)),
	opening("gitenv of no file", from(`{"type": "gitenv", "path": "no.env", "options": {"ref": "main"}}`)),
	opening("gitenv of a file that is not an environment", from(`{"type": "gitenv", "path": "README", "options": {"ref": "main"}}`)),
	opening("gitenv of an invalid ref", from(`{"type": "gitenv", "path": "README", "options": {"ref": "-x"}}`)),
	{
		name: "file under version control",
		own: repository(`, "providers": {"one": {"type": "dotenv"}}, "workspace": {"strategy": "worktree", "providers": ["one"]}`,
			`printf 'A=1\n' > .env && git add -f .env && git commit -qm env && printf 'A=2\n' > .env`), command: "workspace open {p}-3",
	},
	opening("exec in a form that it does not print", from(`{"type": "exec", "run": "echo []", "options": {"format": "json"}}`)),
	opening("exec that is late", from(`{"type": "exec", "run": "sleep 60", "options": {"timeout": "1ms"}}`)),
	opening("exec of a large environment", from(`{"type": "exec", "run": "for i in $(seq 20000); do echo A$i=1; done"}`)),
	opening("exec of a zero byte", from(`{"type": "exec", "run": "printf '{\"A\":\"\\\\u0000\"}'", "options": {"format": "json"}}`)),
	opening("aws of half a key", withEnv(from(`{"type": "secrets_b", "path": "x", "options": {"region": "eu-central-1"}}`), "AWS_ACCESS_KEY_ID=x")),
	opening("vault on no host", withEnv(from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://no-such.invalid"}}`), "VAULT_TOKEN=x", "VAULT_ADDR=https://no-such.invalid")),
	opening("vault that only a file names", withEnv(from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://vault.example"}}`), "VAULT_TOKEN=x")),
	opening("vault that is not there",
		withEnv(from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1"}}`), "VAULT_TOKEN=x", "VAULT_ADDR=https://127.0.0.1:1")),
	opening("vault with an odd token",
		withEnv(from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1"}}`), "VAULT_TOKEN=x y")),
	opening("vault that is something else",
		withEnv(from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "{fake}/down", "insecure": "true"}}`), "VAULT_TOKEN=x")),
	opening("1Password with two vaults", from(`{"type": "secrets_c", "path": "op://a/b", "app": "c"}`)),
	opening("1Password with two sections", from(`{"type": "secrets_c", "path": "op://a/b/c/d", "env": "e"}`)),
	{name: "environment in no format", own: repository(trees, `"$T" workspace open {p}-3 --quiet`), command: "workspace env {p}-3 --format xml"},
	opening("vault without a path", from(`{"type": "secrets_a"}`)),
	opening("vault without a mount", from(`{"type": "secrets_a", "path": "x"}`)),
	opening("vault without an address", from(`{"type": "secrets_a", "path": "kv/x"}`)),
	opening("vault at no address", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "nowhere"}}`)),
	opening("vault in the clear", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "http://vault.example"}}`)),
	opening("vault without a token", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1"}}`)),
	opening("vault by another way", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1", "auth": "key"}}`)),
	opening("vault by no role", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1", "auth": "approle"}}`)),
	opening("vault of a version", from(`{"type": "secrets_a", "path": "kv/x", "options": {"version": "last"}}`)),
	opening("vault with certificates", from(`{"type": "secrets_a", "path": "kv/x", "options": {"address": "https://127.0.0.1:1", "caCert": "no.pem"}}`)),
	opening("path with what is not set", from(`{"type": "secrets_a", "path": "kv/{env}"}`)),
	opening("aws without credentials", from(`{"type": "secrets_b", "path": "x", "options": {"region": "eu-central-1"}}`)),
	opening("aws without a region", from(`{"type": "secrets_b", "path": "x"}`)),
	opening("aws of a profile", from(`{"type": "secrets_b", "path": "x", "options": {"region": "eu-central-1", "profile": "no"}}`)),
	opening("aws of a region", from(`{"type": "secrets_b", "path": "x", "options": {"region": "here!"}}`)),
	opening("aws at no address", from(`{"type": "secrets_b", "path": "x", "options": {"region": "eu-central-1", "endpoint": "nowhere"}}`)),
	opening("aws in the clear", from(`{"type": "secrets_b", "path": "x", "options": {"region": "eu-central-1", "endpoint": "http://aws.example"}}`)),
	opening("aws of an ARN", from(`{"type": "secrets_b", "path": "arn:aws:secretsmanager:a:b:secret:x", "app": "y"}`)),
	opening("aws as binary", from(`{"type": "secrets_b", "path": "x", "options": {"binary": "hex"}}`)),
	opening("aws under no name", from(`{"type": "secrets_b", "path": "x", "options": {"name": "1 2"}}`)),
	opening("1Password without an item", from(`{"type": "secrets_c"}`)),
	opening("1Password of no reference", from(`{"type": "secrets_c", "path": "op://x"}`)),
	opening("1Password under no name", from(`{"type": "secrets_c", "path": "op://a/b/c", "options": {"name": "1 2"}}`)),
	opening("1Password under one name", from(`{"type": "secrets_c", "path": "op://a/b", "options": {"name": "A"}}`)),
	opening("1Password of a field", from(`{"type": "secrets_c", "path": "op://a/b/c-d"}`)),
	opening("1Password without op", from(`{"type": "secrets_c", "path": "op://a/b"}`)),
}
