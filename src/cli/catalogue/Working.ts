/** Commands that run agents, and commands that answer their questions. */
import { command, type Entry } from "./Entry.ts"

export const RUN: ReadonlyArray<Entry> = [
  {
    path: "demo",
    uses: [
      [
        "demo",
        "see Hindcast at work: an agent fixes a test, is killed and resumes; then commands explain and score it",
      ],
      ["demo --world", "two agents in a text adventure, and a plugin that looks at this directory"],
      ["demo --tasks N", "write a log of many tasks to explore, with typical failures"],
    ],
    example: "demo --tasks 60 --seed 7 --log demo.db",
    load: command(async () => (await import("../demo/Demo.ts")).demo),
  },
  {
    path: "init",
    uses: [["init DIR", "create a small project: an agent in TypeScript with a tool, a gate, a rubric and a test"]],
    example: "init desk",
    page: "docs/tutorials/first-agent.md",
    load: command(async () => (await import("../init/InitCommand.ts")).init),
  },
  {
    path: "run",
    uses: [
      ["run --agent FILE --goal TEXT", "let an agent work on a goal, and show its audit"],
      ["run --model NAME --goal TEXT", "let a language model work on it: --guide FILE, --max-tokens N, --max-usd N"],
    ],
    example: 'run --agent agent.mjs --goal "Get the document" --plugin plugins/text-room',
    page: "docs/tutorials/first-agent.md",
    load: command(async () => (await import("../task/RunCommand.ts")).run),
  },
  {
    path: "cassette record",
    uses: [
      [
        "cassette record FILE --model NAME",
        "the same, and save the answers: run --model NAME --cassette FILE plays them",
      ],
    ],
    example: 'cassette record answers.json --model anthropic/claude-sonnet-4-5 --goal "Mend the test"',
    load: command(async () => (await import("../task/CassetteCommands.ts")).record),
  },
  {
    path: "chat",
    uses: [["chat --model NAME", "talk with the model while it works; --task TASK: with the agent of a task"]],
    example: "chat --model ollama/llama3.2",
    page: "docs/guides/talk-to-an-agent.md",
    load: command(async () => (await import("../chat/ChatCommand.ts")).chat),
  },
  {
    path: "curriculum run",
    uses: [["curriculum run FILE --agent AGENT", "let an agent learn by a curriculum, or continue its unfinished run"]],
    example: "curriculum run lessons.yaml --agent agent.mjs",
    page: "docs/guides/train-by-a-curriculum.md",
    load: command(async () => (await import("../curriculum/CurriculumCommands.ts")).run),
  },
  {
    path: "curriculum show",
    uses: [["curriculum show [RUN]", "list the runs of curricula, or show one with the reasons of its decisions"]],
    example: "curriculum show",
    page: "docs/guides/train-by-a-curriculum.md",
    load: command(async () => (await import("../curriculum/CurriculumCommands.ts")).show),
  },
  {
    path: "curriculum replay",
    uses: [["curriculum replay FILE", "apply other criteria to a recorded run, without running its agent: --run RUN"]],
    example: "curriculum replay stricter.yaml",
    exits: "It exits with 2 if it could compare no decision.",
    page: "docs/guides/train-by-a-curriculum.md",
    load: command(async () => (await import("../curriculum/CurriculumCommands.ts")).replay),
  },
  {
    path: "listen",
    uses: [
      ["listen", "record instrumented programs: receive OpenTelemetry's traces and logs; --forward URL passes them on"],
    ],
    example: "listen --log agents.db",
    page: "docs/guides/record-opentelemetry.md",
    load: command(async () => (await import("../record/ListenCommand.ts")).listen),
  },
  {
    path: "play",
    uses: [["play WORLD", "play a world yourself, in the terminal: --seed N, --options FILE"]],
    example: "play cart-pole --seed 7",
    page: "docs/guides/play-a-world.md",
    load: command(async () => (await import("../play/PlayCommand.ts")).play),
  },
  {
    path: "rollout",
    uses: [
      [
        "rollout WORLD --policy FILE",
        "many episodes of a world by one policy, in compact form: --episodes N, --continue ID",
      ],
    ],
    example: "rollout cart-pole --policy policy.mjs --episodes 100",
    page: "docs/guides/rollouts.md",
    load: command(async () => (await import("../play/RolloutCommand.ts")).rollout),
  },
  {
    path: "proxy",
    uses: [["proxy", "record the model calls of a team's services, each conversation as a task: --port N"]],
    example: "proxy --log team.db --port 4180",
    page: "docs/guides/record-a-service.md",
    load: command(async () => (await import("../record/ProxyCommand.ts")).proxy),
  },
  {
    path: "record",
    uses: [
      [
        "record -- node FILE",
        "record the requests of a program with its own agent; record doctor -- node FILE: find out whether a replay would repeat everything",
      ],
      ["record --proxy -- PROGRAM", "the same for a program in any language, such as python agent.py"],
      ["record --intercept -- PROGRAM", "record its requests to all servers"],
    ],
    example: 'record --goal "Answer the letter" -- node agent.js',
    page: "docs/guides/record-any-program.md",
    exits: "The exit code is the program's. `record doctor` exits with 2 if a replay would not repeat everything.",
    load: command(async () => (await import("../record/RecordCommand.ts")).record),
  },
  {
    path: "resume",
    uses: [["resume TASK --agent FILE", "continue a task whose kernel died; also with --model NAME"]],
    example: "resume 1a2b3c4d --agent agent.mjs",
    page: "docs/guides/pause-and-resume.md",
    load: command(async () => (await import("../task/ResumeCommand.ts")).resume),
  },
  {
    path: "serve",
    uses: [
      ["serve --stdio", "answer a program in another language: questions about logs, and worlds, as lines of JSON"],
      ["serve --port 0 --token-file FILE", "the same for several programs of yours, on a port of this machine"],
      ["serve --openenv WORLD --port 8000", "a world for clients of OpenEnv"],
      ["serve --listener FILE --agent FILE", "let an agent work on webhooks, lines, files and schedules, as a service"],
    ],
    example: "serve --stdio",
    page: "docs/guides/use-from-python.md",
    load: command(async () => (await import("../serve/ServeCommand.ts")).serve),
  },
  {
    path: "runner start",
    uses: [["runner start --agent FILE", "work on queued tasks, next to other runners of the log"]],
    example: "runner start --agent agent.mjs",
    page: "docs/guides/run-on-many-machines.md",
    load: command(async () => (await import("../queue/RunnerCommands.ts")).start),
  },
  {
    path: "runner ls",
    uses: [["runner ls", "list the runners, whether they live, and their tasks"]],
    example: "runner ls",
    page: "docs/guides/run-on-many-machines.md",
    load: command(async () => (await import("../queue/RunnerCommands.ts")).ls),
  },
  {
    path: "runner drain",
    uses: [["runner drain NAME", "ask a runner to stop at the ends of steps"]],
    example: "runner drain r1",
    page: "docs/guides/run-on-many-machines.md",
    load: command(async () => (await import("../queue/RunnerCommands.ts")).drain),
  },
  {
    path: "runner limit",
    uses: [["runner limit --agent NAME=N", "set how many queued tasks run at a time; --plugin NAME=N, --total N"]],
    example: "runner limit --agent desk=4",
    page: "docs/guides/run-on-many-machines.md",
    load: command(async () => (await import("../queue/RunnerCommands.ts")).limit),
  },
  {
    path: "stop",
    uses: [["stop", "end all open tasks immediately"]],
    example: "stop",
    load: command(async () => (await import("../task/ControlCommands.ts")).stop),
  },
  {
    path: "confirm ls",
    uses: [["confirm ls", "list the commands and host requests that wait for a person"]],
    example: "confirm ls",
    load: command(async () => (await import("../task/ConfirmCommands.ts")).ls),
  },
  {
    path: "confirm show",
    uses: [["confirm show ID", "show a waiting command in full"]],
    example: "confirm show 9f8e7d6c",
    load: command(async () => (await import("../task/ConfirmCommands.ts")).show),
  },
  {
    path: "confirm approve",
    uses: [["confirm approve ID", "approve a waiting command"]],
    example: "confirm approve 9f8e7d6c",
    load: command(async () => (await import("../task/ConfirmCommands.ts")).approve),
  },
  {
    path: "confirm reject",
    uses: [["confirm reject ID", "refuse a waiting command"]],
    example: 'confirm reject 9f8e7d6c --reason "Not on a Friday"',
    load: command(async () => (await import("../task/ConfirmCommands.ts")).reject),
  },
]
