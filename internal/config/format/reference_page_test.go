package format

import (
	"fmt"
	"strings"

	"tasker/internal/text/words"
)

// reference returns the reference page of the configuration, in Markdown, made from the declaration.
func reference() string {
	var b strings.Builder
	b.WriteString(strings.NewReplacer(
		"@db", code(TopNames(func(k *Key) bool { return !k.In(DBLayer) })),
		"@process", code(TopNames(func(k *Key) bool { return k.Process })),
		"@old", code(TopNames(func(k *Key) bool { return k.Old })),
	).Replace(referenceHead))
	b.WriteString("| variable | sets |\n|---|---|\n")
	Walk(func(path string, k *Key) {
		if k.Env != "" {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", k.Env, path)
		}
	})
	b.WriteString(referenceKeys)
	b.WriteString("| key | type | required | default | what it is | what it changes |\n|---|---|---|---|---|---|\n")
	Walk(func(path string, k *Key) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n",
			path, cell(k.Describe()), k.requiredCell(path), k.defaultCell(), cell(k.docCell()), cell(k.Effect))
	})
	return b.String()
}

func (k *Key) requiredCell(path string) string {
	switch {
	case !k.Required:
		return ""
	case !strings.Contains(path, "."):
		return "yes"
	default:
		return "yes, within `" + path[:strings.LastIndexByte(path, '.')] + "`"
	}
}

func (k *Key) defaultCell() string {
	if k.Default == "" || k.Required {
		return ""
	}
	return "`" + k.Default + "`"
}

func (k *Key) docCell() string {
	doc := k.Doc
	if k.Known != nil {
		doc += " (" + words.List(k.Known) + ")"
	} else if k.Elem != nil && k.Elem.Known != nil {
		doc += " (" + words.List(k.Elem.Known) + ")"
	}
	if k.Process {
		doc += "; describes the process"
	}
	return doc
}

func code(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	return words.And(quoted)
}

// cell escapes what would end a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

