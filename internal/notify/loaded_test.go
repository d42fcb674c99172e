package notify_test

import (
	"testing"

	"tasker/internal/admin"
	"tasker/internal/inbox"
	"tasker/internal/task/delivery"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
)

// TestRecordsLoadWhereChannelsHaveBegun loads records into a database whose own file declares channels. The records
// already know one of them, and a server holds another.
func TestRecordsLoadWhereChannelsHaveBegun(t *testing.T) {
	each(t, []delivery.Channel{channel("both")}, func(from kit) {
		from.ask("demo-2")
		from.deliver(from.server(0, "there"))
		from.got("there", "both blocking_question demo-2")
		_, err := from.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: new(int64)})
		from.Must(err)
		var of query.Dumped
		var all []query.Record
		_, err = from.Admin.Dump(coretest.Ann, admin.DumpIn{
			Begin: func(d query.Dumped) error { of = d; return nil }, Record: func(rec query.Record) error { all = append(all, rec); return nil },
		})
		from.Must(err)

		coretest.Each(from.T, func(inner *coretest.Kit) {
			to := kit{inner, &post{channels: []delivery.Channel{channel("both"), channel("new here")}}}
			to.Notifier = to.post
			to.begin()
			first, second := to.server(0, "here"), to.server(1, "here")
			_, err := to.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: new(int64)})
			to.Must(err)
			rest := all
			_, err = to.Admin.Load(coretest.Ann, admin.LoadIn{Of: of, Next: func() (*query.Record, error) {
				if len(rest) == 0 {
					return nil, nil
				}
				rec := rest[0]
				rest = rest[1:]
				return &rec, nil
			}})
			to.Must(err)
			to.deliver(first)
			to.deliver(second)
			to.got("what happened before")
			to.ask("demo-3")
			to.deliver(first)
			to.deliver(second)
			to.got("what happens after", "both blocking_question demo-3", "new here blocking_question demo-3")
		})
	})
}
