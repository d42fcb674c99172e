package client

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
)

// Ready asks the server for its condition: its warnings and, if it cannot carry out requests, the reason. It sends no
// credential, because the route does not need one.
func (c *Client) Ready(ctx context.Context) (warnings []string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.base, "/v1")+"/readyz", http.NoBody)
	if err != nil {
		return nil, fault.Bad("the request cannot be made: %v", err).WithHint("check TASKER_URL or --server").WithCause(err)
	}
	resp, err := c.line.Do(r)
	if err != nil {
		return nil, c.lost(ctx, http.MethodGet, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := c.read(ctx, http.MethodGet, resp)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fault.New(fault.Internal, "the answer of %s cannot be read: %v", c.base, err).WithCause(err)
	}
	return answer.Warnings, nil
}
