package fault

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/errors.md")

// meanings says of each kind when it is answered, and what a client does about it.
var meanings = map[Kind][2]string{
	Internal:         {"something that should not happen: a fault of the program or the machine", "report it with the request's id; the log has the cause"},
	Invalid:          {"the request is faulty in itself: a name, value, reference, cycle or limit", "change the request; `missing` names each place"},
	Declined:         {"understood, but state, policy or identity says no", "do what `missing` names, or leave it to somebody who may"},
	NotFound:         {"the project, task or record does not exist, or this session may not see it", "check the name"},
	Conflict:         {"`expectedVersion` or `fence` no longer matches", "read the task again and reconsider; after a lost claim, stop"},
	Unauthorized:     {"no valid credential", "send one"},
	Forbidden:        {"the door says no: a foreign host or site, a write of a read-only session", "call the server by an allowed name, or with another session"},
	MethodNotAllowed: {"the path exists, but the method does not", "`Allow` lists the ones that do"},
	TooLarge:         {"a body past its limit", "send less at once"},
	Unavailable: {"not now: stopping, a database that is lost, damaged, full or of a newer schema, a turn that somebody holds",
		"try again after `Retry-After`; nothing was written unless the message says so"},
	Gone: {"the log was pruned: it begins after the event or time that was asked for",
		"begin with the event that the hint names; the archive has what was before"},
}

// TestTheReferenceOfErrorsIsCurrent writes the page from the table of kinds.
func TestTheReferenceOfErrorsIsCurrent(t *testing.T) {
	const page = "../../docs/errors.md"
	want := errorsPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/errors.md is not what the table of kinds says; run: go test ./internal/fault -update")
	}
}

func errorsPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<!-- Generated from internal/fault/kind.go: go test ./internal/fault -update -->
# Errors

Every face reports an error as one object: the body of a route's answer, what a command with ` + "`--json`" + ` prints on standard error, and the
answer of a tool:

` + "```json" + `
{
  "error": "refusal",
  "reason": "declined",
  "message": "shop-1 cannot be done yet",
  "missing": ["criterion 1: every error has a line number"],
  "hint": "tasker check shop-1 1"
}
` + "```" + `

Programs decide by ` + "`error` and `reason`" + `, by the status, or by the exit code, never by the words: those may change. ` + "`missing`" + ` names
everything that stands in the way, at once. ` + "`hint`" + ` says what to do, in the language of the face: a command, a request, a tool.

` + "`unauthorized` has the two members `error` and `message`" + ` and no others; its message ends with what to do.

| error | reason | status | exit code | when | what to do |
|---|---|---|---|---|---|
`)
	for _, k := range Kinds {
		m, ok := meanings[k]
		if !ok {
			t.Errorf("the kind %s has no meaning", k.Code())
		}
		reason := "`" + k.Reason() + "`"
		if k.Reason() == "" {
			reason = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %s | %s |\n", k.Code(), reason, k.Status(), k.Exit(), m[0], m[1])
	}
	fmt.Fprintf(&b, `
A command that was carried out ends with %d. %d is not an error: there was nothing to do, or the time ran out, and the caller asked for
this exit code.
`, ExitDone, ExitNothing)
	return b.String()
}
