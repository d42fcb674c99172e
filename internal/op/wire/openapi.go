package wire

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

// The parts of an OpenAPI 3.1 document that we use.
type (
	apiDocument struct {
		OpenAPI    string                       `json:"openapi"`
		Info       apiInfo                      `json:"info"`
		Servers    []apiServer                  `json:"servers"`
		Tags       []Tag                        `json:"tags"`
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
		Tags        []string                `json:"tags"`
		Summary     string                  `json:"summary"`
		Description string                  `json:"description,omitzero"`
		Security    []map[string][]string   `json:"security"`
		Parameters  []apiParam              `json:"parameters,omitzero"`
		RequestBody *apiBody                `json:"requestBody,omitzero"`
		Responses   map[string]*apiResponse `json:"responses"`
	}
	apiParam struct {
		Ref         string         `json:"$ref,omitzero"`
		Name        string         `json:"name,omitzero"`
		In          string         `json:"in,omitzero"`
		Description string         `json:"description,omitzero"`
		Required    bool           `json:"required,omitzero"`
		Example     any            `json:"example,omitzero"`
		Schema      strict.Members `json:"schema,omitzero"`
	}
	apiBody struct {
		Required bool                `json:"required,omitzero"`
		Content  map[string]apiMedia `json:"content"`
	}
	apiMedia struct {
		Schema  strict.Members `json:"schema"`
		Example any            `json:"example,omitzero"`
	}
	apiResponse struct {
		Ref         string              `json:"$ref,omitzero"`
		Description string              `json:"description,omitzero"`
		Content     map[string]apiMedia `json:"content,omitzero"`
	}
	apiComponents struct {
		Schemas         map[string]strict.Members `json:"schemas"`
		Responses       map[string]*apiResponse   `json:"responses"`
		Parameters      map[string]apiParam       `json:"parameters"`
		SecuritySchemes map[string]apiSecurity    `json:"securitySchemes"`
	}
	apiSecurity struct {
		Type   string `json:"type"`
		Scheme string `json:"scheme"`
	}
)

// Tag is a group that operations are listed in.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// OpenAPI returns the OpenAPI 3.1 document of the endpoints, each of which has a route. It is built on every call.
func OpenAPI(version string, tags []Tag, endpoints []*Endpoint) ([]byte, error) {
	doc := &apiDocument{
		OpenAPI: "3.1.0",
		Info: apiInfo{Title: "tasker", Version: version,
			Description: "A task graph service for people and agents. Bodies are JSON; names are matched exactly, and unknown ones are refused, " +
				"but for `actor` outside plans and task definitions: it is ignored, as the header " + WarningHeader + " of the answer says."},
		Servers: []apiServer{{"/v1"}},
		Tags:    tags,
		Paths:   map[string]map[string]*apiOp{},
	}
	ref, err := doc.components(endpoints)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		described, err := e.describe(ref)
		if err != nil {
			return nil, err
		}
		if doc.Paths[e.Path] == nil {
			doc.Paths[e.Path] = map[string]*apiOp{}
		}
		doc.Paths[e.Path][strings.ToLower(e.Method)] = described
	}
	out, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// components fills in what routes refer to, and returns the address of each struct type in it.
func (doc *apiDocument) components(endpoints []*Endpoint) (func(reflect.Type) string, error) {
	roots := []reflect.Type{reflect.TypeFor[Failure](), reflect.TypeFor[Unauthorized](), reflect.TypeFor[News]()}
	asked := []reflect.Type{}
	for _, e := range endpoints {
		roots = append(roots, e.Out)
		if e.bound().body != nil {
			asked = append(asked, e.In)
		}
	}
	types, err := components(append(roots, asked...))
	if err != nil {
		return nil, err
	}
	for _, t := range asked {
		delete(types, t.Name()) // written inline, at their only route
	}
	taken, err := components(asked)
	if err != nil {
		return nil, err
	}
	ref := func(t reflect.Type) string {
		if types[t.Name()] != t {
			return ""
		}
		return "#/components/schemas/" + t.Name()
	}
	doc.Components = apiComponents{
		Schemas:    map[string]strict.Members{},
		Responses:  map[string]*apiResponse{},
		Parameters: sharedParams(),
		SecuritySchemes: map[string]apiSecurity{
			"bearer": {Type: "http", Scheme: "bearer"},
		},
	}
	for name, t := range types {
		open := taken[name] != t // a part of a body refuses names that it does not list
		doc.Components.Schemas[name] = strict.Types{Open: open, Ref: ref}.Object(t).Schema()
	}
	for status, text := range failures {
		shape := reflect.TypeFor[Failure]()
		if status == fault.Unauthorized.Status() {
			shape = reflect.TypeFor[Unauthorized]()
		}
		content := jsonOf(answerSchema(shape, ref))
		doc.Components.Responses[strconv.Itoa(status)] = &apiResponse{Description: text, Content: content}
	}
	return ref, nil
}

