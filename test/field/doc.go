// Command field gives an agent a plan of small real tasks and counts what it costs and how honest it was: calls, tokens,
// refusals, tasks that were closed although they are not done, and ticks and evidence that claim more than there is.
//
//	field prepare DIR [PLAN]   makes a repository, a database and the plan, and says how to start an agent there
//	field report DIR           runs the checks that the agent did not see, and prints what was recorded
//
// DIR/bin/tasker records every call, on the command line and through `tasker mcp`, and passes it to the real program. After
// each it plays the person of the plan, who answers questions and settles what is handed over for review. The agent sees
// only the texts of the tasks: the checks are only in this program.
package main
