// Command client works through a task with a client that was generated from the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"client/api"
)

func main() {
	ctx := context.Background()
	url, token := os.Args[1], os.Args[2]
	stranger, err := api.NewClientWithResponses(url)
	check(err)
	c, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	check(err)

	project := "demo"
	one := api.CreateJSONRequestBody{Project: &project, Title: "Write the grammar", Criteria: &[]string{"It has every rule"}}
	refused, err := stranger.CreateWithResponse(ctx, nil, one)
	check(err)
	want(refused.JSON401 != nil && refused.JSON401.Error == "unauthorized", "a write without the token: %s", refused.Body)

	first, err := c.CreateWithResponse(ctx, nil, one)
	check(err)
	want(first.JSON201 != nil && first.JSON201.Id == "demo-1", "create: %s", first.Body)
	key := api.IdempotencyKey("once")
	two := api.CreateJSONRequestBody{Project: &project, Title: "Write the parser", Deps: &[]string{"demo-1"}}
	for range 2 { // the same key: the same task
		second, err := c.CreateWithResponse(ctx, &api.CreateParams{IdempotencyKey: &key}, two)
		check(err)
		want(second.JSON201 != nil && second.JSON201.Id == "demo-2" && len(second.JSON201.Deps) == 1, "create: %s", second.Body)
	}

	lease := 600_000
	for _, id := range []string{"demo-1", "demo-2"} {
		next, err := c.NextWithResponse(ctx, nil, api.NextJSONRequestBody{Project: project, LeaseMs: &lease})
		check(err)
		want(next.JSON200 != nil && next.JSON200.Task != nil && next.JSON200.Task.Id == id, "next: %s", next.Body)
		want(next.JSON200.Claimed != nil && next.JSON200.Claimed.Fence == 1, "next: %s", next.Body)
		move := api.MoveJSONRequestBody{To: "done"}
		if id == "demo-1" {
			declined, err := c.MoveWithResponse(ctx, id, nil, move)
			check(err)
			want(declined.JSON422 != nil && len(declined.JSON422.Missing) > 0, "a move that is declined: %s", declined.Body)
			move.Check = &[]int{1}
		}
		moved, err := c.MoveWithResponse(ctx, id, nil, move)
		check(err)
		want(moved.JSON200 != nil && moved.JSON200.Task.Status == "done", "move: %s", moved.Body)
	}

	shown, err := c.ShowWithResponse(ctx, "demo-2", nil)
	check(err)
	want(shown.JSON200 != nil && shown.JSON200.Task.ClosedAt != nil && len(shown.JSON200.Deps) == 1, "show: %s", shown.Body)
	limit := 5
	list, err := c.ListWithResponse(ctx, &api.ListParams{Project: &project, Limit: &limit})
	check(err)
	want(list.JSON200 != nil && list.JSON200.Total == 2 && len(list.JSON200.Tasks) == 2, "list: %s", list.Body)
	events, err := c.EventsWithResponse(ctx, &api.EventsParams{Project: &project})
	check(err)
	want(events.JSON200 != nil, "events: %s", events.Body)
	fmt.Println(shown.JSON200.Task.Id, "is", shown.JSON200.Task.Status)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func want(ok bool, format string, args ...any) {
	if !ok {
		log.Fatalf(format, args...)
	}
}
