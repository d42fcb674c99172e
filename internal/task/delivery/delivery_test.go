package delivery_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/waiting"
)

func TestAChannelWithoutEventsGetsTheTriggersAndAnotherWhatItNames(t *testing.T) {
	for _, c := range []struct {
		named []string
		want  []waiting.ItemKind
	}{
		{nil, []waiting.ItemKind{"approval_requested", "verification_requested", "blocking_question", "divergence"}},
		{[]string{"stalled", "review", "nonsense"}, []waiting.ItemKind{"review", "stalled"}},
		{[]string{"nonsense"}, nil},
	} {
		if got := delivery.Kinds(c.named); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.named, got)
		}
	}
}

func TestTwoDeclarationsOfATargetAreOneChannel(t *testing.T) {
	all := delivery.Merged([]delivery.Channel{
		{Type: "exec", Target: "a", Kinds: []waiting.ItemKind{"review"}},
		{Type: "webhook", Target: "a", Kinds: []waiting.ItemKind{"review"}},
		{Type: "exec", Target: "a", Kinds: []waiting.ItemKind{"review", "stalled"}},
	})
	if len(all) != 2 || !slices.Equal(all[0].Kinds, []waiting.ItemKind{"review", "stalled"}) || all[0].ID() == all[1].ID() {
		t.Errorf("%+v", all)
	}
}

