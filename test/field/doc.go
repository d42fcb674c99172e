// Command field gives an agent a plan of twenty small real tasks and counts the cost: calls, tokens, refusals, and tasks
// that were closed although they are not done.
//
//	field prepare DIR   makes a repository, a database and the plan, and says how to start an agent there
//	field report DIR    runs the checks that the agent did not see, and prints what was recorded
//
// DIR/bin/tasker records every call, on the command line and through `tasker mcp`, and passes it to the real program. The
// agent sees only the texts of the tasks: the checks are only in this program.
package main
