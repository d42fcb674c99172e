package admin_test

import (
	"testing"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

func TestProjectsAreCreatedRenamedArchivedAndDeleted(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		p, err := k.Admin.ProjectCreate(coretest.Ann, admin.ProjectCreateIn{Slug: "demo", Name: "Demo", Vision: "Ship"})
		k.Must(err)
		coretest.Equal(k, "name", p.Name, "Demo")
		_, err = k.Admin.ProjectCreate(coretest.Ann, admin.ProjectCreateIn{Slug: "demo"})
		k.Refused(err, fault.Declined, `there is a project "demo" already`)
		_, err = k.Admin.ProjectCreate(coretest.Ann, admin.ProjectCreateIn{Slug: "My Project"})
		e := k.Refused(err, fault.Invalid)
		coretest.Contains(k, []string{e.Hint}, "my-project")
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		p, err = k.Admin.ProjectRename(coretest.Ann, admin.ProjectRenameIn{Slug: "demo", To: "neu"})
		k.Must(err)
		coretest.Equal(k, "slug", p.Slug, "neu")
		coretest.EqualSlices(k, "deps", k.Task("neu-2").Deps, "neu-1")
		coretest.Equal(k, "the id that demo-1 has now", k.Task("demo-1").ID, "neu-1")
		_, err = k.Admin.ProjectCreate(coretest.Ann, admin.ProjectCreateIn{Slug: "Demo"})
		k.Refused(err, fault.Declined, "demo was renamed to neu")
		_, err = k.Admin.ProjectRename(coretest.Ann, admin.ProjectRenameIn{Slug: "neu", To: "No!"})
		k.Refused(err, fault.Invalid)
		p, err = k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "neu"})
		k.Must(err)
		coretest.Equal(k, "archived", p.Archived, true)
		k.Healthy()
		_, err = k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "neu"})
		k.Must(err)
		all, err := k.Reading.Projects(coretest.Ann, core.None{})
		k.Must(err)
		coretest.Equal(k, "projects", len(all), 0)
		_, err = k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "neu"})
		k.Refused(err, fault.NotFound, `there is no project "neu"`)
		events, err := k.Reading.Events(coretest.Ann, reading.EventsIn{})
		k.Must(err)
		coretest.Equal(k, "events that are left", len(events), 1)
	})
}

func TestAProjectInWhichSomebodyElseHoldsATaskIsNotDeleted(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Refused(err, fault.Declined, "demo-1 is held by bot", ", and would be deleted with the project demo")
	})
}
