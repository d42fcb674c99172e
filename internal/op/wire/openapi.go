package wire

import (
	"maps"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// The parts of an OpenAPI 3.1 document that we use.
type (
	apiDocument struct {
		OpenAPI    string                       `json:"openapi"`
		Info       apiInfo                      `json:"info"`
		Servers    []apiServer                  `json:"servers"`
		Paths      map[string]map[string]*apiOp `json:"paths"`
		Components apiComponents                `json:"components"`
	}
	apiInfo struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	apiServer struct {
		URL string `json:"url"`
	}
	apiOp struct {
		OperationID string                  `json:"operationId"`
		Summary     string                  `json:"summary"`
		Description string                  `json:"description,omitzero"`
		Security    []map[string][]string   `json:"security,omitzero"`
		Parameters  []apiParam              `json:"parameters,omitzero"`
		RequestBody *apiBody                `json:"requestBody,omitzero"`
		Responses   map[string]*apiResponse `json:"responses"`
	}
	apiParam struct {
		Ref         string             `json:"$ref,omitzero"`
		Name        string             `json:"name,omitzero"`
		In          string             `json:"in,omitzero"`
		Description string             `json:"description,omitzero"`
		Required    bool               `json:"required,omitzero"`
		Schema      *jsonschema.Schema `json:"schema,omitzero"`
	}
	apiBody struct {
		Required bool                `json:"required,omitzero"`
		Content  map[string]apiMedia `json:"content"`
	}
	apiMedia struct {
		Schema *jsonschema.Schema `json:"schema"`
	}
	apiResponse struct {
		Ref         string              `json:"$ref,omitzero"`
		Description string              `json:"description,omitzero"`
		Content     map[string]apiMedia `json:"content,omitzero"`
	}
	apiComponents struct {
		Schemas         map[string]*jsonschema.Schema `json:"schemas"`
		Responses       map[string]*apiResponse       `json:"responses"`
		Parameters      map[string]apiParam           `json:"parameters"`
		SecuritySchemes map[string]apiSecurity        `json:"securitySchemes"`
	}
	apiSecurity struct {
		Type   string `json:"type"`
		Scheme string `json:"scheme"`
	}
)

// OpenAPI returns the OpenAPI 3.1 document of the endpoints, each of which has a route. It is built on every call.
func OpenAPI(version string, endpoints []*Endpoint) ([]byte, error) {
	doc := &apiDocument{
		OpenAPI: "3.1.0",
		Info: apiInfo{Title: "tasker", Version: version,
			Description: "A task graph service for people and agents. Bodies are JSON; names are matched exactly, and unknown ones are refused."},
		Servers: []apiServer{{"/v1"}},
		Paths:   map[string]map[string]*apiOp{},
	}
	refs, err := doc.components(endpoints)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		described, err := e.describe(refs)
		if err != nil {
			return nil, err
		}
		if doc.Paths[e.Path] == nil {
			doc.Paths[e.Path] = map[string]*apiOp{}
		}
		doc.Paths[e.Path][methodName(e.Method)] = described
	}
	out, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func methodName(method string) string {
	if method == "POST" {
		return "post"
	}
	return "get"
}

// components fills what routes refer to, and returns a reference for each struct type among it.
func (doc *apiDocument) components(endpoints []*Endpoint) (map[reflect.Type]*jsonschema.Schema, error) {
	roots := []reflect.Type{reflect.TypeFor[Failure]()}
	asked := []reflect.Type{}
	for _, e := range endpoints {
		roots = append(roots, e.Out)
		if _, own := reflect.Zero(e.In).Interface().(bodyWriter); e.takesBody() && !own {
			asked = append(asked, e.In)
		}
	}
	types, err := components(append(roots, asked...))
	if err != nil {
		return nil, err
	}
	for _, t := range asked {
		delete(types, t.Name()) // written in place, at their one route
	}
	refs := map[reflect.Type]*jsonschema.Schema{}
	for name, t := range types {
		refs[t] = &jsonschema.Schema{Ref: "#/components/schemas/" + name}
	}
	taken, err := components(asked)
	if err != nil {
		return nil, err
	}
	c := apiComponents{
		Schemas:    map[string]*jsonschema.Schema{},
		Responses:  map[string]*apiResponse{},
		Parameters: sharedParams(),
		SecuritySchemes: map[string]apiSecurity{
			"bearer": {Type: "http", Scheme: "bearer"},
		},
	}
	for name, t := range types {
		others := maps.Clone(refs)
		delete(others, t)
		schema := answerSchema
		if taken[name] == t { // part of a body: what it does not list is refused
			schema = typeSchema
		}
		if c.Schemas[name], err = schema(t, others); err != nil {
			return nil, err
		}
	}
	for status, text := range failures {
		c.Responses[strconv.Itoa(status)] = &apiResponse{Description: text, Content: jsonOf(refs[reflect.TypeFor[Failure]()])}
	}
	doc.Components = c
	return refs, nil
}

// failures are the statuses that a route can answer besides its success.
var failures = map[int]string{
	401: "unauthorized: the server has a token (or sessions), and the request does not carry it",
	403: "forbidden: the host or the site that the request comes from is not ours",
	404: "not_found: the project, task or record does not exist",
	409: "conflict: expectedVersion or fence no longer matches",
	413: "too_large: the body is past its bound",
	422: "refusal: understood and declined (reason declined), or faulty in itself (reason invalid)",
	500: "internal: unexpected",
	503: "unavailable: not now; send it again with the same Idempotency-Key",
}

func sharedParams() map[string]apiParam {
	one, limit := 1, 200
	return map[string]apiParam{
		"idempotencyKey": {Name: "Idempotency-Key", In: "header",
			Description: "the same key with the same body answers what it answered before, for 24 hours",
			Schema:      &jsonschema.Schema{Type: "string", MinLength: &one, MaxLength: &limit}},
		"instance": {Name: "Tasker-Instance", In: "header",
			Description: "which of the workers under the server's actor this is",
			Schema:      &jsonschema.Schema{Type: "string", MinLength: &one}},
	}
}

// describe returns the operation's entry.
func (e *Endpoint) describe(refs map[reflect.Type]*jsonschema.Schema) (*apiOp, error) {
	b := e.bound()
	entry := &apiOp{OperationID: e.Name, Summary: e.Summary, Description: "Command: `tasker " + e.Command + "`", Responses: map[string]*apiResponse{}}
	for _, p := range b.path {
		s := e.paramSchema(p)
		entry.Parameters = append(entry.Parameters, apiParam{Name: p.name, In: "path", Required: true, Description: s.Description, Schema: plainly(s)})
	}
	for _, p := range b.query {
		s := e.paramSchema(p)
		entry.Parameters = append(entry.Parameters, apiParam{Name: p.name, In: "query", Required: p.required, Description: s.Description, Schema: plainly(s)})
	}
	entry.Parameters = append(entry.Parameters, apiParam{Ref: "#/components/parameters/instance"})
	answer, err := answerSchema(e.Out, refs)
	if err != nil {
		return nil, err
	}
	content := jsonOf(answer)
	if e.Plain() {
		content = map[string]apiMedia{"text/plain": {answer}}
	}
	if e.Events {
		content = map[string]apiMedia{"text/event-stream": {&jsonschema.Schema{Type: "string", Description: "events, each an Event as data with its id as id"}}}
	}
	entry.Responses[strconv.Itoa(e.Status)] = &apiResponse{Description: "done", Content: content}
	if b.dryRun >= 0 {
		entry.Responses["200"] = &apiResponse{Description: "what would be done", Content: content}
	}
	statuses := []int{403, 404, 422, 500, 503}
	if e.takesBody() {
		body, err := e.bodySchema(refs)
		if err != nil {
			return nil, err
		}
		entry.RequestBody = &apiBody{Required: len(body.Required) > 0, Content: jsonOf(body)}
		entry.Parameters = append(entry.Parameters, apiParam{Ref: "#/components/parameters/idempotencyKey"})
		entry.Security = []map[string][]string{{}, {"bearer": {}}}
		statuses = append(statuses, 401, 409, 413)
	}
	for _, status := range statuses {
		code := strconv.Itoa(status)
		entry.Responses[code] = &apiResponse{Ref: "#/components/responses/" + code}
	}
	return entry, nil
}

// plainly returns a schema without the description that its parameter has already.
func plainly(s *jsonschema.Schema) *jsonschema.Schema {
	c := *s
	c.Description = ""
	return &c
}

func jsonOf(s *jsonschema.Schema) map[string]apiMedia {
	return map[string]apiMedia{"application/json": {s}}
}
