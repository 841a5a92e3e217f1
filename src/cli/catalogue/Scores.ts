/** Commands about tasks and their scores. */
import { command, type Entry } from "./Entry.ts"

export const SCORES: ReadonlyArray<Entry> = [
  {
    path: "task ls",
    uses: [["task ls", "list tasks; filter with --outcome or --tag"]],
    example: "task ls --limit 20",
    load: command(async () => (await import("../task/looking/ListCommand.ts")).ls),
  },
  {
    path: "task show",
    uses: [
      ["task show TASK", "one task on a screen: how it ended, times, cost, scores, its last error, what to do next"],
    ],
    example: "task show 1a2b3c4d",
    page: "docs/guides/why-it-failed.md",
    load: command(async () => (await import("../task/looking/TaskCommands.ts")).show),
  },
  {
    path: "task watch",
    uses: [["task watch TASK", "follow a task live, and draw its worlds"]],
    example: "task watch 1a2b3c4d",
    page: "docs/guides/play-a-world.md#watch-someone-else-play",
    load: command(async () => (await import("../task/looking/TaskWatch.ts")).watch),
  },
  {
    path: "task bundle",
    uses: [["task bundle TASK --out FILE", "copy one task into a small log of its own"]],
    example: "task bundle 1a2b3c4d --out task.db",
    load: command(async () => (await import("../task/looking/TaskCommands.ts")).bundle),
  },
  {
    path: "task pause",
    uses: [["task pause TASK", "pause an open task"]],
    example: "task pause 1a2b3c4d",
    load: command(async () => (await import("../task/ControlCommands.ts")).pause),
  },
  {
    path: "task continue",
    uses: [["task continue TASK", "continue a paused task"]],
    example: "task continue 1a2b3c4d",
    load: command(async () => (await import("../task/ControlCommands.ts")).continueTask),
  },
  {
    path: "task cancel",
    uses: [["task cancel TASK", "end an open task"]],
    example: "task cancel 1a2b3c4d",
    load: command(async () => (await import("../task/ControlCommands.ts")).cancel),
  },
  {
    path: "note",
    uses: [["note @POSITION|TASK TEXT", "add a note to a moment or a task; --correct and --remove change one"]],
    example: 'note @412 "Here it gave up too early"',
    page: "docs/guides/annotate.md",
    load: command(async () => (await import("../annotate/AnnotateCommands.ts")).note),
  },
  {
    path: "star",
    uses: [["star @POSITION|TASK", "mark an example to keep"]],
    example: "star @412",
    page: "docs/guides/annotate.md",
    load: command(async () => (await import("../annotate/AnnotateCommands.ts")).star),
  },
  {
    path: "tag",
    uses: [["tag TASK TAG…", "tag a task, to select by it later"]],
    example: "tag 1a2b3c4d regression flaky",
    page: "docs/guides/annotate.md",
    load: command(async () => (await import("../annotate/AnnotateCommands.ts")).tag),
  },
  {
    path: "label",
    uses: [
      [
        "label TASK|@POSITION pass|fail|NAME=VALUE",
        "judge it yourself; `compare` measures critics against human labels",
      ],
    ],
    example: "label 1a2b3c4d pass helpful=0.8",
    page: "docs/guides/annotate.md",
    load: command(async () => (await import("../annotate/AnnotateCommands.ts")).label),
  },
  {
    path: "notes",
    uses: [["notes", "list notes, stars, tags and labels; --search TEXT"]],
    example: "notes --kind star",
    page: "docs/guides/annotate.md",
    load: command(async () => (await import("../annotate/NotesCommand.ts")).notes),
  },
  {
    path: "audit",
    uses: [
      ["audit TASK", "a task's readings, commands, changes and scores; --markdown for a pull request"],
      ["audit --all", "all tasks as a table: --sort, --group by agent, model, goal, outcome …"],
      ["audit --trend", "whether an agent improves from task to task; --measure for one measure"],
    ],
    example: "audit --all --group agent",
    page: "docs/guides/rank-tasks.md",
    load: command(async () => (await import("../score/AuditCommand.ts")).audit),
  },
  {
    path: "rescore",
    uses: [
      ["rescore --rubric FILE", "score past tasks again by another rubric"],
      ["rescore --resume SET", "finish an interrupted scoring"],
    ],
    example: "rescore --rubric rubric.yaml --label stricter",
    page: "docs/guides/write-a-rubric.md",
    load: command(async () => (await import("../score/RescoreCommand.ts")).rescore),
  },
  {
    path: "score ls",
    uses: [["score ls", "list score sets"]],
    example: "score ls",
    page: "docs/guides/compare-scorings.md",
    load: command(async () => (await import("../score/ScoreCommands.ts")).ls),
  },
  {
    path: "score show",
    uses: [["score show SET", "a scoring's totals over all of its tasks"]],
    example: "score show stricter",
    page: "docs/guides/write-a-rubric.md",
    load: command(async () => (await import("../score/ScoreCommands.ts")).show),
  },
  {
    path: "score promote",
    uses: [["score promote POINTER SET", "point a name such as `official` to a score set"]],
    example: "score promote official stricter",
    page: "docs/guides/compare-scorings.md",
    load: command(async () => (await import("../score/ScoreCommands.ts")).promote),
  },
  {
    path: "compare",
    uses: [["compare A B", "compare two scorings of the same tasks"]],
    example: "compare live stricter --cluster agent",
    exits: "It exits with 3 if no tasks pair.",
    page: "docs/guides/compare-scorings.md",
    load: command(async () => (await import("../score/ScoreCommands.ts")).compare),
  },
]
