package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// tell returns what follows the actor's name in the sentence about an event: the kind alone, where it has no words for it.
func tell(e task.Event) string {
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
		return "created it"
	case task.TaskUpdated:
		return "changed " + fields(p)
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
		return "added evidence " + said("kind")
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
		return "answered: " + short(or(said("answer"), said("text")))
	case task.DecisionRecorded:
		return "decided: " + short(said("title"))
	case task.PlanApplied:
		return "applied a plan"
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
		return "ran the step " + short(said("name")) + " of its " + said("phase")
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
		return "took over what was changed in " + or(said("ref"), "the tracker")
	case task.SyncPlanned:
		return "planned to write " + or(said("field"), "a change") + " to " + or(said("ref"), "the tracker")
	case task.SyncPushed:
		return "wrote " + or(said("field"), "a change") + " to " + or(said("ref"), "the tracker")
	case task.SyncFailed:
		return "could not write " + or(said("field"), "a change") + " to " + or(said("ref"), "the tracker")
	case task.ConflictFound:
		return "found a conflict over " + or(said("field"), "a field")
	case task.ConflictResolved:
		return "resolved the conflict over " + or(said("field"), "a field")
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

func fields(p map[string]any) string {
	names := slices.Sorted(maps.Keys(p))
	if len(names) == 0 {
		return "it"
	}
	return strings.Join(names, ", ")
}

func about(index, text string) string {
	switch {
	case text == "":
		return "criterion " + index
	case index == "":
		return short(text)
	}
	return "criterion " + index + ": " + short(text)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// short returns the beginning of a text.
func short(text string) string {
	const limit = 160
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}
