// Package ui is the full-screen view of a project, for people at a terminal.
//
// It consists of a State, a function that takes a message and returns the next State and its effects (Update), and a
// function that draws a State (View). Neither function touches a terminal, a clock or a database: effects are values,
// which a program carries out through Operations, the few operations that the view uses. Those decide what is allowed;
// this package has no rules of its own.
package ui
