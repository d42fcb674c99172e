package optest

import (
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Hints returns a sample of every call that a hint can name, by the name of its declaration in package hint.
func Hints() map[string]fault.Call {
	const id = "demo-1"
	return map[string]fault.Call{
		"Show": hint.Show(id), "Explain": hint.Explain(id), "Events": hint.Events(id), "Next": hint.Next("demo"),
		"Done": hint.Done(id), "TypedEvidence": hint.TypedEvidence(id, "review"), "Renew": hint.Renew(id, 3), "Release": hint.Release(id), "Reopen": hint.Reopen(id),
		"Return": hint.Return(id), "Review": hint.Review(id), "Force": hint.Force(id), "ForceMove": hint.ForceMove(id, "done"),
		"Check": hint.Check(id, []int{1, 2}), "Evidence": hint.Evidence(id, "two words"), "Approve": hint.Approve(id, "verification"),
		"Note": hint.Note(id), "Ask": hint.Ask(id), "Answer": hint.Answer(7), "Withdraw": hint.Withdraw(7),
		"FirstCriterion": hint.FirstCriterion(id), "Edit": hint.Edit(id), "List": hint.List(), "ListState": hint.ListState("demo", "ready"), "ListOf": hint.ListOf("demo"),
		"Inbox": hint.Inbox(), "InboxOf": hint.InboxOf("demo"),
		"Projects": hint.Projects(), "Project": hint.Project("demo"), "Restore": hint.Restore("demo"),
		"Sessions": hint.Sessions(), "NewSession": hint.NewSession(), "Doctor": hint.Doctor(), "Add": hint.Add("demo"), "Apply": hint.Apply(),
		"ApplyFile": hint.ApplyFile(),
		"Command":   hint.Command("config validate"), "Here": hint.Here("inbox --json"), "Claim": hint.Claim(id),
		"Typed": hint.Typed("tasker conflicts"),
		"Open":  hint.Open(id), "Whole": hint.Whole(id), "Full": hint.Full(id), "ShowAll": hint.ShowAll([]string{"demo-3", id}),
		"EventsOfKind": hint.EventsOfKind(id, "note.added"), "AllOfKind": hint.AllOfKind(id, "note.added", 1), "EventsFrom": hint.EventsFrom(7),
		"Children": hint.Children(id), "Dependents": hint.Dependents(id), "Deps": hint.Deps(id), "WithoutDep": hint.WithoutDep(id),
		"NamingProject": hint.NamingProject(), "NamingThis": hint.NamingThis("demo"), "NamingInstance": hint.NamingInstance("3"),
		"Prove":     hint.Prove(id, "test", []string{"go", "test", "./..."}),
		"ProveLine": hint.ProveLine(id, 1, "go test ./slug"), "ProveCriterion": hint.ProveCriterion(id, 1), "Seen": hint.Seen(id, 1),
		"End":       hint.End(id, hint.Ending{To: "in_review", Check: []int{1}, Evidence: true, Note: true, Next: true}),
		"WithNext":  hint.WithNext(hint.Review(id)),
		"ProveGate": hint.ProveGate(id), "ProveAgain": hint.ProveAgain(id),
	}
}
