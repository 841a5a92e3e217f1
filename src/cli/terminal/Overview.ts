/** The overview of all commands, which `hindcast` without a command prints. It is also the list of known commands. */
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"

/** Every command by topic: its usage and its purpose. */
export const COMMANDS: ReadonlyArray<readonly [topic: string, ReadonlyArray<readonly [usage: string, does: string]>]> =
  [
    [
      "Run",
      [
        ["demo", "see what Hindcast does, in a few seconds"],
        ["demo --tasks N", "write a log of many tasks to look at, with all that goes wrong"],
        ["demo --live", "an agent with a scripted model: killed in mid-turn, resumed, forked, compared"],
        ["run --agent FILE --goal TEXT", "let an agent work on a goal, and show its audit"],
        ["run --model NAME --goal TEXT", "let a language model work on it: --guide FILE, --max-tokens N, --max-usd N"],
        [
          "cassette record FILE --model NAME",
          "the same, and keep the answers: run --model NAME --cassette FILE plays them",
        ],
        ["chat --model NAME", "talk with it while it works; or with the agent of a task: --task TASK"],
        ["play WORLD", "play a world yourself, in the terminal: --seed N, --options FILE"],
        [
          "record -- node FILE",
          "record the requests of a program that has an agent of its own; record doctor -- node FILE: what a replay would not repeat",
        ],
        ["resume TASK --agent FILE", "go on with a task whose kernel was killed; also with --model NAME"],
        ["stop", "end all open tasks at once"],
        ["confirm ls", "list the commands that wait for a person"],
        ["confirm show ID", "show all that is asked"],
        ["confirm approve ID", "let a waiting command be executed"],
        ["confirm reject ID", "refuse a waiting command"],
      ],
    ],
    [
      "Plugins",
      [
        ["plugin new DIR", "start a plugin of your own, with its test"],
        ["plugin check DIR", "check a plugin's directory without importing it"],
        ["plugin add SOURCE", "import a plugin from a directory, a .tgz or Git, or update it"],
        ["plugin grant PLUGIN --grant-…", "grant it permissions; install an update that waits for them"],
        ["plugin revoke PLUGIN --grant-…", "revoke its permissions"],
        ["plugin remove PLUGIN", "take a plugin out of the registry"],
        ["plugin ls [--at @412]", "list plugins and their components, now or at a moment"],
        ["plugin list", "the same as plugin ls"],
        ["plugin show PLUGIN[@VERSION]", "show one plugin whole, and its versions"],
        ["plugin activate TARGET", "let a plugin or a component take part"],
        ["plugin deactivate TARGET", "let a plugin or a component take no part"],
        ["plugin priority COMPONENT N", "set a component's priority; higher goes first"],
        ["plugin meta TARGET KEY [JSON]", "show, set or remove metadata"],
      ],
    ],
    [
      "The past",
      [
        ["log ls", "list events"],
        ["log show EVENT", "show one event whole"],
        ["log info", "what the log holds, in numbers"],
        ["log reprice", "what its model calls cost by today's prices"],
        ["log verify", "is every event as it was recorded, and all that it is found by?"],
        ["log anchor --key FILE", "sign the log's head, to hold the log to it later"],
        ["log doctor", "examine a log's file, with what to do"],
        ["log archive --until MOMENT", "move the oldest events into a compressed file beside the log"],
        ["log segments", "list what was archived"],
        ["log snapshot", "store the state at the head, so that a long log answers quickly"],
        ["log subjects", "list the subjects whose personal data is encrypted"],
        ["log shred SUBJECT --reason TEXT", "destroy a subject's key, for good"],
        ["log import FILE", "create a log again from its exported events"],
        ["log backup FILE", "copy the log with all that belongs to it, also while a kernel writes"],
        ["log restore BACKUP", "bring a backup back as the log; --replace, where one is there"],
        ["log upgrade", "upgrade a log of an earlier format to the current one"],
        ["state [--at @412]", "the environment as it stood at a moment; --view draws its worlds"],
        ["diff @a @b", "what differs between two moments, and why"],
        ["history PATH", "every value a path has had, when, and by which event"],
        ["blame PATH", "which event gave a value"],
        ["why EVENT", "an event's causes"],
        ["effects EVENT", "the events that an event caused"],
        ["bisect --when CEL", "the first moment at which something holds"],
        ["watch [PATH] --when CEL", "every event at which something came true"],
        ["align A B", "two tasks or timelines event by event: where they part"],
        ["fork @412 --agent FILE", "let an agent go on from a moment, in a timeline of its own"],
        ["timeline ls", "list the timelines that were forked"],
        ["replay TASK --agent FILE", "let an agent work on a recorded task again: identical, or where not"],
        ["step [TASK]", "step through a log in the terminal: forward, back, to where something holds"],
        ["studio [LINK]", "look at a log in the browser: its tasks, every moment of them, and what happens now"],
      ],
    ],
    [
      "Tasks and scores",
      [
        ["task ls", "list tasks; --outcome failed: those that ended so"],
        ["task show TASK", "one task on a screen: how it ended, times, cost, scores, its last error, what to do next"],
        ["task watch TASK", "follow a task live, with its worlds drawn"],
        ["task bundle TASK --out FILE", "copy one task into a small log of its own"],
        ["task pause TASK", "begin nothing new in an open task"],
        ["task continue TASK", "go on with a paused task"],
        ["task cancel TASK", "end an open task"],
        ["audit TASK", "what a task took in, did, changed and scored; --markdown for a pull request"],
        ["audit --all", "all tasks as a table: --sort, --group by agent, model, goal, outcome …"],
        ["audit --trend", "is an agent getting better from task to task? --measure of one measure"],
        ["rescore --rubric FILE", "score past tasks again by other rules"],
        ["rescore --resume SET", "finish a scoring that was interrupted"],
        ["score ls", "list score sets"],
        ["score show SET", "a scoring's totals over all of its tasks"],
        ["score promote POINTER SET", "let a name such as `official` stand for a score set"],
        ["compare A B", "compare two scorings of the same tasks"],
      ],
    ],
    [
      "From other programs",
      [["import PATH…", "runs that other agents left or are writing (--follow); --dry-run shows them first"]],
    ],
    [
      "To other programs",
      [
        ["export events --output FILE", "all events, as JSON Lines or as a Parquet table"],
        ["export audits --output FILE", "the audits of all tasks: CSV, Parquet, JSON, Markdown"],
        ["export transitions --output FILE", "every step with its reward, for learning: Parquet, JSON Lines"],
        ["export otlp --output FILE", "tasks as OpenTelemetry traces (OTLP/JSON), named as agents' are"],
        ["export mcap --output FILE", "readings and commands, a channel each, for robotics' tools"],
        ["export piaavt --output FILE", "events as log lines of PiaAVT"],
        ["export studio TASK… --output FILE", "tasks with the debugger, as one page to share"],
        ["export html --output FILE", "a report of all tasks, or of one, as a page with charts"],
      ],
    ],
    ["This machine", [["doctor", "how plugins are confined here, and what would improve it"]]],
  ]

