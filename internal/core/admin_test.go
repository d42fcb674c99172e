package core_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestProjectsAreCreatedRenamedArchivedAndDeleted(t *testing.T) {
	each(t, func(k *kit) {
		p, err := k.s.Admin.ProjectCreate(ann, admin.ProjectCreateIn{Slug: "demo", Name: "Demo", Vision: "Ship"})
		k.must(err)
		is(k, "name", p.Name, "Demo")
		_, err = k.s.Admin.ProjectCreate(ann, admin.ProjectCreateIn{Slug: "demo"})
		k.refused(err, fault.Declined, `there is a project "demo" already`)
		_, err = k.s.Admin.ProjectCreate(ann, admin.ProjectCreateIn{Slug: "My Project"})
		e := k.refused(err, fault.Invalid)
		says(k, []string{e.Hint}, "my-project")
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		p, err = k.s.Admin.ProjectRename(ann, admin.ProjectRenameIn{Slug: "demo", To: "neu"})
		k.must(err)
		is(k, "slug", p.Slug, "neu")
		same(k, "deps", k.task("neu-2").Deps, "neu-1")
		_, err = k.s.Reading.Show(ann, reading.ShowIn{Task: "demo-1"})
		k.refused(err, fault.NotFound)
		_, err = k.s.Admin.ProjectRename(ann, admin.ProjectRenameIn{Slug: "neu", To: "No!"})
		k.refused(err, fault.Invalid)
		p, err = k.s.Admin.ProjectArchive(ann, admin.ProjectArchiveIn{Slug: "neu"})
		k.must(err)
		is(k, "archived", p.Archived, true)
		k.healthy()
		_, err = k.s.Admin.ProjectDelete(ann, core.ProjectIn{Slug: "neu"})
		k.must(err)
		all, err := k.s.Reading.Projects(ann, core.None{})
		k.must(err)
		is(k, "projects", len(all), 0)
		_, err = k.s.Admin.ProjectDelete(ann, core.ProjectIn{Slug: "neu"})
		k.refused(err, fault.NotFound, `there is no project "neu"`)
		events, err := k.s.Reading.Events(ann, reading.EventsIn{})
		k.must(err)
		is(k, "events that are left", len(events), 1)
	})
}

func TestAProjectInWhichSomebodyElseHoldsATaskIsNotDeleted(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		_, err := k.s.Admin.ProjectDelete(ann, core.ProjectIn{Slug: "demo"})
		k.refused(err, fault.Declined, "demo-1 is held by bot")
	})
}

func TestSettingsOfAProjectAreOneObjectWithItsGates(t *testing.T) {
	each(t, func(k *kit) {
		k.apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A"}]}`)
		set := func(key string, value *string) string {
			k.Helper()
			out, err := k.s.Admin.ProjectSet(ann, admin.ProjectSetIn{Slug: "demo", Key: key, Value: value})
			k.must(err)
			read, err := k.s.Admin.ProjectSettings(ann, core.ProjectIn{Slug: "demo"})
			k.must(err)
			text, err := json.Marshal(out.Settings, json.Deterministic(true))
			k.must(err)
			again, err := json.Marshal(read.Settings, json.Deterministic(true))
			k.must(err)
			is(k, "what is read again", string(again), string(text))
			return string(text)
		}
		is(k, "settings", set("agentDefaults.lease", ptr("1h")), `{"agentDefaults":{"lease":"1h"},"gates":{"ship":["test"]}}`)
		event, payload := k.last("")
		is(k, "kind", event.Kind, task.ProjectUpdated)
		is(k, "payload", payload, `{"settings":{"agentDefaults":{"from":null,"to":{"lease":"1h"}}}}`)
		count := len(k.events(""))
		set("agentDefaults.lease", ptr("1h"))
		is(k, "events after setting the same", len(k.events("")), count)
		is(
			k,
			"settings with a gate more",
			set("gates.deploy", ptr(`["log"]`)),
			`{"agentDefaults":{"lease":"1h"},"gates":{"deploy":["log"],"ship":["test"]}}`,
		)
		p, err := k.s.Reading.Project(ann, core.ProjectIn{Slug: "demo"})
		k.must(err)
		same(k, "the gate in the record", p.Gates["deploy"], "log")
		is(k, "settings without the lease", set("agentDefaults.lease", nil), `{"gates":{"deploy":["log"],"ship":["test"]}}`)
		_, err = k.s.Admin.ProjectSet(ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.leese", Value: ptr("1h")})
		k.refused(err, fault.Invalid, "leese")
		_, err = k.s.Admin.ProjectSet(ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: ptr("soon")})
		k.refused(err, fault.Invalid, "lease")
		k.policy.DeclaresHuman = true
		_, err = k.s.Admin.ProjectSet(bot, admin.ProjectSetIn{Slug: "demo", Key: "gates.ship", Value: ptr("[]")})
		k.refused(err, fault.Declined, "evidence test")
		for key, value := range map[string]string{
			"execution.requireApproval": "[]", "actors": `[{"name": "bot", "kind": "human"}]`, "agentDefaults.requireNoteOnDone": "false",
			"workspace.dir": "elsewhere", "auth.mode": "open",
		} {
			_, err = k.s.Admin.ProjectSet(bot, admin.ProjectSetIn{Slug: "demo", Key: key, Value: &value})
			e := k.refused(err, fault.Declined)
			same(k, "what is refused", e.Missing, key)
		}
		_, err = k.s.Admin.ProjectSet(
			bot,
			admin.ProjectSetIn{Slug: "demo", From: []byte(`{"version": 1, "project": "demo", "execution": {"mayExecute": ["bot"]}}`)},
		)
		k.refused(err, fault.Declined, "gate deploy: it would be gone", "execution.mayExecute")
		_, err = k.s.Admin.ProjectSet(bot, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: ptr("3h")})
		k.must(err)
		_, err = k.s.Admin.ProjectSet(bot, admin.ProjectSetIn{Slug: "demo", Key: "gates.deploy", Value: ptr(`["log", "test"]`)})
		k.must(err)
		_, err = k.s.Admin.ProjectRename(bot, admin.ProjectRenameIn{Slug: "demo", To: "free"})
		k.refused(err, fault.Declined, "an agent may not rename")
		_, err = k.s.Admin.ProjectDelete(bot, core.ProjectIn{Slug: "demo"})
		k.refused(err, fault.Declined, "an agent may not delete")
		out, err := k.s.Admin.ProjectSet(ann, admin.ProjectSetIn{Slug: "demo", From: []byte(`{"version": 1, "project": "demo", "execution": ` +
			`{"mayExecute": ["dev"]}}`)})
		k.must(err)
		text, err := json.Marshal(out.Settings)
		k.must(err)
		is(k, "settings carried over", string(text), `{"execution":{"mayExecute":["dev"]}}`)
	})
}

func TestDoctorChecksOneProjectOrAll(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		out, err := k.s.Admin.Doctor(ann, admin.DoctorIn{})
		k.must(err)
		is(k, "healthy", out.Healthy, true)
		same(k, "checked", out.Checked, "demo", "other")
		out, err = k.s.Admin.Doctor(ann, admin.DoctorIn{Project: "other"})
		k.must(err)
		same(k, "checked", out.Checked, "other")
		_, err = k.s.Admin.Doctor(ann, admin.DoctorIn{Project: "third"})
		k.refused(err, fault.NotFound)
	})
}
