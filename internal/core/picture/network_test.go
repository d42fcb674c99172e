package picture_test

import (
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/core/coretest"
	"tasker/internal/core/picture"
)

// The versions of a project's flow count from one again when it is made anew.
func TestAProjectMadeAnewIsDrawnAnew(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		critical := func() (ids []string) {
			k.Helper()
			out, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", Show: "open"})
			k.Must(err)
			for _, n := range out.Nodes {
				if n.Critical {
					ids = append(ids, string(n.ID))
				}
			}
			return ids
		}
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C"}`)
		coretest.EqualSlices(k, "critical", critical(), "demo-1", "demo-2")
		_, err := k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		k.Pass(time.Microsecond)
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["a"]}`)
		coretest.EqualSlices(k, "critical", critical(), "demo-4", "demo-6") // no number is used twice
	})
}
