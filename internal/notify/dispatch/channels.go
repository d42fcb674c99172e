package dispatch

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/config"
	"tasker/internal/notify/channel"
	"tasker/internal/task/delivery"
	"tasker/internal/telemetry"
)

// Channels sends inbox items to the channels that this process's configuration declares.
type Channels struct {
	loaded func() *config.Loaded
	agent  string // our name for webhooks

	mu       sync.Mutex
	of       *config.Loaded // the configuration that channels was made from
	channels []delivery.Channel
}

// NewChannels returns the channels of a configuration, which may change. agent is our name for webhooks.
func NewChannels(loaded func() *config.Loaded, agent string) *Channels {
	return &Channels{loaded: loaded, agent: agent}
}

// Channels returns each channel once. A configuration that cannot be read declares none: the commands that need it
// report that.
func (n *Channels) Channels() []delivery.Channel {
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
func (n *Channels) Send(ctx context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome {
	ctx, end := telemetry.Job(ctx, "delivery")
	dir := ""
	if file := n.loaded().File; file != "" {
		dir = filepath.Dir(file)
	}
	out := channel.Sender{
		Secret: os.Getenv("TASKER_WEBHOOK_SECRET"), Hosts: channel.ParseHosts(os.Getenv("TASKER_WEBHOOK_HOSTS")),
		Agent: n.agent, Dir: dir, Env: os.Environ(), Run: runCommand, Now: time.Now,
	}.Send(ctx, c, m)
	end(out.Error != "")
	return out
}

func runCommand(ctx context.Context, c channel.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{For: purpose.Channel, Args: c.Args, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin})
	return res.ExitCode, err
}
