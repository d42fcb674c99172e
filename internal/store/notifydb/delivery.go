package notifydb

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/waiting"
)

// finished is how many completed deliveries are kept.
const finished = 10_000

// detail has the fields of a delivery that no statement queries.
type detail struct {
	Name        string           `json:"name"`
	Kind        waiting.ItemKind `json:"kind"`
	Item        string           `json:"item"`
	Cause       int64            `json:"cause"`
	Body        string           `json:"body"`
	Attempts    int              `json:"attempts"`
	LastError   string           `json:"lastError"`
	TriedAt     int64            `json:"triedAt"`
	NextAt      int64            `json:"nextAt"`
	DeliveredAt int64            `json:"deliveredAt"`
}

func detailOf(d *delivery.Delivery) (string, error) {
	text, err := json.Marshal(detail{
		d.Name, d.Kind, d.Item, d.Cause, d.Body, d.Attempts, d.LastError, int64(d.TriedAt), int64(d.NextAt), int64(d.DeliveredAt),
	}, json.Deterministic(true))
	return string(text), err
}

// generationOf returns the generation that a delivery is stored under: an earlier one if it is held.
func generationOf(tx *store.Tx, d *delivery.Delivery) int64 {
	if d.Held {
		return tx.Head.Generation - 1
	}
	return tx.Head.Generation
}

// held is the state that is read for a pending delivery of an earlier generation.
const held = "held"

// list reads deliveries. The arguments of where begin at $2.
func list(tx *store.Tx, where string, args ...any) ([]*delivery.Delivery, error) {
	var out []*delivery.Delivery
	err := tx.C.Query(`SELECT d.id, d.channel, p.slug, CASE WHEN d.state='pending' AND d.generation<$1 THEN '`+held+`' ELSE d.state END, d.detail
		FROM delivery d JOIN project p ON p.id=d.project `+where, append([]any{tx.Head.Generation}, args...),
		db.Scan5(func(id int64, channel, slug, state, text string) error {
			var x detail
			if err := json.Unmarshal([]byte(text), &x); err != nil {
				return err
			}
			d := &delivery.Delivery{
				ID: id, Channel: channel, Name: x.Name, Project: slug, Kind: x.Kind, Item: x.Item, Cause: x.Cause, Body: x.Body,
				State: delivery.State(state), Attempts: x.Attempts, LastError: x.LastError,
				TriedAt: task.Time(x.TriedAt), NextAt: task.Time(x.NextAt), DeliveredAt: task.Time(x.DeliveredAt),
			}
			if state == held {
				d.State, d.Held = delivery.Pending, true
			}
			out = append(out, d)
			return nil
		}))
	return out, err
}

