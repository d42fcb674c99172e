// Package inbox holds the commands for people who decide: what waits for them (inbox, estate), how things stand
// (overview, brief), and their approval.
package inbox
