package task

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/jsonout"
)

// The records here are written by hand; see jsonout. MarshalJSONTo serves where they lie within what is not.

// WriteTime writes a moment, or null for none.
func WriteTime(o *jsonout.Object, n string, t Time) {
	if t == 0 {
		o.Null(n)
		return
	}
	o.Plain(n, func(b []byte) []byte { return appendMoment(b, t) })
}

func writeSeverity(o *jsonout.Object, s Severity) {
	if s == 0 {
		o.Null("severity")
		return
	}
	o.Int("severity", int64(s))
}

func writeClaim(o *jsonout.Object, c *Claim) {
	if c == nil {
		o.Null("claim")
		return
	}
	o.Record("claim", c)
}

// MarshalJSONTo writes the record.
func (t *Task) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, t) }

// Members writes the members of the record.
func (t *Task) Members(o *jsonout.Object) {
	o.Text("id", string(t.ID))
	o.Text("project", t.Project)
	o.Text("key", t.Key)
	o.Text("title", t.Title)
	o.Opt("body", string(t.Body))
	o.Opt("parent", string(t.Parent))
	jsonout.Texts(o, "deps", t.Deps)
	o.Text("status", string(t.Status))
	o.Int("priority", int64(t.Priority))
	writeSeverity(o, t.Severity)
	if t.Due == "" && t.Gate == "" && t.Autonomy == "" && t.PreferredActor == "" && len(t.MayExecute) == 0 {
		o.Literal(`"due":null,"gate":null,"autonomy":null,"preferredActor":null,"mayExecute":[]`)
	} else {
		o.Opt("due", string(t.Due))
		o.Opt("gate", string(t.Gate))
		o.Opt("autonomy", string(t.Autonomy))
		o.Opt("preferredActor", string(t.PreferredActor))
		jsonout.Texts(o, "mayExecute", t.MayExecute)
	}
	jsonout.Texts(o, "touches", t.Touches)
	WriteCriteria(o, t.Criteria)
	WriteLinks(o, t.Links)
	o.Opt("sprint", string(t.Sprint))
	o.Opt("rank", string(t.Rank))
	writeClaim(o, t.Claim)
	o.Int("openDeps", int64(t.OpenDeps))
	o.Int("openChildren", int64(t.OpenChildren))
	o.Int("attempts", int64(t.Attempts))
	o.Int("version", t.Version)
	o.Text("createdBy", t.CreatedBy)
	WriteTime(o, "createdAt", t.CreatedAt)
	WriteTime(o, "updatedAt", t.UpdatedAt)
	WriteTime(o, "closedAt", t.ClosedAt)
}

// Members writes the members of the counts.
func (c *Counts) Members(o *jsonout.Object) {
	for _, s := range Statuses {
		o.Int(string(s), int64(*c.Of(s)))
	}
}

// WriteCriteria writes the member criteria.
func WriteCriteria(o *jsonout.Object, list []Criterion) {
	jsonout.Records(o, "criteria", list, func(c *Criterion) jsonout.Record { return c })
}

// WriteLinks writes the member links.
func WriteLinks(o *jsonout.Object, list []Link) {
	jsonout.Records(o, "links", list, func(l *Link) jsonout.Record { return l })
}

// MarshalJSONTo writes the criterion.
func (c *Criterion) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, c) }

// Members writes the members of the criterion.
func (c *Criterion) Members(o *jsonout.Object) {
	o.Int("index", int64(c.Index))
	o.Text("text", c.Text)
	o.Bool("checked", c.Checked)
	o.Opt("checkedBy", string(c.CheckedBy))
	WriteTime(o, "checkedAt", c.CheckedAt)
}

// Members writes the members of the link.
func (l *Link) Members(o *jsonout.Object) {
	o.Text("kind", l.Kind)
	o.Text("ref", l.Ref)
	o.Opt("note", string(l.Note))
}

// MarshalJSONTo writes the claim.
func (c *Claim) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, c) }

// Members writes the members of the claim.
func (c *Claim) Members(o *jsonout.Object) {
	o.Text("task", string(c.Task))
	o.Text("actor", c.Actor)
	o.Int("fence", c.Fence)
	o.Int("version", c.Version)
	WriteTime(o, "claimedAt", c.ClaimedAt)
	WriteTime(o, "renewedAt", c.RenewedAt)
	WriteTime(o, "expiresAt", c.ExpiresAt)
	o.Int("leaseMs", c.LeaseMs)
}

// MarshalJSONTo writes the event.
func (e *Event) MarshalJSONTo(enc *jsontext.Encoder) error { return jsonout.Encode(enc, e) }

// Members writes the members of the event.
func (e *Event) Members(o *jsonout.Object) {
	o.Int("id", e.ID)
	WriteTime(o, "at", e.At)
	o.Opt("project", string(e.Project))
	o.Opt("task", string(e.Task))
	o.Text("actor", e.Actor)
	o.Text("kind", string(e.Kind))
	o.Raw("payload", e.Payload)
	o.Int("batch", e.Batch)
	o.Record("via", &e.Via)
}

// Members writes the members of the way.
func (v *Via) Members(o *jsonout.Object) {
	o.Text("face", v.Face)
	o.Opt("requestId", string(v.RequestID))
	o.Opt("session", string(v.Session))
}

// Members writes the members of the routing.
func (r *Routing) Members(o *jsonout.Object) {
	o.Bool("mayHold", r.MayHold)
	o.Text("autonomy", string(r.Autonomy))
	jsonout.Texts(o, "mayExecute", r.MayExecute)
	o.Opt("preferredActor", string(r.PreferredActor))
	o.Text("why", r.Why)
	o.Text("whatWouldChange", r.WhatWouldChange)
}

// Encode gives the payload as JSON, names in order.
func (p Payload) Encode() ([]byte, error) { return jsonout.Append(make([]byte, 0, 256), p) }

// Members writes what the payload holds; the types that nearly all of them hold without reflection.
func (p Payload) Members(o *jsonout.Object) {
	var few [16]string
	names := slices.AppendSeq(few[:0], maps.Keys(p))
	slices.Sort(names)
	for _, name := range names {
		writeAny(o, name, p[name])
	}
}

// Members writes the members of the difference.
func (d Delta) Members(o *jsonout.Object) {
	writeAny(o, "from", d.From)
	writeAny(o, "to", d.To)
}

func writeAny(o *jsonout.Object, n string, v any) {
	switch v := v.(type) {
	case nil:
		o.Null(n)
	case string:
		o.Text(n, v)
	case Opt:
		o.Opt(n, string(v))
	case Status:
		o.Text(n, string(v))
	case ID:
		o.Text(n, string(v))
	case bool:
		o.Bool(n, v)
	case int:
		o.Int(n, int64(v))
	case int64:
		o.Int(n, v)
	case Time:
		WriteTime(o, n, v)
	case Delta:
		o.Record(n, v)
	default:
		o.Value(n, v)
	}
}
