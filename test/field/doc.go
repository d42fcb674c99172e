// Command field puts an agent to a plan of twenty small real tasks and counts what that costs: calls, tokens, refusals, and
// tasks that were closed although they are not done.
//
//	field prepare DIR   makes a repository, a database and the plan, and says how to start an agent there
//	field report DIR    runs the checks that the agent did not see, and prints what was recorded
//
// DIR/bin/tasker records every call, on the command line and through `tasker mcp`, and hands it to the real program. What an
// agent is told are the tasks' own words: the checks stand in this program alone.
package main
