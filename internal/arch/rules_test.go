package arch_test

// module is the module's path; the rules name packages without it and without "internal/".
const module = "tasker"

// rule says what one package, or one family of packages, may import from this module. A new package is added here with a
// reason, or the test fails: its place in the picture is a decision.
type rule struct {
	pkg string   // "store" or, for a package and all below it, "workspace/env/..."
	may []string // from this module, directly; entries are patterns too
	why string
}

var (
	pure = []string{
		"fault", "views/picture/forecast", "glob", "task", "task/delivery", "task/drift", "task/waiting", "task/merge", "event/news",
		"task/proven", "task/query", "event/rewind", "event/eventtext", "event/undo",
		"child/purpose", "graph", "graph/layout", "plan", "transfer/importer", "transfer/exporter", "config", "config/format", "hint", "strict", "text/words",
	}
	// features are the packages of operations, which faces, the table and the wiring may import.
	features = []string{"admin", "asof", "bundle", "inbox", "landing", "links", "notify", "views/picture", "planning", "views/reading", "work", "workspace"}
	// stored is what an operation may import to read and write records.
	stored = append([]string{"store", "store/inboxdb", "store/linkdb", "store/notifydb"}, pure...)
	inner  = append(append([]string{"op/summary", "core", "policy", "op", "op/wire", "search", "bundle", "views/prime"}, features...), pure...)

	// family is what a package of commands may import.
	family = append([]string{"cli/term", "cli/frame", "cli/follow", "cli/render", "unfinished"}, inner...)
)

