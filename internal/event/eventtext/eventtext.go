// Package eventtext turns events into sentences, with the same words in the command-line log and on pages.
package eventtext

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// Kind returns a kind of event in words, for places without room for the sentence: "claimed", "note added".
func Kind(k task.Kind) string {
	return strings.NewReplacer(".", " ", "_", " ").Replace(strings.TrimPrefix(string(k), "task."))
}

// Of returns the part of the sentence about an event that follows the actor's name, or just the kind if there are no
// words for it. The sentence about an event that an undo wrote ends with the event that was undone.
func Of(e task.Event) string {
	var p map[string]any
	if json.Unmarshal(e.Payload, &p) != nil {
		p = nil
	}
	undone, undoes := p["undoes"].(float64)
	if !undoes {
		return sentence(e, p)
	}
	delete(p, "undoes")
	return fmt.Sprintf("%s, to undo event %d", sentence(e, p), int64(undone))
}

// sentence is Of with the payload, and without what an undo adds.
func sentence(e task.Event, p map[string]any) string {
	said := func(name string) string {
		switch v := p[name].(type) {
		case string:
			return v
		case float64:
			return fmt.Sprint(int64(v))
		}
		return ""
	}
	switch e.Kind { //nolint:exhaustive // the others are in texts
	case task.TaskCreated:
		return "created it" + quoted(": ", said("title"))
	case task.TaskUpdated:
		return "changed " + changes(p)
	case task.TaskMoved:
		from := said("tookFrom")
		return "moved it from " + word(said("from")) + " to " + word(said("to")) +
			words.When(p["forced"] == true, ", by force") + words.When(from != "", ", taking it from "+from) +
			words.When(said("tree") != "", ", tree: "+said("tree"))
	case task.CriterionChecked:
		return "ticked " + about(said("index"), said("text"))
	case task.CriterionUnchecked:
		return "unticked " + about(said("index"), said("text"))
	case task.EvidenceAdded:
		if r, ok := proven.Parse(said("value")); ok {
			return ran(r)
		}
		return "added evidence " + said("kind") + quoted(": ", said("value"))
	case task.ApprovalGiven, task.ApprovalRefused:
		return texts[e.Kind] + words.Either(said("kind") == "verification", " a verification", " an approval")
	case task.ProjectArchived:
		if to, ok := p["archived"].(map[string]any); ok && to["to"] == false {
			return "brought the project back from the archive"
		}
		return "archived the project"
	case task.LandFailed:
		return unlanded(said("why"), short(said("base")), said("command"))
	case task.QuestionAnswered:
		return "answered: " + short(cmp.Or(said("answer"), said("text")))
	case task.WorkspaceStep:
		code := said("exitCode")
		return "ran the step " + short(said("name")) + " of its " + said("phase") +
			words.When(code != "" && code != "0", ", which failed with exit code "+code)
	}
	if text := texts[e.Kind]; text != "" {
		return filled(text, said)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(e.Kind), ".", " "), "_", " ")
}

