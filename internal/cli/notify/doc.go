// Package notify holds the commands for deliveries of inbox items: what was sent, what failed, and what is still to
// send.
package notify