// first returns the first delivery that list reads, or nil.
func first(tx *store.Tx, where string, args ...any) (*delivery.Delivery, error) {
	found, err := list(tx, where, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Deliveries returns the newest limit deliveries, oldest first; if a state is given, only those in it.
func Deliveries(tx *store.Tx, state delivery.State, limit int) ([]*delivery.Delivery, error) {
	where, args := ``, []any{}
	if state != "" {
		where, args = `WHERE d.state=$2 `, append(args, string(state))
	}
	out, err := list(tx, where+`ORDER BY d.id DESC LIMIT `+strconv.Itoa(limit), args...)
	slices.Reverse(out)
	return out, err
}

// Delivery returns the delivery with an id, or not found.
func Delivery(tx *store.Tx, id int64) (*delivery.Delivery, error) {
	d, err := first(tx, `WHERE d.id=$2`, id)
	if err == nil && d == nil {
		return nil, fault.Missing("there is no delivery %d", id).WithHint("list them: %s", hint.Command("notify log"))
	}
	return d, err
}

// NextDelivery returns the first pending delivery of a channel that is not held, or nil.
func NextDelivery(tx *store.Tx, channel string) (*delivery.Delivery, error) {
	return first(tx, `WHERE d.channel=$2 AND d.state='pending' AND d.generation>=$1 ORDER BY d.id LIMIT 1`, channel)
}

// OldestPending returns the pending delivery that was queued first, held or not, or nil.
func OldestPending(tx *store.Tx) (*delivery.Delivery, error) {
	return first(tx, `WHERE d.state='pending' ORDER BY d.id LIMIT 1`)
}

// PendingDeliveries counts the pending deliveries, and how many of them are held.
func PendingDeliveries(tx *store.Tx) (pending, heldBack int, err error) {
	err = tx.C.Query(`SELECT count(*), coalesce(sum(CASE WHEN generation<$1 THEN 1 ELSE 0 END), 0) FROM delivery WHERE state='pending'`,
		[]any{tx.Head.Generation}, db.Each2(func(n, h int) { pending, heldBack = n, h }))
	return pending, heldBack, err
}

// Queue returns how far delivery to a channel has come, or nil if the channel is new.
func Queue(tx *store.Tx, channel string) (*delivery.Queue, error) {
	return queue(tx, `WHERE id=$1`, channel)
}

// Slowest returns the channel that is furthest behind, or nil.
func Slowest(tx *store.Tx) (*delivery.Queue, error) { return queue(tx, `ORDER BY cursor, id LIMIT 1`) }

func queue(tx *store.Tx, which string, args ...any) (*delivery.Queue, error) {
	return db.First(tx.C, `SELECT id, cursor, stalls, holder, expires_at FROM channel `+which, args,
		db.Read5(func(channel string, cursor, stalls int64, holder string, until int64) delivery.Queue {
			return delivery.Queue{
				Channel: channel, Cursor: cursor, Stalls: task.Time(stalls), Lease: delivery.Lease{Holder: holder, ExpiresAt: task.Time(until)},
			}
		}))
}

// SaveQueue stores how far delivery to a channel has come. That changes no record of a project, so it has no event.
func SaveQueue(tx *store.Tx, q delivery.Queue) error {
	return tx.C.Exec(1, `INSERT INTO channel (id, cursor, stalls, holder, expires_at) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (id) DO UPDATE SET cursor=excluded.cursor, stalls=excluded.stalls, holder=excluded.holder, expires_at=excluded.expires_at`,
		q.Channel, q.Cursor, int64(q.Stalls), q.Lease.Holder, int64(q.Lease.ExpiresAt))
}

// Enqueue stores deliveries with the next ids, in order, and skips those that exist already. It removes the oldest
// completed ones.
func Enqueue(tx *store.Tx, all []delivery.Delivery) error {
	last, err := db.Value[int64](tx.C, `SELECT coalesce(max(id), 0) FROM delivery`)
	if err != nil {
		return err
	}
	for i := range all {
		d := &all[i]
		p, err := tx.Find(d.Project)
		if err != nil {
			return err
		}
		last++
		d.ID = last
		text, err := detailOf(d)
		if err != nil {
			return err
		}
		tx.Exec(db.Any, `INSERT INTO delivery (id, channel, project, item, cause, state, generation, detail) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)
			ON CONFLICT (channel, item, cause) DO NOTHING`, d.ID, d.Channel, p.ID, d.Item, d.Cause, string(d.State), generationOf(tx, d), text)
	}
	return tx.C.Exec(db.Any, `DELETE FROM delivery WHERE id<=$1 AND state<>'pending'`, last-finished)
}

// SaveDelivery stores the state of a delivery, with events of its project.
func SaveDelivery(tx *store.Tx, d *delivery.Delivery, ev ...task.Draft) error {
	text, err := detailOf(d)
	if err != nil {
		return err
	}
	tx.Exec(1, `UPDATE delivery SET state=$2, generation=$3, detail=$4 WHERE id=$1`, d.ID, string(d.State), generationOf(tx, d), text)
	return tx.Record(d.Project, "", ev...)
}

// ReleaseDeliveries releases held deliveries for sending.
func ReleaseDeliveries(tx *store.Tx) error {
	return tx.C.Exec(db.Any, `UPDATE delivery SET generation=$1 WHERE state='pending' AND generation<$1`, tx.Head.Generation)
}
