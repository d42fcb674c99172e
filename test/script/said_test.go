package script_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/test/program"
)

// promise is what the pages say about refusals and closings, sentence by sentence, and how that is tested: by lines of sh,
// or by a test that does it already.
type promise struct {
	says []string
	run  string // with what setting declares
	by   string // or: the file of a test
	line string // and a line of it
}

// triedPages are the pages whose sentences about refusals and closings are all tried.
var triedPages = []string{"docs/guide.md", "docs/concepts.md", "docs/agents.md", "docs/comparison.md"}

// aRule matches a sentence that says what is refused, or what closes a task.
var aRule = regexp.MustCompile(`(?i)refus|declin|\bclos(?:e|es|ed|ing)\b|cancels`)

// setting is what the lines of a promise begin with: a project that declares ann, and a bot that nobody declares. want runs a
// command that must end with a code, and print words.
const setting = `
ann() { TASKER_ACTOR=ann tasker "$@"; }
bot() { TASKER_ACTOR=bot tasker "$@"; }
want() {
	code=$1 words=$2; shift 2
	said=$("$@" 2>&1) && ended=0 || ended=$?
	if [ $ended != $code ]; then echo "$* ended with $ended: $said"; exit 1; fi
	case $said in *"$words"*) ;; *) echo "$* does not say '$words': $said"; exit 1;; esac
}
cat > .tasker.json <<'CONFIG'
{"version": 1, "project": "shop", "actors": [{"name": "ann", "kind": "human"}],
 "gates": {"ship": ["report"], "tested": ["$ sh test.sh"]}}
CONFIG
echo 'test -e works' > test.sh
cat > plan.json <<'PLAN'
{"project": "shop", "tasks": [
 {"key": "free", "title": "Free"},
 {"key": "asked", "title": "Asked", "criteria": ["one", "two"], "gate": "ship"},
 {"key": "run", "title": "Run", "criteria": ["it works"], "gate": "tested"},
 {"key": "first", "title": "First"},
 {"key": "later", "title": "Later", "deps": ["first"]},
 {"key": "epic", "title": "Epic"},
 {"key": "part", "title": "Part", "parent": "epic"},
 {"key": "watched", "title": "Watched", "autonomy": "supervised"}]}
PLAN
ann apply -f plan.json --quiet
`

