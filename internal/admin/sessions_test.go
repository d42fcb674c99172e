package admin_test

import (
	"bytes"
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

// bits returns a predictable source of randomness.
func bits(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 32)) }

func TestASessionIsGoodUntilItExpiresOrIsRevoked(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Random = bits(7)
		made, err := k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot/2", LifeMs: new(int64(200)), Projects: []string{"demo"}, ReadOnly: true})
		k.Must(err)
		coretest.Equal(k, "credential", made.Token, "tsk_"+strings.Repeat("a4dqobyh", 7)[:52])
		entered, err := k.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		k.Must(err)
		got, now := entered.Session, entered.Now
		coretest.Equal(k, "id", got.ID, made.ID)
		coretest.Equal(k, "actor", got.Actor, "bot/2")
		coretest.Equal(k, "read-only", got.ReadOnly, true)
		coretest.EqualSlices(k, "projects", got.Projects, "demo")
		coretest.Equal(k, "life", got.ExpiresAt, got.CreatedAt.Add(200))
		coretest.Equal(k, "live", got.Live(now), true)
		k.Pass(200_000_000)
		_, err = k.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		e := k.Refused(err, fault.Unauthorized, "unknown, expired or revoked")
		if strings.Contains(e.Message+e.Hint, made.Token[4:]) {
			k.Error("the refusal repeats the credential")
		}
		all, err := k.Admin.SessionList(coretest.Ann, core.None{})
		k.Must(err)
		coretest.Equal(k, "sessions that are left", len(all), 0)

		k.Random = bits(8)
		made, err = k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot", LifeMs: new(int64(0))})
		k.Must(err)
		coretest.Equal(k, "end", made.ExpiresAt, 0)
		_, err = k.Admin.SessionRevoke(coretest.Ann, admin.SessionIn{ID: made.ID})
		k.Must(err)
		_, err = k.Admin.Enter(t.Context(), admin.EnterIn{Credential: made.Token})
		k.Refused(err, fault.Unauthorized)
		count := len(k.Events(""))
		_, err = k.Admin.SessionRevoke(coretest.Ann, admin.SessionIn{ID: made.ID})
		k.Must(err)
		coretest.Equal(k, "events after revoking it again", len(k.Events("")), count)
		_, err = k.Admin.SessionRevoke(coretest.Ann, admin.SessionIn{ID: 999})
		k.Refused(err, fault.NotFound)
	})
}

func TestSessionsAreEventsOfNoProjectAndHoldNoCredential(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Random = bits(1)
		made, err := k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot"})
		k.Must(err)
		coretest.Equal(k, "usual life", made.ExpiresAt, createdAt(k, made.ID).Add(task.DefaultSessionMs))
		_, err = k.Admin.SessionRevoke(coretest.Ann, admin.SessionIn{ID: made.ID})
		k.Must(err)
		for _, kind := range []task.Kind{task.SessionCreated, task.SessionRevoked} {
			found, err := k.Reading.Events(coretest.Ann, reading.EventsIn{Kind: string(kind)})
			k.Must(err)
			if len(found) != 1 || found[0].Project != "" || found[0].Actor != "ann" {
				k.Fatalf("%s: %+v", kind, found)
			}
			if text := string(found[0].Payload); strings.Contains(text, "tsk_") || !strings.Contains(text, `"actor":"bot"`) {
				k.Errorf("%s reveals %s", kind, text)
			}
			if kind == task.SessionCreated {
				coretest.Equal(k, "the event's id", found[0].ID, made.ID)
			}
		}
		_, err = k.Admin.Enter(t.Context(), admin.EnterIn{Credential: ""})
		k.Refused(err, fault.Unauthorized)
		_, err = k.Admin.Enter(t.Context(), admin.EnterIn{Credential: strings.Repeat("x", 100_000)})
		k.Refused(err, fault.Unauthorized)
	})
}

// createdAt returns when a session was created.
func createdAt(k *coretest.Kit, id int64) task.Time {
	k.Helper()
	all, err := k.Admin.SessionList(coretest.Ann, core.None{})
	k.Must(err)
	for _, s := range all {
		if s.ID == id {
			return s.CreatedAt
		}
	}
	k.Fatalf("there is no session %d", id)
	return 0
}

func TestAnAgentHandlesNoSessionWhereAHumanIsDeclared(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Random = bits(1)
		_, err := k.Admin.SessionCreate(coretest.Bot, admin.SessionCreateIn{Actor: "ann"}) // nobody is declared a human yet
		k.Must(err)
		k.Policy.DeclaresHuman = true
		before := len(k.Events(""))
		k.Random = bits(2)
		_, err = k.Admin.SessionCreate(coretest.Bot, admin.SessionCreateIn{Actor: "ann"})
		k.Refused(err, fault.Declined, "bot may not make a session")
		_, err = k.Admin.SessionRevoke(coretest.Bot, admin.SessionIn{ID: 1})
		k.Refused(err, fault.Declined, "bot may not revoke a session")
		coretest.Equal(k, "events", len(k.Events("")), before)
		k.Random = bits(2)
		nobody := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "root"}, Assumed: true})
		_, err = k.Admin.SessionCreate(nobody, admin.SessionCreateIn{Actor: "ann"})
		k.Must(err)
		k.Random = bits(3)
		_, err = k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "ann"})
		k.Must(err)
	})
}

func TestAnInvalidSessionIsRefused(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		for _, in := range []admin.SessionCreateIn{
			{}, {Actor: "a/b/c"}, {Actor: "bot", LifeMs: new(int64(-1))}, {Actor: "bot", LifeMs: new(task.MaxSessionMs + 1)},
			{Actor: "bot", Projects: []string{"Not A Slug"}}, {Actor: "bot", Projects: []string{""}},
		} {
			_, err := k.Admin.SessionCreate(coretest.Ann, in)
			k.Refused(err, fault.Invalid)
		}
		k.Random = bytes.NewReader([]byte("short"))
		_, err := k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot"})
		k.Refused(err, fault.Internal)
		k.Random = bits(1)
		_, err = k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot", Projects: []string{"nowhere"}})
		k.Refused(err, fault.NotFound, `there is no project "nowhere"`)
		coretest.Equal(k, "events", len(k.Events("")), 0)
		k.Random = bits(1)
		made, err := k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "ghost"})
		k.Must(err)
		coretest.Contains(k, made.Warnings, "ghost is declared nowhere, so it counts as an agent without roles")
	})
}

func TestWhenASessionWasUsedIsNotedWithoutAnEvent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Random = bits(1)
		made, err := k.Admin.SessionCreate(coretest.Ann, admin.SessionCreateIn{Actor: "bot"})
		k.Must(err)
		at := k.Now()
		_, err = k.Admin.Used(t.Context(), admin.UsedIn{At: map[int64]task.Time{made.ID: at, 999: at}})
		k.Must(err)
		_, err = k.Admin.Used(t.Context(), admin.UsedIn{At: map[int64]task.Time{made.ID: at - 1000}})
		k.Must(err)
		all, err := k.Admin.SessionList(coretest.Ann, core.None{})
		k.Must(err)
		coretest.Equal(k, "last used", all[0].LastUsedAt, at)
		coretest.Equal(k, "events", len(k.Events("")), 1)
	})
}
