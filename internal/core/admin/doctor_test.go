package admin_test

import (
	"testing"

	"tasker/internal/core/admin"
	"tasker/internal/core/coretest"
	"tasker/internal/fault"
)

func TestDoctorChecksOneProjectOrAll(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		out, err := k.Admin.Doctor(coretest.Ann, admin.DoctorIn{})
		k.Must(err)
		coretest.Equal(k, "healthy", out.Healthy, true)
		coretest.EqualSlices(k, "checked", out.Checked, "demo", "other")
		out, err = k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Project: "other"})
		k.Must(err)
		coretest.EqualSlices(k, "checked", out.Checked, "other")
		_, err = k.Admin.Doctor(coretest.Ann, admin.DoctorIn{Project: "third"})
		k.Refused(err, fault.NotFound)
	})
}
