package admin_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
)

func TestSettingsOfAProjectAreOneObjectWithItsGates(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A"}]}`)
		set := func(key string, value *string) string {
			k.Helper()
			out, err := k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", Key: key, Value: value})
			k.Must(err)
			read, err := k.Admin.ProjectSettings(coretest.Ann, core.ProjectIn{Slug: "demo"})
			k.Must(err)
			text, err := json.Marshal(out.Settings, json.Deterministic(true))
			k.Must(err)
			again, err := json.Marshal(read.Settings, json.Deterministic(true))
			k.Must(err)
			coretest.Equal(k, "what is read again", string(again), string(text))
			return string(text)
		}
		coretest.Equal(k, "settings", set("agentDefaults.lease", new("1h")), `{"agentDefaults":{"lease":"1h"},"gates":{"ship":["test"]}}`)
		event, payload := k.Last("")
		coretest.Equal(k, "kind", event.Kind, task.ProjectUpdated)
		coretest.Equal(k, "payload", payload, `{"settings":{"agentDefaults":{"from":null,"to":{"lease":"1h"}}}}`)
		count := len(k.Events(""))
		set("agentDefaults.lease", new("1h"))
		coretest.Equal(k, "events after setting the same", len(k.Events("")), count)
		coretest.Equal(
			k,
			"settings with a gate more",
			set("gates.deploy", new(`["log"]`)),
			`{"agentDefaults":{"lease":"1h"},"gates":{"deploy":["log"],"ship":["test"]}}`,
		)
		p, err := k.Reading.Project(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		coretest.EqualSlices(k, "the gate in the record", p.Gates["deploy"], "log")
		coretest.Equal(k, "settings without the lease", set("agentDefaults.lease", nil), `{"gates":{"deploy":["log"],"ship":["test"]}}`)
		_, err = k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.leese", Value: new("1h")})
		k.Refused(err, fault.Invalid, "leese")
		_, err = k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: new("soon")})
		k.Refused(err, fault.Invalid, "lease")
		k.Policy.DeclaresHuman = true
		_, err = k.Admin.ProjectSet(coretest.Bot, admin.ProjectSetIn{Slug: "demo", Key: "gates.ship", Value: new("[]")})
		k.Refused(err, fault.Declined, "evidence test")
		for key, value := range map[string]string{
			"execution.requireApproval": "[]", "actors": `[{"name": "bot", "kind": "human"}]`, "agentDefaults.requireNoteOnDone": "false",
			"workspace.dir": "elsewhere", "auth.mode": "open",
		} {
			_, err = k.Admin.ProjectSet(coretest.Bot, admin.ProjectSetIn{Slug: "demo", Key: key, Value: &value})
			e := k.Refused(err, fault.Declined)
			coretest.EqualSlices(k, "what is refused", e.Missing, key)
		}
		_, err = k.Admin.ProjectSet(
			coretest.Bot,
			admin.ProjectSetIn{Slug: "demo", From: []byte(`{"version": 1, "project": "demo", "execution": {"mayExecute": ["bot"]}}`)},
		)
		k.Refused(err, fault.Declined, "gate deploy: it would be gone", "execution.mayExecute")
		_, err = k.Admin.ProjectSet(coretest.Bot, admin.ProjectSetIn{Slug: "demo", Key: "agentDefaults.lease", Value: new("3h")})
		k.Must(err)
		_, err = k.Admin.ProjectSet(coretest.Bot, admin.ProjectSetIn{Slug: "demo", Key: "gates.deploy", Value: new(`["log", "test"]`)})
		k.Must(err)
		_, err = k.Admin.ProjectRename(coretest.Bot, admin.ProjectRenameIn{Slug: "demo", To: "free"})
		k.Refused(err, fault.Declined, "an agent may not rename")
		_, err = k.Admin.ProjectDelete(coretest.Bot, core.ProjectIn{Slug: "demo"})
		k.Refused(err, fault.Declined, "an agent may not delete")
		out, err := k.Admin.ProjectSet(coretest.Ann, admin.ProjectSetIn{Slug: "demo", From: []byte(`{"version": 1, "project": "demo", "execution": ` +
			`{"mayExecute": ["dev"]}}`)})
		k.Must(err)
		text, err := json.Marshal(out.Settings)
		k.Must(err)
		coretest.Equal(k, "settings carried over", string(text), `{"execution":{"mayExecute":["dev"]}}`)
	})
}
