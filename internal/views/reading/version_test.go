package reading_test

import (
	"testing"

	"tasker/internal/core"
	"tasker/internal/testkit/coretest"
)

func TestVersionTellsThreeVersions(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		out, err := k.Reading.Version(coretest.Ann, core.None{})
		k.Must(err)
		if out.Version != "0.0.0-test" || out.SchemaVersion < 1 || out.ConfigVersion != 1 {
			k.Errorf("the versions are %+v", out)
		}
	})
}
