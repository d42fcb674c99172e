// Works through a task with a client whose types were generated from the OpenAPI document.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };

const [, , url, token] = process.argv;
const stranger = createClient<paths>({ baseUrl: url });
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

function want(ok: boolean, what: string, answer: unknown): asserts ok {
  if (!ok) throw new Error(`${what}: ${JSON.stringify(answer)}`);
}

const grammar = { project: "demo", title: "Write the grammar", criteria: ["It has every rule"] };
const refused = await stranger.POST("/tasks", { body: grammar });
want(refused.response.status === 401 && refused.error?.error === "unauthorized", "a write without the token", refused);

const first = await client.POST("/tasks", { body: grammar });
want(first.data?.id === "demo-1", "create", first);
for (let i = 0; i < 2; i++) { // the same key: the same task
  const second = await client.POST("/tasks", {
    params: { header: { "Idempotency-Key": "once" } },
    body: { project: "demo", title: "Write the parser", deps: ["demo-1"] },
  });
  want(second.data?.id === "demo-2" && second.data.deps.length === 1, "create", second);
}

for (const id of ["demo-1", "demo-2"]) {
  const next = await client.POST("/next", { body: { project: "demo", leaseMs: 600_000 } });
  want(next.data?.task?.id === id && next.data.claimed?.fence === 1, "next", next);
  if (id === "demo-1") {
    const declined = await client.POST("/tasks/{id}/transition", { params: { path: { id } }, body: { to: "done" } });
    want(declined.response.status === 422 && declined.error !== undefined && "missing" in declined.error && declined.error.missing.length > 0, "a move that is declined", declined);
    const ticked = await client.POST("/tasks/{id}/criteria", { params: { path: { id } }, body: { index: 1 } });
    want(ticked.data?.criteria[0]?.checked === true, "check", ticked);
  }
  const moved = await client.POST("/tasks/{id}/transition", { params: { path: { id } }, body: { to: "done" } });
  want(moved.data?.task?.status === "done", "move", moved);
}

const shown = await client.GET("/tasks/{id}", { params: { path: { id: "demo-2" } } });
want(shown.data?.task != null && shown.data.deps.length === 1, "show", shown);
const list = await client.GET("/tasks", { params: { query: { project: "demo", limit: 5 } } });
want(list.data?.total === 2 && list.data.tasks.length === 2, "list", list);
const events = await client.GET("/events", { params: { query: { project: "demo" } } });
want(events.data != null, "events", events);
const status: components["schemas"]["Task"]["status"] = shown.data.task.status;
console.log(`${shown.data.task.id} is ${status}`);
