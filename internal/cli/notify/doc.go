// Package notify holds the commands that show how people are told of inbox items, and send what is left.
package notify
