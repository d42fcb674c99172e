package inbox_test

import (
	"testing"

	"tasker/internal/admin"
	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
)

func TestTheEstateIsEveryProjectButTheArchived(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "one", `{"key": "a", "title": "A", "priority": 2}`, `{"key": "r", "title": "R", "status": "in_review"}`)
		apply(k, "two", `{"key": "a", "title": "A", "priority": 0}`)
		apply(k, "old", `{"key": "a", "title": "A"}`)
		_, err := k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "old"})
		k.Must(err)
		out, err := k.Inbox.Estate(coretest.Ann, inbox.EstateIn{})
		k.Must(err)
		var ids []string
		for _, it := range out.Items {
			ids = append(ids, it.Project+" "+it.ID)
		}
		coretest.EqualSlices(k, "items", ids, "one review:one-2", "two ready:two-1", "one ready:one-1")
		if out.Total != 3 || out.Matching != 3 {
			k.Errorf("%d of %d", out.Matching, out.Total)
		}
	})
}
