// Package channel sends messages to channels: it runs a command with the message on its standard input, or posts it to an
// address with a signature after Standard Webhooks. An attempt is bounded in time and in what it reads, and says in its error
// nothing that the target, the environment or the receiver may want to hide.
package channel

import (
	"context"
	"io"
	"net"
	"strings"
	"time"

	"tasker/internal/notify/delivery"
)

// Command is a command to run.
type Command struct {
	Args  []string
	Dir   string
	Env   []string // all of its environment
	Stdin io.Reader
}

// Sender makes attempts. All of its fields are given by who makes it.
type Sender struct {
	// Secret signs webhooks: whsec_ and base64. Empty: they are not signed.
	Secret string
	// Hosts may resolve to private addresses.
	Hosts []string
	// Agent names this program to receivers.
	Agent string
	// Dir is where commands run, and Env what they find in their environment. It has no credential of ours.
	Dir string
	Env []string
	// Run runs a command to its end, and all that it started. When ctx ends it stops it.
	Run func(ctx context.Context, c Command) (exitCode int, err error)
	// Now is the clock of signatures.
	Now func() time.Time
	// Resolver finds the addresses of names; nil: the system's.
	Resolver *net.Resolver
}

// Send makes one attempt.
func (s Sender) Send(ctx context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome {
	if c.Type == delivery.Webhook {
		return s.post(ctx, c.Target, m)
	}
	return s.exec(ctx, c.Target, m)
}

// failed is the outcome of an attempt that may be repeated.
func failed(why string) delivery.Outcome { return delivery.Outcome{Error: why} }

// ParseHosts reads a list of hosts with commas or spaces between them.
func ParseHosts(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
}