// texts are the sentences for kinds of events. {name} stands for the beginning of the payload's value of that name, and
// {name|words} for the words if it is empty.
var texts = map[task.Kind]string{
	task.TaskRemoved:           "removed it",
	task.TaskClaimed:           "claimed it",
	task.ClaimRenewed:          "renewed the lease",
	task.ClaimReleased:         "released it",
	task.ClaimExpired:          "the lease ran out",
	task.NoteAdded:             "noted: {text}",
	task.ApprovalGiven:         "gave",
	task.ApprovalRefused:       "was refused",
	task.ApprovalRequested:     "asks for approval",
	task.OverrideForced:        "passed over what was missing",
	task.QuestionAsked:         "asked: {text|a question}",
	task.QuestionWithdrawn:     "withdrew a question",
	task.DecisionRecorded:      "decided: {title}",
	task.DecisionWithdrawn:     "withdrew a decision: {title}",
	task.PlanApplied:           "applied a plan: {created#|0} created, {updated#|0} updated",
	task.ProjectCreated:        "created the project",
	task.ProjectUpdated:        "changed the project",
	task.ProjectRenamed:        "renamed the project",
	task.ProjectDeleted:        "deleted the project {slug}",
	task.ProjectMerged:         "merged the project {from} into this one",
	task.EventsPruned:          "moved old events into the archive {archive}",
	task.GuidanceDrifted:       "the guidance has changed since the claim",
	task.WorkspaceOpened:       "opened a workspace in {path}",
	task.WorkspaceClosed:       "closed its workspace",
	task.WorkspacePruned:       "removed a workspace from the list: its directory is gone",
	task.TaskLanded:            "its work is on {base}",
	task.BindingAdded:          "bound it to {ref}",
	task.BindingRemoved:        "unbound it from {ref}",
	task.SyncPulled:            "took over what was changed in {ref|the tracker}",
	task.SyncPlanned:           "planned to write {field|a change} to {ref|the tracker}",
	task.SyncPushed:            "wrote {field|a change} to {ref|the tracker}",
	task.SyncFailed:            "could not write {field|a change} to {ref|the tracker}",
	task.ConflictFound:         "found a conflict over {field|a field}",
	task.ConflictResolved:      "resolved the conflict over {field|a field}",
	task.NotificationDelivered: "notified people of {item}",
	task.NotificationFailed:    "could not notify people of {item}: {error}",
	task.SessionCreated:        "created a session",
	task.SessionRevoked:        "revoked a session",
	task.DatabaseRestored:      "restored the database",
	task.RunnerStarted:         "started a runner on {host}",
	task.RunnerPauses:          "paused its runner on {host}: {why|it may not go on now}",
	task.RunnerResumed:         "resumed its runner on {host}",
	task.RunnerEnded:           "stopped its runner on {host}: {why|it is finished}",
}

// unlanded says why something did not land.
func unlanded(why, base, command string) string {
	switch why {
	case "conflict":
		return "its work does not land: it conflicts with what goes before it on " + base
	case "red":
		return "its work does not land: on top of " + base + " this is red: " + short(command)
	case "base":
		return "nothing lands on " + base + ", which is red by itself: " + short(command)
	}
	return base + " refused what was to land"
}

// filled returns a sentence with the values of a payload filled in.
func filled(text string, said func(name string) string) string {
	before, rest, more := strings.Cut(text, "{")
	if !more {
		return text
	}
	name, rest, _ := strings.Cut(rest, "}")
	name, otherwise, _ := strings.Cut(name, "|")
	value, number := strings.CutSuffix(name, "#")
	told := short(cmp.Or(said(value), otherwise))
	if number {
		told = words.Thousands(told)
	}
	return before + told + filled(rest, said)
}

// changes lists the changed fields with their old and new values.
func changes(p map[string]any) string {
	parts := make([]string, 0, len(p))
	for _, name := range slices.Sorted(maps.Keys(p)) {
		text := Field(name)
		if delta, ok := p[name].(map[string]any); ok {
			text += " from " + words.Value(delta["from"]) + " to " + words.Value(delta["to"])
		}
		parts = append(parts, text)
	}
	return cmp.Or(strings.Join(parts, ", "), "it")
}

// Field returns the name of a field as people write it: may execute for mayExecute.
func Field(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// quoted returns the separator and the beginning of a text, or "" for an empty text.
func quoted(separator, text string) string {
	return words.When(text != "", separator+short(text))
}

// ran returns a command that was run as evidence, and how it ended.
func ran(r proven.Run) string {
	how := words.Either(r.ExitCode == 0, "passed", "failed")
	lasted := time.Duration(r.DurationMs) * time.Millisecond
	took := words.Either(lasted < time.Second, lasted.String(), words.Span(lasted))
	text := fmt.Sprintf("ran `%s`: %s, exit %d, %s", short(r.Text()), how, r.ExitCode, took)
	return text + words.When(r.Idle != "", ", tested nothing")
}

// word returns a status as people write it.
func word(status string) string { return strings.ReplaceAll(status, "_", " ") }

func about(index, text string) string {
	switch {
	case text == "":
		return "criterion " + index
	case index == "":
		return short(text)
	}
	return "criterion " + index + ": " + short(text)
}

// short returns the beginning of a text.
func short(text string) string {
	const limit = 160
	return words.Cut(text, limit)
}
