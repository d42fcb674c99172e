// Package notify holds the commands for deliveries of inbox items: what was sent, what failed, and what is left to send.
package notify