// rules is the picture of the architecture, from the bottom up. Arrows that are not here are forbidden.
var rules = []rule{
	{"fault", nil, "every package returns its errors, so it can know none of them"},
	{"child/tail", nil, "the end of a text is the same whatever it is of"},
	{"text/markdown", nil, "a reader of texts knows no records, and makes no HTML"},
	{"text/linediff", nil, "a comparison of lines knows no files"},
	{"glob", nil, "what a path glob can match is a question about text alone"},
	{"text/words", nil, "how a message says things is the same for all, and knows none of them"},
	{"hint", []string{"fault", "strict", "text/words"}, "what a hint can say to do is declared once, for every layer that refuses"},
	{"strict", []string{"fault", "text/words"}, "what a document may hold is declared by its reader; this reads by any declaration, and writes what a record lists"},
	{"task", []string{"fault", "hint", "strict", "text/words"}, "the rules of a task hold whatever documents, graphs and settings there are"},
	{"task/delivery", []string{"task", "task/waiting", "text/words"}, "what becomes of a message is decided without a network or a database"},
	{"event/news", []string{"task", "text/words"}, "what an event says is decided by the event alone"},
	{"event/eventtext", []string{"task", "task/proven", "text/words"}, "an event reads the same on every face, whatever shows it"},
	{"task/drift", []string{"task"}, "two fingerprints are compared without a file or a database"},
	{"task/proven", []string{"fault", "hint", "task", "text/safetext", "text/words"}, "what evidence that was run says is a value of the domain"},
	{"task/waiting", []string{"fault", "hint", "task", "task/merge", "text/words"}, "what waits for people has one name, in the code that finds it and in the code that shows it"},
	{"task/merge", []string{"fault", "task", "text/words"}, "how the changes of two systems become one is decided without either of them"},
	{"task/query", []string{"graph", "task"}, "what is asked of a store is values of the domain, and the graph of a project"},
	{"unfinished", nil, "a file is locked and swept the same whatever it will be"},
	{"transfer/backup", []string{"fault", "unfinished"}, "a file is whole or not, whatever database it is of"},
	{"event/rewind", []string{"task", "task/query"}, "what was there before follows from the events and the tasks as they are"},
	{"event/undo", []string{"task", "text/words"}, "what undoes an event follows from the event and the task as it is"},
	{"graph", []string{"fault"}, "algorithms over ids and edges alone can be tested and measured without tasks"},
	{"views/picture/forecast", []string{"task"}, "how long the rest takes is worked out from spans and edges alone, with a seed that is given"},
	{"graph/layout", []string{"graph"}, "a drawing is made of nodes and edges; what they stand for is known to the code that shows it"},
	{"plan", []string{"fault", "glob", "task", "task/proven", "task/query", "graph", "strict", "text/words"},
		"a document is checked against the domain, its graph and how globs are written, not against a database"},
	{"transfer/exporter", []string{"fault", "plan", "strict", "task", "task/query", "text/words"}, "tasks become text, wherever they are stored"},
	{"transfer/importer", []string{"fault", "plan", "task", "task/query", "text/words"}, "what another tool wrote becomes a plan, whatever is stored"},
	{"config/format", []string{"fault", "glob", "hint", "task", "strict", "text/words"}, "the declaration of the file can be checked without a file"},
	{"config", []string{"config/format", "fault", "hint", "strict", "task", "text/linediff", "text/words"}, "settings speak in the domain's words and are read " +
		"before there is a store"},
	{"text/safetext", nil, "what a model may be shown of a text is decided in one place, which everything that writes for models imports"},
	{"search", []string{"fault", "task"}, "tokens and scores are plain functions, so that both databases answer alike"},
	{"bundle/tokens", nil, "tokens are estimated the same whatever they are of"},
	{"views/prime", append([]string{"bundle/tokens", "text/safetext"}, pure...), "the manual is text made from what core hands over"},

	{"core", append([]string{"search", "db"}, stored...), "what every operation shares: it knows the domain and the store's transaction, db alone to say " +
		"for whom a turn is, and the rest of the world only through the interfaces it declares"},
	{"policy", append([]string{"core"}, stored...), "who may do what, and what counts, is decided in one place for every operation"},
	{"bundle", append([]string{"event/rewind", "bundle/tokens", "core", "policy", "search", "workspace"}, stored...),
		"what a worker must know is composed and cut in one place, for a claim and for a look"},
	{"work", append([]string{"core", "policy", "bundle"}, stored...), "the loop of a worker: it reads no more than it needs to decide, " +
		"and knows no other service"},
	{"planning", append([]string{"core", "policy"}, stored...), "documents become tasks by the rules of the domain alone"},
	{"workspace", append([]string{"core", "db", "store/rows", "workspace/env/envtext"}, stored...), "its rules, its queries and its record; what it does on a disk is done by workspace/machine"},
	{"landing", append([]string{"core", "db", "policy", "workspace"}, stored...), "what can land, in what order and why not is one rule for commands, counts and pages; what it does to a repository is not known here"},
	{"links", append([]string{"core", "policy"}, stored...), "what another system said is merged by the rules of the domain; what asked it is not known here"},
	{"admin", append([]string{"core", "policy", "workspace", "store/dump", "store/recount"}, stored...), "projects, settings and sessions are changed by the operator"},
	{"asof", append([]string{"core"}, stored...), "what was is read as what is, by reads of its own"},
	{"core/cache", []string{"task"}, "what is cached, and for how long, is known to the read that computes it"},
	{"views/reading/pressure", []string{"graph", "task", "task/query"}, "what holds up how much is counted without a database"},
	{"views/reading/roots", []string{"graph", "store", "task", "task/query"}, "which blocker is named is one rule for every face, over a snapshot of what waits for what"},
	{"views/reading", append([]string{"core", "core/cache", "views/reading/pressure", "views/reading/roots", "policy", "workspace", "landing", "asof", "bundle", "search", "views/prime"}, stored...),
		"reads write nothing and have no rule of their own"},
	{"inbox", append([]string{"core", "asof", "views/reading", "bundle", "workspace", "landing"}, stored...), "what waits for people, with the proof that reading gives and the branch " +
		"that a workspace is on"},
	{"notify", append([]string{"core", "inbox"}, stored...), "people are notified of the items that inbox lists"},
	{"views/picture", append([]string{"core", "core/cache", "asof", "bundle", "views/reading/roots"}, stored...), "pictures are reads with a layout"},
	{"app/services", append([]string{"core"}, features...), "one of each service, for callers that need all of them"},
	{"op/wire", append(append([]string{"core", "bundle"}, features...), pure...), "the types of inputs and outputs say how they travel; it knows neither " +
		"the table nor a face"},
	{"op", append(append([]string{"core", "views/prime", "op/wire"}, features...), pure...), "the table binds the services and knows no face"},

	{"op/summary", append(append([]string{"core", "bundle", "search"}, features...), pure...), "what a reader with a budget is told is the same on every face; it knows none"},

	{"workspace/machine", append([]string{"child/tail", "core", "workspace", "workspace/env/envtext", "git/worktree"}, pure...), "a workspace is made of work trees, and the service of workspaces " +
		"keeps its record: the table of operations is for faces; the commands that it runs are handed to it"},
	{"workspace/kept", append([]string{"workspace", "unfinished"}, pure...), "a machine keeps the records of workspaces by the rules of their service; the server is behind functions"},
	{"agent/run", append([]string{"bundle", "core", "views/reading", "work", "op/wire", "text/safetext"}, pure...),
		"a worker's loop is handed the operations, here or through a server, and the command that it runs"},
	{"agent/calls", append([]string{"agent/run"}, pure...), "what agents print is classed for the loop that runs them"},
	{"agent/setup", []string{"fault", "text/linediff", "hint", "text/words"}, "edits of an agent's files are text in and text out; who calls it shows them, asks and writes"},
	{"cli/term", []string{"text/safetext"}, "what makes text harmless knows nothing of what the text says"},
	{"cli/shape", append([]string{"cli/term"}, inner...), "an answer is formed from its JSON, whichever command gave it"},
	{"cli/frame", append([]string{"cli/term", "cli/shape", "unfinished", "workspace/kept"}, inner...), "what every command shares knows no command; app hands it the rest"},
	{"cli/follow", append([]string{"cli/frame"}, inner...), "waiting is the same for every command that waits"},
	{"cli/render", append([]string{"cli/frame", "cli/term", "text/markdown"}, inner...), "how a record looks is the same whichever command shows it"},
	{"cli/planning", family, "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/transfer", family, "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/work", append([]string{"cli/workspace", "child/tail"}, family...),
		"a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/reading", append([]string{"cli/workspace", "text/linediff"}, family...),
		"a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/inbox", append([]string{"cli/workspace"}, family...), "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/agent", append([]string{"cli/workspace", "agent/calls", "agent/run", "agent/setup", "child/tail", "workspace/machine"}, family...),
		"a command fills In, calls the operation and renders Out; here it also runs agents and sets them up"},
	{"cli/workspace", append([]string{"child/tail", "workspace/env/envtext", "workspace/kept", "workspace/machine"}, family...),
		"a command fills In, calls the operation and renders Out; here it also has workspaces made, for other families too"},
	{"cli/ui", append([]string{"cli/workspace"}, family...), "what its keys do goes through operations, as commands do it"},
	{"cli/notify", family, "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/links", family, "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli/admin", family, "a command fills In, calls the operation and renders Out; families are blind to one another"},
	{"cli", append([]string{
		"cli/planning", "cli/transfer", "cli/work", "cli/workspace", "cli/reading", "cli/inbox", "cli/agent", "cli/admin", "cli/links",
		"cli/notify", "cli/ui",
	}, family...), "the root puts the families together, and knows what is said where no command is given"},
	{"telemetry", []string{"fault"}, "numbers are counted and spans are sent the same whatever they are of"},
	{"server/httpapi", append([]string{"telemetry"}, inner...), "a face is derived from the table; it knows no store and no other face"},
	{"client", append([]string{"site"}, inner...), "the client is the table over HTTP and shares no code with the server but the table"},
	{"server/mcp", append([]string{"text/safetext"}, inner...), "a face is derived from the table; it knows no store and no other face"},
	{"server/web", append([]string{"text/markdown", "text/safetext", "views/picture/chart"}, inner...), "the pages show what operations answer and derive nothing from a store"},
	{"views/picture/chart", []string{"views/picture", "views/picture/forecast", "task", "text/safetext"}, "what operations answered is placed on a chart"},
	{"sync/syncer", append([]string{"sync/codehost", "core", "links", "planning", "site", "telemetry", "sync/tracker", "unfinished"}, pure...),
		"it merges through the service of links, so that no rule is bypassed; the table of operations is for faces"},

	{"db", []string{"fault", "hint", "search"}, "turns, connections and migrations serve any records and know none; search says what a word is"},
	{"db/sqlite", []string{"db", "fault", "hint", "search"}, "an engine plugs into the shared SQL"},
	{"db/postgres", []string{"db", "fault", "hint", "search"}, "an engine plugs into the shared SQL"},
	{"store/rows", []string{"db", "fault", "task"}, "how a record becomes a row is known apart from who reads and writes it"},
	{"store/frontier", []string{"db", "store/rows", "task", "task/query"},
		"where tasks stand is maintained and walked by keys; the records say what has changed"},
	{"store", append([]string{"db", "store/rows", "store/frontier", "search"}, pure...),
		"one transaction type, and with every change what follows from it: events, places, counts, lapsed leases"},
	{"store/notifydb", append([]string{"db", "store"}, pure...), "the queries of one feature are functions over the transaction"},
	{"store/linkdb", append([]string{"db", "search", "store", "store/rows"}, pure...), "the queries of one feature are functions over the transaction"},
	{"store/inboxdb", append([]string{"db", "store", "store/rows"}, pure...), "the queries of one feature are functions over the transaction"},
	{"store/recount", append([]string{"db", "store", "store/frontier", "store/rows"}, pure...), "it reads what the records maintain"},
	{"store/dump", append([]string{"db", "store", "store/recount"}, pure...), "whole records are copied by the schema, whatever they are"},
	{"store/migrations", nil, "files alone"},
	{"git", append([]string{"git/command"}, pure...), "adapters are blind to one another; app wires them"},
	{"git/command", []string{"child", "child/purpose", "child/tail", "fault"}, "how git is run is the same whether it looks or changes something"},
	{"git/worktree", append([]string{"git/command"}, pure...), "what changes a repository is apart from what only looks at it"},
	{"child/purpose", nil, "what a process is given of ours follows from what it is for, and from the environment alone"},
	{"child", []string{"child/purpose", "fault"}, "it starts processes, and knows of what they are for only what they are given"},
	{"workspace/ports", pure, "adapters are blind to one another; app wires them"},
	{"workspace/env/envtext", []string{"fault", "text/words"}, "how variables are written is a question about text alone"},
	{"workspace/env/fetch", []string{"fault", "site", "text/words"}, "it asks any server, and knows nothing of what it is asked for"},
	{"testkit/providertest", append([]string{"child", "git/command", "workspace/env/provider", "workspace/env/fetch"}, pure...), "asks single providers, for the tests of each"},
	{"workspace/env/...", append([]string{"workspace/env/provider", "workspace/env/envtext", "workspace/env/fetch", "child/tail", "site"}, pure...), "a provider knows the interface and no other provider"},
	{"site", []string{"fault", "hint", "telemetry", "text/words"}, "it asks any system, and knows nothing of what it is asked for"},
	{"testkit/o200k", nil, "it counts the tokens of any text"},
	{"testkit/fakesite", nil, "it knows no protocol"},
	{"sync/tracker", append([]string{"site"}, pure...), "what is needed of a tracker, whichever it is"},
	{"testkit/jiratest", []string{"testkit/fakesite"}, "a stand-in is made after its documentation, not after the client that it tests"},
	{"sync/jira", append([]string{"sync/tracker", "site"}, pure...), "a system knows the interface and no other system"},
	{"sync/codehost", pure, "what is needed of a code host, whichever it is"},
	{"testkit/forgetest", []string{"testkit/fakesite"}, "a stand-in is made after its documentation, not after the client that it tests"},
	{"sync/forge", append([]string{"sync/codehost", "sync/tracker", "site"}, pure...), "a system knows the interfaces and no other system; its issues are a tracker"},
	{"notify/channel", append([]string{"site"}, pure...), "channels get what core queued for them, and know no queue"},

	{"notify/dispatch", append([]string{"notify", "notify/channel", "child", "core", "store", "telemetry"}, pure...),
		"it runs for as long as a process does; notify decides what is due, and channels make the attempt"},
	{"app", append([]string{
		"app/services", "policy", "transfer/backup", "transfer/exporter", "workspace/env/provider", "task/query", "unfinished",
		"core", "op", "op/wire", "search", "bundle", "views/prime", "fault", "task", "graph", "graph/layout", "plan", "config", "config/format", "text/words",
		"cli/frame", "server/httpapi", "client", "server/mcp", "server/web", "sync/syncer",
		"db", "store", "db/sqlite", "db/postgres", "telemetry", "git", "git/command", "glob", "hint", "task/drift", "child", "child/purpose", "workspace/ports", "task/merge",
		"workspace/env/...", "site", "sync/tracker", "sync/forge", "sync/jira", "notify/dispatch",
	}, features...), "the one place that knows the concrete parts"},
	{"cmd/tasker", []string{"app", "cli", "cli/frame"}, "main ends the process with what the command line answers, and does nothing else"},

	{"testkit/dbtest/pg", []string{"testkit/dbtest/pgserver", "db", "db/postgres", "store"}, "it makes the database that the tests' databases are copied from"},
	{"testkit/dbtest/...", []string{"testkit/dbtest/pgserver"}, "a database per test; it must serve the tests of every package, so it imports none of them"},
	{"db/dbconform", []string{"db", "db/sqlite", "db/postgres", "testkit/dbtest", "fault"}, "what turns promise is tested on every engine, with tables of its own"},
	{"testkit/storetest", []string{"db", "db/sqlite", "db/postgres", "store", "task"}, "a store per test, over either database"},
	{"testkit/coretest", append(append([]string{"app/services", "policy", "sync/forge", "core", "bundle", "db", "db/sqlite", "db/postgres", "testkit/dbtest", "testkit/storetest", "store", "sync/jira"}, features...), pure...),
		"every service over a database per test; app would bring the faces with it"},
	{"testkit/optest", append(append([]string{"op", "core", "bundle"}, features...), pure...), "inputs and outputs of every operation, for the tests of every face"},
	{"task/field", nil, "it reads the source of other packages and imports none, so that it can write what they need to compile"},
	{"task/field/gen", []string{"task/field"}, "it writes what task/field makes"},
	{"arch", nil, "it reads the source and runs none of it"},
	{"bench/...", []string{"..."}, "measures every layer; nothing depends on it"},
	{"test/...", []string{"..."}, "drives the built program; nothing depends on it"},
	{"packaging/...", []string{"app", "cli", "agent/setup"}, "it makes what is released, the manual from the commands, plugins from what setup writes"},
}

