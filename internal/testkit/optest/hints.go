package optest

import (
	"tasker/internal/fault"
	"tasker/internal/fault/remedy"
)

// Hints returns a sample of every call that a hint can name, by the name of its declaration in package remedy.
func Hints() map[string]fault.Call {
	const id = "demo-1"
	return map[string]fault.Call{
		"Show": remedy.Show(id), "Explain": remedy.Explain(id), "Events": remedy.Events(id), "Next": remedy.Next("demo"),
		"Renew": remedy.Renew(id, 3), "Release": remedy.Release(id), "Reopen": remedy.Reopen(id),
		"Return": remedy.Return(id), "Force": remedy.Force(id), "ForceMove": remedy.ForceMove(id, "done"),
		"Check": remedy.Check(id, []int{1, 2}), "Evidence": remedy.Evidence(id, "two words"), "Approve": remedy.Approve(id, "verification"),
		"Note": remedy.Note(id), "Ask": remedy.Ask(id), "Answer": remedy.Answer(7), "Withdraw": remedy.Withdraw(7),
		"FirstCriterion": remedy.FirstCriterion(id), "Edit": remedy.Edit(id), "List": remedy.List(), "ListOf": remedy.ListOf("demo"),
		"Inbox": remedy.Inbox(), "InboxOf": remedy.InboxOf("demo"),
		"Projects": remedy.Projects(), "Project": remedy.Project("demo"), "Restore": remedy.Restore("demo"),
		"Sessions": remedy.Sessions(), "NewSession": remedy.NewSession(), "Doctor": remedy.Doctor(), "Apply": remedy.Apply(),
		"ApplyFile": remedy.ApplyFile(),
		"Command":   remedy.Command("config validate"), "Here": remedy.Here("inbox --json"), "Claim": remedy.Claim(id),
		"Open": remedy.Open(id), "Whole": remedy.Whole(id), "Full": remedy.Full(id), "ShowAll": remedy.ShowAll([]string{"demo-3", id}),
		"EventsOfKind": remedy.EventsOfKind(id, "note.added"), "AllOfKind": remedy.AllOfKind(id, "note.added", 1), "EventsFrom": remedy.EventsFrom(7),
		"Children": remedy.Children(id), "Dependents": remedy.Dependents(id), "Deps": remedy.Deps(id), "WithoutDep": remedy.WithoutDep(id),
		"NamingProject": remedy.NamingProject(), "Prove": remedy.Prove(id, "test", []string{"go", "test", "./..."}),
	}
}
