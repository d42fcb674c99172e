package linking_test

import (
	"testing"

	"tasker/internal/core"
	"tasker/internal/core/coretest"
	"tasker/internal/fault"
)

func TestAProjectWithoutLinksSaysSo(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		in := core.ProjectIn{Slug: "demo"}
		sync, err := k.Linking.Sync(coretest.Ann, in)
		if k.Must(err); len(sync.Links) != 0 || sync.Loop != nil {
			k.Errorf("%+v", sync)
		}
		own, err := k.Linking.Ownership(coretest.Ann, in)
		if k.Must(err); own.Preset != "local" || len(own.Fields) == 0 || own.Fields[0].Owner != "local" {
			k.Errorf("%+v", own)
		}
		conflicts, err := k.Linking.Conflicts(coretest.Ann, in)
		if k.Must(err); conflicts.Total != 0 || len(conflicts.Items) != 0 {
			k.Errorf("%+v", conflicts)
		}
		_, err = k.Linking.Sync(coretest.Ann, core.ProjectIn{Slug: "none"})
		k.Refused(err, fault.NotFound, `there is no project "none"`)
	})
}