const referenceHead = `<!-- Generated from internal/config/format/format.go: go test ./internal/config/format -update -->
# Configuration

A project is configured by a file ` + "`" + FileName + "`" + ` at the root of its repository. Every command walks up from the working
directory to find it; ` + "`" + ConfigVariable + "`" + ` (or ` + "`--config`" + `) names a file directly and skips the search. A file holds at most 1 MiB, and each map and list in it at
most 1,000 entries. The smallest file:

` + "```json" + `
{ "version": 1, "project": "demo" }
` + "```" + `

## Layers

Lowest to highest, the last layer to set a key wins: ` + "`defaults`, `db`, `file`, `local`, `env`, `flags`" + `. Objects merge key by key;
arrays and single values are replaced whole. ` + "`tasker config explain <key>`" + ` says which layer, file and line set a value, and what
it overrode.

- ` + "`db`" + `: kept with the project in the database (` + "`tasker project set`" + `), for servers and places without the file. It holds every key
  except @db, and except steps, providers and channels (` + "`workspace.setup`" + `, ` + "`workspace.teardown`" + `,
  ` + "`workspace.providers`" + `, ` + "`providers`" + `, ` + "`notifications.channels`" + `), which count from the files of the machine that runs them alone.
  Below what ` + "`project set`" + ` says it has the *policy of record*: an apply, or ` + "`tasker project create`" + `, in a directory whose file
  declares the project keeps that file's policy (` + "`execution`" + `, ` + "`gates`" + `, ` + "`actors`" + `, ` + "`integrations.selection`" + `,
  ` + "`agentDefaults.requireNoteOnDone`" + `) with the project, and it stands in the file's place wherever a process has no file that
  declares the project. There ` + "`actors`" + ` and ` + "`requireNoteOnDone`" + ` come from it too, and not from another project's file. Next to the
  file, the file counts, but not for who is who: an actor that the record declares as an agent, or that it does not declare and that
  has written in the project, does not become a human and gets no role, capability or wider ceiling from a file, a local layer or a
  variable alone, a human whom they drop stays one, and a note that the record requires stays required. A human of the record
  takes a file over by an apply next to it or by ` + "`tasker project set SLUG --from FILE`" + `; where none is left, a person does with
  ` + "`--take-over`" + ` at a terminal. A task that is closed under one that is looser than the record is an override for people to see. Who
  may change the record is decided by the record as it stands: where it declares a human, an agent may only tighten it, otherwise
  the whole record stays and the apply warns. The local file, the environment and flags are not recorded, and a dry run records
  nothing. An apply through a server records the server's own file. ` + "`tasker whoami`" + ` says whose rules count,
  ` + "`tasker config explain`" + ` from which file they were recorded and when, and ` + "`tasker doctor`" + ` where file and record differ.
- ` + "`file`" + `: ` + "`" + FileName + "`" + `. It counts for the project that it declares. For any other project in the same database only what
  describes the process does: @process.
- ` + "`local`" + `: ` + "`" + LocalName + "`" + ` next to the file, for one machine; do not commit it. It may refine everything but ` + "`project`" + `, and may
  leave ` + "`version`" + ` out. In a git worktree that has none, the main checkout's counts. Without a ` + "`" + FileName + "`" + ` next to it or above it,
  it counts for what describes the process. ` + "`tasker config validate` and `tasker doctor`" + ` warn of one that git tracks.
- ` + "`env`" + `: the variables below. ` + "`flags`" + `: the command line. ` + "`TASKER_PROJECT` and `--project`" + ` only choose the project.

## Strictness

Unknown keys, names given twice, values of another type or out of range are refused, all at once, each with file, line, column and
path, what is allowed there and what was probably meant. A file of a version that this binary does not speak is refused whole
(` + "`tasker upgrade`" + ` prints how to get one that does). A file without ` + "`version`" + ` is the pre-versioned shape: only @old
are read, and a notice names ` + "`tasker config migrate --write`" + `.

A mistake that the text itself shows is a fault: an invalid glob, an address without a scheme, a ` + "`branch.base`" + ` that git would take
for a flag. A name that another part would have to declare is a warning of ` + "`tasker config validate`" + `: a provider of the chain, an actor, a
role or capability of ` + "`mayExecute`" + `, a field of the tracker. It stops what uses it, such as ` + "`tasker workspace open`" + `, and nothing else.
A key that its provider lacks is a fault of both, and a warning where no workspace asks the provider; one that it does not read is a warning.
A value of a wrong form in the db layer, from before its rule, counts as not set, and ` + "`tasker doctor`" + ` names it.

Durations are a whole number and a unit, ` + "`ms`, `s`, `m`, `h` or `d`, or `0`" + `.

` + "`tasker config set KEY VALUE`" + ` and ` + "`tasker config unset KEY`" + ` write one key of the file (` + "`--local`" + `: of the local file) and leave the rest
as it is written. The result is checked first, and the file is replaced at once. Where a human is declared, an agent may set what
` + "`tasker project set`" + ` lets it. In the workspace of a task, whose file is that of its branch, both are declined.

A running server sees a changed file with the next request. A file that has become invalid, or is gone, does not replace the running
configuration: the last good one stays, and the server says so in its log, in ` + "`/readyz`" + ` and to ` + "`tasker config show --server URL`" + `.

## Commands in a configuration

A configuration can run commands, as a Makefile can: the steps of a workspace, providers of type ` + "`exec`" + ` and channels of type ` + "`exec`" + `.
` + "`tasker config show --commands`" + ` lists every one with the file and line that asks for it.

## Environment

`

const referenceKeys = `
A value that does not fit is a fault that names the variable. An empty value counts as unset.

## Keys

` + "`[]`" + ` stands for each element of an array, ` + "`<name>`" + ` for a name of your choice. Without a default, a key that nobody sets has no value.
What is marked (not yet) is read, checked and shown, and waits for its feature.

`
