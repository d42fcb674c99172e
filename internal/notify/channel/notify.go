// Package channel sends messages to channels: it runs a command with the message on its standard input, or posts the
// message to an address, signed according to Standard Webhooks. An attempt is bounded in time and in what it reads, and
// its error contains nothing that the target, the environment or the receiver may want to hide.
package channel

import (
	"context"
	"io"
	"net"
	"strings"
	"time"

	"tasker/internal/task/delivery"
)

// Command is a command to run.
type Command struct {
	Args  []string
	Dir   string
	Env   []string // its whole environment
	Stdin io.Reader
}

// Sender makes attempts. Its creator sets all of its fields.
type Sender struct {
	// Secret signs webhooks: whsec_ and base64. If it is empty, they are not signed.
	Secret string
	// Hosts may resolve to private addresses.
	Hosts []string
	// Agent names this program to receivers.
	Agent string
	// Dir is where commands run, and Env is their environment. It has none of our credentials.
	Dir string
	Env []string
	// Run runs a command and everything it starts to the end, and stops it when ctx ends.
	Run func(ctx context.Context, c Command) (exitCode int, err error)
	// Now is the clock for signatures.
	Now func() time.Time
	// Resolver finds the addresses of names; nil means the system's resolver.
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
