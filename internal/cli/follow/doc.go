// Package follow waits for events: Await tries again after every event that may make a difference, and Paint repaints a
// view after every event. Both wait by Until, which follows the log; neither polls.
package follow
