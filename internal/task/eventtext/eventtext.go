// Package eventtext says events as sentences, in the same words wherever a person reads them: in the log on the command line and
// on pages.
package eventtext

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Kind returns a kind of event in words, for where there is no room for the sentence: "claimed", "note added".
func Kind(k task.Kind) string {
	return strings.NewReplacer(".", " ", "_", " ").Replace(strings.TrimPrefix(string(k), "task."))
}

// Of returns what follows the actor's name in the sentence about an event: the kind alone, where it has no words for it.
func Of(e task.Event) string {
	var p map[string]any
	if json.Unmarshal(e.Payload, &p) != nil {
		p = nil
	}
	said := func(name string) string {
		switch v := p[name].(type) {
		case string:
			return v
		case float64:
			return fmt.Sprint(int64(v))
		}
		return ""
	}
	switch e.Kind {
	case task.TaskCreated:
		return "created it" + quoted(": ", said("title"))
	case task.TaskUpdated:
		return "changed " + changes(p)
	case task.TaskMoved:
		text := "moved it from " + word(said("from")) + " to " + word(said("to"))
		if p["forced"] == true {
			text += ", by force"
		}
		if from := said("tookFrom"); from != "" {
			text += ", taking it from " + from
		}
		return text
	case task.TaskRemoved:
		return "removed it"
	case task.TaskClaimed:
		return "claimed it"
	case task.ClaimRenewed:
		return "renewed the lease"
	case task.ClaimReleased:
		return "released it"
	case task.ClaimExpired:
		return "the lease ran out"
	case task.CriterionChecked:
		return "ticked " + about(said("index"), said("text"))
	case task.CriterionUnchecked:
		return "unticked " + about(said("index"), said("text"))
	case task.NoteAdded:
		return "noted: " + short(said("text"))
	case task.EvidenceAdded:
		return "added evidence " + said("kind") + quoted(": ", said("value"))
	case task.ApprovalGiven:
		if said("kind") == "verification" {
			return "gave a verification"
		}
		return "gave an approval"
	case task.ApprovalRequested:
		return "asks for approval"
	case task.OverrideForced:
		return "passed over what was missing"
	case task.QuestionAsked:
		return "asked: " + short(said("text"))
	case task.QuestionAnswered:
		return "answered: " + short(cmp.Or(said("answer"), said("text")))
	case task.DecisionRecorded:
		return "decided: " + short(said("title"))
	case task.DecisionWithdrawn:
		return "took a decision back: " + short(said("title"))
	case task.PlanApplied:
		return "applied a plan: " + cmp.Or(said("created"), "0") + " created, " + cmp.Or(said("updated"), "0") + " updated"
	case task.ProjectCreated:
		return "created the project"
	case task.ProjectUpdated:
		return "changed the project"
	case task.ProjectRenamed:
		return "renamed the project"
	case task.ProjectArchived:
		return "archived the project, or brought it back"
	case task.ProjectDeleted:
		return "deleted the project " + short(said("slug"))
	case task.ProjectMerged:
		return "merged the project " + short(said("from")) + " into this one"
	case task.EventsPruned:
		return "moved old events into the archive " + short(said("archive"))
	case task.ApprovalRefused:
		if said("kind") == "verification" {
			return "was refused a verification"
		}
		return "was refused an approval"
	case task.QuestionWithdrawn:
		return "withdrew a question"
	case task.GuidanceDrifted:
		return "the guidance has changed since the claim"
	case task.WorkspaceOpened:
		return "opened a workspace in " + short(said("path"))
	case task.WorkspaceStep:
		text := "ran the step " + short(said("name")) + " of its " + said("phase")
		if code := said("exitCode"); code != "" && code != "0" {
			text += ", which failed with exit code " + code
		}
		return text
	case task.WorkspaceClosed:
		return "closed its workspace"
	case task.WorkspacePruned:
		return "took a workspace off the list whose directory is gone"
	case task.TaskLanded:
		return "its work is on " + short(said("base"))
	case task.BindingAdded:
		return "bound it to " + short(said("ref"))
	case task.BindingRemoved:
		return "unbound it from " + short(said("ref"))
	case task.SyncPulled:
		return "took over what was changed in " + cmp.Or(said("ref"), "the tracker")
	case task.SyncPlanned:
		return "planned to write " + cmp.Or(said("field"), "a change") + " to " + cmp.Or(said("ref"), "the tracker")
	case task.SyncPushed:
		return "wrote " + cmp.Or(said("field"), "a change") + " to " + cmp.Or(said("ref"), "the tracker")
	case task.SyncFailed:
		return "could not write " + cmp.Or(said("field"), "a change") + " to " + cmp.Or(said("ref"), "the tracker")
	case task.ConflictFound:
		return "found a conflict over " + cmp.Or(said("field"), "a field")
	case task.ConflictResolved:
		return "resolved the conflict over " + cmp.Or(said("field"), "a field")
	case task.NotificationDelivered:
		return "told people of " + short(said("item"))
	case task.NotificationFailed:
		return "could not tell people of " + short(said("item")) + ": " + short(said("error"))
	case task.SessionCreated:
		return "made a session"
	case task.SessionRevoked:
		return "revoked a session"
	case task.DatabaseRestored:
		return "restored the database"
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(e.Kind), ".", " "), "_", " ")
}

// changes says what was changed, from what to what where that is short.
func changes(p map[string]any) string {
	parts := make([]string, 0, len(p))
	for _, name := range slices.Sorted(maps.Keys(p)) {
		text := spaced(name)
		if delta, ok := p[name].(map[string]any); ok {
			from, short := value(delta["from"])
			to, alsoShort := value(delta["to"])
			if short && alsoShort {
				text += " from " + from + " to " + to
			}
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "it"
	}
	return strings.Join(parts, ", ")
}

// maxValue is how many characters of a value are shown.
const maxValue = 60

// value returns a value of a field in few words, and whether it has some.
func value(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "none", true
	case string:
		return words.Quoted(words.Cut(v, maxValue)), true
	case float64:
		return fmt.Sprint(v), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// spaced returns the name of a field as people write it: may execute for mayExecute.
func spaced(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// quoted returns the beginning of a text behind a separator, nothing where there is none.
func quoted(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + short(text)
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
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}
