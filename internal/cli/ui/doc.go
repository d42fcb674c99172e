// Package ui is the full-screen view of a project, for people at a terminal.
//
// It is a State, a function that takes a message to the next State and the effects it asks for (Update), and a function that
// draws a State (View). Neither touches a terminal, a clock or a database: effects are values, which a program carries out through
// Operations, the few operations that the view uses. What may be done is decided there; this package has no rule of its own.
package ui
