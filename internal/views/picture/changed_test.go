package picture_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/picture"
	"tasker/internal/work"
)

func TestWhatHappenedToEachTaskSinceAnEvent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		made := k.Note(coretest.Bot, "demo-2", "so far")
		k.Claim(coretest.Bot, "demo-1")
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		_, err := k.Create(coretest.Ann, `{"project": "demo", "title": "Later"}`)
		k.Must(err)
		out, err := k.Picture.Changed(coretest.Ann, picture.ChangedIn{Slug: "demo", Since: made})
		k.Must(err)
		one := out.Tasks["demo-1"]
		if len(out.Tasks) != 2 || one.From != task.Open || one.To != task.InReview || one.New || !out.Tasks["demo-3"].New || out.From == 0 || out.More {
			k.Errorf("the answer is %+v", out)
		}
		out, err = k.Picture.Changed(coretest.Ann, picture.ChangedIn{Slug: "demo", Since: made, At: new(made + 1)})
		k.Must(err)
		if one := out.Tasks["demo-1"]; len(out.Tasks) != 1 || one.To != task.InProgress || one.Events != 1 {
			k.Errorf("up to the claim the answer is %+v", out)
		}
		for _, since := range []int64{-1, 999} {
			_, err = k.Picture.Changed(coretest.Ann, picture.ChangedIn{Slug: "demo", Since: since})
			k.Refused(err, fault.Invalid, "no event up to")
		}
	})
}
