// Written by `tasker setup opencode`: the shell of the agent acts under the agent's name, the agent reads how to work here,
// and tasker hears of the moments in its life.
import { spawn } from "node:child_process"

const hook = (event, session, cwd) =>
  new Promise((resolve) => {
    let out = ""
    const child = spawn(PROGRAM, ["hook", event, ARGS], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(out))
    child.stdout.on("data", (data) => (out += data))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ session_id: session ?? "" }))
  })

export const Tasker = async ({ client, directory }) => {
  const manual = new Map() // by session
  return {
    "shell.env": async (input, output) => {
      SET
      if (input.sessionID) output.env.TASKER_AGENT_SESSION = input.sessionID
    },
    "experimental.chat.system.transform": async (input, output) => {
      const id = input.sessionID
      if (!id) return
      if (!manual.has(id)) manual.set(id, await hook("start", id, directory))
      if (manual.get(id)) output.system.push(manual.get(id))
    },
    "experimental.session.compacting": async (input) => {
      manual.delete(input.sessionID ?? "")
    },
    "tool.execute.after": async (input) => {
      await hook("beat", input.sessionID, directory)
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") {
        const id = event.properties.sessionID
        const text = await hook("stop", id, directory)
        if (text) await client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text }] } }).catch(() => {})
      }
      if (event.type === "session.deleted") {
        manual.delete(event.properties.info.id)
        await hook("end", event.properties.info.id, directory)
      }
    },
  }
}
