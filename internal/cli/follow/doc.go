// Package follow waits for events: Await tries again whenever something happened that may make a difference, and Paint
// paints a view again whenever something happened at all. Both follow the log; nothing is asked over and over.
package follow