var promises = []promise{
	{
		says: []string{
			"`done` is refused while anything is missing, and one refusal names all of it.",
			"`done` is refused while anything is missing: unticked criteria, evidence that the task's gate asks for, approvals, a note where the configuration wants one.",
			"One refusal names all of it.",
			"A refusal of `done` counts and lists all that is missing.",
		},
		run: `
echo '{"execution": {"requireApproval": [{"actor": "ann"}]}, "agentDefaults": {"requireNoteOnDone": true}}' > .tasker.local.json
want 3 "criterion 2: two" bot done asked
for missing in "criterion 1: one" "evidence report" "approval" "note" "2 criteria"; do want 3 "$missing" bot done asked; done`,
	},
	{
		says: []string{
			"If the move is declined, its ticks, evidence and note are kept, and the refusal says which.",
			"The task stays open, and the ticks, evidence and note that came with the call are kept: send only what is missing.",
		},
		run: `
want 3 "recorded all the same: criterion 1, evidence report, note" bot done asked --check 1 --evidence report=r --note n
want 0 false bot show asked --jq '.task.criteria[1].checked, (.notes | length), .task.status'
bot done asked --check 2`,
	},
	{
		says: []string{
			"`init` declares you as a human in `.tasker.json`, and the command that tests this repository as the gate `tested`: a task with that gate closes when `make test` has been run for it and has passed.",
			"A run that fails is not recorded:",
		},
		run: `
want 3 "evidence \$ sh test.sh" bot done run --check 1
want 1 "proves nothing" bot prove run
want 0 "[]" bot show run --jq '.evidence'
touch works; bot prove run; bot done run`,
	},
	{
		says: []string{
			"`tasker prove ID` runs every line of the gate that is missing, is stale or does not count, and says why: each by `sh` in the directory of that file, and only a run of exactly this line, with exit code 0, meets the gate: nothing that is typed does, on any face.",
			"`tasker prove ID -- COMMAND` counts for it if COMMAND is that line; `tasker prove --again ID` runs the lines again later, as `.tasker.json` has them on the base: an edit in a checkout runs nothing.",
			"A line that only the database knows is printed, not run.",
			"`tasker audit` runs a sample of recorded runs of done tasks again, each on the commit that it names, and counts by actor which hold; it runs what `.tasker.json` declares on the base, and records nothing.",
		},
		run: `
git init --quiet; printf 'tasker.db*\nmoved\n' > .gitignore; touch works
git add . && git -c user.name=b -c user.email=b@example.com commit --quiet --message x
want 3 "it is run, not typed" bot done run --check 1 --evidence '$ sh test.sh=passed'
bot claim run --quiet
want 3 "is not the command" bot prove run --kind '$ sh test.sh' -- true
bot prove run --kind other -- true
want 3 "evidence \$ sh test.sh" bot done run
mv .tasker.json moved
want 3 "sh test.sh" bot prove run -p shop
want 3 "evidence \$ sh test.sh" bot done run -p shop
mv moved .tasker.json
bot prove run --check 1 -- sh test.sh
bot done run
want 0 "1 hold" bot prove --again run
rm works
want 0 "bot: 1 hold, 0 fail, 1 cannot be run" bot audit`,
	},
	{
		says: []string{
			"`tasker done ID --prove --check 1,2 --next` is `prove`, then `done`, in one call: it runs the lines that do not count, ticks these criteria by what ran, closes the task and claims the next.",
			"A line that fails leaves the task as it is (exit 1), and so does a line that was not run or a tick that was not made (exit 3).",
		},
		run: `
bot claim run --quiet
want 1 "proves nothing" bot done run --prove --check 1
mv .tasker.json moved; touch works
want 3 "sh test.sh" bot done run --prove --check 1 -p shop
mv moved .tasker.json
want 0 in_progress bot show run --jq '.task.status'
want 0 "is yours" bot done run --prove --check 1 --next
want 0 run bot show run --jq '.task.criteria[0].rests'`,
	},
	{
		says: []string{"*Closed* is done or cancelled.", "A task is ready when it is open, everything that it depends on is closed, and it has no part."},
		run: `
want 0 "Ready: no" ann explain later --all
ann cancel first
want 0 later ann ready
want 0 "Ready: no" ann explain epic --all
ann done part
want 0 "Ready: yes" ann explain epic --all`,
	},
	{
		says: []string{"A *part* is an open child: an epic is handed out last, when everything below it is closed, and reopening a child makes its open parent wait again."},
		run: `
ann done part
want 0 "Ready: yes" ann explain epic --all
ann reopen part
want 0 "Ready: no" ann explain epic --all`,
	},
	{
		says: []string{
			"`tasker explain ID` says what keeps one task from being ready, claimed or closed.",
			"Four steps of one ladder, from what is next to the whole project; `explain` says what keeps a task back, and `proof` what each close rests on:",
		},
		run: `
want 0 "Ready: no" bot explain later
want 0 "Closable by you: no" bot explain later
want 0 "shop-4" bot explain later
touch works; bot prove run --check 1; bot done run
want 0 "evidence \$ sh test.sh" bot proof`,
	},
	{
		says: []string{"A write with `--fence N` is refused once somebody else has claimed the task since: a worker that slept too long cannot overwrite its successor."},
		run: `
bot claim free; bot release free; ann claim free
want 5 "" bot note free late --fence 1`,
	},
	{
		says: []string{"An invalid glob is refused when it is written: it would overlap everything."},
		run:  `want 2 "glob" ann add Odd --touches '[bad'`,
	},
	{
		says: []string{
			"You are declared, so an agent here closes only what it could have claimed; it takes a `supervised` task to review, for you to close:",
			"Send it back with what is missing, or close it; `tasker ui` does the same in a full-screen view:",
			"There, an agent closes only what it could have claimed:",
			"`done` of a task that nobody holds claims it in the same step.",
			"Open dependencies, blocking questions and routing are in the way, as they are of a claim.",
			"Open parts are in the way, and so is the autonomy `supervised`: the agent takes such a task to `in_review`, and a human closes it.",
			"`--force` passes none of these, and the one refusal lists all of them.",
			"Where the project declares a human, an agent closes what it could have claimed: open dependencies and parts are in the way, a supervised task goes to `in_review` (`tasker review ID`) for a human to close, and what was sent back needs a tick or evidence that is newer than the return.",
		},
		run: `
bot done free
want 0 task.claimed bot events --task free
want 3 "shop-4" bot done later
want 3 "shop-7" bot done epic
ann edit first --autonomy human_only
want 3 "human_only" bot done first
ann add "Which one?" --key which
bot ask which "This?" --blocking
want 3 "question" bot done which
want 3 "a human closes it" bot done watched
ann edit watched --dep later
want 3 "a human closes it" bot done watched --force
want 3 "shop-5" bot done watched --force
ann edit watched --rm-dep later
bot review watched
want 3 "" bot done watched
ann return watched --because "not yet"
bot review watched
ann done watched`,
	},
	{
		says: []string{"Out of `in_review` an agent closes only what it moved there itself, and open dependencies and questions are in the way there too."},
		run: `
ann done first; bot claim later; bot release later; ann reopen first
bot review later
want 3 "dependency shop-4: First" bot done later
bot review free
want 3 "bot moved it there" env TASKER_ACTOR=other tasker done free
bot done free`,
	},
	{
		says: []string{"What was returned from review or reopened can be closed once there is newer work: evidence, a tick that rests on it, or a tick by eye (`--seen`) that says something else than before."},
		run: `
bot evidence asked --kind report --value r; bot check asked 1 2 --seen "read it"
bot review asked; ann return asked --because "the table is missing"
want 3 "returned: the table is missing" bot done asked --note "it is there"
bot uncheck asked 2; bot check asked 2 --seen "read it"
want 3 "returned: the table is missing" bot done asked
bot check asked 2 --seen "read it with the table"
bot done asked
ann reopen asked --note "the table is empty"
want 3 "reopened: the table is empty" bot done asked
bot evidence asked --kind report --value "with a full table"
bot done asked`,
	},
	{
		says: []string{"Criteria are in the database, so nothing runs them by itself: `show`, refusals and pages print the call."},
		run: `
bot edit asked --add-criterion '$ touch ran'
want 0 "prove shop-" bot show asked
want 3 "touch ran" bot done asked
bot prove asked || true
test ! -e ran`,
	},
	{
		says: []string{
			"An agent cancels only what it holds or could claim, and nothing that has a gate or an open part or is supervised: it asks.",
			"It cancels nothing that has a gate or an open part: [concepts.md](concepts.md#people-and-agents) has the rules.",
		},
		run: `
want 3 "" bot cancel asked
want 3 "" bot cancel watched
want 3 "" bot cancel later
want 3 "part" bot cancel epic
bot cancel free`,
	},
	{
		says: []string{"A human passes all of this with warnings; what a human's import, a pull or a merged pull request closes has to meet only what the task itself asks for."},
		run: `
want 0 "warning" ann done later
want 0 "warning" ann done epic
printf -- '- [ ] Listed\n' > list.md; ann import markdown list.md -p shop --quiet
ann edit md:listed --dep first --autonomy supervised
printf -- '- [x] Listed\n' > list.md; ann import markdown list.md -p shop
want 0 done bot show md:listed --jq .task.status
printf -- '- [ ] Gated\n' > list.md; ann import markdown list.md -p shop --quiet
ann edit md:gated --gate ship
printf -- '- [x] Gated\n' > list.md; ann import markdown list.md -p shop
want 0 open bot show md:gated --jq .task.status`,
	},
	{
		says: []string{"An agent's import closes what exists only where that agent could close it by `done`; anything else stays as it is, and the inbox says what is missing."},
		run: `
printf 'id,title,status\nlater,Later,done\nwatched,Watched,done\nepic,Epic,cancelled\nfree,Free,done\n' > list.csv
want 0 "shop-5 stays open" bot import csv list.csv -p shop --map key=id --map title=title --map status=status
want 0 open bot show later --jq .task.status
want 0 open bot show watched --jq .task.status
want 0 open bot show epic --jq .task.status
want 0 done bot show free --jq .task.status
want 0 task.claimed bot events --task free
want 0 "dependency shop-4" ann inbox --task later
ann import csv list.csv -p shop --map key=id --map title=title --map status=status
want 0 done bot show later --jq .task.status`,
	},
	{
		says: []string{"A human whom nobody named in an agent's shell closes and cancels as an agent does."},
		run: `
echo '{"agentDefaults": {"actor": "ann"}}' > .tasker.local.json
want 3 "" env CLAUDECODE=1 tasker done watched
want 3 "" env CLAUDECODE=1 tasker cancel asked
want 0 "" tasker done watched`,
	},
	{
		says: []string{"`TASKER_DB` (or `--db`) is a path, or a `postgres://` URL (pairs like `host=… dbname=…` are refused)."},
		run:  `want 2 "postgres://" ann list --db "host=localhost dbname=shop"`,
	},
	{
		says: []string{
			"`tasker done --dry-run` says whether the task could be closed, what is missing and what the ticks rest on, and records nothing; `--check`, `--evidence` and `--note` count.",
		},
		run: `
before=$(bot show asked --jq .task.version)
want 0 "criterion 2: two" bot done asked --dry-run --check 1
want 0 "nothing (1, 2)" bot done asked --dry-run --check 1,2 --evidence report=r
want 0 "$before" bot show asked --jq .task.version`,
	},
	{
		says: []string{
			"`show`, `proof` and `done` say when the files have changed since.",
			"Where a human is declared, an agent closes nothing by a run that is stale in the task's own files, those that its `touches` match (all, without `touches`); anybody else is warned by `done`, which names the first five.",
			"Where no tree comes with an agent's close, as from outside a repository, the answer, the log, `proof` and the page of proof say `tree: unknown`.",
			"Where a task that was closed later changed the same files, `show`, `proof` and the pages name it.",
			"It closes nothing and refuses nothing: it says where to prove again.",
		},
		run: `
commit() { git add . && GIT_COMMITTER_DATE="@$1 +0000" git -c user.name=b -c user.email=b@example.com commit --quiet --message x; }
git init --quiet; printf 'tasker.db*\n' > .gitignore; touch works; commit 1700000000
bot claim run --quiet; bot claim free --quiet
echo 1 > works; commit 4000000000
bot prove run --check 1
echo 2 > works; commit 4000000001
want 0 "stale" bot show run
want 3 "stale: works changed since" bot done run
want 0 "works" ann done run
echo 3 > works; commit 4000000002
want 0 "" bot done free
want 0 "later work changed the same files: shop-1" bot proof
want 0 "later work changed the same files: shop-1" bot show run
ann reopen run --quiet; bot claim run --quiet; bot prove run
(export TASKER_CONFIG="$PWD/.tasker.json"; cd /; want 0 "tree: unknown" bot done run) || exit 1
want 0 "tree: unknown" bot proof
want 0 "tree: unknown" bot events --task run`,
	},
	{
		says: []string{"What a sandbox keeps from writing can still be read, and a write is refused with the directory that you have to allow."},
		by:   "test/faults/rights_test.go", line: "ask your person to allow the directory ",
	},
	{
		says: []string{"`show` and `proof` tell the four apart; `done` warns of ticks that rest on something said or on nothing."},
		by:   "test/script/rests.txtar", line: "ticks: 2 run, 1 seen, 1 without evidence",
	},
	{
		says: []string{
			"`tasker run` claims a task, runs a command for it with the bundle on standard input, keeps the lease, and settles the task by the exit code: 0 closes it (or leaves it in review with a note of what is missing), 75 and 78 give it back without an attempt, anything else gives it back as a failed attempt.",
			"The third failure leaves it with a blocking question and the end of the output.",
		},
		run: `
cat > one.json <<'PLAN'
{"project": "one", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "criteria": ["one"]}]}
PLAN
bot apply -f one.json --quiet
bot run -p one -- grep -q '"title":"A"'
want 0 done bot show one-1 --jq .task.status
bot run -p one -- true
want 0 in_review bot show one-2 --jq .task.status
want 0 "criterion 1" bot show one-2
bot move one-2 open; bot uncheck one-2 1 || true
for code in 75 78; do bot run -p one -- sh -c "exit $code" || true; done
want 0 0 bot show one-2 --jq .task.attempts
for time in 1 2 3; do bot run -p one -- sh -c 'echo "it broke"; exit 1' || true; done
want 0 "it broke" bot show one-2
want 0 true bot show one-2 --jq 'any(.questions[]; .blocking)'`,
	},
	{
		says: []string{"An epic with parts, all closed, and without a body, criteria, gate or approvals of its own is closed by the runner itself."},
		by:   "internal/agent/run/pace_test.go", line: "func TestAnEpicThatAsksNothingIsClosedWithoutAWorker(",
	},
	{
		says: []string{"Workers that ask at the same moment get different tasks."},
		run: `
for worker in 1 2 3 4; do TASKER_ACTOR=bot/$worker tasker next --claim --jq .task.id > got$worker & done
wait
cat got1 got2 got3 got4 > got
test "$(sort -u got | grep -c shop-)" = 4`,
	},
	{
		says: []string{
			"A claim ends with its lease, two hours unless somebody says otherwise, and the task is handed out again.",
			"What the worker writes extends it, so nothing has to send a heartbeat, and no supervisor has to free it.",
			"A worker that comes back after its lease is told that somebody else has the task, if it writes with its fence.",
		},
		run: `
want 0 "for 2h" bot claim first
bot claim free --lease 1ms
until TASKER_ACTOR=other tasker claim free --quiet; do :; done
want 5 "" bot note free late --fence 1
was=$(bot show first --jq .task.claim.expiresAt)
bot note first "still at it"
test "$was" != "$(bot show first --jq .task.claim.expiresAt)"`,
	},
	{
		says: []string{
			"`done` is refused while a criterion is unticked or evidence is missing, and a gate can ask for a command, which must have been run.",
			"Where a person is declared, no agent approves, passes over missing evidence, or closes what waits for something else, `--force` or not.",
		},
		run: `
want 3 "criterion 1" bot done asked
want 3 "evidence report" bot done asked --check 1,2
want 3 "evidence report" bot done asked --force
want 3 "evidence \$ sh test.sh" bot done run --check 1 --force
want 3 "" bot approve asked
want 3 "shop-4" bot done later --force`,
	},
	{
		says: []string{
			"If a command in another git repository made that project, and there is no configuration here, a read says so and a write is declined: name it with `-p`, or run `tasker init` here.",
		},
		by: "test/script/repository.txtar", line: "stderr -count=1 '^This is the project shop, of another repository: .*/shop$'",
	},
	{
		says: []string{"A schema newer than the program is refused."},
		by:   "internal/db/dbconform/schema_test.go", line: "func TestASchemaThatIsNewerThanTheBinaryIsRefusedInEveryTurnAndSnapshot(",
	},
	{
		says: []string{
			"`traps` (`make field PLAN=traps`): eight tasks in which it is easy to close what is not done.",
			"The kit plays the person: it answers, and it returns or closes what is handed over, right after the agent's call.",
			"which tasks are done, and which were closed although a check fails or although they were not the agent's to close;",
			"calls that were made in the person's name, and refusals;",
		},
		by: "test/field/traps_test.go", line: `"closed wrongly": {r.Wrong, {`,
	},
	{
		says: []string{"A scripted agent that is honest works through both in `make test`, with nothing closed wrongly, no overclaim and no refusal."},
		by:   "test/field/field_test.go", line: "if r.Done != r.Tasks || len(r.Wrong)+len(r.Overclaims)+len(r.Posed)+len(r.Undone)+len(r.Refused) > 0 {",
	},
}

