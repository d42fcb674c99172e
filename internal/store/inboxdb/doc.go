// Package inboxdb reads what waits for people, and stores what they have put away and how far they have read.
package inboxdb