/** The words of each command, such as `["plugin", "add"]`. Placeholders (capitals and signs) are not part of them. */
export const PATHS: ReadonlyArray<ReadonlyArray<string>> = COMMANDS.flatMap(([, commands]) =>
  commands.map(([usage]) => {
    const words = usage.split(" ")
    const end = words.findIndex((word) => !/^[a-z]+$/.test(word))
    return end < 0 ? words : words.slice(0, end)
  }),
)

/** The overview of all commands, or of one group. */
export const lines = (style: Style, version: string, group?: string): ReadonlyArray<string> => {
  const all = COMMANDS.flatMap(([topic, commands]) => {
    const shown = commands.filter(([usage]) => group === undefined || usage.startsWith(`${group} `))
    return shown.length === 0 ? [] : [["", ""], [style.bold(topic), ""], ...shown.map(commandRow(style))]
  })
  return [
    `${style.bold(`hindcast ${version}`)}: an event-sourced kernel for agents`,
    ...Table.rows(style, all),
    "",
    "Each takes --log FILE (default: HINDCAST_LOG, else .hindcast/log.db), --json and --help.",
    "Moments are positions (@412, fork-1@412), events' ids, times with their zone (2026-03-01T12:00:00Z), or now.",
    "Completions for your shell: hindcast --completions bash|zsh|fish|sh.",
    "Exit codes: 0 ok, 1 usage or bad input, 2 tampered or diverged, 3 not found, 70 a bug, 130 interrupted.",
  ]
}

const commandRow =
  (style: Style) =>
  ([usage, does]: readonly [string, string]): ReadonlyArray<string> => [`  ${style.name(usage)}`, does]
