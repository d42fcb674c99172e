package app

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/notify"
	"tasker/internal/notify/channel"
	"tasker/internal/notify/delivery"
	"tasker/internal/store"
	"tasker/internal/telemetry/traces"
)

// notifier sends inbox items to the channels that the configuration of this process declares.
type notifier struct {
	loaded func() *config.Loaded

	mu       sync.Mutex
	of       *config.Loaded // what channels was made of
	channels []delivery.Channel
}

// Channels returns each channel once. A configuration that cannot be read declares none: whoever uses it is told elsewhere.
func (n *notifier) Channels() []delivery.Channel {
	loaded := n.loaded()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == loaded {
		return n.channels
	}
	n.of, n.channels = loaded, nil
	if eff, err := loaded.For(loaded.Project(), nil); err == nil {
		for _, c := range eff.Notifications.Channels {
			n.channels = append(n.channels, delivery.Channel{Type: c.Type, Target: c.Target, Kinds: delivery.Kinds(c.Events)})
		}
		n.channels = delivery.Merged(n.channels)
	}
	return n.channels
}

// Send makes one attempt. Commands run in the directory of the configuration file.
func (n *notifier) Send(ctx context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome {
	ctx, end := traces.Job(ctx, "delivery")
	out := n.send(ctx, c, m)
	end(out.Error != "")
	return out
}

func (n *notifier) send(ctx context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome {
	dir := ""
	if file := n.loaded().File; file != "" {
		dir = filepath.Dir(file)
	}
	return channel.Sender{
		Secret: os.Getenv("TASKER_WEBHOOK_SECRET"), Hosts: channel.ParseHosts(os.Getenv("TASKER_WEBHOOK_HOSTS")),
		Agent: "tasker/" + Version, Dir: dir, Env: os.Environ(), Run: runCommand, Now: time.Now,
	}.Send(ctx, c, m)
}

func runCommand(ctx context.Context, c channel.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{For: purpose.Channel, Args: c.Args, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin})
	return res.ExitCode, err
}

// debts sees to it that nothing that a turn causes is forgotten: channels begin with the turn that may cause their first item,
// so that a process which ends right after it owes the item to them.
type debts struct {
	notifier *notifier
	caused   func() // called after a turn that may have caused items; nil: nobody is told

	mu    sync.Mutex
	begun map[string]bool // channels, by ID
}

// observe lets new channels begin with a turn.
func (d *debts) observe(ctx context.Context, write bool) store.Observed {
	if !write || core.DoingOf(ctx) == notify.Doing { // which begins channels itself, and causes nothing
		return store.Observed{}
	}
	all := d.notifier.Channels()
	if len(all) == 0 {
		return store.Observed{}
	}
	begin := d.unbegun(all)
	seen := store.Observed{Ended: func(_ store.Claims, err error) {
		if err == nil {
			d.have(begin)
		}
		if d.caused != nil {
			d.caused() // also after a refusal, which may have been recorded
		}
	}}
	if len(begin) > 0 {
		seen.First = func(tx *store.Tx) error { return notify.Begin(tx, begin) }
	}
	return seen
}

// have remembers which channels have begun.
func (d *debts) have(begun []delivery.Channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range begun {
		d.begun[c.ID()] = true
	}
}

// unbegun returns the channels that may be new.
func (d *debts) unbegun(all []delivery.Channel) []delivery.Channel {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []delivery.Channel
	for _, c := range all {
		if !d.begun[c.ID()] {
			out = append(out, c)
		}
	}
	return out
}
