package calls

import (
	"tasker/internal/agent/run"
)

// Known returns the agents that are built in. Their texts are those of the versions that the page about agents names.
func Known() (Agents, error) {
	return Agents{}.With(Agents{
		{
			Name: "claude", Call: []string{"claude", "-p", "--allowedTools", "mcp__tasker", "--permission-mode", "acceptEdits"},
			Texts: []Text{
				{Class: run.Limit, Pattern: `^.{0,12}Claude (AI )?usage limit reached.*\|(?P<epoch>\d+)$`},
				{Class: run.Limit, Pattern: `^.{0,12}(you've hit your|claude|5-hour|weekly|opus|session|usage)\b.{0,40}\blimit\b.{0,40}\bresets? (at )?(?P<at>.+)$`},
				{Class: run.Limit, Pattern: `^.{0,12}you've hit your .{0,40}\blimit\b`},
				{Class: run.Limit, Pattern: `^.{0,12}API Error.{0,40}\b429\b`},
				{Class: run.Limit, Pattern: `^.{0,12}credit balance is too low`},
				{Class: run.Outage, Pattern: `^.{0,12}API Error.{0,40}(\b5\d\d\b|overloaded|connection|timed? ?out|fetch failed)`},
				{Class: run.Setup, Pattern: `^.{0,12}(not logged in|invalid api key|please run /login|.{0,40}· please run /login)`},
				{Class: run.Setup, Pattern: `^.{0,12}(API Error.{0,40}\b401\b|OAuth token (has expired|revoked)|there's an issue with the selected model)`},
			},
		},
		{
			Name: "codex", Call: []string{"codex", "exec", "--sandbox", "workspace-write"},
			Texts: []Text{
				{Class: run.Limit, Pattern: `^.{0,20}you've hit your usage limit\b.*\btry again in (?P<in>[^.]+)`},
				{Class: run.Limit, Pattern: `^.{0,20}you've hit your usage limit\b.*\btry again at (?P<at>[^.]+)`},
				{Class: run.Limit, Pattern: `^.{0,20}(you've hit your usage limit|quota exceeded|the usage limit has been reached)`},
				{Class: run.Limit, Pattern: `^ERROR:.{0,60}\b429\b`},
				{Class: run.Outage, Pattern: `^.{0,6}(ERROR|stream error):.{0,60}(\b5\d\d\b|stream disconnected|connection|timed? ?out|high demand|overloaded|at capacity)`},
				{Class: run.Setup, Pattern: `^.{0,6}ERROR:.{0,60}(\b401\b|not logged in|refresh token|model .{0,60}(not supported|does not exist|not found))`},
				{Class: run.Setup, Pattern: `^not inside a trusted directory`},
			},
		},
		{
			Name: "copilot", Call: []string{"copilot", "--allow-all-tools"}, Env: []string{"GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP=true"},
			Texts: []Text{
				{Class: run.Limit, Pattern: `^.{0,12}(sorry, )?you've (hit|reached|exceeded) .{0,20}\b(rate|usage|quota).{0,120}\btry again in (?P<in>[^.]+)`},
				{Class: run.Limit, Pattern: `^.{0,12}(sorry, )?you've (hit|reached|exceeded) .{0,20}\b(rate|usage|quota|limit)`},
				{Class: run.Limit, Pattern: `^.{0,40}(rate limit exceeded|you have no quota|"code":"rate_limited")`},
				{Class: run.Outage, Pattern: `^.{0,12}(execution|model call) failed:.{0,80}(\b5\d\d\b|failed to get response|connection|timed? ?out)`},
				{Class: run.Setup, Pattern: `^.{0,40}(no authentication information found|session was not created with authentication info|access denied by policy settings)`},
				{Class: run.Setup, Pattern: `^.{0,20}model .{0,60}(is not available|not found)`},
			},
		},
		{
			Name: "gemini", Call: []string{"gemini", "--approval-mode", "yolo"},
			Texts: []Text{
				{Class: run.Limit, Pattern: `^.{0,60}you have exhausted your (daily )?(capacity|quota)\b.*\breset after (?P<in>[^.]+)`},
				{Class: run.Limit, Pattern: `^.{0,60}you have exhausted your (daily )?(capacity|quota)\b`},
				{Class: run.Limit, Pattern: `^.{0,60}("status": ?"RESOURCE_EXHAUSTED"|resource has been exhausted|you exceeded your current quota)`},
				{Class: run.Limit, Pattern: `^.{0,20}API Error.{0,200}\b429\b`},
				{Class: run.Outage, Pattern: `^.{0,20}API Error.{0,200}(\b5\d\d\b|UNAVAILABLE|overloaded|fetch failed|ECONN|ETIMEDOUT)`},
				{Class: run.Setup, Pattern: `^.{0,20}(please set an auth method|invalid auth method|API key not valid|.{0,40}GEMINI_API_KEY environment variable not found)`},
				{Class: run.Setup, Pattern: `^.{0,60}(ModelNotFoundError|models/.{0,80} is not found)`},
			},
		},
		{
			Name: "opencode", Call: []string{"opencode", "run"},
			Texts: []Text{
				{Class: run.Limit, Pattern: `^.{0,6}Error: .{0,80}(rate limit|usage limit|quota|too many requests|\b429\b)`},
				{Class: run.Outage, Pattern: `^.{0,6}Error: .{0,80}(\b5\d\d\b|overloaded|unable to connect|ECONN|timed? ?out)`},
				{Class: run.Setup, Pattern: `^.{0,20}(ProviderModelNotFoundError|ProviderInitError|(Error: )?model not found)`},
				{Class: run.Setup, Pattern: `^.{0,6}Error: .{0,80}(api key|unauthorized|\b401\b|no provider)`},
			},
		},
	})
}
