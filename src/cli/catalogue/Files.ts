/** Commands about the recorded files of workspaces. */
import { command, type Entry } from "./Entry.ts"

export const FILES: ReadonlyArray<Entry> = [
  {
    path: "files ls",
    uses: [["files ls [--at @412]", "the files at a moment"]],
    example: "files ls --at @412",
    load: command(async () => (await import("../files/Ls.ts")).ls),
  },
  {
    path: "files show",
    uses: [["files show FILE [--at @412]", "a file's content at a moment"]],
    example: "files show src/main.ts --at @412",
    load: command(async () => (await import("../files/Show.ts")).show),
  },
  {
    path: "files diff",
    uses: [
      [
        "files diff @a @b [FILE]",
        "the differences of files between two moments; --stat counts lines, --patch is for git apply",
      ],
    ],
    example: "files diff @400 @412 --stat",
    load: command(async () => (await import("../files/Diff.ts")).diff),
  },
  {
    path: "files history",
    uses: [["files history FILE", "every version of a file, with its time and call"]],
    example: "files history src/main.ts",
    load: command(async () => (await import("../files/History.ts")).history),
  },
  {
    path: "files blame",
    uses: [["files blame FILE[:LINE]", "the call, decision, approval and prompt behind each line"]],
    example: "files blame src/main.ts:12 --read",
    load: command(async () => (await import("../files/Blame.ts")).blame),
  },
  {
    path: "files why",
    uses: [["files why FILE", "the causes of a file's last change, up to the prompt"]],
    example: "files why src/main.ts",
    load: command(async () => (await import("../files/History.ts")).why),
  },
  {
    path: "files purge",
    uses: [
      ["files purge FILE", "remove every recorded content of a file, for good"],
      ["files purge --before @412", "remove the contents that only earlier moments need"],
    ],
    example: 'files purge config/key.json --reason "It held a key"',
    load: command(async () => (await import("../files/Purge.ts")).purge),
  },
  {
    path: "files bisect",
    uses: [['files bisect --run "npm test"', "the first step after which a command fails; runs recorded files"]],
    example: 'files bisect --run "npm test" --copy node_modules',
    exits:
      "It exits with 1 if the first state is not good, the last one is not bad, or it cannot test the states between them.",
    load: command(async () => (await import("../files/Bisect.ts")).bisect),
  },
  {
    path: "files compare",
    uses: [
      ["files compare TASK fork-1@TASK", "what each task did to the files, next to its score and cost"],
      ['files compare A B --verify "npm test"', "also whether a command succeeds on those files; runs recorded files"],
    ],
    example: 'files compare A B --verify "npm test" --copy node_modules',
    load: command(async () => (await import("../files/Compare.ts")).compare),
  },
  {
    path: "files restore",
    uses: [
      ["files restore MOMENT --into DIR", "write the files of a moment to another directory"],
      ["files restore MOMENT --in-place", "overwrite the current files; takes a snapshot and asks first"],
      ["files restore --undo", "undo the last --in-place restore"],
    ],
    example: "files restore @412 --in-place",
    exits: "Without --partial, it exits with 1 if it could not restore some files, and names them.",
    load: command(async () => (await import("../files/RestoreCommand.ts")).restore),
  },
  {
    path: "files fork",
    uses: [
      [
        "files fork MOMENT",
        "continue a session from a moment, with its files at that moment: prints the command that starts its coding agent",
      ],
      ["files fork MOMENT --run", "start the coding agent as well"],
      ["files fork MOMENT -- node agent.js", "run a recorded program there"],
    ],
    example: 'files fork @412 --prompt "Keep the quantity" --model opus --run',
    exits:
      "It exits with the started program's exit code, and with 1 if recorded files cannot be restored, unless --partial is given.",
    load: command(async () => (await import("../files/fork/Fork.ts")).fork),
  },
]