// testOnly packages are imported only by tests and by each other, never by shipped code.
var testOnly = []string{
	"task/field/...", "testkit/...", "db/dbconform", "testkit/storetest", "testkit/coretest", "testkit/optest",
	"arch", "bench/...", "packaging/...",
	"test/...",
}

// ban forbids packages the imports that would break a promise that other code relies on.
type ban struct {
	imports []string // patterns for import paths
	from    []string // patterns
	why     string
}

var bans = []ban{
	{
		imports: []string{"os/...", "io/ioutil", "net", "net/http/...", "database/sql/...", "syscall", "log/...", "math/rand/...", "crypto/rand"},
		from:    pure,
		why:     "the domain is pure: the same input gives the same answer, without a disk, a network, a clock or a die",
	},
	{
		imports: []string{"os/...", "net", "database/sql/...", "syscall", "math/rand/..."},
		from:    append([]string{"core", "op", "op/wire", "search", "bundle", "views/prime"}, features...),
		why:     "operations reach the world through the interfaces of core, and an operation that runs twice decides the same",
	},
	{
		imports: []string{"net/http/..."},
		from:    append([]string{"core", "search", "bundle", "views/prime"}, features...), // op names methods and statuses, so it may
		why:     "an operation does not know that there is HTTP",
	},
}

