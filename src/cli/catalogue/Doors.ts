/** Commands that record and gate coding agents. */
import { command, type Entry } from "./Entry.ts"

export const DOORS: ReadonlyArray<Entry> = [
  {
    path: "hooks install",
    uses: [
      [
        "hooks install claude-code",
        "record each session of a coding agent; with --gate FILE, rules decide about its calls",
      ],
    ],
    example: "hooks install claude-code --gate hindcast.gate.yaml",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../hooks/InstallCommands.ts")).install),
  },
  {
    path: "hooks uninstall",
    uses: [["hooks uninstall claude-code", "remove the hooks from its settings"]],
    example: "hooks uninstall claude-code",
    load: command(async () => (await import("../hooks/InstallCommands.ts")).uninstall),
  },
  {
    path: "hooks serve",
    uses: [["hooks serve", "answer hooks in this terminal; otherwise the first hook starts a server"]],
    example: "hooks serve --log sessions.db",
    load: command(async () => (await import("../hooks/ServeCommand.ts")).serve),
  },
]