// failures are the statuses that a route can return other than its success.
var failures = map[int]string{
	401: "unauthorized: the server has a token (or sessions), and the request does not carry it",
	403: "forbidden: the host or the site that the request comes from is not ours",
	404: "not_found: the project, task or record does not exist",
	409: "conflict: expectedVersion or fence no longer matches",
	410: "gone: the log was pruned, and begins after what was asked for",
	413: "too_large: the body is larger than its limit",
	422: "refusal: understood and declined (reason declined), or faulty in itself (reason invalid)",
	500: "internal: unexpected",
	503: "unavailable: not now; send it again with the same Idempotency-Key",
}

func sharedParams() map[string]apiParam {
	return map[string]apiParam{
		"idempotencyKey": {Name: "Idempotency-Key", In: "header",
			Description: "the same key with the same body returns the answer that it got before, for 24 hours",
			Schema:      strict.Members{{Name: "type", Value: "string"}, {Name: "minLength", Value: 1}, {Name: "maxLength", Value: 200}}},
		"instance": {Name: "Tasker-Instance", In: "header",
			Description: "which of the workers under the server's actor this is",
			Schema:      strict.Members{{Name: "type", Value: "string"}, {Name: "minLength", Value: 1}}},
	}
}

// describe returns the operation's entry.
func (e *Endpoint) describe(ref func(reflect.Type) string) (*apiOp, error) {
	b := e.bound()
	entry := &apiOp{
		OperationID: e.Name, Tags: []string{e.Tag}, Summary: e.Summary, Description: "Command: `tasker " + e.Command + "`",
		Security:  []map[string][]string{{}, {"bearer": {}}}, // a server without a token and without sessions requires none
		Responses: map[string]*apiResponse{},
	}
	for _, p := range b.path {
		entry.Parameters = append(entry.Parameters, e.parameter(p, "path"))
	}
	for _, p := range b.query {
		entry.Parameters = append(entry.Parameters, e.parameter(p, "query"))
	}
	entry.Parameters = append(entry.Parameters, apiParam{Ref: "#/components/parameters/instance"})
	content, err := e.answerContent(ref)
	if err != nil {
		return nil, err
	}
	entry.Responses[strconv.Itoa(e.Status)] = &apiResponse{Description: "done", Content: content}
	if b.dryRun >= 0 {
		entry.Responses["200"] = &apiResponse{Description: "what would be done", Content: content}
	}
	statuses := []int{401, 403, 404, 422, 500, 503}
	if e.takesBody() {
		body := e.bodySchema(ref)
		content := map[string]apiMedia{"application/json": {body, jsontext.Value(e.Example)}}
		entry.RequestBody = &apiBody{Required: body.Get("required") != nil, Content: content}
		entry.Parameters = append(entry.Parameters, apiParam{Ref: "#/components/parameters/idempotencyKey"})
		statuses = append(statuses, 409, 413)
	}
	for _, status := range statuses {
		code := strconv.Itoa(status)
		entry.Responses[code] = &apiResponse{Ref: "#/components/responses/" + code}
	}
	return entry, nil
}

// answerContent describes the answer, with an example.
func (e *Endpoint) answerContent(ref func(reflect.Type) string) (map[string]apiMedia, error) {
	example, err := e.answerExample()
	if err != nil {
		return nil, err
	}
	kind, schema := "application/json", answerSchema(e.Out, ref)
	if e.tells() {
		schema = strict.Members{{Name: "allOf", Value: []any{schema, answerSchema(reflect.TypeFor[News](), ref)}}}
	}
	switch {
	case e.Plain():
		kind = "text/plain"
	case e.Events:
		kind = "text/event-stream"
		schema = strict.Members{
			{Name: "description", Value: "events, each an Event as data with its id as id"}, {Name: "type", Value: "string"},
		}
	}
	return map[string]apiMedia{kind: {schema, example}}, nil
}

// tells reports whether the answer can include news, which requires an object.
func (e *Endpoint) tells() bool {
	return (e.Tells || e.Method == "POST") && pointed(e.Out).Kind() == reflect.Struct
}

// parameter describes a parameter; its description is next to its schema.
func (e *Endpoint) parameter(p param, in string) apiParam {
	schema := e.paramSchema(p)
	out := apiParam{Name: p.name, In: in, Required: p.required, Schema: schema, Example: p.example()}
	if words, ok := schema.Get("enum").([]any); ok {
		out.Example = words[0]
	}
	if about, ok := schema.Get("description").(string); ok {
		out.Description, out.Schema = about, schema[1:]
	}
	return out
}

func jsonOf(s strict.Members) map[string]apiMedia {
	return map[string]apiMedia{"application/json": {Schema: s}}
}
