/** Commands that exchange data with other programs, and those about this machine. */
import { command, type Entry } from "./Entry.ts"

export const FROM_OTHERS: ReadonlyArray<Entry> = [
  {
    path: "import",
    uses: [
      [
        "import PATH…",
        "import the runs of other agents; --follow keeps importing as they grow, --dry-run only lists them",
      ],
    ],
    example: "import ~/.claude/projects",
    page: "docs/guides/import-sessions.md",
    load: command(async () => (await import("../log/ImportRunsCommand.ts")).importRuns),
  },
]

export const TO_OTHERS: ReadonlyArray<Entry> = [
  {
    path: "export events",
    uses: [["export events --output FILE", "all events, as JSON Lines or as a Parquet table"]],
    example: "export events --output events.jsonl",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/Events.ts")).events),
  },
  {
    path: "export partitioned",
    uses: [["export partitioned --directory DIR", "all events as a Parquet dataset by bucket and day"]],
    example: "export partitioned --directory lake --parts 4",
    page: "docs/guides/work-in-parts.md",
    load: command(async () => (await import("../export/partitioned/Partitioned.ts")).partitioned),
  },
  {
    path: "export audits",
    uses: [["export audits --output FILE", "the audits of all tasks: CSV, Parquet, JSON, Markdown"]],
    example: "export audits --output audits.csv",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/Audits.ts")).audits),
  },
  {
    path: "export transitions",
    uses: [["export transitions --output FILE", "every step with its reward, for learning: Parquet, JSON Lines"]],
    example: "export transitions --scores live --output steps.parquet",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/Transitions.ts")).transitions),
  },
  {
    path: "export trajectories",
    uses: [
      [
        "export trajectories --output FILE",
        "episodes of worlds, for learning: Parquet, CSV, JSON Lines; --format minari writes a data set of Minari",
      ],
    ],
    example: "export trajectories --output steps.parquet",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/trajectories/TrajectoriesCommand.ts")).trajectories),
  },
  {
    path: "export dataset",
    uses: [
      [
        "export dataset --output FILE",
        "starred tasks and moments as examples, also for Inspect; or select with --tag or --label",
      ],
    ],
    example: "export dataset --label pass=fail --format inspect --output failures.jsonl",
    page: "docs/guides/annotate.md#export-examples",
    load: command(async () => (await import("../export/dataset/DatasetCommand.ts")).dataset),
  },
  {
    path: "export otlp",
    uses: [["export otlp --output FILE", "tasks as OpenTelemetry traces of agents (OTLP/JSON)"]],
    example: "export otlp --output traces.jsonl",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/Otlp.ts")).otlp),
  },
  {
    path: "metrics",
    uses: [
      ["metrics", "a log's numbers for monitoring, for Prometheus; --to URL sends them to an OpenTelemetry receiver"],
    ],
    example: "metrics --log agent.db",
    page: "docs/guides/monitor-a-log.md",
    load: command(async () => (await import("../health/MetricsCommand.ts")).metrics),
  },
  {
    path: "export live",
    uses: [["export live --to URL", "send tasks to an OpenTelemetry receiver while they run"]],
    example: "export live --to http://127.0.0.1:4318 --log team.db",
    page: "docs/guides/export-to-opentelemetry.md",
    load: command(async () => (await import("../export/Live.ts")).live),
  },
  {
    path: "export mcap",
    uses: [["export mcap --output FILE", "readings and commands, each in a channel, for robotics tools"]],
    example: "export mcap --output tasks.mcap",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/Mcap.ts")).mcap),
  },
  {
    path: "export piaavt",
    uses: [["export piaavt --output FILE", "events as log lines of PiaAVT"]],
    example: "export piaavt --timestamps seconds --output lines.jsonl",
    page: "docs/guides/export-a-log.md",
    load: command(async () => (await import("../export/PiaAvt.ts")).piaavt),
  },
  {
    path: "export agent-trace",
    uses: [["export agent-trace --output FILE", "which agent wrote which lines, as records of Agent Trace"]],
    example: "export agent-trace --commit HEAD --output traces.jsonl",
    page: "docs/guides/files-of-a-session.md",
    load: command(async () => (await import("../git/AgentTrace.ts")).agentTrace),
  },
  {
    path: "export git-ai",
    uses: [["export git-ai [--commit REV]", "which agent wrote which lines of a commit, as a note of git-ai"]],
    example: "export git-ai --commit HEAD --write",
    page: "docs/guides/files-of-a-session.md",
    load: command(async () => (await import("../git/GitAi.ts")).gitAi),
  },
  {
    path: "export git",
    uses: [["export git --branch NAME", "the recorded files of a task as commits, one for each step or prompt"]],
    example: "export git --branch session --by prompt",
    page: "docs/guides/files-of-a-session.md",
    load: command(async () => (await import("../git/Branch.ts")).branch),
  },
  {
    path: "export harbor",
    uses: [
      [
        "export harbor TASK --output DIR --test COMMAND",
        "a recorded task as a task for Harbor: goal, files at the start, test; --solution MOMENT adds files that pass",
      ],
    ],
    example: 'export harbor 1a2b3c4d --test "npm test" --image node:22 --output tasks/broken-build',
    page: "docs/guides/regression-test-for-harbor.md",
    load: command(async () => (await import("../files/HarborCommand.ts")).harbor),
  },
  {
    path: "export studio",
    uses: [["export studio TASK… --output FILE", "tasks with the debugger, as one page to share"]],
    example: "export studio 1a2b3c4d --output run.html",
    page: "docs/guides/share-a-report.md",
    load: command(async () => (await import("../export/StudioFile.ts")).studioFile),
  },
  {
    path: "export html",
    uses: [["export html --output FILE", "a report of all tasks, or of one, as a page with charts"]],
    example: "export html --output report.html",
    page: "docs/guides/share-a-report.md",
    load: command(async () => (await import("../export/Html.ts")).html),
  },
]

export const MACHINE: ReadonlyArray<Entry> = [
  {
    path: "doctor",
    uses: [["doctor", "how this machine sandboxes plugins, and how to improve that"]],
    example: "doctor",
    load: command(async () => (await import("../plugin/DoctorCommand.ts")).doctor),
  },
  {
    path: "python",
    uses: [["python", "print the command that installs the Python package"]],
    example: "python",
    page: "docs/guides/use-from-python.md",
    load: command(async () => (await import("../serve/PythonCommand.ts")).python),
  },
]
