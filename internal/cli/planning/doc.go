// Package planning holds the commands that make and change plans: apply, add, edit and undo.
package planning