func TestChannelsThatLookAlikeAreToldApartByTheirPlace(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range delivery.Merged([]delivery.Channel{
		{Type: "webhook", Target: "https://hooks.example.org/one"}, {Type: "exec", Target: "true"}, {Type: "webhook", Target: "https://ann:pw@hooks.example.org/two"},
		{Type: "webhook", Target: "https://hooks.example.org/one"}, {Type: "webhook", Target: "https://other.example.org"},
	}) {
		names = append(names, c.Name())
	}
	want := []string{
		"webhook https://hooks.example.org (notifications.channels[0])", "exec true", "webhook https://hooks.example.org (notifications.channels[2])",
		"webhook https://other.example.org",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestNoPasswordOfAnAddressIsInAName(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"curl http://ann:hunter2/x@host.example/y?z":  "exec curl http://host.example/…",
		"psql postgres://ann:hunter2@db.example/x -c": "exec psql postgres://db.example/… -c",
		"send smtp://ann:hunt@er2@mail.example:25":    "exec send smtp://mail.example:25/…",
	} {
		if got := (delivery.Channel{Type: "exec", Target: target}).Name(); got != want {
			t.Errorf("%s is shown as %s, want %s", target, got, want)
		}
	}
	if got := (delivery.Channel{Type: "webhook", Target: "https://ann:hunter2/x@host.example"}).Name(); got != "webhook" {
		t.Error(got)
	}
}

func TestTheNameOfAChannelHasNoCredential(t *testing.T) {
	for _, c := range []struct {
		kind, target, want string
	}{
		{"webhook", "https://hooks.slack.com/services/T0/B0/hunter2", "webhook https://hooks.slack.com"},
		{"webhook", "https://ann:hunter2@h.example:8443/x?token=hunter2#hunter2", "webhook https://h.example:8443"},
		{"webhook", "://hunter2", "webhook"},
		{"exec", "notify-send tasker", "exec notify-send tasker"},
		{"exec", `curl -d @- "https://api.telegram.org/bothunter2/sendMessage" -s`, `exec curl -d @- "https://api.telegram.org/…" -s`},
		{"exec", "curl https://ann:hunter2@h.example", "exec curl https://h.example/…"},
	} {
		ch := delivery.Channel{Type: c.kind, Target: c.target}
		if got := ch.Name(); got != c.want || strings.Contains(got+ch.ID(), "hunter2") {
			t.Errorf("%s is called %q", c.target, got)
		}
	}
}

const start = task.Time(1_700_000_000_000_000)

func TestAttemptsAreRepeatedWithPausesThatGrow(t *testing.T) {
	d := &delivery.Delivery{State: delivery.Pending}
	now, pauses := start, []time.Duration{}
	for range 12 {
		d = d.After(delivery.Outcome{Error: "busy"}, now)
		if d.State != delivery.Pending || d.LastError != "busy" {
			t.Fatalf("%+v", d)
		}
		pauses = append(pauses, time.Duration(d.NextAt-now)*time.Microsecond)
		now = d.NextAt
	}
	if pauses[0] > 5*time.Second || !slices.IsSorted(pauses) || pauses[11] != 15*time.Minute {
		t.Errorf("the pauses are %v", pauses)
	}
	if d.Attempts != 12 || d.TriedAt != start {
		t.Errorf("%+v", d)
	}
	if d = d.After(delivery.Outcome{}, now); d.State != delivery.Delivered || d.LastError != "" || d.DeliveredAt != now || d.NextAt != 0 {
		t.Errorf("%+v", d)
	}
}

func TestADeliveryIsGivenUpAfterADayOrAtOnceWhereNothingElseCanCome(t *testing.T) {
	d := (&delivery.Delivery{State: delivery.Pending}).After(delivery.Outcome{Error: "busy"}, start)
	day := (24 * time.Hour).Milliseconds()
	if early := d.After(delivery.Outcome{Error: "busy"}, start.Add(day-1)); early.State != delivery.Pending {
		t.Errorf("before a day has passed: %+v", early)
	}
	if late := d.After(delivery.Outcome{Error: "busy"}, start.Add(day)); late.State != delivery.Failed || late.NextAt != 0 {
		t.Errorf("after a day: %+v", late)
	}
	if final := d.After(delivery.Outcome{Error: "no", Final: true}, start); final.State != delivery.Failed || final.LastError != "no" {
		t.Errorf("%+v", final)
	}
}

func TestTheReceiverMayAskForALongerPauseButNotForever(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{time.Second: 3 * time.Second, time.Minute: time.Minute, 1000 * time.Hour: time.Hour} {
		d := (&delivery.Delivery{State: delivery.Pending}).After(delivery.Outcome{Error: "busy", After: asked}, start)
		if got := time.Duration(d.NextAt-start) * time.Microsecond; got != want {
			t.Errorf("asked for %s: %s", asked, got)
		}
	}
}

func TestEveryAttemptHasTheSameMessageID(t *testing.T) {
	d := &delivery.Delivery{Channel: "c", Item: "review:demo-1", Cause: 7, Body: "{}", State: delivery.Pending}
	again := d.After(delivery.Outcome{Error: "busy"}, start).Again(start)
	if d.MessageID() != again.MessageID() || again.Attempts != 0 || again.State != delivery.Pending || again.TriedAt != 0 {
		t.Errorf("%s, %+v", d.MessageID(), again)
	}
	if m := d.Message(); m.Task != "demo-1" {
		t.Errorf("%+v", m)
	}
	other := *d
	other.Cause = 8
	if other.MessageID() == d.MessageID() {
		t.Error("what happened again has the same id")
	}
}

func TestALeaseIsAnothersForAsLongAsItCounts(t *testing.T) {
	l := delivery.Taken("a", start)
	if l.HeldByAnother("a", start) || !l.HeldByAnother("b", start) || l.HeldByAnother("b", l.ExpiresAt) || (delivery.Lease{}).HeldByAnother("b", start) {
		t.Errorf("%+v", l)
	}
	if delivery.LeaseTime <= delivery.SendTime {
		t.Error("an attempt may outlive the lease")
	}
}

func TestADeliveryHasWaitedSinceWhatItTellsOf(t *testing.T) {
	text, err := json.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	d := &delivery.Delivery{Body: `{"id": "review:demo-1", "since": ` + string(text) + `}`}
	if got := d.WaitedMs(start.Add(1500)); got != 1500 {
		t.Errorf("it has waited %d ms", got)
	}
	for _, body := range []string{"", "{}", `{"since": null}`} {
		if got := (&delivery.Delivery{Body: body}).WaitedMs(start); got != 0 {
			t.Errorf("%q has waited %d ms", body, got)
		}
	}
}