// TestWhatIsSaidOfRefusalsAndClosingsIsSo tries each sentence.
func TestWhatIsSaidOfRefusalsAndClosingsIsSo(t *testing.T) {
	t.Parallel()
	for _, p := range promises {
		name, _, _ := strings.Cut(p.says[0], ",")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p.by != "" {
				if !strings.Contains(read(t, p.by), p.line) {
					t.Errorf("%s does not have %q", p.by, p.line)
				}
				return
			}
			home := t.TempDir()
			program.Prepare(t, filepath.Join(built, "tasker"), filepath.Join(home, "tasker.db"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-eu", "-c", setting+p.run)
			cmd.Dir = home
			cmd.Env = []string{"HOME=" + home, "TASKER_DB=" + filepath.Join(home, "tasker.db"), "PATH=" + built + string(os.PathListSeparator) + os.Getenv("PATH")}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("%q is not so: %v\n%s", p.says, err, out.String())
			}
		})
	}
}

// TestEverySentenceOnRefusalsAndClosingsIsTried compares the sentences of the pages with the promises.
func TestEverySentenceOnRefusalsAndClosingsIsTried(t *testing.T) {
	t.Parallel()
	var said []string
	for _, page := range triedPages {
		said = append(said, sentences(read(t, page))...)
	}
	var tried []string
	for _, p := range promises {
		tried = append(tried, p.says...)
	}
	for _, s := range said {
		if aRule.MatchString(s) && !slices.Contains(tried, s) {
			t.Errorf("nothing tests whether this is so: %s", s)
		}
	}
	for _, s := range tried {
		if !slices.Contains(said, s) {
			t.Errorf("no page says this any more: %s", s)
		}
	}
}

var (
	newParagraph = regexp.MustCompile(`\n\s*\n|\n- `)
	newSentence  = regexp.MustCompile("(\\.)\\s+([A-Z`*])")
	remark       = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// sentences returns the sentences of a page's text and lists, each in one line. Tables, headings and blocks of code have none.
func sentences(page string) (out []string) {
	for _, paragraph := range newParagraph.Split(remark.ReplaceAllString(prose(page), ""), -1) {
		paragraph = strings.TrimPrefix(strings.Join(strings.Fields(paragraph), " "), "- ")
		if !strings.HasPrefix(paragraph, "|") && !strings.HasPrefix(paragraph, "#") {
			out = append(out, strings.Split(newSentence.ReplaceAllString(paragraph, "$1\n$2"), "\n")...)
		}
	}
	return out
}
