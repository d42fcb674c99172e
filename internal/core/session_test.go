package core_test

import (
	"bytes"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// bits is a reader of random bits that a test knows.
func bits(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 32)) }

func TestASessionIsGoodUntilItExpiresOrIsRevoked(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.s.Random = bits(7)
		made, err := k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot/2", LifeMs: ptr(int64(200)), Projects: []string{"demo"}, ReadOnly: true})
		k.must(err)
		is(k, "credential", made.Token, "tsk_"+strings.Repeat("a4dqobyh", 7)[:52])
		entered, err := k.s.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		k.must(err)
		got, now := entered.Session, entered.Now
		is(k, "id", got.ID, made.ID)
		is(k, "actor", got.Actor, "bot/2")
		is(k, "read-only", got.ReadOnly, true)
		same(k, "projects", got.Projects, "demo")
		is(k, "life", got.ExpiresAt, got.CreatedAt.Add(200))
		is(k, "live", got.Live(now), true)
		k.pass(200_000_000)
		_, err = k.s.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		e := k.refused(err, fault.Unauthorized, "unknown, expired or revoked")
		if strings.Contains(e.Message+e.Hint, made.Token[4:]) {
			k.Error("the refusal repeats the credential")
		}
		all, err := k.s.Admin.SessionList(ann, core.None{})
		k.must(err)
		is(k, "sessions that are left", len(all), 0)

		k.s.Random = bits(8)
		made, err = k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot", LifeMs: ptr(int64(0))})
		k.must(err)
		is(k, "end", made.ExpiresAt, 0)
		_, err = k.s.Admin.SessionRevoke(ann, admin.SessionIn{ID: made.ID})
		k.must(err)
		_, err = k.s.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		k.refused(err, fault.Unauthorized)
		count := len(k.events(""))
		_, err = k.s.Admin.SessionRevoke(ann, admin.SessionIn{ID: made.ID})
		k.must(err)
		is(k, "events after revoking it again", len(k.events("")), count)
		_, err = k.s.Admin.SessionRevoke(ann, admin.SessionIn{ID: 999})
		k.refused(err, fault.NotFound)
	})
}

func TestSessionsAreEventsOfNoProjectAndHoldNoCredential(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.s.Random = bits(1)
		made, err := k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot"})
		k.must(err)
		is(k, "usual life", made.ExpiresAt, k.made(made.ID).Add(task.DefaultSessionMs))
		_, err = k.s.Admin.SessionRevoke(ann, admin.SessionIn{ID: made.ID})
		k.must(err)
		for _, kind := range []task.Kind{task.SessionCreated, task.SessionRevoked} {
			found, err := k.s.Reading.Events(ann, reading.EventsIn{Kind: string(kind)})
			k.must(err)
			if len(found) != 1 || found[0].Project != "" || found[0].Actor != "ann" {
				k.Fatalf("%s: %+v", kind, found)
			}
			if text := string(found[0].Payload); strings.Contains(text, "tsk_") || !strings.Contains(text, `"actor":"bot"`) {
				k.Errorf("%s tells %s", kind, text)
			}
			if kind == task.SessionCreated {
				is(k, "the event's id", found[0].ID, made.ID)
			}
		}
		_, err = k.s.Admin.Enter(t.Context(), admin.EnterIn{Credential: ""})
		k.refused(err, fault.Unauthorized)
		_, err = k.s.Admin.Enter(t.Context(), admin.EnterIn{Credential: strings.Repeat("x", 100_000)})
		k.refused(err, fault.Unauthorized)
	})
}

func (k *kit) made(id int64) task.Time {
	k.Helper()
	all, err := k.s.Admin.SessionList(ann, core.None{})
	k.must(err)
	for _, s := range all {
		if s.ID == id {
			return s.CreatedAt
		}
	}
	k.Fatalf("there is no session %d", id)
	return 0
}

func TestAnAgentHandlesNoSessionWhereAHumanIsDeclared(t *testing.T) {
	each(t, func(k *kit) {
		k.s.Random = bits(1)
		_, err := k.s.Admin.SessionCreate(bot, admin.SessionCreateIn{Actor: "ann"}) // nobody is declared a human yet
		k.must(err)
		k.policy.DeclaresHuman = true
		before := len(k.events(""))
		k.s.Random = bits(2)
		_, err = k.s.Admin.SessionCreate(bot, admin.SessionCreateIn{Actor: "ann"})
		k.refused(err, fault.Declined, "bot may not make a session")
		_, err = k.s.Admin.SessionRevoke(bot, admin.SessionIn{ID: 1})
		k.refused(err, fault.Declined, "bot may not revoke a session")
		is(k, "events", len(k.events("")), before)
		k.s.Random = bits(2)
		nobody := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "root"}, Assumed: true})
		_, err = k.s.Admin.SessionCreate(nobody, admin.SessionCreateIn{Actor: "ann"})
		k.must(err)
		k.s.Random = bits(3)
		_, err = k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "ann"})
		k.must(err)
	})
}

func TestWhatNoSessionCanBe(t *testing.T) {
	each(t, func(k *kit) {
		for _, in := range []admin.SessionCreateIn{
			{}, {Actor: "a/b/c"}, {Actor: "bot", LifeMs: ptr(int64(-1))}, {Actor: "bot", LifeMs: ptr(task.MaxSessionMs + 1)},
			{Actor: "bot", Projects: []string{"Not A Slug"}}, {Actor: "bot", Projects: []string{""}},
		} {
			_, err := k.s.Admin.SessionCreate(ann, in)
			k.refused(err, fault.Invalid)
		}
		k.s.Random = bytes.NewReader([]byte("short"))
		_, err := k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot"})
		k.refused(err, fault.Internal)
		is(k, "events", len(k.events("")), 0)
		k.s.Random = bits(1)
		made, err := k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot", Projects: []string{"nowhere"}})
		k.must(err)
		says(k, made.Warnings, "there is no project nowhere yet")
	})
}

func TestWhenASessionWasUsedIsNotedWithoutAnEvent(t *testing.T) {
	each(t, func(k *kit) {
		k.s.Random = bits(1)
		made, err := k.s.Admin.SessionCreate(ann, admin.SessionCreateIn{Actor: "bot"})
		k.must(err)
		at := k.now()
		_, err = k.s.Admin.Used(t.Context(), admin.UsedIn{At: map[int64]task.Time{made.ID: at, 999: at}})
		k.must(err)
		_, err = k.s.Admin.Used(t.Context(), admin.UsedIn{At: map[int64]task.Time{made.ID: at - 1000}})
		k.must(err)
		all, err := k.s.Admin.SessionList(ann, core.None{})
		k.must(err)
		is(k, "last used", all[0].LastUsedAt, at)
		is(k, "events", len(k.events("")), 1)
	})
}
