package inbox_test

import (
	"testing"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
)

func TestTheMarkNeverMovesBack(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`)
		_, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{})
		k.Refused(err, fault.Invalid, "there is no watermark")
		for _, wrong := range []int64{-1, 1 << 40} {
			_, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &wrong})
			k.Refused(err, fault.Invalid, "watermark is")
		}
		before, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		for _, c := range [][2]int64{{2, 2}, {1, 2}, {3, 3}} {
			out, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &c[0]})
			if k.Must(err); out.Watermark != c[1] {
				k.Errorf("after seen %d the watermark is %d", c[0], out.Watermark)
			}
		}
		if after, err := k.Reading.Newest(coretest.Ann, core.None{}); err != nil || after != before {
			k.Errorf("a reader's mark made an event: newest %d, then %d (%v)", before, after, err)
		}
		for reader, seen := range map[string]int64{"ann": 3, "bob": 0} {
			out, err := k.Inbox.Estate(coretest.Bob, inbox.EstateIn{Actor: reader})
			if k.Must(err); out.Seen != seen || len(out.Items) != 2 || out.Items[0].New != (seen == 0) {
				k.Errorf("%s: %+v", reader, out)
			}
		}
	})
}
