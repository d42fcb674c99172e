#!/bin/bash
# fill.sh PROGRAM DATABASE: what the programs of earlier landings did before their databases were kept here, next to this
# file: as vN.db.gz (SQLite) and vN.sql.gz (pg_dump --inserts, without the name of its schema), N the schema version. No
# program that could open a database ended at schema 9 or 23, because two migrations had one number then: those two files are
# of the programs of these commits with the second of them renumbered, as it was soon after.
export TASKER_DB=$2; t=$1
w=$(mktemp -d); cd $w; export HOME=$w TASKER_ACTOR=ann NO_COLOR=1
cat > .tasker.json <<F
{"version": 1, "project": "shop", "actors": [{"name": "ann", "kind": "human"}]}
F
cat > plan.json <<F
{"project": "shop", "name": "The shop", "gates": {"ship": ["test"]}, "tasks": [
 {"key": "epic", "title": "The whole", "body": "Everything below it."},
 {"key": "parser", "title": "Write the parser", "parent": "epic", "criteria": ["every error has a line", "it is fast"], "gate": "ship", "priority": 1, "touches": ["parser/**"]},
 {"key": "printer", "title": "Write the printer", "parent": "epic", "deps": ["parser"], "due": "2030-01-15"},
 {"key": "held", "title": "Somebody works on it", "autonomy": "supervised"},
 {"key": "asked", "title": "Somebody asks"},
 {"key": "review", "title": "It is looked at"},
 {"key": "gone", "title": "Nobody wants it"},
 {"key": "name", "title": "Choose a name", "autonomy": "human_only", "severity": 2}
]}
F
run() { "$t" "$@" > out.log 2>&1 || { echo "tasker $*: $?"; head -3 out.log; }; }
[[ $TASKER_DB == postgres* ]] && run db migrate
run apply -f plan.json
run claim parser
run check parser 1 2
run evidence parser --kind test --value ci/1
run note parser "the lexer is done: naïve, 日本"
run decide parser "By hand" --because "it is small"
run done parser
TASKER_ACTOR=claude run claim held --lease 0
TASKER_ACTOR=claude run note held "half of it is there"
TASKER_ACTOR=claude run ask asked "Tabs or spaces?" --blocking
run move review in_review
run cancel gone
rm -rf $w
