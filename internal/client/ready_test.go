package client_test

import (
	"context"
	"slices"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/server/httpapi"
)

func TestAServerTellsHowItIs(t *testing.T) {
	check := httpapi.Check{Name: "configuration", Told: true, Do: func(context.Context) error { return fault.Bad("it has a fault") }}
	url := serve(t, &behind{}, func(o *httpapi.Options) { o.Ready = []httpapi.Check{check} })
	c, _ := dial(t, url+"/v1", nil)
	if got, err := c.Ready(t.Context()); err != nil || !slices.Equal(got, []string{"configuration: it has a fault"}) {
		t.Errorf("Ready = %q, %v", got, err)
	}
	check.Told = false
	c, _ = dial(t, serve(t, &behind{}, func(o *httpapi.Options) { o.Ready = []httpapi.Check{check} }), nil)
	if got, err := c.Ready(t.Context()); !fault.Is(err, fault.Unavailable) || len(got) > 0 {
		t.Errorf("Ready = %q, %v", got, err)
	}
	c, _ = dial(t, "http://127.0.0.1:1", nil)
	if _, err := c.Ready(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a server Ready returns %v", err)
	}
}