// exception allows one file what is banned for its package, including the clock.
type exception struct {
	file    string // "config/options.go"
	imports []string
	clock   bool
	why     string
}

var exceptions = []exception{
	{
		file:    "config/options.go",
		imports: []string{"os"},
		clock:   true,
		why:     "FromOS gathers the process's directory, environment, files and clock; the rest of config is handed them",
	},
}

// home names the only packages that may import a dependency, so that it can be replaced.
type home struct {
	path string
	in   []string
	why  string
}

var homes = []home{
	{"zombiezen.com/go/sqlite", []string{"db/sqlite"}, "the driver is behind Conn"},
	{"modernc.org/sqlite", []string{"db/sqlite"}, "the engine is behind Conn"},
	{"github.com/jackc/pgx", []string{"db/postgres", "testkit/dbtest", "testkit/dbtest/pg"}, "the driver is behind Conn; dbtest makes and drops schemas with it"},
	{"github.com/spf13/cobra", []string{"cli/..."}, "the command line is one face among four"},
	{"github.com/clipperhouse/displaywidth", []string{"cli/term"}, "how wide a text is shown is for the terminal to know"},
	{"charm.land/bubbletea", []string{"cli/ui"}, "one view draws the whole screen"},
	{"github.com/charmbracelet/colorprofile", []string{"cli/ui"}, "it tells bubbletea which colours we use"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"server/mcp"}, "the protocol's SDK is behind one face"},
	{"github.com/tiktoken-go/tokenizer", []string{"testkit/o200k"}, "the vocabulary is large: the program estimates, and tests count"},
	{"github.com/agnivade/levenshtein", []string{"text/words"}, "what is near enough to be a slip is decided once"},
	{"github.com/aws/aws-sdk-go-v2", []string{"workspace/env/awssm"}, "the signer of AWS is behind one provider; of its SDK nothing else is here"},
	{"os/exec", []string{"child", "testkit/dbtest/...", "packaging/..."}, "processes are started by one door, which decides what of ours they are given"},
	{"html/template", []string{"server/web", "server/httpapi"}, "pages are written by the one package that escapes for their context"},
	{"text/template", []string{"packaging/...", "cli/shape", "task/field"}, "it escapes nothing, and stored text is hostile; what a user's template " +
		"makes of an answer is made inert by the Terminal, and what is generated is made of our own declarations"},
	{"github.com/itchyny/gojq", []string{"cli/shape"}, "the language of --jq is behind Shape"},
	{"testing", []string{"testkit/dbtest", "db/dbconform", "testkit/storetest", "testkit/coretest", "testkit/optest", "testkit/providertest",
		"test/..."},
		"a program that is shipped carries no test framework"},
}

// clockless packages are given the time: a turn's now, never the machine's.
var clockless = append([]string{"fault", "task", "graph", "plan", "config", "search", "bundle", "views/prime", "core", "op", "op/wire"}, features...)
